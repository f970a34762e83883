package policy

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// A published roster never changes: scores that name it must stay computable. A change is a new file.
var published = map[string]string{
	"roster_150": "sha256:7c5212ec70baf6595699b6cb8c4a1034d95167a077251ea78106a68c506c8f7e",
	"roster_102": "sha256:41b4498b3fd3941a8a7b6276149639e6da3f19caabd33afa33ada68c216fa442",
}

func TestPublishedRostersStayAsTheyWere(t *testing.T) {
	if diff := cmp.Diff([]string{"roster_150", "roster_102"}, Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Digest != published[name] {
			t.Errorf("%s has digest %s, published was %s", name, p.Digest, published[name])
		}
	}
	if p, err := Load(""); err != nil || p.Name != Default {
		t.Errorf("Load of no name = %v, %v; want %s", p, err, Default)
	}
}

func TestSizesOfRosters(t *testing.T) {
	want := map[string]map[string]int{
		"roster_150": {"protocol": 24, "primitives": 56, "security_auth": 26, "readiness": 21, "skills": 17, "packaging": 6},
		"roster_102": {"protocol": 17, "primitives": 50, "security_auth": 15, "readiness": 20, "packaging": 6},
	}
	for name, sizes := range want {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, c := range p.Categories {
			got[c.Name] = len(c.Rules)
			if (c.Axis == Readiness) != (c.Name == "readiness") {
				t.Errorf("%s: category %s is on axis %s", name, c.Name, c.Axis)
			}
		}
		if diff := cmp.Diff(sizes, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRostersAgreeWithSpecification compares ids, groups, severities and points with the specification's rosters.
func TestRostersAgreeWithSpecification(t *testing.T) {
	text, err := os.ReadFile("../../../shared/spec/policy/audit.yaml")
	if err != nil {
		t.Skip("the specification folder ../shared is not beside the project")
	}
	var spec struct {
		Points map[rule.Severity]int                              `yaml:"severity_points"`
		R150   map[string]map[rule.Group]map[string]rule.Severity `yaml:"roster_150"`
		R102   map[string]map[rule.Group]map[string]rule.Severity `yaml:"roster_102"`
	}
	if err := yaml.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]map[string]map[rule.Group]map[string]rule.Severity{"roster_150": spec.R150, "roster_102": spec.R102} {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]map[rule.Group]map[string]rule.Severity{}
		for _, c := range p.Categories {
			got[c.Name] = map[rule.Group]map[string]rule.Severity{}
			for _, e := range c.Rules {
				if got[c.Name][e.Group] == nil {
					got[c.Name][e.Group] = map[string]rule.Severity{}
				}
				got[c.Name][e.Group][e.ID] = e.Severity
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-specification +ours):\n%s", name, diff)
		}
		if diff := cmp.Diff(spec.Points, p.Points); diff != "" {
			t.Errorf("%s points (-specification +ours):\n%s", name, diff)
		}
	}
}

const small = `name: small
title: Small
about: Two rules.
points: {CRITICAL: 5, HIGH: 3, MEDIUM: 2, LOW: 1}
categories:
  protocol:
    title: Protocol
    axis: main
    groups:
      server_info:
        server_name_present: CRITICAL
        server_title_present: MEDIUM
`

func TestStrictLoading(t *testing.T) {
	if _, err := Parse([]byte(small)); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, old, new, want string }{
		{"unknown key", "about:", "abuot:", `line 3: unknown key in the roster "abuot" (did you mean "about"?)`},
		{"unknown key of a category", "    axis: main", "    axes: main", `line 8: unknown key in category protocol "axes" (did you mean "axis"?)`},
		{"missing key", "about: Two rules.\n", "", "line 1: the roster lacks about"},
		{"missing axis", "    axis: main\n", "", "line 6: category protocol lacks axis"},
		{"unknown axis", "axis: main", "axis: mian", `line 8: unknown axis "mian" (did you mean "main"?)`},
		{"unknown severity", "title_present: MEDIUM", "title_present: MEDUIM", `line 12: unknown severity "MEDUIM" (did you mean "MEDIUM"?)`},
		{"severity in lower case", "title_present: MEDIUM", "title_present: medium", `line 12: unknown severity "medium" (did you mean "MEDIUM"?)`},
		{"severity with no neighbour", "title_present: MEDIUM", "title_present: 17", `line 12: server_title_present is no text`},
		{"unknown group", "server_info:", "serverinfo:", `line 10: unknown group "serverinfo" (did you mean "server_info"?)`},
		{"experimental rules never count", "server_info:", "experimental:", `line 10: unknown group "experimental"`},
		{"severity without points", "HIGH: 3, ", "", "line 4: points lacks HIGH"},
		{"points of nothing", "LOW: 1", "LOW: 1, NONE: 0", `line 4: unknown key in points "NONE"`},
		{"no points", "LOW: 1", "LOW: 0", "line 4: the points of LOW must lie between 1 and 32767"},
		{"negative points", "LOW: 1", "LOW: -1", "line 4: the points of LOW must lie between 1 and 32767"},
		{"half a point", "LOW: 1", "LOW: 0.5", "line 4: the points of LOW are no whole number"},
		{"rule twice in a group", "server_title_present: MEDIUM", "server_name_present: MEDIUM", `line 12: mapping key "server_name_present" already defined`},
		{"rule in two groups", "        server_title_present: MEDIUM\n", "      tools:\n        server_name_present: LOW\n", "line 13: rule server_name_present stands in line 11 already"},
		{"empty group", "        server_name_present: CRITICAL\n        server_title_present: MEDIUM\n", "        {}\n", "line 10: group server_info has no rules"},
		{"group of nothing", "        server_name_present: CRITICAL\n        server_title_present: MEDIUM\n", "", "line 10: group server_info is no mapping"},
		{"alias", "server_name_present: CRITICAL", "server_name_present: &x CRITICAL", "line 11: server_name_present is no text"},
		{"broken YAML", "points: {", "points: {{", "line 4: "},
		{"empty name", "name: small", `name: ""`, "line 1: name is empty"},
		{"two documents", "name: small", "---\na: 1\n---\nname: small", "a roster is one YAML document"},
		{"a list", small, "- a\n- b\n", "line 1: the roster is no mapping"},
		{"nothing", small, "", "a roster is one YAML document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(small, tt.old) {
				t.Fatalf("the base has no %q", tt.old)
			}
			_, err := Parse([]byte(strings.Replace(small, tt.old, tt.new, 1)))
			if err == nil {
				t.Fatal("loads")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q, want %q", err, tt.want)
			}
		})
	}
}

