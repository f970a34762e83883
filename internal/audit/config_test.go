package audit

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/config"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// A real server judged under a configuration: what is off costs and earns nothing, what is re-ranked weighs more, and the report tells both.
func TestJudgeUnder(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "testdata", "recordings", "everything.rec.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rec, err := recording.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	v, err := Vocabulary(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("hallmark.toml", config.Own, []byte(`
[rules]
server_version_present = { level = "off", reason = "built from source", owner = "core", expires = 2999-01-01 }
server_icons_present = "critical"
prompts_names_unique = { level = "off", reason = "once", expires = 2020-01-01 }
readiness_2026_server_discover = "off"
tools_at_least_one = "off"
`), v)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := JudgeUnder(rec, p, rec.Engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := JudgeUnder(rec, p, rec.Engine, c)
	if err != nil {
		t.Fatal(err)
	}

	want := &report.Config{
		Source: "hallmark.toml", SHA256: c.SHA256, Disabled: []string{"server_version_present", "readiness_2026_server_discover"},
		Reranked: map[string]report.Reranking{"server_icons_present": {From: rule.Low, To: rule.Critical}}, Unknown: []string{"tools_at_least_one"},
		Waivers: []report.Waiver{
			{Setting: "server_version_present", Level: "off", Rules: []string{"server_version_present"}, Reason: "built from source", Owner: "core", Expires: "2999-01-01"},
			{Setting: "prompts_names_unique", Level: "off", Rules: []string{"prompts_names_unique"}, Reason: "once", Expires: "2020-01-01", Expired: true},
		},
	}
	if diff := cmp.Diff(want, r.Config); diff != "" {
		t.Errorf("config: -want +got:\n%s", diff)
	}
	if plain.Config != nil {
		t.Error("a configuration in the report of an audit without one")
	}
	warnings := []string{"hallmark.toml:5: the waiver of prompts_names_unique expired on 2020-01-01 and no longer holds (once)"}
	if diff := cmp.Diff(warnings, ConfigWarnings(c, r)); diff != "" {
		t.Errorf("warnings: -want +got:\n%s", diff)
	}

	// server_version_present is HIGH and failed, server_icons_present went from 1 point to 5 and failed or passed.
	before, after := result(plain, "server_icons_present"), result(r, "server_icons_present")
	if before == nil || after == nil || after.Severity != rule.Critical || after.SeverityValue != 5 || after.Details["severity_default"] != "LOW" {
		t.Fatalf("re-ranked from %+v to %+v", before, after)
	}
	if off := result(plain, "server_version_present"); off == nil || off.Passed {
		t.Fatal("server_version_present did not fail: the recording has changed, choose another rule")
	}
	// The server speaks the latest revision, so readiness counts.
	discover := result(plain, "readiness_2026_server_discover")
	if gain, want := r.MaxScore-plain.MaxScore, (5-1)-3-discover.SeverityValue; gain != want {
		t.Errorf("the maximum moved by %d, want %d: 4 more for the rule that is re-ranked, less for those that are off", gain, want)
	}
	for id, reason := range map[string]string{
		"server_version_present":         "turned off in hallmark.toml: built from source (until 2999-01-01)",
		"readiness_2026_server_discover": "turned off in hallmark.toml",
	} {
		i := slices.IndexFunc(r.SkippedRules, func(s report.SkippedRule) bool { return s.RuleID == id })
		if i < 0 || r.SkippedRules[i].Reason != rule.Disabled || r.SkippedRules[i].ReasonText != reason {
			t.Errorf("%s is skipped as %+v", id, r.SkippedRules)
		}
	}
	if result(r, "prompts_names_unique") == nil {
		t.Error("a rule whose waiver expired gave no verdict")
	}
	if !rec.AsOf.Before(time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Error("the recording is of a moment at which the waivers expired")
	}
}

// What does not concern a server is reported as that, also when it is off.
func TestOffDoesNotHideWhy(t *testing.T) {
	rec := &recording.Recording{Format: recording.Format, Version: recording.Version, Failure: &recording.Failure{Class: recording.FailDNS}}
	p, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	v, err := Vocabulary(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("f", config.Own, []byte("[groups]\ntools = 'off'\n"), v)
	if err != nil {
		t.Fatal(err)
	}
	r, err := JudgeUnder(rec, p, recording.Engine{}, c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Ran() || r.Config == nil {
		t.Errorf("ran %v with configuration %+v", r.Ran(), r.Config)
	}
	for _, s := range r.SkippedRules {
		if s.Reason == rule.Disabled {
			t.Errorf("%s is skipped as off in an audit that could not run", s.RuleID)
		}
	}
}

func result(r *report.Report, id string) *report.Result {
	for _, list := range [][]report.Result{r.Results, r.Readiness.Results} {
		for i := range list {
			if list[i].RuleID == id {
				return &list[i]
			}
		}
	}
	return nil
}
