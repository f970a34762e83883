package score

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

func load(t testing.TB, name string) *policy.Policy {
	t.Helper()
	p, err := policy.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func verdict(id string, result rule.Result) rule.Verdict {
	v := rule.Verdict{Rule: &rule.Rule{ID: id}, Result: result}
	if result == rule.Skipped {
		v.Skip = rule.SkipFor(rule.NotApplicable, "not here")
	}
	return v
}

// published is the audit that the methodology publishes: a legacy server over TLS with three tools and nothing else. What is in
// neither list was skipped.
var published = struct{ passed, failed []string }{
	passed: []string{
		"capability_prompts_present", "capability_resources_present", "capability_tools_present",
		"capability_prompts_list_changed", "capability_resources_list_changed", "capability_tools_list_changed",
		"protocol_version_allowed", "protocol_version_not_deprecated",
		"server_name_present", "server_version_present", "server_instructions_present", "transport_streamable_http",
		"tools_at_least_one", "tools_name_present_in_all", "tools_names_unique", "tools_names_valid_format",
		"tools_description_present_in_all", "tools_input_schema_valid", "tools_input_properties_documented",
		"tools_output_schema_valid", "tools_output_schema_root_object", "tools_execution_consistent", "tools_icons_valid",
		"security_tls_enabled", "security_malformed_request_handling",
		"catalog_hidden_unicode", "catalog_no_embedded_secrets", "catalog_prompt_injection_phrasing",
		"readiness_2026_deprecated_features", "readiness_2026_tool_schema_dialect",
	},
	failed: []string{
		"protocol_version_latest", "server_title_present", "server_websiteurl_present", "server_icons_present",
		"tools_annotations_present", "tools_title_present_in_all",
		"pagination_tools_invalid_cursor", "pagination_resources_invalid_cursor",
		"pagination_resource_templates_invalid_cursor", "pagination_prompts_invalid_cursor",
		"security_origin_validation",
		"readiness_2026_server_discover", "readiness_2026_stateless_request",
	},
}

// publishedVerdicts gives every rule of the roster its verdict, without those of package audits.
func publishedVerdicts(p *policy.Policy) []rule.Verdict {
	var verdicts []rule.Verdict
	for _, c := range p.Categories {
		if c.Name == "packaging" {
			continue
		}
		for _, e := range c.Rules {
			result := rule.Skipped
			if slices.Contains(published.passed, e.ID) {
				result = rule.Pass
			}
			if slices.Contains(published.failed, e.ID) {
				result = rule.Fail
			}
			verdicts = append(verdicts, verdict(e.ID, result))
		}
	}
	return verdicts
}

func TestPublishedAudit(t *testing.T) {
	p := load(t, "roster_102")
	got := Add(publishedVerdicts(p), p, false)
	want := Score{
		Total:     Sum{Earned: 87, Available: 103, Passed: 28, Failed: 11, Skipped: 43},
		Readiness: Sum{Earned: 3, Available: 13, Passed: 2, Failed: 2, Skipped: 16},
		Categories: []Category{
			{"protocol", "Protocol", Sum{Earned: 36, Available: 42, Passed: 12, Failed: 4, Skipped: 1}},
			{"primitives", "Tools, resources, prompts", Sum{Earned: 35, Available: 42, Passed: 11, Failed: 6, Skipped: 33}},
			{"security_auth", "Security and authorization", Sum{Earned: 16, Available: 19, Passed: 5, Failed: 1, Skipped: 9}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if percent, ok := got.Total.Percentage(); percent != 84 || !ok {
		t.Errorf("percentage %d, %t; want 84", percent, ok)
	}
}

// Promoted, the points of readiness join the total; the numbers of rules do not.
func TestPromotedReadiness(t *testing.T) {
	p := load(t, "roster_102")
	got := Add(publishedVerdicts(p), p, true)
	if want := (Sum{Earned: 90, Available: 116, Passed: 28, Failed: 11, Skipped: 43}); got.Total != want {
		t.Errorf("total %+v, want %+v", got.Total, want)
	}
	last := got.Categories[len(got.Categories)-1]
	if last.Name != "readiness" || last.Sum != got.Readiness {
		t.Errorf("last category %+v, want readiness %+v", last, got.Readiness)
	}
}

func TestPercentageRoundsHalfToEven(t *testing.T) {
	tests := []struct {
		earned, available, want int
		ok                      bool
	}{
		{0, 0, 0, false},
		{0, 5, 0, true},
		{5, 5, 100, true},
		{87, 103, 84, true},
		{1, 200, 0, true},     // 0.5
		{3, 200, 2, true},     // 1.5
		{5, 200, 2, true},     // 2.5
		{199, 200, 100, true}, // 99.5
		{2, 3, 67, true},
	}
	for _, tt := range tests {
		if got, ok := Percent(tt.earned, tt.available); got != tt.want || ok != tt.ok {
			t.Errorf("Percent(%d, %d) = %d, %t; want %d, %t", tt.earned, tt.available, got, ok, tt.want, tt.ok)
		}
	}
}

// drawVerdicts draws a verdict for any number of the roster's rules.
func drawVerdicts(t *rapid.T, p *policy.Policy) []rule.Verdict {
	var verdicts []rule.Verdict
	for _, c := range p.Categories {
		for _, e := range c.Rules {
			if !rapid.Bool().Draw(t, "judged") {
				continue
			}
			v := verdict(e.ID, rapid.SampledFrom([]rule.Result{rule.Pass, rule.Fail, rule.Skipped}).Draw(t, "result"))
			if v.Skip != nil {
				v.Skip.Reason = rapid.SampledFrom([]rule.SkipReason{rule.NotApplicable, rule.Insufficient, rule.RequiresModern, rule.Disabled}).Draw(t, "reason")
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts
}

func TestProperties(t *testing.T) {
	for _, name := range policy.Names() {
		p := load(t, name)
		rapid.Check(t, func(t *rapid.T) {
			verdicts := drawVerdicts(t, p)
			promoted := rapid.Bool().Draw(t, "promoted")
			s := Add(verdicts, p, promoted)

			if shuffled := Add(rapid.Permutation(verdicts).Draw(t, "order"), p, promoted); !cmp.Equal(s, shuffled) {
				t.Errorf("the order of rules moves the score: %+v, %+v", s, shuffled)
			}
			outsider := verdict("experimental_something", rapid.SampledFrom([]rule.Result{rule.Pass, rule.Fail, rule.Skipped}).Draw(t, "outsider"))
			if more := Add(append(slices.Clone(verdicts), outsider), p, promoted); !cmp.Equal(s, more) {
				t.Errorf("a rule outside the roster moves the score: %+v, %+v", s, more)
			}
			earned, available, unobserved := 0, 0, 0
			for _, c := range s.Categories {
				earned, available, unobserved = earned+c.Earned, available+c.Available, unobserved+c.Unobserved
			}
			if earned != s.Total.Earned || available != s.Total.Available || unobserved != s.Total.Unobserved {
				t.Errorf("categories sum up to %d/%d, %d unobserved; total %+v", earned, available, unobserved, s.Total)
			}
			if s.Total.Earned < 0 || s.Total.Earned > s.Total.Available {
				t.Errorf("earned %d of %d", s.Total.Earned, s.Total.Available)
			}
			if len(verdicts) == 0 {
				return
			}
			checkChange(t, p, verdicts, promoted)
		})
	}
}

// checkChange turns one verdict into each other and compares the score with what the arithmetic promises.
func checkChange(t *rapid.T, p *policy.Policy, verdicts []rule.Verdict, promoted bool) {
	i := rapid.IntRange(0, len(verdicts)-1).Draw(t, "which")
	id := verdicts[i].Rule.ID
	place, _ := p.Place(id)
	with := func(result rule.Result) Score {
		changed := slices.Clone(verdicts)
		changed[i] = verdict(id, result)
		return Add(changed, p, promoted)
	}
	pass, fail, skip := with(rule.Pass), with(rule.Fail), with(rule.Skipped)
	points := place.Points
	if place.Axis == policy.Readiness && !promoted {
		points = 0
	}
	if pass.Total.Earned-fail.Total.Earned != points || pass.Total.Available != fail.Total.Available {
		t.Errorf("%s: repairing it moves %+v to %+v, want %d points", id, fail.Total, pass.Total, points)
	}
	if fail.Total.Available-skip.Total.Available != points || fail.Total.Earned != skip.Total.Earned {
		t.Errorf("%s: a skip must leave both numbers, %+v and %+v", id, fail.Total, skip.Total)
	}
	if without := Add(slices.Delete(slices.Clone(verdicts), i, i+1), p, promoted); without.Total.Earned != skip.Total.Earned || without.Total.Available != skip.Total.Available {
		t.Errorf("%s: skipped %+v, not there %+v", id, skip.Total, without.Total)
	}
}
