package arch

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the table of layers in docs/design.md")

const designPage = "../../docs/design.md"

// The page shows the layers that TestImports holds, with the packages that there are.
func TestDesignShowsLayers(t *testing.T) {
	page, err := os.ReadFile(designPage)
	if err != nil {
		t.Fatal(err)
	}
	marker, want := "<!-- layers: written by go test ./internal/arch -update -->\n\n", table()
	before, rest, found := strings.Cut(string(page), marker)
	if !found {
		t.Fatalf("%s has no line %q", designPage, strings.TrimSpace(marker))
	}
	got := ""
	for strings.HasPrefix(rest, "|") {
		line, after, _ := strings.Cut(rest, "\n")
		got, rest = got+line+"\n", after
	}
	if *update {
		if err := os.WriteFile(designPage, []byte(before+marker+want+"\n"+strings.TrimLeft(rest, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s is not up to date (-page +now; make update rewrites it):\n%s", designPage, diff)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| Layer | Packages | May import of ours |\n|---|---|---|\n")
	for _, l := range layers {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.name, existing(l.pkgs), existing(l.may))
	}
	fmt.Fprintf(&b, "| tests and tools | %s | anything |\n", existing(outside))
	return b.String()
}

// existing are those of some packages that there are, for a cell of the table.
func existing(patterns []string) string {
	var cells []string
	for _, p := range patterns {
		for _, root := range []string{"..", "../.."} {
			if files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(p), "*.go")); len(files) > 0 {
				cells = append(cells, "`"+p+"`")
				break
			}
		}
	}
	slices.Sort(cells)
	return strings.Join(slices.Compact(cells), ", ")
}

// Every module that the program is made of stands on the page, with its reason.
func TestDesignNamesDependencies(t *testing.T) {
	page, err := os.ReadFile(designPage)
	if err != nil {
		t.Fatal(err)
	}
	modules := regexp.MustCompile("`((?:[a-z0-9-]+\\.)+[a-z]+/[^`]+)`").FindAllStringSubmatch(string(page), -1)
	seen := map[string]bool{}
	err = filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		src, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range src.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			host, _, _ := strings.Cut(path, "/")
			if !strings.Contains(host, ".") || strings.HasPrefix(path+"/", module) || seen[path] {
				continue
			}
			seen[path] = true
			if !slices.ContainsFunc(modules, func(m []string) bool { return path == m[1] || strings.HasPrefix(path, m[1]+"/") }) {
				t.Errorf("%s imports %s, and docs/design.md gives no reason", strings.TrimPrefix(filepath.ToSlash(file), "../../"), path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 10 {
		t.Errorf("only %d imports of other modules were seen", len(seen))
	}
}
