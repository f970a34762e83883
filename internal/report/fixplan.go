package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/score"
)

// planFixes orders the failures that cost points by what repairing them gains, those that one change repairs together. Score and
// maximum are predicted under the assumption that nothing else about the server changes.
func planFixes(r *Report) []FixStep {
	failures := failuresThatCount(r)
	steps := []FixStep{}
	for _, group := range groupFixes(failures) {
		step := FixStep{Change: group.change(), MaxScore: r.MaxScore}
		for _, f := range group.results {
			step.Rules = append(step.Rules, f.RuleID)
			step.Points += f.SeverityValue
			step.Findings += f.IssuesTotal()
			if f.RuleID == latestRevisionRule && !r.Readiness.CountedInMain {
				step.Note = "speaking the latest revision also brings the readiness rules into the score and its maximum"
			}
		}
		steps = append(steps, step)
	}
	slices.SortStableFunc(steps, func(a, b FixStep) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Findings, b.Findings))
	})
	earned := r.Score
	for i := range steps {
		earned += steps[i].Points
		steps[i].ScoreAfter = earned
		steps[i].PercentageAfter, _ = score.Percent(earned, r.MaxScore)
	}
	return steps
}

// latestRevisionRule is the rule whose repair changes which rules count.
const latestRevisionRule = "protocol_version_latest"

func failuresThatCount(r *Report) []*Result {
	var failures []*Result
	add := func(results []Result) {
		for i := range results {
			if !results[i].Passed && results[i].SeverityValue > 0 {
				failures = append(failures, &results[i])
			}
		}
	}
	add(r.Results)
	if r.Readiness.CountedInMain {
		add(r.Readiness.Results)
	}
	return failures
}

// fixGroup is a set of failures that one change repairs.
type fixGroup struct {
	fix     string // the rules' common fix
	place   string // or the field that all of them are about
	results []*Result
}

// groupFixes puts failures together that share their fix word for word, or else are of one group of rules and about one field of one
// kind of item ("annotations of tools"). Groups keep the order of their first failure.
func groupFixes(failures []*Result) []*fixGroup {
	sameFix := map[string]int{}
	samePlace := map[string]int{}
	for _, f := range failures {
		sameFix[f.SuggestedFix]++
		samePlace[placeKey(f)]++
	}
	var groups []*fixGroup
	index := map[string]*fixGroup{}
	for _, f := range failures {
		g := fixGroup{fix: f.SuggestedFix}
		key := "fix " + f.SuggestedFix
		if p := placeKey(f); f.SuggestedFix == "" || sameFix[f.SuggestedFix] == 1 && p != "" && samePlace[p] > 1 {
			g = fixGroup{place: placeName(f)}
			key = "place " + p
			if p == "" {
				key = "rule " + f.RuleID
			}
		}
		if index[key] == nil {
			groups = append(groups, &g)
			index[key] = &g
		}
		index[key].results = append(index[key].results, f)
	}
	return groups
}

// placeKey names the field that all findings of a failure are about, within its group of rules; empty when they are about several
// fields or about no field.
func placeKey(f *Result) string {
	field := fieldOf(f)
	if field == "" {
		return ""
	}
	return string(f.GroupName) + " " + field
}

func fieldOf(f *Result) string {
	field := ""
	for _, issue := range f.Issues() {
		if issue.Path == nil || *issue.Path == "" {
			return ""
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(*issue.Path, "/"), "/")
		if field != "" && first != field {
			return ""
		}
		field = first
	}
	return field
}

func placeName(f *Result) string {
	field := fieldOf(f)
	if field == "" {
		return ""
	}
	switch f.GroupName {
	case rule.ServerInfo, rule.ProtocolVersion, rule.Capabilities:
		return field
	}
	return field + " of " + strings.ReplaceAll(string(f.GroupName), "_", " ")
}

// change says what to do, in the rule's own words where there is one way to say it.
func (g *fixGroup) change() string {
	if g.fix != "" {
		return g.fix
	}
	if len(g.results) == 1 || g.place == "" {
		if fix := g.results[0].SuggestedFix; fix != "" {
			return fix
		}
		return "Repair " + g.results[0].RuleID + "."
	}
	return fmt.Sprintf("Repair %s: %s", g.place, joinFixes(g.results))
}

// joinFixes lists the fixes of several rules, each once.
func joinFixes(results []*Result) string {
	var fixes []string
	for _, f := range results {
		if !slices.Contains(fixes, f.SuggestedFix) {
			fixes = append(fixes, f.SuggestedFix)
		}
	}
	return strings.Join(fixes, " ")
}
