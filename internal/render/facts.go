package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/score"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// facts says in a few words who the server is and how it was reached.
func facts(r *report.Report) []string {
	var facts []string
	if i := r.ServerInfo; i != nil && i.Name != nil {
		name := cut(*i.Name, 40)
		if i.Version != nil {
			name += " " + cut(*i.Version, 20)
		}
		facts = append(facts, name)
	}
	if v := r.Spec.NegotiatedVersion; v != nil {
		revision := cut(string(*v), 20)
		if r.Spec.Era != nil {
			revision += " (" + *r.Spec.Era + ")"
		}
		facts = append(facts, revision)
	}
	if r.Transport != nil {
		facts = append(facts, string(*r.Transport))
	}
	if r.Proxied {
		facts = append(facts, "through a proxy")
	}
	if r.Insecure {
		facts = append(facts, "certificates not verified")
	}
	for _, c := range r.Catalogs {
		if c.Items > 0 || !c.Complete {
			facts = append(facts, plural(c.Items, strings.TrimSuffix(strings.ReplaceAll(c.Name, "_", " "), "s")))
		}
	}
	return facts
}

// failures picks the failed results.
func failures(results []report.Result) []*report.Result {
	var failed []*report.Result
	for i := range results {
		if !results[i].Passed {
			failed = append(failed, &results[i])
		}
	}
	return failed
}

// failuresThatCount returns what costs points, dearest first, and how many points that is.
func failuresThatCount(r *report.Report) ([]*report.Result, int) {
	failed := failures(r.Results)
	if r.Readiness.CountedInMain {
		failed = append(failed, failures(r.Readiness.Results)...)
	}
	points := 0
	for _, f := range failed {
		points += f.SeverityValue
	}
	slices.SortStableFunc(failed, func(a, b *report.Result) int { return cmp.Compare(b.SeverityValue, a.SeverityValue) })
	return failed, points
}

// section is the rules of one category.
type section struct {
	report.Category
	Counted bool // in the score
	Results []*report.Result
	Skipped []report.SkippedRule
}

// sections sorts the rules by category: those that count in the score, then readiness where it does not.
func sections(r *report.Report) []section {
	var list []section
	for _, c := range r.Categories {
		list = append(list, section{Category: c, Counted: true})
	}
	if !r.Readiness.CountedInMain && r.Readiness.Total > 0 {
		c := report.Category{
			Name: string(rule.Readiness), Title: "Readiness for " + string(r.Spec.ReadinessTarget), Earned: r.Readiness.Score, Available: r.Readiness.MaxScore,
			Failed: len(failures(r.Readiness.Results)), Skipped: r.Readiness.Skipped,
		}
		c.Passed = r.Readiness.Assessed - c.Failed
		if p, ok := score.Percent(c.Earned, c.Available); ok {
			c.Percentage = &p
		}
		list = append(list, section{Category: c})
	}
	for i := range list {
		s := &list[i]
		for _, results := range [][]report.Result{r.Results, r.Readiness.Results} {
			for n := range results {
				if results[n].Category == s.Name {
					s.Results = append(s.Results, &results[n])
				}
			}
		}
		for _, k := range r.SkippedRules {
			if k.Category == s.Name {
				s.Skipped = append(s.Skipped, k)
			}
		}
	}
	return slices.DeleteFunc(list, func(s section) bool { return len(s.Results)+len(s.Skipped) == 0 })
}

// observed says what a finding saw, and what was expected.
func observed(i report.Issue) string {
	what := i.Seen
	if what == "" {
		what = strings.ReplaceAll(i.Reason, "_", " ")
	}
	if i.Expected != "" {
		what += "; expected " + i.Expected
	}
	return what
}

// gaps says in sentences what the audit could not see.
func gaps(r *report.Report) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if r.PartialReason != nil {
		add("Partial audit: %s.", *r.PartialReason)
	}
	switch {
	case r.Refused():
		add("%s", r.Failure.Remedy)
	case r.Failure != nil:
		add("The audit ended early (%s): %s. %s", r.Failure.Class, strings.TrimSuffix(r.Failure.Detail, "."), r.Failure.Remedy)
	}
	for _, c := range r.Catalogs {
		if !c.Complete && slices.Contains(r.IncompleteListings, c.Name) {
			reason := c.Reason
			if reason == "" {
				reason = "no reason is known"
			}
			add("The list of %s is incomplete: %s.", strings.ReplaceAll(c.Name, "_", " "), reason)
		}
	}
	if r.MaxScoreLost > 0 {
		add("%s could not be judged for lack of data and are in neither number. With them the maximum would be %d instead of %d.",
			plural(r.MaxScoreLost, "point"), r.MaxScore+r.MaxScoreLost, r.MaxScore)
	}
	return list
}

// skipGroup is rules that gave no verdict for one reason.
type skipGroup struct {
	reason rule.SkipReason
	text   string
	rules  []report.SkippedRule
	points int // that are missing from the maximum
}

// unobserved groups the rules that lacked data by why, most points first.
func unobserved(r *report.Report) []skipGroup {
	groups := skipGroups(slices.DeleteFunc(slices.Clone(r.SkippedRules), func(k report.SkippedRule) bool {
		return k.Reason != rule.Insufficient || k.GroupName == rule.Readiness && !r.Readiness.CountedInMain
	}))
	slices.SortStableFunc(groups, func(a, b skipGroup) int { return cmp.Compare(b.points, a.points) })
	return groups
}

// skipGroups groups skipped rules by reason, in the order of their first.
func skipGroups(skipped []report.SkippedRule) []skipGroup {
	var groups []skipGroup
	for _, k := range skipped {
		n := slices.IndexFunc(groups, func(g skipGroup) bool { return g.reason == k.Reason && g.text == k.ReasonText })
		if n < 0 {
			n = len(groups)
			groups = append(groups, skipGroup{reason: k.Reason, text: k.ReasonText})
		}
		groups[n].rules = append(groups[n].rules, k)
		groups[n].points += k.SeverityValue
	}
	return groups
}

// utcMinute shortens a report's time to minutes: "2026-11-30 17:46 UTC".
func utcMinute(generated string) string {
	date, clock, ok := strings.Cut(generated, "T")
	if !ok || len(clock) < 5 {
		return generated
	}
	return date + " " + clock[:5] + " UTC"
}

// visible spells out what does not show.
func visible(text string) string { return textscan.Visible(text) }

// harmless makes a text visible and breaks what the log of a build would take for a command.
func harmless(text string) string { return withoutCommands(visible(text)) }
