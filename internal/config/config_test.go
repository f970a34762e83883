package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/rule"
)

var vocabulary = Vocabulary{
	Groups: map[string]rule.Group{
		"tools_icons_valid": rule.Tools, "tools_names_unique": rule.Tools, "prompts_icons_valid": rule.Prompts,
		"server_title_present": rule.ServerInfo, "experimental_pace": rule.Experimental,
	},
	Retired:    map[string]string{"tools_at_least_one": "tools are optional"},
	Categories: []string{"protocol", "primitives", "security"},
}

var day = time.Date(2027, 1, 31, 23, 59, 59, 0, time.UTC)

func TestParse(t *testing.T) {
	text := `
[rules]
tools_icons_valid = "OFF"
"*_icons_*" = { level = "low", reason = "designers are at it", owner = "web", expires = 2027-01-31 }
server_title_present.level = "high"
tools_at_least_one = "off"

[groups]
experimental = "off"

[gate]
fail_on = "High"
fail_under = 80
fail_under_readiness = 0
baseline = "known.json"
lock = "hallmark.lock"

[gate.categories]
security = 90
`
	low, off := rule.Low, true
	eighty, zero := 80, 0
	want := &Config{
		Source: "hallmark.toml",
		Settings: []Setting{
			{Scope: ForRule, Name: "tools_icons_valid", Off: off, Line: 3},
			{Scope: ForGlob, Name: "*_icons_*", Severity: low, Line: 4,
				Waiver: Waiver{Reason: "designers are at it", Owner: "web", Expires: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)}},
			{Scope: ForRule, Name: "server_title_present", Severity: rule.High, Line: 5},
			{Scope: ForGroup, Name: "experimental", Off: off, Line: 9},
		},
		Gate: Gate{FailOn: rule.High, FailUnder: &eighty, FailUnderReadiness: &zero, Baseline: "known.json", Lock: "hallmark.lock",
			Categories: []Minimum{{"security", 90}}},
		Unknown:  []string{"tools_at_least_one"},
		Warnings: []string{"hallmark.toml:6: rule tools_at_least_one is ignored, it was retired: tools are optional"},
	}
	for _, c := range []struct {
		name string
		form Form
		text string
		move int // lines that everything is further down
	}{
		{"own", Own, text, 0},
		{"pyproject", OwnPyproject, "[project]\nname='x'\n" + strings.NewReplacer("[", "[tool.hallmark.", "[\"", "[\"").Replace(text), 2},
	} {
		got, err := Parse("hallmark.toml", c.form, []byte(c.text), vocabulary)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(got.SHA256) != 64 {
			t.Errorf("%s: digest %q", c.name, got.SHA256)
		}
		got.SHA256 = ""
		for i := range got.Settings {
			got.Settings[i].Line -= c.move
		}
		if c.move > 0 {
			got.Warnings = want.Warnings
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		form Form
		text string
		want string // the error; after "warning: " the first warning
	}{
		{Own, "[rules]\ntools_icon_valid = 'off'", `f:2: unknown rule "tools_icon_valid" (did you mean "tools_icons_valid"?)`},
		{Peer, "[rules]\ntools_icon_valid = 'off'", `warning: f:2: unknown rule "tools_icon_valid" is ignored (did you mean "tools_icons_valid"?)`},
		{Peer, "[rules]\n'tools_*' = 'off'", `warning: f:2: unknown rule "tools_*" is ignored`},
		{Own, "[rules]\n'nothing_*' = 'off'", `f:2: no rule matches "nothing_*"`},
		{Own, "[rules]\n'tools_[' = 'off'", `f:2: "tools_[" is no pattern: a bracket is not closed`},
		{Own, "\n[rule]\n", `f:2: unknown key "rule" in the configuration (did you mean "rules"?)`},
		{Own, "rules = 1", "f:1: rules is a whole number, not a table"},
		{Own, "[rules]\ntools_icons_valid = 'hihg'", `f:2: tools_icons_valid cannot be "hihg" (did you mean "high"?)`},
		{Own, "[rules]\ntools_icons_valid = 'sometimes'", `f:2: tools_icons_valid cannot be "sometimes"; there are off, low, medium, high, critical`},
		{Peer, "[rules]\nno_such_rule = 'sometimes'", `f:2: no_such_rule cannot be "sometimes"; there are off, low, medium, high, critical`},
		{Own, "[rules]\ntools_icons_valid = false", "f:2: tools_icons_valid is a boolean, not one of off, low, medium, high, critical"},
		{Own, "[rules]\ntools_icons_valid = {reason = 'x'}", "f:2: the setting of tools_icons_valid lacks a level: off, low, medium, high or critical"},
		{Own, "[rules]\ntools_icons_valid = {level = 'off', expires = 2027-01-31}", "f:2: the setting of tools_icons_valid expires and gives no reason"},
		{Own, "[rules.tools_icons_valid]\nlevel = 'off'\nreason = 'x'\nexpires = 'soon'", "f:4: expires must be a date such as 2027-01-31"},
		{Own, "[rules.tools_icons_valid]\nlevel = 'off'\nexpire = 2027-01-31", `f:3: unknown key "expire" in the setting of tools_icons_valid (did you mean "expires"?)`},
		{Peer, "[rules.tools_icons_valid]\nlevel = 'off'", "f:1: tools_icons_valid is a table, not one of off, low, medium, high, critical"},
		{Own, "[rules]\nexperimental_pace = 'high'", "f:2: experimental_pace is experimental and never counts, so it can only be turned off"},
		{Own, "[groups]\nexperimental = 'high'", "f:2: experimental rules never count, so they can only be turned off"},
		{Own, "[groups]\ntool = 'off'", `f:2: unknown group "tool" (did you mean "tools"?)`},
		{Peer, "[groups]\ntools = 'off'", `f:1: unknown key "groups" in the configuration; there are rules, gate`},
		{Own, "[gate]\nfail_on = 'off'", `f:2: fail_on cannot be "off"; there are low, medium, high, critical`},
		{Own, "[gate]\nfail_under = 101", "f:2: fail_under must be a whole number from 0 to 100"},
		{Own, "[gate]\nfail_under = 99999999999999999999", "f:2: "},
		{Own, "[gate.categories]\nsecurty = 10", `f:2: unknown category "securty" (did you mean "security"?)`},
		{Own, "[gate]\nbaseline = ''", "f:2: baseline is empty"},
		{Peer, "[gate]\nfail_under = 10", `f:2: unknown key "fail_under" in gate (did you mean "fail_on"?)`},
		{Own, "a = ", "f:1: "},
		{OwnPyproject, "[tool]\nhallmark = 3", "f:2: hallmark is a whole number, not a table"},
		{OwnPyproject, "[tool.hallmark.rules]\nx = ", "f:2: "},
		{PeerPyproject, "[tool.mcpscore]\nrules = 'x'", "f:2: rules is a string, not a table"},
		{OwnPyproject, "[tool.other]\nx = 1", ErrNoTable.Error()},
		{OwnPyproject, "[tool.other]\nx = ", ErrNoTable.Error()},
		{OwnPyproject, "tool = 1", ErrNoTable.Error()},
	} {
		got, err := Parse("f", c.form, []byte(c.text), vocabulary)
		message := "nothing"
		switch {
		case err != nil:
			message = err.Error()
		case len(got.Warnings) > 0:
			message = "warning: " + got.Warnings[0]
		}
		if message != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(message, c.want)) {
			t.Errorf("%q:\n got %s\nwant %s", c.text, message, c.want)
		}
		if c.want == ErrNoTable.Error() && !errors.Is(err, ErrNoTable) {
			t.Errorf("%q: %v is not ErrNoTable", c.text, err)
		}
	}
}

func TestRuling(t *testing.T) {
	c, err := Parse("f", Own, []byte(`
[rules]
"tools_*" = "high"
tools_icons_valid = { level = "off", reason = "soon", expires = 2027-01-31 }
"*_unique" = "critical"
server_title_present = { level = "off", reason = "no", expires = 2027-01-30 }
[groups]
tools = "low"
prompts = "off"
`), vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Ruling(vocabulary, day)
	want := Ruling{
		Off:      []string{"tools_icons_valid", "prompts_icons_valid"}, // the rule before the glob and the group
		Reranked: map[string]rule.Severity{"tools_names_unique": rule.Critical},
		Applied: []Applied{
			{Setting: c.Settings[1], Rules: []string{"tools_icons_valid"}},
			{Setting: c.Settings[3], Rules: []string{"server_title_present"}, Expired: true},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	later := c.Ruling(vocabulary, day.Add(time.Second))
	if got := later.Reranked["tools_icons_valid"]; got != rule.High {
		t.Errorf("after its waiver the rule counts as %q, want the glob's HIGH", got)
	}
	if diff := cmp.Diff([]string{"prompts_icons_valid"}, later.Off); diff != "" {
		t.Errorf("off after the waiver: -want +got:\n%s", diff)
	}
}
