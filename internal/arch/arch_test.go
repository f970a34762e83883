// Package arch keeps the structure of the program: which package may import which, and what judging may not touch. It reads the source
// itself, so the answer is never a cached one.
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcp-hallmark/hallmark/"

// layers say for each package below internal/ which others of ours it may import. A name ending in /* covers the packages below it.
// Layers 0 and 1 are pure: collecting must not reach into judging, nor judging into the world.
var layers = []struct {
	name string
	pure bool
	pkgs []string
	may  []string
}{
	{"0 words", true,
		[]string{"spec", "jsondoc", "sse", "spelling", "tomldoc", "lexical", "challenge", "textscan", "toolschema", "fields", "markdown", "recording", "coordinate", "clientconfig", "observe", "rule", "policy", "config", "evidence", "advisory", "differences"},
		[]string{"spec", "jsondoc", "sse", "spelling", "tomldoc", "lexical", "challenge", "textscan", "toolschema", "fields", "markdown", "recording", "coordinate", "observe", "rule", "policy/audit"}},
	{"1 judging", true,
		[]string{"rules", "rules/*", "criteria/*", "score", "report", "gate", "lock", "admission", "grade", "edition"},
		[]string{"spec", "jsondoc", "sse", "spelling", "tomldoc", "lexical", "challenge", "textscan", "toolschema", "fields", "markdown", "recording", "observe", "rule", "policy", "tomldoc", "spelling", "config", "evidence", "advisory", "score", "report", "gate", "lock", "rules/*"}},
	{"2 effects", false,
		[]string{"wire", "capture", "collect/*", "store/*", "signin"},
		[]string{"spec", "jsondoc", "sse", "spelling", "tomldoc", "lexical", "challenge", "textscan", "recording", "observe", "policy", "config", "evidence", "advisory", "wire", "capture", "collect/registry"}},
	{"3 use cases", false,
		[]string{"audit", "smoke", "index", "jobs"},
		[]string{"spec", "jsondoc", "lexical", "textscan", "toolschema", "recording", "observe", "rule", "policy", "config", "rules", "score", "report", "evidence", "grade", "edition"}},
	{"4 surfaces", false,
		[]string{"render", "cli", "web", "mcpserver"},
		[]string{"spec", "jsondoc", "spelling", "tomldoc", "textscan", "recording", "observe", "rule", "policy", "config", "rules", "score", "report", "gate", "lock", "admission", "audit", "smoke", "render", "mcpserver", "capture", "wire", "signin", "collect/*", "coordinate", "clientconfig"}},
}

// wiring packages alone may join collecting with the rest.
var wiring = []string{"cli"}

// impure packages are closed to layers 0 and 1.
var impure = []string{"net", "net/http", "os", "os/exec", "database/sql", "math/rand", "math/rand/v2", "log", "log/slog", "syscall"}

// outside are helpers for tests and tools, which nothing else may import.
var outside = []string{"arch", "tools/*", "testserver", "rule/ruletest", "report/reporttest"}

func TestImports(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel := filepath.ToSlash(strings.TrimPrefix(filepath.ToSlash(file), "../../"))
		dir := path.Dir(rel)
		pkg, internal := strings.CutPrefix(dir, "internal/")
		if !internal || covers(outside, pkg) {
			return nil
		}
		seen++
		check(t, file, rel, pkg)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d files were looked at", seen)
	}
}

func check(t *testing.T, file, rel, pkg string) {
	layer := slices.IndexFunc(layers, func(l struct {
		name string
		pure bool
		pkgs []string
		may  []string
	}) bool {
		return covers(l.pkgs, pkg)
	})
	if layer < 0 {
		t.Errorf("%s: package %s stands in no layer; give it one here and in docs/design.md", rel, pkg)
		return
	}
	l := layers[layer]
	src, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Errorf("%s: %v", rel, err)
		return
	}
	for _, imp := range src.Imports {
		name := strings.Trim(imp.Path.Value, `"`)
		if l.pure && slices.Contains(impure, name) {
			t.Errorf("%s: layer %s is pure and must not import %s", rel, l.name, name)
		}
		ours, ok := strings.CutPrefix(name, module)
		if !ok {
			continue
		}
		ours = strings.TrimPrefix(ours, "internal/")
		if ours == pkg || covers(l.may, ours) || isRuleList(pkg, ours) {
			continue
		}
		t.Errorf("%s: layer %s must not import %s", rel, l.name, ours)
	}
	for _, imp := range src.Imports {
		ours, ok := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module+"internal/")
		if ok && (strings.HasPrefix(pkg, "rules/") || strings.HasPrefix(pkg, "criteria/")) && strings.HasPrefix(ours, "rules/") {
			t.Errorf("%s: groups of rules must not import each other", rel)
		}
		if ok && l.name == "4 surfaces" && slices.Contains([]string{"capture", "wire", "signin"}, ours) && !slices.Contains(wiring, pkg) {
			t.Errorf("%s: only %v join collecting with the rest", rel, wiring)
		}
	}
	if l.pure {
		ast.Inspect(src, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && (sel.Sel.Name == "Now" || sel.Sel.Name == "Since" || sel.Sel.Name == "Until" || sel.Sel.Name == "Sleep") {
					t.Errorf("%s: layer %s must not call time.%s: time comes from the recording", rel, l.name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// isRuleList allows package rules to list its groups.
func isRuleList(pkg, ours string) bool { return pkg == "rules" && strings.HasPrefix(ours, "rules/") }

func covers(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, wild := strings.CutSuffix(p, "/*")
		return p == pkg || wild && strings.HasPrefix(pkg, prefix+"/")
	})
}
