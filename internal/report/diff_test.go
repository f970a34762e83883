package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// Whatever two reports are compared, the effects of the causes sum up to the difference of the scores, and a report differs from itself in
// nothing.
func TestEffectsSumUp(t *testing.T) {
	for _, a := range reporttest.Samples() {
		for _, b := range reporttest.Samples() {
			old, now := a.Report(), b.Report()
			d := report.Compare(old, now, nil)
			earned, available := 0, 0
			for _, e := range d.Effects {
				earned += e.Earned
				available += e.Available
			}
			if earned != now.Score-old.Score || available != now.MaxScore-old.MaxScore {
				t.Errorf("%s to %s: effects %d/%d, scores differ by %d/%d", a.Name, b.Name, earned, available, now.Score-old.Score, now.MaxScore-old.MaxScore)
			}
			if a.Name == b.Name && (!d.Same() || len(d.Audits) > 0) {
				t.Errorf("%s differs from itself: %+v %+v", a.Name, d.Audits, d.Rules)
			}
		}
	}
}

// sample is a small report; edit changes it.
func sample(edit func(*report.Report)) *report.Report {
	result := func(id string, passed bool) report.Result {
		res := report.Result{RuleID: id, Severity: rule.High, SeverityValue: 3, Passed: passed, Message: id, Details: map[string]any{}}
		if !passed {
			res.Details["issues"] = []report.Issue{{EntityKind: "tool", Name: "read", Path: new(string), Reason: "bad"}}
			res.Details["issues_total"] = 1
		}
		return res
	}
	r := &report.Report{
		SchemaVersion: 1, Engine: report.Engine{Name: "hallmark", Version: "1.0"}, Target: "https://example.com/mcp",
		Policy:       report.Policy{Name: "roster", Digest: "sha256:1", Unscored: []string{}},
		Results:      []report.Result{result("passes", true), result("fails", false)},
		SkippedRules: []report.SkippedRule{{RuleID: "skipped", Reason: rule.NotApplicable, Severity: rule.Low}},
		Readiness:    report.ReadinessSum{Results: []report.Result{result("future", true)}},
	}
	if edit != nil {
		edit(r)
	}
	return r
}

func TestCause(t *testing.T) {
	repair := func(r *report.Report) {
		r.Results[1] = report.Result{RuleID: "fails", Severity: rule.High, SeverityValue: 3, Passed: true}
	}
	upgrade := func(r *report.Report) { r.Engine.Version = "2.0" }
	unobserved := func(r *report.Report) {
		r.Results = r.Results[:1]
		r.SkippedRules = append(r.SkippedRules, report.SkippedRule{RuleID: "fails", Reason: rule.Insufficient, Severity: rule.High})
	}
	for _, c := range []struct {
		name     string
		new      func(*report.Report)
		rejudged func(*report.Report) // nil: none
		want     string
	}{
		{"repaired", repair, nil, "answers fails: it was repaired"},
		{"other findings", func(r *report.Report) {
			r.Results[1].Details["issues"] = []report.Issue{{EntityKind: "tool", Name: "write\u200b", Path: new(string), Reason: "bad"}}
		}, nil, `answers fails: the findings are others, gone [tool "read"], new [tool "write<U+200B>"]`},
		{"another version", func(r *report.Report) { repair(r); upgrade(r) }, nil, "engine-or-answers fails: give the recording behind the old report to tell"},
		{"another version, same on the old recording", func(r *report.Report) { repair(r); upgrade(r) }, repair, "engine fails: this version says the same about the old recording"},
		{"another version, the server changed", func(r *report.Report) { repair(r); upgrade(r) }, func(*report.Report) {},
			"answers fails: this version says of the old recording what the old one said"},
		{"another version, both", func(r *report.Report) { repair(r); upgrade(r) }, unobserved,
			"engine-or-answers fails: both have a part in it: this version judges the old recording otherwise, and the server answers otherwise"},
		{"a new rule", func(r *report.Report) {
			upgrade(r)
			r.SkippedRules = append(r.SkippedRules, report.SkippedRule{RuleID: "fresh"})
		}, nil,
			"engine fresh: it is new in this version"},
		{"a rule that the roster dropped", func(r *report.Report) { r.Policy.Digest = "sha256:2"; r.SkippedRules = nil }, nil, "policy skipped: it is gone in the roster"},
		{"unscored", func(r *report.Report) {
			r.Policy = report.Policy{Digest: "sha256:2", Unscored: []string{"skipped"}}
			r.SkippedRules = nil
		}, nil,
			"policy skipped: only one of the rosters names it"},
		{"another severity", func(r *report.Report) {
			r.Policy.Digest = "sha256:2"
			r.Results[0].Severity, r.Results[0].SeverityValue = rule.Low, 1
		}, nil,
			"policy passes: the rosters give it different severities"},
		{"re-ranked", func(r *report.Report) {
			r.Config = &report.Config{Source: "f", SHA256: "1", Reranked: map[string]report.Reranking{"passes": {To: rule.Low}}}
			r.Results[0].Severity, r.Results[0].SeverityValue = rule.Low, 1
		}, nil, "configuration passes: its severity was changed"},
		{"turned off", func(r *report.Report) {
			upgrade(r)
			r.Results = r.Results[:1]
			r.SkippedRules = append(r.SkippedRules, report.SkippedRule{RuleID: "fails", Reason: rule.Disabled})
		}, nil, "configuration fails: it is turned off now"},
		{"unobserved", unobserved, nil, "answers fails: it cannot be observed now"},
		{"unobserved without credentials", func(r *report.Report) { unobserved(r); r.Partial = true }, nil, "audit fails: it cannot be observed now"},
		{"readiness counts", func(r *report.Report) { r.Readiness.CountedInMain = true }, nil,
			"answers future: readiness counts for one of the two, since the server speaks the revision that it is about"},
	} {
		var rejudged *report.Report
		if c.rejudged != nil {
			rejudged = sample(c.rejudged)
		}
		var got []string
		for _, r := range report.Compare(sample(nil), sample(c.new), rejudged).Rules {
			text := fmt.Sprintf("%s %s: %s", r.Cause, r.RuleID, r.Because)
			if len(r.Gone)+len(r.Came) > 0 {
				text += fmt.Sprintf(", gone %v, new %v", r.Gone, r.Came)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

func TestAudits(t *testing.T) {
	name := "demo"
	now := sample(func(r *report.Report) {
		r.Engine.Version, r.Policy.Digest, r.Partial, r.Authenticated = "2.0", "sha256:0123456789abcdef", true, true
		r.Target = "https://example.org/mcp\x1b"
		r.ServerInfo = &report.ServerInfo{Name: &name}
		r.IncompleteListings = []string{"tools"}
		r.Catalogs = []report.Catalog{{Name: "tools", Items: 3}}
		r.Config = &report.Config{Source: "f.toml", SHA256: "0123456789abcdef"}
	})
	got, err := json.MarshalIndent(report.Compare(sample(nil), now, nil).Audits, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"old": "hallmark 1.0"`, `"new": "hallmark 2.0"`, `"new": "roster sha256:0123456789ab"`, `"new": "f.toml 0123456789ab"`,
		`"new": "partial"`, `"new": "given"`, `"new": "https://example.org/mcp\u003cU+001B\u003e"`, `"what": "server"`, `"what": "listings that are incomplete"`, `"new": "3"`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
