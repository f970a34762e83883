// Package docs holds the pages for people, and the tests that keep them true.
package docs

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/cli"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
)

var update = flag.Bool("update", false, "rewrite the picture in the README")

var pictureBlock = regexp.MustCompile("(?s)(<!-- picture: [^\n]*-->\n```text\n)(.*?)(```\n)")

// The README shows what the program prints.
func TestPicture(t *testing.T) {
	file, err := os.Open("../testdata/recordings/everything.rec.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rec, err := recording.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	roster, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := render.Terminal(&out, audit.Judge(rec, roster, rec.Engine), render.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	want := shortened(t, out.String())
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := pictureBlock.FindSubmatch(readme)
	if m == nil {
		t.Fatal("the README has no picture")
	}
	if *update {
		fresh := pictureBlock.ReplaceAllFunc(readme, func([]byte) []byte { return bytes.Join([][]byte{m[1], []byte(want), m[3]}, nil) })
		if err := os.WriteFile("../README.md", fresh, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(m[2]), want); diff != "" {
		t.Errorf("the picture is not what the program prints (-README +now; make update rewrites it):\n%s", diff)
	}
}

// shortened is a terminal report without most of its failures and steps.
func shortened(t *testing.T, text string) string {
	t.Helper()
	blocks := strings.Split(strings.TrimSuffix(text, "\n"), "\n\n")
	var kept []string
	failures := -1
	for _, b := range blocks {
		switch {
		case strings.HasPrefix(b, "FAILED"):
			failures = 0
			kept = append(kept, b)
		case strings.HasPrefix(b, "FIX FIRST"):
			failures = -1
			steps := strings.Split(b, "\n  +")
			if len(steps) < 4 {
				t.Fatalf("only %d steps to show:\n%s", len(steps)-1, b)
			}
			kept = append(kept, strings.Join(steps[:3], "\n  +")+"\n  [...]")
		case failures < 0:
			kept = append(kept, b)
		default:
			if failures++; failures <= 2 {
				kept = append(kept, b)
			} else if failures == 3 {
				kept = append(kept, "  [...]")
			}
		}
	}
	return strings.Join(kept, "\n\n") + "\n"
}

// The README's table of exit codes has the codes of the program, and no other.
func TestExitCodes(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## Exit codes")
	section, _, _ = strings.Cut(section, "\n## ")
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(section, -1) {
		got = append(got, m[1])
	}
	want := []string{}
	for _, c := range []int{cli.ExitOK, cli.ExitUsage, cli.ExitTarget, cli.ExitGate, cli.ExitSmoke, cli.ExitPartly, cli.ExitInterrupted} {
		want = append(want, strconv.Itoa(c))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exit codes (-program +README):\n%s", diff)
	}
}

var (
	fence = regexp.MustCompile("(?ms)^```.*?^```$")
	code  = regexp.MustCompile("`[^`\n]*`")
	link  = regexp.MustCompile(`\[[^\]\n]*\]\(([^)\s]+)\)`)
	title = regexp.MustCompile(`(?m)^#+ +(.+)$`)
)

// Every link between pages leads to a file that exists, and every fragment to a title in it.
func TestLinks(t *testing.T) {
	pages := map[string]string{}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			pages[filepath.Clean(name)] = fence.ReplaceAllString(string(text), "")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 15 {
		t.Errorf("only %d pages were found", len(pages))
	}
	titles := map[string]map[string]bool{}
	for name, text := range pages {
		titles[name] = anchors(text)
	}
	checked := 0
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			to := m[1]
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			checked++
			path, fragment, _ := strings.Cut(to, "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, to)
				continue
			}
			if fragment != "" && !titles[target][fragment] {
				t.Errorf("%s links to %s, and there is no such title", name, to)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

// anchors are the fragments under which a page's titles are reached.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range title.FindAllStringSubmatch(page, -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(m[1]) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		found[b.String()] = true
	}
	for _, m := range regexp.MustCompile(`<a (?:id|name)="([^"]+)">`).FindAllStringSubmatch(page, -1) {
		found[m[1]] = true
	}
	return found
}
