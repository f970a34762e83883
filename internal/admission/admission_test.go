package admission

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/config"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lock"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

var vocabulary = config.Vocabulary{
	Groups:     map[string]rule.Group{"tools_names_unique": rule.Tools, "tools_icons_valid": rule.Tools, "security_hidden_text": rule.Security, "readiness_discover": rule.Readiness},
	Categories: []string{"protocol", "security_auth"},
}

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestParseErrors(t *testing.T) {
	waiver := func(change, to string) string {
		text := "[[waiver]]\nserver = 'x'\nwaives = 'score'\nowner = 'o'\nreason = 'r'\nexpires = 2027-01-01\n"
		if !strings.Contains(text, change) {
			t.Fatalf("no %q in the waiver", change)
		}
		return strings.Replace(text, change, to, 1)
	}
	for text, want := range map[string]string{
		"titel = 'x'": `p:1: unknown key "titel" in the policy (did you mean "title"?)`,
		"[require]\nrules = ['tool_names_unique']":                     `p:2: no rule is called "tool_names_unique" (did you mean "tools_names_unique"?)`,
		"[require]\nrules = ['x_*']":                                   `p:2: no rule is called "x_*"`,
		"[require]\nrules = ['x[']":                                    `p:2: "x[" is no pattern: a bracket is not closed`,
		"[require]\nscore = 'high'":                                    "p:2: score must be a whole number from 0 to 100",
		"[require.categories]\nsecurity_aut = 1":                       `p:2: unknown category "security_aut" (did you mean "security_auth"?)`,
		"require = 1":                                                  "p:1: require is a whole number, not a table",
		"[accept]\nmax_age_days = 0":                                   "p:2: max_age_days must be a whole number from 1 to 3650",
		"[accept]\npartial = 'yes'":                                    "p:2: partial is a string, not true or false",
		"[forbid]\nrule = 'x'":                                         "p:1: forbid is a table; write [[forbid]] above each entry",
		"\n[[forbid]]\nwhy = 'x'":                                      "p:2: an entry of forbid names no rule, severity or reason: it would forbid every failure",
		"[[forbid]]\nseverity = 'severe'":                              `p:2: severity cannot be "severe"; there are low, medium, high, critical`,
		"[[server]]\nname = 'x'":                                       "p:1: a server lacks its target: a URL, a recording or a report",
		"[[server]]\ntarget = 'x'\n[[server]]\nname = 'x'\ntarget='y'": `p:3: a second server is called "x"`,
		waiver("owner = 'o'\n", ""):                                    "p:1: a waiver lacks owner; it needs server, waives, owner, reason and expires",
		waiver("expires = 2027-01-01\n", ""):                           "p:1: a waiver lacks expires; it needs server, waives, owner, reason and expires",
		waiver("'score'", "'scores'"):                                  `p:3: "scores" is no requirement (did you mean "score"?)`,
		waiver("'score'", "'rule:tools_icon_valid'"):                   `p:3: no rule is called "tools_icon_valid" (did you mean "tools_icons_valid"?)`,
		waiver("'score'", "'category:x'"):                              `p:3: unknown category "x"; there are protocol, security_auth`,
		waiver("'x'", "'['"):                                           `p:1: "[" is no pattern: a bracket is not closed`,
		"a =":                                                          "p:1: ",
	} {
		_, err := Parse("p", []byte(text), vocabulary)
		if err == nil || err.Error() != want && !(strings.HasSuffix(want, ": ") && strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func percent(n int) *int { return &n }

// full is the report of a server with a few troubles.
func full(edit func(*report.Report)) *report.Report {
	result := func(id string, group rule.Group, severity rule.Severity, passed bool, reasons ...string) report.Result {
		res := report.Result{RuleID: id, GroupName: group, Severity: severity, Passed: passed, Message: "bad at " + id, Details: map[string]any{}}
		var issues []report.Issue
		for _, r := range reasons {
			issues = append(issues, report.Issue{EntityKind: "tool", Name: "read", Path: new(string), Reason: r, Seen: "saw " + r})
		}
		res.Details["issues"], res.Details["issues_total"] = issues, len(issues)
		return res
	}
	r := &report.Report{
		SchemaVersion: 1, Target: "https://example.com/a/mcp", GeneratedAt: "2026-11-20T12:00:00.000000+00:00", Score: 8, MaxScore: 10, Percentage: percent(80),
		Policy:       report.Policy{Name: "roster_150"},
		Categories:   []report.Category{{Name: "protocol", Percentage: percent(90)}, {Name: "security_auth", Unobserved: 3}},
		Results:      []report.Result{result("tools_names_unique", rule.Tools, rule.High, true), result("security_hidden_text", rule.Security, rule.Critical, false, "zero_width", "tag")},
		SkippedRules: []report.SkippedRule{{RuleID: "tools_icons_valid", Reason: rule.NotApplicable, ReasonText: "no icons"}},
		Readiness:    report.ReadinessSum{Score: 1, MaxScore: 4, Results: []report.Result{result("readiness_discover", rule.Readiness, rule.Critical, false, "absent")}},
	}
	if edit != nil {
		edit(r)
	}
	return r
}

func TestDecide(t *testing.T) {
	pinned, _ := lock.New(offering(`{"name":"read"}`), nil)
	for _, c := range []struct {
		name   string
		policy string
		edit   func(*report.Report)
		offers *observe.Observation
		lock   *lock.Lock
		want   string // outcome, then a line for each requirement: + met, - not met, ~ waived
	}{
		{"nothing asked", "", nil, nil, nil, "admitted\n+ access: the audit is full"},
		{"partial", "", func(r *report.Report) { r.Partial = true }, nil, nil, "refused\n- access: the audit is partial: the server did not let itself be read"},
		{"partial is fine", "[accept]\npartial = true", func(r *report.Report) { r.Partial = true }, nil, nil, "admitted"},
		{"roster", "roster = 'roster_102'", nil, nil, nil, "refused\n+ access: the audit is full\n- roster: judged under roster_150, roster_102 is required"},
		{"configured", "[accept]\npartial = true", func(r *report.Report) {
			r.Config = &report.Config{Disabled: []string{"a", "b"}, Reranked: map[string]report.Reranking{"c": {}}}
		}, nil, nil, "refused\n- configuration: a project's configuration turned off 2 rules and re-ranked 1"},
		{"configured in vain", "[accept]\npartial = true", func(r *report.Report) { r.Config = &report.Config{} }, nil, nil,
			"admitted\n+ configuration: its configuration turns no rule off and re-ranks none"},
		{"configured is fine", "[accept]\npartial = true\nconfigured = true", func(r *report.Report) { r.Config = &report.Config{Disabled: []string{"a"}} }, nil, nil, "admitted"},
		{"young enough", "[accept]\npartial = true\nmax_age_days = 10", nil, nil, nil, "admitted\n+ age: the audit is 10 days old, 10 are allowed"},
		{"too old", "[accept]\npartial = true\nmax_age_days = 9", nil, nil, nil, "refused\n- age: the audit is 10 days old, 9 are allowed"},
		{"no date", "[accept]\npartial = true\nmax_age_days = 9", func(r *report.Report) { r.GeneratedAt = "" }, nil, nil, "refused\n- age: the report does not say when it was made"},
		{"scores", "[accept]\npartial = true\n[require]\nscore = 80\nreadiness = 26\n[require.categories]\nprotocol = 90\nsecurity_auth = 1", nil, nil, nil,
			"refused\n+ score: 80 %, at least 80 % is required\n- readiness: 25 %, at least 26 % is required\n+ category:protocol: 90 %, at least 90 % is required\n" +
				"- category:security_auth: nothing of it could be observed, at least 1 % is required"},
		{"rules", "[accept]\npartial = true\n[require]\nrules = ['tools_*', 'tools_names_unique', 'readiness_discover']", nil, nil, nil,
			"refused\n+ rule:tools_icons_valid: skipped (not-applicable): no icons\n+ rule:tools_names_unique: passed\n- rule:readiness_discover: failed: bad at readiness_discover"},
		{"rules that were not seen", "[accept]\npartial = true\n[require]\nrules = ['tools_*']", func(r *report.Report) {
			r.Results = nil
			r.SkippedRules = []report.SkippedRule{{RuleID: "tools_icons_valid", Reason: rule.Insufficient, ReasonText: "a time-out"}, {RuleID: "tools_names_unique", Reason: rule.Disabled}}
		}, nil, nil, "refused\n- rule:tools_icons_valid: skipped (insufficient-data): a time-out\n- rule:tools_names_unique: skipped (disabled-by-config): no reason given"},
		{"rules that the report lacks", "[accept]\npartial = true\n[require]\nrules = 'tools_*'", func(r *report.Report) { r.Results, r.SkippedRules = nil, nil }, nil, nil,
			"refused\n- rule:tools_*: it was not judged"},
		{"forbidden severity", "[accept]\npartial = true\n[[forbid]]\nseverity = 'high'", nil, nil, nil, "refused\n- forbid:security_hidden_text: bad at security_hidden_text"},
		{"forbidden where readiness counts", "[accept]\npartial = true\n[[forbid]]\nseverity = 'high'", func(r *report.Report) { r.Readiness.CountedInMain = true }, nil, nil,
			"refused\n- forbid:readiness_discover: bad at readiness_discover\n- forbid:security_hidden_text: bad at security_hidden_text"},
		{"forbidden by name", "[accept]\npartial = true\n[[forbid]]\nrule = 'readiness_*'\nwhy = 'we need it'", nil, nil, nil,
			"refused\n- forbid:readiness_discover: bad at readiness_discover — we need it"},
		{"forbidden kind", "[accept]\npartial = true\n[[forbid]]\nrule = 'security_*'\nreason = 't*'", nil, nil, nil, `refused` + "\n" + `- forbid:security_hidden_text: tool "read": saw tag`},
		{"another kind", "[accept]\npartial = true\n[[forbid]]\nrule = 'security_*'\nreason = 'x*'", nil, nil, nil, "admitted"},
		{"a kind that may be hidden", "[accept]\npartial = true\n[[forbid]]\nrule = 'security_*'\nreason = 'x*'", func(r *report.Report) { r.Results[1].Details["issues_total"] = 40 }, nil, nil,
			"refused\n- forbid:security_hidden_text: 38 findings are not shown in the report and may be of that kind"},
		{"no lock", "[accept]\npartial = true\n[require]\nlock = true", nil, nil, nil, "refused\n- lock: no catalog is pinned for it"},
		{"lock of a report", "[accept]\npartial = true", nil, nil, pinned, "refused\n- lock: a report does not hold what the server offers; give a recording, or the server"},
		{"lock held", "[accept]\npartial = true", nil, offering(`{"name":"read"}`), pinned, "admitted\n+ lock: the server offers what was pinned"},
		{"lock broken", "[accept]\npartial = true", nil, offering(`{"name":"read","x":1}`), pinned, "refused\n- lock: tool \"read\" changed"},
		{"waived", "[accept]\npartial = true\n[require]\nscore = 90\n[[waiver]]\nserver = 'https://example.com/*'\nwaives = ['score']\nowner = 'o'\nreason = 'r'\nexpires = 2026-11-30", nil, nil, nil,
			"admitted\n~ score: 80 %, at least 90 % is required [o, r, 2026-11-30, line 5]"},
		{"waived no longer", "[accept]\npartial = true\n[require]\nscore = 90\n[[waiver]]\nserver = 'a'\nwaives = ['score']\nowner = 'o'\nreason = 'r'\nexpires = 2026-11-29", nil, nil, nil,
			"refused\n- score: 80 %, at least 90 % is required (a waiver expired on 2026-11-29, owner o)"},
		{"waived for others", "[accept]\npartial = true\n[require]\nscore = 90\n[[waiver]]\nserver = 'b'\nwaives = ['score']\nowner = 'o'\nreason = 'r'\nexpires = 2027-01-01", nil, nil, nil,
			"refused\n- score: 80 %, at least 90 % is required"},
		{"waived by pattern", "[accept]\npartial = true\n[[forbid]]\nseverity = 'low'\n[[waiver]]\nserver = 'a'\nwaives = 'forbid:security_*'\nowner = 'o'\nreason = 'r'\nexpires = 2027-01-01", nil, nil, nil,
			"admitted\n~ forbid:security_hidden_text: bad at security_hidden_text [o, r, 2027-01-01, line 5]"},
		{"hidden characters", "[accept]\npartial = true\n[[forbid]]\nseverity = 'low'", func(r *report.Report) { r.Results[1].Message = "x\u202e\n" }, nil, nil,
			`refused` + "\n" + `- forbid:security_hidden_text: x<U+202E>\n`},
	} {
		p, err := Parse("p", []byte(c.policy), vocabulary)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		d := Decide(p, &Subject{Name: "a", Report: full(c.edit), Observation: c.offers, Lock: c.lock}, now)
		lines := []string{string(d.Outcome)}
		for _, q := range d.Requirements {
			mark, by := "-", ""
			if q.Met {
				mark = "+"
			}
			if q.Waived != nil {
				mark, by = "~", fmt.Sprintf(" [%s, %s, %s, line %d]", q.Waived.Owner, q.Waived.Reason, q.Waived.Expires, q.Waived.Line)
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s%s", mark, q.ID, q.Detail, by))
		}
		if diff := cmp.Diff(c.want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

func TestDecideUnknown(t *testing.T) {
	p, err := Parse("p", nil, vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	d := Decide(p, &Subject{Name: "a", Report: &report.Report{Failure: &report.Failure{Class: recording.FailDNS, Detail: "no such host"}}}, now)
	if d.Outcome != Unknown || d.Problem != "no such host" {
		t.Errorf("decided %+v", d)
	}
}

// offering observes a server with one tool.
func offering(tool string) *observe.Observation {
	o := &observe.Observation{Kind: observe.Full}
	for i, c := range o.Catalogs() {
		c.Name = []string{"tools", "resources", "resource_templates", "prompts"}[i]
	}
	o.Tools.Attempted, o.Tools.Served, o.Tools.Complete = true, true, true
	o.Tools.Items = []observe.Item{{Value: jsondoc.MustParse(tool)}}
	return o
}
