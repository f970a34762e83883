package gate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

func percent(n int) *int { return &n }

// failure is a failed result with one finding per name.
func failure(id string, severity rule.Severity, names ...string) report.Result {
	var issues []report.Issue
	for _, name := range names {
		issues = append(issues, report.Issue{EntityKind: "tool", Name: name, Path: new(string), Reason: "bad"})
	}
	shown := issues[:min(len(issues), 20)]
	return report.Result{RuleID: id, Severity: severity, Details: map[string]any{"issues": shown, "issues_total": len(issues)}}
}

func passed(id string) report.Result {
	return report.Result{RuleID: id, Severity: rule.High, Passed: true, Details: map[string]any{}}
}

func TestCheck(t *testing.T) {
	r := &report.Report{
		Percentage: percent(70),
		Results:    []report.Result{failure("a", rule.High, "x"), failure("b", rule.Low, "x"), passed("c")},
		Readiness:  report.ReadinessSum{Score: 1, MaxScore: 3, Results: []report.Result{failure("future", rule.Critical, "x")}},
		Categories: []report.Category{{Name: "security", Percentage: percent(90)}, {Name: "dark", Unobserved: 3}, {Name: "idle"}},
	}
	promoted := *r
	promoted.Readiness.CountedInMain = true
	part := *r
	part.Partial = true
	empty := &report.Report{}
	known := &Against{"--baseline k", NewBaseline(&report.Report{Results: []report.Result{failure("a", rule.High, "x")}})}

	for _, c := range []struct {
		name   string
		report *report.Report
		gates  Gates
		want   string // one line per gate: + or -, name, message
		failed []string
	}{
		{"score reached", r, Gates{Score: &Percent{"s", "", 70}}, "+ s: the score is 70 %", nil},
		{"score not reached", r, Gates{Score: &Percent{"s", "", 71}}, "- s: the score is 70 %", nil},
		{"score of nothing", empty, Gates{Score: &Percent{"s", "", 1}}, "- s: the score is 0 %", nil},
		{"partial", &part, Gates{Score: &Percent{"s", "", 0}}, "- s: the audit is partial, its score says little about the server", nil},
		{"readiness", r, Gates{Readiness: &Percent{"r", "", 34}}, "- r: readiness is 33 %", nil},
		{"no readiness", empty, Gates{Readiness: &Percent{"r", "", 34}}, "+ r: readiness could not be assessed, so nothing is asked of it", nil},
		{"categories", r, Gates{Categories: []Percent{{"c", "security", 90}, {"d", "security", 91}, {"e", "dark", 1}, {"f", "idle", 1}, {"g", "absent", 1}}},
			"+ c: security is 90 %\n- d: security is 90 %\n- e: nothing of dark could be observed\n+ f: no rule of idle concerns the server\n+ g: no rule of absent concerns the server", nil},
		{"category of a partial audit", &part, Gates{Categories: []Percent{{"c", "security", 1}}}, "- c: the audit is partial, its score says little about the server", nil},
		{"severity", r, Gates{FailOn: &Severity{"f", rule.Medium}}, "- f: 1 rule failed: a", []string{"a"}},
		{"severity, all", r, Gates{FailOn: &Severity{"f", rule.Low}}, "- f: 2 rules failed: a, b", []string{"a", "b"}},
		{"severity, none", r, Gates{FailOn: &Severity{"f", rule.Critical}}, "+ f: no rule of that severity failed", nil},
		{"severity, readiness counts", &promoted, Gates{FailOn: &Severity{"f", rule.Critical}}, "- f: 1 rule failed: future", []string{"future"}},
		{"baseline", r, Gates{Baseline: known}, `- --baseline k: new: b at tool "x"`, nil},
		{"baseline with a severity", r, Gates{Baseline: known, FailOn: &Severity{"--fail-on medium", rule.Medium}},
			"+ --baseline k, --fail-on medium: nothing fails that the baseline does not know", nil},
		{"baseline, partial", &part, Gates{Baseline: known}, "- --baseline k: the audit is partial and the baseline is not, so there is nothing to compare", nil},
		{"all in order", r, Gates{Score: &Percent{"s", "", 1}, Readiness: &Percent{"r", "", 1}, Categories: []Percent{{"c", "security", 1}}, FailOn: &Severity{"f", rule.Critical}},
			"+ s: the score is 70 %\n+ r: readiness is 33 %\n+ c: security is 90 %\n+ f: no rule of that severity failed", nil},
	} {
		gates, failed := Check(c.report, c.gates)
		var lines []string
		for _, g := range gates {
			mark := "-"
			if g.Passed {
				mark = "+"
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s", mark, g.Name, g.Message))
		}
		if diff := cmp.Diff(c.want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
		if !slices.Equal(failed, c.failed) {
			t.Errorf("%s: failed on %v, want %v", c.name, failed, c.failed)
		}
	}
}

func TestBaseline(t *testing.T) {
	many := make([]string, 25)
	for i := range many {
		many[i] = fmt.Sprintf("tool_%02d", i)
	}
	old := &report.Report{Results: []report.Result{failure("a", rule.High, "x", "y", "y"), failure("many", rule.Low, many...), passed("c")}}
	var file bytes.Buffer
	if err := NewBaseline(old).Write(&file); err != nil {
		t.Fatal(err)
	}
	b, err := ReadBaseline(&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		result report.Result
		want   []string
	}{
		{"the same", failure("a", rule.High, "x", "y", "y"), nil},
		{"another order", failure("a", rule.High, "y", "x", "y"), nil},
		{"less", failure("a", rule.High, "y"), nil},
		{"one more of the same", failure("a", rule.High, "y", "y", "y"), []string{`a at tool "y"`}},
		{"another item", failure("a", rule.High, "x", "z\u202e"), []string{`a at tool "z<U+202E>"`}},
		{"another rule", failure("c", rule.High, "p", "q", "r", "s"), []string{`c at tool "p", tool "q", tool "r" and 1 more`}},
		{"more than is shown, the same number", failure("many", rule.Low, append([]string{"new"}, many[1:]...)...), nil},
		{"more than is shown, one more", failure("many", rule.Low, append([]string{"new"}, many...)...), []string{"many (findings more than before: 1)"}},
	} {
		var got []string
		for _, n := range b.News(&report.Report{Results: []report.Result{c.result}}) {
			got = append(got, n.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
	now := &report.Report{Results: []report.Result{passed("a"), failure("many", rule.Low, "x")}}
	if diff := cmp.Diff([]string{"a"}, b.Repaired(now)); diff != "" {
		t.Errorf("repaired: -want +got:\n%s", diff)
	}
}

func TestReadBaselineErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "not a baseline: EOF",
		`{"schema_version": 1}`: "not a baseline: its format is not hallmark-baseline",
		`{"format": "hallmark-baseline", "version": 9}`: "baseline version 9 is not supported, this program reads version 1",
	} {
		if _, err := ReadBaseline(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
