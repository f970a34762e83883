package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/mcp-hallmark/hallmark/internal/differences"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

const specification = "../../../shared/spec/rules"

type groupFile struct {
	Rules []struct {
		ID       string  `yaml:"id"`
		Severity string  `yaml:"severity"`
		From     *string `yaml:"spec_from"`
		To       *string `yaml:"spec_to"`
		Order    int     `yaml:"order"`
		Examples []struct {
			Input   any    `yaml:"input"`
			Verdict string `yaml:"verdict"`
		} `yaml:"examples"`
	} `yaml:"rules"`
}

// TestSpecificationExamples checks every implemented rule against the specification: severity, window and order agree, and each of its
// examples is a case of the golden with the same verdict, or with another one that a row of docs/differences explains.
func TestSpecificationExamples(t *testing.T) {
	files, _ := filepath.Glob(specification + "/*.yaml")
	if len(files) == 0 {
		t.Skip("the specification folder ../shared is not beside the project")
	}
	byID := map[string]rule.Rule{}
	for _, r := range All() {
		byID[r.ID] = r
	}
	rows := differenceRows(t)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var g groupFile
		if err := yaml.Unmarshal(text, &g); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, want := range g.Rules {
			r, ok := byID[want.ID]
			if !ok {
				continue // which rules must exist is the roster's business, see package policy
			}
			t.Run(want.ID, func(t *testing.T) {
				if string(r.Severity) != want.Severity || r.Order != want.Order {
					t.Errorf("severity %s, order %d; the specification has %s, %d", r.Severity, r.Order, want.Severity, want.Order)
				}
				if string(r.Since) != deref(want.From) || string(r.Until) != deref(want.To) {
					if !slices.ContainsFunc(rows, func(d differences.Row) bool {
						return slices.Contains(d.Rules, r.ID) && strings.Contains(d.Us, "window")
					}) {
						t.Errorf("window %q..%q; the specification has %q..%q", r.Since, r.Until, deref(want.From), deref(want.To))
					}
				}
				cases, err := Cases(r.ID)
				if err != nil {
					t.Fatal(err)
				}
				for _, ex := range want.Examples {
					input, isText := ex.Input.(string)
					if !isText {
						b, err := yaml.MarshalWithOptions(ex.Input, yaml.JSON())
						if err != nil {
							t.Fatal(err)
						}
						input = strings.TrimSpace(string(b))
					}
					checkExample(t, cases, rows, input, normalVerdict(ex.Verdict))
				}
			})
		}
	}
}

func checkExample(t *testing.T, cases []rule.Case, rows []differences.Row, input, verdict string) {
	for _, c := range cases {
		if !sameInput(c, input) {
			continue
		}
		if c.Verdict == verdict || verdict == "skip" && strings.HasPrefix(c.Verdict, "skip ") { // the specification leaves the reason open
			return
		}
		if c.Differs == "" || !slices.ContainsFunc(rows, func(d differences.Row) bool { return d.ID == c.Differs }) {
			t.Errorf("example %s: the specification says %q, case %q says %q, and no row of docs/differences explains it", input, verdict, c.Name, c.Verdict)
		}
		return
	}
	t.Errorf("example %s (%s) is no case of the golden", input, verdict)
}

func sameInput(c rule.Case, input string) bool {
	if c.Example != "" {
		return strings.Join(strings.Fields(c.Example), " ") == strings.Join(strings.Fields(input), " ")
	}
	a, _, err := jsondoc.Parse([]byte(input))
	if err != nil {
		return false
	}
	b, _, err := jsondoc.Parse([]byte(c.Input))
	return err == nil && jsondoc.Equal(a, b)
}

var skipWord = regexp.MustCompile(`^(?:skip[: ]+)?(insufficient-data|not-applicable|requires-modern-support|disabled-by-config)\b`)

func normalVerdict(v string) string {
	if m := skipWord.FindStringSubmatch(v); m != nil {
		return "skip " + m[1]
	}
	word, _, _ := strings.Cut(strings.NewReplacer(",", " ", ";", " ").Replace(v), " ")
	return word
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func differenceRows(t *testing.T) []differences.Row {
	t.Helper()
	files, err := filepath.Glob("../../docs/differences/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []differences.Row
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		more, err := differences.Parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		rows = append(rows, more...)
	}
	return rows
}

// TestDifferences checks that each row names a rule and a case that shows it, and that each case that claims a difference has its row.
func TestDifferences(t *testing.T) {
	rows := differenceRows(t)
	used := map[string]bool{}
	seen := map[string]bool{}
	for _, d := range rows {
		if seen[d.ID] {
			t.Errorf("row %s stands twice", d.ID)
		}
		seen[d.ID] = true
		for _, id := range d.Rules {
			if cases, err := Cases(id); err != nil || cases == nil {
				t.Errorf("row %s: no rule %q", d.ID, id)
			}
		}
		cases, err := Cases(d.Rule)
		if err != nil || cases == nil {
			continue
		}
		if !slices.ContainsFunc(cases, func(c rule.Case) bool { return c.Name == d.Example && c.Differs == d.ID }) {
			t.Errorf("row %s: the golden of %s has no case %q that is marked with it", d.ID, d.Rule, d.Example)
		}
	}
	for _, r := range All() {
		cases, _ := Cases(r.ID)
		for _, c := range cases {
			if c.Differs != "" && !seen[c.Differs] {
				t.Errorf("%s: case %q names the difference %q, which has no row", r.ID, c.Name, c.Differs)
			}
			used[c.Differs] = true
		}
	}
	for id := range seen {
		if !used[id] {
			t.Errorf("row %s is shown by no case", id)
		}
	}
}

// TestDeclarations checks what every rule must say about itself.
func TestDeclarations(t *testing.T) {
	for _, r := range All() {
		for name, text := range map[string]string{"title": r.Title, "why": r.Why, "fix": r.Fix} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", r.ID, name)
			}
		}
		if len([]rune(r.Fix)) > 255 {
			t.Errorf("%s: the fix is longer than 255 characters", r.ID)
		}
		if len(r.Basis) == 0 {
			t.Errorf("%s cites nothing", r.ID)
		}
		for _, c := range r.Basis {
			if c.Document == "" || c.Section == "" || c.Document == "MCP" && (c.Revision == "" || c.URL == "") {
				t.Errorf("%s: the citation %q lacks document, revision, section or a known page", r.ID, c)
			}
			if r.Group == rule.Readiness && c.Document == "MCP" && r.Basis[0].SEP == 0 {
				t.Errorf("%s judges readiness and names no SEP", r.ID)
			}
		}
		if r.Judge == nil {
			t.Errorf("%s judges nothing", r.ID)
		}
	}
}
