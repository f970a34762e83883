package report

import (
	"cmp"
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

// families are rules that stand for one mechanism of a server, asked once per list or per fault: one change repairs them all.
var families = []struct{ prefix, suffix, change string }{
	{"pagination_", "_invalid_cursor", "Check the cursor of every list before reading anything, and answer error -32602 to one that was never issued."},
	{"", "_catalog_connection_independent", "Build every list from what the request itself presents, never from the connection or the process that serves it."},
	{"tools_mcp_headers_", "", "Bring the x-mcp-header annotations of tool parameters in line with the specification."},
}

// fixGroup is a set of failures that one change repairs.
type fixGroup struct {
	common  string // what to do about all of them
	each    bool   // and each rule's own word belongs to it
	results []*Result
}

// groupFixes puts failures together that belong to one family, that share their fix word for word, or that are of one group of rules
// and about one field of one kind of item ("annotations of tools"). Groups keep the order of their first failure.
func groupFixes(failures []*Result) []*fixGroup {
	samePlace := map[string]int{}
	for _, f := range failures {
		samePlace[placeKey(f)]++
	}
	var groups []*fixGroup
	index := map[string]*fixGroup{}
	for _, f := range failures {
		key, kind := "fix "+f.SuggestedFix, fixGroup{common: f.SuggestedFix}
		if p := placeKey(f); p != "" && samePlace[p] > 1 {
			key, kind = "place "+p, fixGroup{common: "Repair " + placeName(f) + ":", each: true}
		}
		for _, family := range families {
			if strings.HasPrefix(f.RuleID, family.prefix) && strings.HasSuffix(f.RuleID, family.suffix) {
				key, kind = "family "+family.change, fixGroup{common: family.change}
			}
		}
		g := index[key]
		if g == nil {
			g = &kind
			groups, index[key] = append(groups, g), g
		}
		g.results = append(g.results, f)
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
	switch f.GroupName {
	case rule.ServerInfo, rule.ProtocolVersion, rule.Capabilities:
		return field
	}
	return field + " of " + strings.ReplaceAll(string(f.GroupName), "_", " ")
}

// change says what to do: for a failure alone what its rule says, else what is common to all, with each rule's word where the field
// is all that they share.
func (g *fixGroup) change() string {
	if len(g.results) == 1 {
		return g.results[0].SuggestedFix
	}
	text := g.common
	for _, f := range g.results {
		if g.each && !strings.Contains(text, f.SuggestedFix) {
			text += " " + f.SuggestedFix
		}
	}
	return text
}