func TestLoadNamesTheNearestRoster(t *testing.T) {
	_, err := Load("roster_15")
	if want := `no roster is called "roster_15" (did you mean "roster_150"?); there are roster_150 and roster_102`; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestDigestIgnoresSpelling(t *testing.T) {
	base, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, old, new string
		same           bool
	}{
		{"comment", "name: small", "# hello\nname: small", true},
		{"quotes", "title: Small", `title: "Small"`, true},
		{"order of rules", "        server_name_present: CRITICAL\n        server_title_present: MEDIUM\n", "        server_title_present: MEDIUM\n        server_name_present: CRITICAL\n", true},
		{"severity", "title_present: MEDIUM", "title_present: LOW", false},
		{"points", "LOW: 1", "LOW: 2", false},
		{"wording", "title: Protocol", "title: Protocols", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse([]byte(strings.Replace(small, tt.old, tt.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if (p.Digest == base.Digest) != tt.same {
				t.Errorf("same digest: %t, want %t", p.Digest == base.Digest, tt.same)
			}
		})
	}
	if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(base.Digest) {
		t.Errorf("digest %q", base.Digest)
	}
}

func TestCheckBothWays(t *testing.T) {
	p, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	got := Check(p, []string{"server_names_present", "server_title_present"})
	want := []Mismatch{
		{"server_name_present", `small, line 11: no such rule (did you mean "server_names_present"?)`},
		{"server_names_present", "stands in no category of small"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Check(p, []string{"server_title_present", "server_name_present"}); len(got) > 0 {
		t.Errorf("unexpected mismatches %v", got)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(Default); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("name: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err == nil && (p.Name == "" || len(p.Categories) == 0 || p.Digest == "") {
			t.Errorf("accepted an empty roster: %q", text)
		}
	})
}

func TestRerank(t *testing.T) {
	p, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	before, _ := p.Place("server_title_present")
	changed := p.Rerank(map[string]rule.Severity{"server_title_present": rule.Critical, "no_such_rule": rule.High})
	after, _ := changed.Place("server_title_present")
	if want := (Place{Category: before.Category, Axis: before.Axis, Severity: rule.Critical, Points: 5}); after != want {
		t.Errorf("re-ranked to %+v, want %+v", after, want)
	}
	if _, ok := changed.Place("no_such_rule"); ok {
		t.Error("a rule that the roster does not name now counts")
	}
	for _, c := range changed.Categories {
		for _, e := range c.Rules {
			if place, _ := changed.Place(e.ID); place.Severity != e.Severity {
				t.Errorf("%s is %s in its category and %s in its place", e.ID, e.Severity, place.Severity)
			}
		}
	}
	if unchanged, _ := p.Place("server_title_present"); unchanged != before {
		t.Errorf("the roster itself changed: %+v", unchanged)
	}
	if changed.Digest != p.Digest {
		t.Error("the digest is no longer the published roster's")
	}
}
