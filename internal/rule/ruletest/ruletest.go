package ruletest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/rule"
)

var update = flag.Bool("update", false, "rewrite the verdicts in testdata/*.txt with what the rules say now")

// Run runs the goldens of a package's rules: every rule has one, every golden a rule, and every golden shows a pass and a failure
// and, where the rule can skip, a skip.
func Run(t *testing.T, rules []rule.Rule) {
	t.Helper()
	files := map[string]bool{}
	for _, r := range rules {
		files[r.ID+".txt"] = true
		t.Run(r.ID, func(t *testing.T) { runRule(t, r) })
	}
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".txt") && !files[e.Name()] {
			t.Errorf("testdata/%s belongs to no rule", e.Name())
		}
	}
}

func runRule(t *testing.T, r rule.Rule) {
	path := filepath.Join("testdata", r.ID+".txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("rule without golden: %v", err)
	}
	cases, err := rule.ParseCases(string(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	kinds := map[string]bool{}
	for i := range cases {
		c := &cases[i]
		o, err := Observation(r, *c)
		if err != nil {
			t.Fatalf("%s: case %q: %v", path, c.Name, err)
		}
		v := rule.Judge([]rule.Rule{r}, o)[0]
		got := *c
		got.Verdict, got.Finds = v.VerdictLine(), nil
		for _, f := range v.Findings {
			got.Finds = append(got.Finds, f.Line())
		}
		kind, _, _ := strings.Cut(got.Verdict, " ")
		kinds[kind] = true
		if *update {
			*c = got
			continue
		}
		if diff := cmp.Diff(*c, got); diff != "" {
			why := ""
			if v.Skip != nil {
				why = " (" + v.Skip.Text + ")"
			}
			t.Errorf("case %q%s (-golden +rule):\n%s", c.Name, why, diff)
		}
	}
	if *update {
		var comment []string
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "case:") {
				break
			}
			if strings.HasPrefix(line, "#") {
				comment = append(comment, line)
			}
		}
		if err := os.WriteFile(path, []byte(rule.FormatCases(comment, cases)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, kind := range []string{"pass", "fail", "skip"} {
		if !kinds[kind] && !exempt(r, kind) {
			t.Errorf("no case shows a %s", kind)
		}
	}
}

// exempt lists what a rule cannot show by its nature.
func exempt(r rule.Rule, kind string) bool {
	return kind == "skip" && len(r.Needs) == 0 && r.Since == "" && r.Until == "" ||
		(kind == "pass" || kind == "fail") && r.ID == "protocol_version_not_deprecated" // no revision is deprecated today
}
