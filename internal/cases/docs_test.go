package cases

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	caseLine  = regexp.MustCompile("(?m)^\\| (\\d+) \\| (.+) \\| (`.+`) \\|$")
	reference = regexp.MustCompile("`([^`]+)`")
)

// Everything that docs/cases.md names exists.
func TestDocumentedTestsExist(t *testing.T) {
	lines := caseLine.FindAllStringSubmatch(readFile(t, "../../docs/cases.md"), -1)
	if len(lines) < 60 {
		t.Fatalf("only %d lines were read", len(lines))
	}
	for _, line := range lines {
		refs := reference.FindAllStringSubmatch(line[3], -1)
		for _, ref := range refs {
			file, name, named := strings.Cut(ref[1], ":")
			text := readFile(t, "../../"+file)
			switch {
			case strings.HasSuffix(file, "_test.go") && !strings.Contains(text, "\nfunc "+name+"(t *testing.T) {"):
				t.Errorf("case %s: %s has no test %s", line[1], file, name)
			case strings.HasPrefix(file, "internal/rules/") && !strings.HasSuffix(file, "_test.go") && !strings.Contains(text, "\ncase: "+name+"\n"):
				t.Errorf("case %s: %s has no case %q", line[1], file, name)
			case !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "internal/rules/") && (named || !strings.HasPrefix(file, "internal/cli/testdata/script/")):
				t.Errorf("case %s: %s is neither a test nor an example", line[1], ref[1])
			}
		}
	}
}

// Every case of the areas that concern one audit has a line, under the heading of its area.
func TestEveryCaseIsDocumented(t *testing.T) {
	data, err := os.ReadFile("../../../shared/cases.md")
	if err != nil {
		t.Skip("the collection ../shared/cases.md is not beside the project")
	}
	headings := map[string]string{"connect": "Connecting", "collect": "Collecting", "rule": "Judging", "probe": "Probing", "report": "Reporting", "cli": "Command line"}
	want, got := map[string][]string{}, map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^### (\d+)\. .*\n- area: (\w+)`).FindAllStringSubmatch(string(data), -1) {
		if heading, ours := headings[m[2]]; ours {
			want[heading] = append(want[heading], m[1])
		}
	}
	for _, section := range strings.Split(readFile(t, "../../docs/cases.md"), "\n## ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		for _, m := range caseLine.FindAllStringSubmatch(body, -1) {
			got[heading] = append(got[heading], m[1])
		}
	}
	for _, list := range want {
		slices.Sort(list)
	}
	for _, list := range got {
		slices.Sort(list)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases (-collected +documented):\n%s", diff)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
