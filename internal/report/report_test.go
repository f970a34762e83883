package report_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

func TestPublishedAudit(t *testing.T) {
	r := reporttest.Legacy().Report()
	type numbers struct {
		Score, Max, Percentage, Total, Passed, Failed, Skipped int
		Readiness, ReadinessMax, Assessed, Rules               int
		Counted                                                bool
	}
	got := numbers{r.Score, r.MaxScore, *r.Percentage, r.Summary.Total, r.Summary.Passed, r.Summary.Failed, r.Summary.Skipped,
		r.Readiness.Score, r.Readiness.MaxScore, r.Readiness.Assessed, r.Readiness.Total, r.Readiness.CountedInMain}
	want := numbers{87, 103, 84, 39, 28, 11, 43, 3, 13, 4, 20, false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The score can be computed again from the JSON alone, by its documented names.
func TestScoreIsRecomputable(t *testing.T) {
	type result struct {
		Value  int    `json:"severity_value"`
		Passed bool   `json:"passed"`
		Cat    string `json:"category"`
	}
	type document struct {
		Score     int      `json:"score"`
		Max       int      `json:"max_score"`
		Lost      int      `json:"max_score_lost_to_unobserved"`
		Results   []result `json:"results"`
		Readiness struct {
			Score   int      `json:"score"`
			Max     int      `json:"max_score"`
			Counted bool     `json:"counted_in_main"`
			Results []result `json:"results"`
		} `json:"readiness"`
		Skipped []struct {
			Value  int    `json:"severity_value"`
			Reason string `json:"reason"`
			Group  string `json:"group_name"`
		} `json:"skipped_rules"`
		Categories []struct {
			Name      string `json:"name"`
			Earned    int    `json:"earned"`
			Available int    `json:"available"`
		} `json:"categories"`
	}
	sum := func(results []result, category string) (earned, available int) {
		for _, r := range results {
			if category != "" && r.Cat != category {
				continue
			}
			available += r.Value
			if r.Passed {
				earned += r.Value
			}
		}
		return earned, available
	}
	for _, s := range reporttest.Samples() {
		text, err := json.Marshal(s.Report())
		if err != nil {
			t.Fatal(err)
		}
		var d document
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		readiness, readinessMax := sum(d.Readiness.Results, "")
		counted := d.Results
		if d.Readiness.Counted {
			counted = slices.Concat(d.Results, d.Readiness.Results)
		}
		earned, available := sum(counted, "")
		lost := 0
		for _, k := range d.Skipped {
			if k.Reason == "insufficient-data" && (k.Group != "readiness" || d.Readiness.Counted) {
				lost += k.Value
			}
		}
		if earned != d.Score || available != d.Max || readiness != d.Readiness.Score || readinessMax != d.Readiness.Max || lost != d.Lost {
			t.Errorf("%s: recomputed %d/%d, readiness %d/%d, lost %d; the report says %d/%d, %d/%d, %d", s.Name,
				earned, available, readiness, readinessMax, lost, d.Score, d.Max, d.Readiness.Score, d.Readiness.Max, d.Lost)
		}
		for _, c := range d.Categories {
			if e, a := sum(counted, c.Name); e != c.Earned || a != c.Available {
				t.Errorf("%s: category %s recomputed %d/%d, the report says %d/%d", s.Name, c.Name, e, a, c.Earned, c.Available)
			}
		}
	}
}

// What the fix plan predicts is what comes out once the rules it names pass.
func TestFixPlanPredictsTheScore(t *testing.T) {
	for _, s := range reporttest.Samples() {
		plan := s.Report().FixPlan
		for _, step := range plan {
			for i := range s.Verdicts {
				if slices.Contains(step.Rules, s.Verdicts[i].Rule.ID) {
					s.Verdicts[i].Result, s.Verdicts[i].Findings = rule.Pass, nil
				}
			}
			r := s.Report()
			if r.Score != step.ScoreAfter || r.MaxScore != step.MaxScore || *r.Percentage != step.PercentageAfter {
				t.Errorf("%s: after %v: %d/%d, %d %%; the plan said %d/%d, %d %%", s.Name, step.Rules, r.Score, r.MaxScore, *r.Percentage,
					step.ScoreAfter, step.MaxScore, step.PercentageAfter)
			}
		}
		if r := s.Report(); len(r.FixPlan) > 0 || r.Score != r.MaxScore {
			t.Errorf("%s: the plan leaves %d/%d", s.Name, r.Score, r.MaxScore)
		}
	}
}

func TestFixPlanGroups(t *testing.T) {
	type step struct {
		Rules  []string
		Points int
	}
	var got []step
	for _, s := range reporttest.Legacy().Report().FixPlan {
		got = append(got, step{s.Rules, s.Points})
	}
	want := []step{
		{[]string{"server_icons_present", "server_title_present", "server_websiteurl_present"}, 4},
		{[]string{"pagination_prompts_invalid_cursor", "pagination_resource_templates_invalid_cursor", "pagination_resources_invalid_cursor", "pagination_tools_invalid_cursor"}, 4},
		{[]string{"security_origin_validation"}, 3},
		{[]string{"protocol_version_latest"}, 2},
		{[]string{"tools_annotations_present"}, 2},
		{[]string{"tools_title_present_in_all"}, 1},
	}
	for i := range got {
		slices.Sort(got[i].Rules)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEvidence(t *testing.T) {
	r := reporttest.Legacy().Report()
	byID := map[string]*report.Result{}
	for i := range r.Results {
		byID[r.Results[i].RuleID] = &r.Results[i]
	}
	str := func(s string) *string { return &s }
	zero := 0
	first := byID["tools_title_present_in_all"].Issues()[0]
	want := report.Issue{
		EntityKind: "tool", EntityIndex: &zero, Name: "forecast", Path: str("/title"), Reason: "missing_title", Seen: "no title", Expected: "a title",
		Step: "session/tools/list/1", Pointer: str("/result/tools/0/title"),
		Excerpt: `{"name":"forecast","description":"Forecast for a city","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"Name of the city"}}}}`,
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("issue (-want +got):\n%s", diff)
	}
	res := byID["tools_title_present_in_all"]
	if got, want := res.Message, `tool "forecast" /title: no title, and 2 more`; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if got, want := res.Details["basis"], "MCP 2025-11-25, Server › Tools › Data Types"; got != want {
		t.Errorf("basis %v, want %v", got, want)
	}
	if got := r.Readiness.Results[0].Details["sep"]; got != "SEP-2575" {
		t.Errorf("sep %v", got)
	}
	if pass := byID["server_name_present"]; pass.Details["issues"] != nil || pass.SuggestedFix != "" || pass.Reproduce != nil {
		t.Errorf("a pass carries evidence: %+v", pass)
	}
	for _, skip := range r.SkippedRules {
		if skip.ReasonText == "" || skip.Reason == "" {
			t.Errorf("%s was skipped without a reason", skip.RuleID)
		}
	}
}

// excerptOf builds a report with one finding and returns its issue.
func excerptOf(t *testing.T, e recording.Exchange, f rule.Finding) report.Issue {
	t.Helper()
	s := reporttest.Legacy()
	s.Recording.Exchanges = append(s.Recording.Exchanges, e)
	f.Step, f.Index = e.Step, -1
	r := reporttest.StandIn("server_title_present", rule.ServerInfo, rule.Medium, 0)
	s.Verdicts = []rule.Verdict{{Rule: &r, Result: rule.Fail, Findings: []rule.Finding{f}}}
	return s.Report().Results[0].Issues()[0]
}

func TestExcerpts(t *testing.T) {
	answer := func(status int, mediaType, body string) recording.Exchange {
		e := reporttest.HTTP("probe/x", "https://h.example/mcp", "ping", "9", `{}`, status, body)
		e.Response.Headers[0].Value = mediaType
		return e
	}
	failed := recording.Exchange{Step: "probe/x", Via: "http", Failure: &recording.Failure{Class: recording.FailTimeout, Detail: "no answer within 10s"}}
	tests := []struct {
		name, pointer string
		exchange      recording.Exchange
		want          string
	}{
		{"value", "/result/a", answer(200, "application/json", `{"jsonrpc":"2.0","id":9,"result":{"a": [ 1, "x y" ]}}`), `[1,"x y"]`},
		{"missing member shows its parent", "/result/b/c", answer(200, "application/json", `{"jsonrpc":"2.0","id":9,"result":{"a":1}}`), `{"a":1}`},
		{"whole message", "", answer(200, "application/json", "{\"jsonrpc\":\"2.0\",\n \"id\":9,\"error\":{\"code\":-32601}}"), `{"jsonrpc":"2.0","id":9,"error":{"code":-32601}}`},
		{"page instead of a message", "", answer(403, "text/html", "<html>\r\n\x1b[2Jdenied"), `HTTP 403 text/html: <html>\r\n<U+001B>[2Jdenied`},
		{"no body", "", answer(401, "", ""), `HTTP 401 `},
		{"failure", "", failed, "timeout: no answer within 10s"},
		{"credential", "/result/a", answer(200, "application/json", `{"jsonrpc":"2.0","id":9,"result":{"a":"key `+reporttest.Secret+`"}}`), `"key [redacted]"`},
		{"long", "/result/a", answer(200, "application/json", `{"jsonrpc":"2.0","id":9,"result":{"a":"`+strings.Repeat("é", 9000)+`"}}`), `"` + strings.Repeat("é", 199) + "…"},
		{"array index out of range", "/result/a/7", answer(200, "application/json", `{"jsonrpc":"2.0","id":9,"result":{"a":[1]}}`), `[1]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := excerptOf(t, tt.exchange, rule.Finding{Entity: "response", Reason: "x", Pointer: tt.pointer}).Excerpt; strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestReportsAreBounded(t *testing.T) {
	s := reporttest.Legacy()
	r := reporttest.StandIn("tools_title_present_in_all", rule.Tools, rule.Low, 0)
	v := rule.Verdict{Rule: &r, Result: rule.Fail, Details: map[string]any{}}
	names := map[string]int{}
	var list []string
	for i := range 10_000 {
		item := observe.Item{Index: i, Value: jsondoc.MustParse(fmt.Sprintf(`{"name":"%s%d"}`, strings.Repeat("n", 600), i)), Step: "session/tools/list/1", Pointer: "/result/tools/0"}
		v.Findings = append(v.Findings, rule.AtItem("tool", item, jsondoc.Pointer("/"+strings.Repeat("p", 300)), "missing_title", strings.Repeat("s", 5000), "a title"))
		names[item.Label()] = i
		list = append(list, item.Label())
	}
	v.Details["name_counts"], v.Details["names"] = names, list
	v.Details["deep"] = nested(40)
	s.Verdicts = []rule.Verdict{v}
	res := s.Report().Results[0]
	issues := res.Issues()
	if len(issues) != 20 || res.IssuesTotal() != 10_000 || res.Details["issues_omitted"] != 9_980 {
		t.Errorf("%d issues of %d, %v omitted", len(issues), res.IssuesTotal(), res.Details["issues_omitted"])
	}
	if issues[0].Path != nil || !issues[0].PathOmitted {
		t.Errorf("a pointer of 301 characters must be left out: %+v", issues[0])
	}
	if n := utf8.RuneCountInString(issues[0].Seen); n != 201 {
		t.Errorf("what was seen takes %d characters", n)
	}
	if got := res.Details["names_omitted"]; got != 9_900 {
		t.Errorf("names_omitted = %v", got)
	}
	if got := res.Details["name_counts_omitted"]; got != 9_900 {
		t.Errorf("name_counts_omitted = %v", got)
	}
	text, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 200_000 {
		t.Errorf("the result takes %d bytes", len(text))
	}
}

func nested(depth int) any {
	if depth == 0 {
		return "bottom"
	}
	return []any{nested(depth - 1)}
}

func TestNothingOfACredentialIsLeft(t *testing.T) {
	s := reporttest.Legacy()
	secret := reporttest.Secret
	r := reporttest.StandIn("tools_title_present_in_all", rule.Tools, rule.Low, 0)
	skipped := reporttest.StandIn("tools_names_unique", rule.Tools, rule.Critical, 0)
	for _, before := range []int{0, 1, 190, 199, 490, 8180, 8190, 100_000} {
		text := strings.Repeat("a ", before/2) + secret
		f := rule.Finding{Entity: "tool", Index: 0, Name: text, Path: "/" + text, Step: "session/tools/list/1", Pointer: "/" + text, Reason: "x", Seen: text, Want: text}
		s.Verdicts = []rule.Verdict{
			{Rule: &r, Result: rule.Fail, Findings: []rule.Finding{f}, Details: map[string]any{text: []string{text}, "response_session_id": "abc123", "x": map[string]any{secret + "1": 1, text: 2}}},
			{Rule: &skipped, Result: rule.Skipped, Skip: rule.SkipFor(rule.Insufficient, "%s", text)},
		}
		s.Observed.Failure = &recording.Failure{Class: recording.FailTimeout, Detail: text}
		doc, err := json.Marshal(s.Report())
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.Index(string(doc), secret[:12]); i >= 0 {
			t.Errorf("%d characters before: …%s…", before, doc[max(0, i-30):i+40])
		}
		if strings.Contains(string(doc), "abc123") {
			t.Error("a session id is shown")
		}
	}
}

func TestKeysThatMaskingMakesEqual(t *testing.T) {
	s := reporttest.Legacy()
	r := reporttest.StandIn("server_name_present", rule.ServerInfo, rule.Critical, 0)
	s.Verdicts = []rule.Verdict{{Rule: &r, Result: rule.Pass, Details: map[string]any{"urls": map[string]any{
		"https://h.example/?token=one1": 1, "https://h.example/?token=two2": 2,
	}}}}
	want := map[string]any{"https://h.example/?token=[redacted]": 1, "https://h.example/?token=[redacted] (2)": 2}
	if diff := cmp.Diff(any(want), s.Report().Results[0].Details["urls"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Details may hold whatever Go values a rule finds handy.
func TestDetailsBecomePlain(t *testing.T) {
	s := reporttest.Legacy()
	r := reporttest.StandIn("server_name_present", rule.ServerInfo, rule.Critical, 0)
	code := int64(-32602)
	var none *int64
	s.Verdicts = []rule.Verdict{{Rule: &r, Result: rule.Pass, Details: map[string]any{
		"nil": nil, "none": none, "code": &code, "revision": spec.Rev20251125, "list": []string{"a"}, "no list": []string(nil), "by index": map[int]bool{1: true},
		"struct": report.Engine{Name: "n", Version: "v"}, "any": []any{1, "x", nil, true, 1.5}, "infinite": math.Inf(1),
	}}}
	want := map[string]any{
		"nil": nil, "none": nil, "code": int64(-32602), "revision": "2025-11-25", "list": []any{"a"}, "no list": []any{}, "by index": map[string]any{"1": true},
		"struct": map[string]any{"name": "n", "version": "v"}, "any": []any{1, "x", nil, true, 1.5}, "infinite": "+Inf",
		"basis": "MCP 2025-11-25, Basic › Lifecycle › Initialization",
	}
	if diff := cmp.Diff(want, s.Report().Results[0].Details); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFailedAudit(t *testing.T) {
	r := reporttest.Failed().Report()
	want := &report.Failure{Class: recording.FailRefused, Phase: "connect", Detail: "dial 127.0.0.1:9: connection refused", Remedy: r.Failure.Remedy}
	if diff := cmp.Diff(want, r.Failure); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Ran() || r.Percentage != nil || r.Score != 0 || r.MaxScore != 0 || r.Transport != nil || len(r.Results)+len(r.SkippedRules) > 0 {
		t.Errorf("an audit that could not run has results: %+v", r)
	}
	// A recording may hold nothing but its failure.
	bare := report.Build(&recording.Recording{Failure: &recording.Failure{Class: recording.FailInvalidTarget}}, nil, nil, reporttest.Failed().Policy)
	if bare.Failure == nil || bare.Failure.Class != recording.FailInvalidTarget {
		t.Errorf("failure %+v", bare.Failure)
	}
	if none := report.Build(&recording.Recording{}, nil, nil, reporttest.Failed().Policy); none.Failure == nil || none.Failure.Class != recording.FailInternal {
		t.Errorf("an audit without result and reason has the failure %+v", none.Failure)
	}
}

// Every class of failure says what to do about it.
func TestRemedies(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../recording/failure.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	classes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		value, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := value.Type.(*ast.Ident); !ok || name.Name != "Class" {
			return true
		}
		classes++
		class := recording.Class(strings.Trim(value.Values[0].(*ast.BasicLit).Value, `"`))
		rec := &recording.Recording{Failure: &recording.Failure{Class: class}}
		if r := report.Build(rec, nil, nil, reporttest.Failed().Policy); r.Failure.Remedy == "" {
			t.Errorf("no remedy for %s", class)
		}
		return true
	})
	if classes < 30 {
		t.Errorf("found only %d classes", classes)
	}
}

func TestPartialReasons(t *testing.T) {
	tests := []struct {
		name          string
		authenticated bool
		status        int
		want          string
	}{
		{"no credentials", false, 401, "none were given"},
		{"forbidden", false, 403, "refuses access (HTTP status 403)"},
		{"payment", false, 402, "wants payment first (HTTP status 402)"},
		{"credentials refused", true, 401, "refused the credentials that were given (HTTP status 401)"},
		{"credentials forbidden", true, 403, "refused the credentials that were given (HTTP status 403)"},
		{"credentials not tried", true, 400, "could not be tried"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := reporttest.Partial()
			s.Recording.Target.Authenticated = tt.authenticated
			s.Recording.Find("session/initialize").Response.Status = tt.status
			if got := *s.Report().PartialReason; !strings.Contains(got, tt.want) {
				t.Errorf("%q does not say %q", got, tt.want)
			}
		})
	}
}

func TestListings(t *testing.T) {
	s := reporttest.Legacy()
	code := int64(-32603)
	s.Observed.Prompts = observe.Catalog{Name: "prompts", Attempted: true, Error: &observe.ListingError{Outcome: "rpc_error", Code: &code, Text: "answered with error -32603", Step: "session/prompts/list/1"}}
	s.Observed.Resources = observe.Catalog{Name: "resources", Attempted: true, Served: true, Error: &observe.ListingError{Outcome: "cursor-repeated", Text: "the server gave a cursor a second time"}}
	s.Observed.Tools.Recovered, s.Observed.Tools.Revision = true, spec.Rev20260728
	r := s.Report()
	if diff := cmp.Diff([]string{"prompts", "resources"}, r.IncompleteListings); diff != "" {
		t.Errorf("incomplete listings (-want +got):\n%s", diff)
	}
	want := map[string]report.ListingError{"prompts": {Outcome: "rpc_error", ErrorCode: &code, Text: "answered with error -32603", Step: "session/prompts/list/1"}}
	if diff := cmp.Diff(want, r.ListingErrors); diff != "" {
		t.Errorf("listing errors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]spec.Revision{"tools": spec.Rev20260728}, r.Spec.CatalogVersions); diff != "" {
		t.Errorf("catalog versions (-want +got):\n%s", diff)
	}
	catalogs := []report.Catalog{
		{Name: "tools", Items: 3, Pages: 1, Complete: true, Revision: spec.Rev20260728},
		{Name: "resources", Reason: "the server gave a cursor a second time"},
		{Name: "prompts", Reason: "answered with error -32603"},
	}
	if diff := cmp.Diff(catalogs, r.Catalogs); diff != "" {
		t.Errorf("catalogs (-want +got):\n%s", diff)
	}
}

// Experimental rules and rules outside the roster are no part of the score.
func TestWhatDoesNotCount(t *testing.T) {
	s := reporttest.Legacy()
	before := s.Report()
	extra := reporttest.StandIn("experimental_schema_compiles", rule.Experimental, rule.Critical, 0)
	other := reporttest.StandIn("server_exposes_primitive", rule.ServerInfo, rule.Medium, 0)
	s.Verdicts = append(s.Verdicts,
		rule.Verdict{Rule: &extra, Result: rule.Fail, Findings: []rule.Finding{{Entity: "server", Index: -1, Reason: "x"}}},
		rule.Verdict{Rule: &other, Result: rule.Fail, Findings: []rule.Finding{{Entity: "server", Index: -1, Reason: "x"}}})
	after := s.Report()
	if len(after.Experimental.Results) != 1 || after.Experimental.Results[0].SeverityValue != 0 {
		t.Errorf("experimental %+v", after.Experimental)
	}
	if diff := cmp.Diff([]string{"server_exposes_primitive"}, after.Policy.Unscored); diff != "" {
		t.Errorf("unscored (-want +got):\n%s", diff)
	}
	after.Experimental, after.Policy = before.Experimental, before.Policy
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("they moved (-before +after):\n%s", diff)
	}
}

// A roster may give a rule another severity than its own; the result says so.
func TestSeverityOfTheRosterWins(t *testing.T) {
	s := reporttest.Legacy()
	r := reporttest.StandIn("server_title_present", rule.ServerInfo, rule.Critical, 0)
	s.Verdicts = []rule.Verdict{{Rule: &r, Result: rule.Pass}}
	got := s.Report().Results[0]
	if got.Severity != rule.Medium || got.SeverityValue != 2 || got.Details["severity_default"] != "CRITICAL" {
		t.Errorf("severity %s, %d points, default %v", got.Severity, got.SeverityValue, got.Details["severity_default"])
	}
}
