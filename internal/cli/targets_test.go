package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShellWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                        nil,
		"  npx\t-y  thing ":       {"npx", "-y", "thing"},
		`run "two words" 'a "b"'`: {"run", "two words", `a "b"`},
		`a\ b "c\"d" 'e\f'`:       {"a b", `c"d`, `e\f`},
		`x '' ""`:                 {"x", "", ""},
		"$HOME ~/x *":             {"$HOME", "~/x", "*"},
		`pre"mid"post`:            {"premidpost"},
	} {
		got, err := shellWords(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
	for _, line := range []string{`"open`, `'open`, `end\`} {
		if words, err := shellWords(line); err == nil {
			t.Errorf("%q is split into %q", line, words)
		}
	}
}

// Names of servers come from files of others; a report must not leave its folder nor replace another one.
func TestFileNames(t *testing.T) {
	var list []entry
	for _, name := range []string{"https://h/mcp", "a", "A", "a", "../../etc/passwd", "summary", "", "…", "npm:@s/x@^1", strings.Repeat("x", 200), "a-2"} {
		list = append(list, entry{name: name})
	}
	want := []string{"h-mcp", "a", "A-2", "a-3", "etc-passwd", "summary-2", "target", "target-2", "npm--s-x--1", strings.Repeat("x", 80), "a-2-2"}
	if diff := cmp.Diff(want, fileNames(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRunners(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for script, want := range map[string]string{"a.py": "python3", "a.mjs": "node", "A.TS": "node --experimental-strip-types", "a.go": "go run", "a.rb": "", "a": ""} {
		if got := strings.Join(runner(script), " "); got != want {
			t.Errorf("%s is run by %q, want %q", script, got, want)
		}
	}
	for _, name := range []string{"tsx", "tsx.exe"} {
		if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(runner("a.mts"), " "); got != "tsx" {
		t.Errorf("with tsx installed TypeScript is run by %q", got)
	}
}
