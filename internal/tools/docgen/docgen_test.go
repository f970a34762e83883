package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/cli"
)

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain text, with commas.", "plain text, with commas."},
		{"inputSchema and mime_type", "inputSchema and mime_type"},
		{"_meta and x_", `\_meta and x\_`},
		{"a <b> | *c* [d](e) `f` \\", `a \<b\> \| \*c\* \[d\](e) \` + "`f" + `\` + "`" + ` \\`},
		{"Secret & Exposure, &amp;", `Secret & Exposure, \&amp;`},
	} {
		if got := escape(tt.text); got != tt.want {
			t.Errorf("escape(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 23) // 115 characters
	for _, tt := range []struct{ name, text, want string }{
		{"short", "a\nb", "a b"},
		{"at the border", long + "12345", strings.TrimSpace(long) + " 12345"},
		{"beyond it", long + "123456", strings.TrimSpace(long) + "\n  123456"},
		{"no list begins at a border", long + "1234 - next", strings.TrimSpace(long) + " 1234 -\n  next"},
		{"links are kept whole", long + "[a b c d](u)", strings.TrimSpace(long) + "\n  [a b c d](u)"},
		{"code is kept whole", long + "`a b c d`", strings.TrimSpace(long) + "\n  `a b c d`"},
		{"an escaped bracket is none", `a \[ ` + long + "next", `a \[ ` + strings.Repeat("word ", 22) + "word\n  next"},
	} {
		if got := wrap(tt.text, "  "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{"a|b": "`a|b`", "a`b": "``a`b``", "`": "`` ` ``"} {
		if got := code(text); got != want {
			t.Errorf("code(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestAnchor(t *testing.T) {
	for heading, want := range map[string]string{
		"MCP01:2025 Token Mismanagement & Secret Exposure": "mcp012025-token-mismanagement--secret-exposure",
		"tools_names_unique":                   "tools_names_unique",
		"Tools, resources, prompts 2026-07-28": "tools-resources-prompts-2026-07-28",
	} {
		if got := anchor(heading); got != want {
			t.Errorf("anchor(%q) = %q, want %q", heading, got, want)
		}
	}
}

// The pages are the same in every run, and every link between them leads somewhere.
func TestPages(t *testing.T) {
	text := map[string]string{}
	for _, p := range pages {
		write := p.write
		if strings.HasSuffix(p.path, "differences.md") {
			write = func() (string, error) { return differencesPage("../../../docs/differences") }
		}
		one, err := write()
		if err != nil {
			t.Fatal(err)
		}
		if other, _ := write(); other != one {
			t.Errorf("%s differs from run to run", p.path)
		}
		text[filepath.Base(p.path)] = one
	}
	heading := regexp.MustCompile(`(?m)^#+ (.+)$`)
	target := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	anchors := map[string][]string{}
	for name, page := range text {
		for _, m := range heading.FindAllStringSubmatch(page, -1) {
			anchors[name] = append(anchors[name], anchor(m[1]))
		}
	}
	for name, page := range text {
		for _, m := range target.FindAllStringSubmatch(page, -1) {
			file, place := m[1], m[2]
			if file == "" {
				file = name
			}
			if text[file] == "" {
				if _, err := os.Stat(filepath.Join("../../../docs", file)); err != nil {
					t.Errorf("%s: the link %s leads nowhere", name, m[0])
				}
				continue
			}
			if place != "" && !slices.Contains(anchors[file], place) {
				t.Errorf("%s: there is no %s in %s", name, place, file)
			}
		}
	}
}

// Every exit code and every variable of the environment that the command line knows is on its page.
func TestCommandLineIsDescribed(t *testing.T) {
	files, err := filepath.Glob("../../cli/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the command line is not where it was: %v", err)
	}
	page, err := cliPage()
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`^"((?:HALLMARK|MCPSCORE)_[A-Z_]+)"$`)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if m := variable.FindStringSubmatch(n.Value); m != nil && !strings.Contains(page, "`"+m[1]+"`") {
					t.Errorf("%s reads %s, which docs/cli.md does not describe", name, m[1])
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Getenv" && len(n.Args) == 1 {
					if lit, ok := n.Args[0].(*ast.BasicLit); ok && !strings.Contains(page, "`"+strings.Trim(lit.Value, `"`)+"`") {
						t.Errorf("%s reads %s, which docs/cli.md does not describe", name, lit.Value)
					}
				}
			case *ast.ValueSpec:
				if code, ok := exitConstant(n); ok && !strings.Contains(page, "| "+code+" |") {
					t.Errorf("%s has an exit code %s, which docs/cli.md does not describe", name, code)
				}
			}
			return true
		})
	}
	for _, c := range visible(cli.Commands()) {
		if !strings.Contains(page, "\n## "+c.CommandPath()+"\n") {
			t.Errorf("%s is not described", c.CommandPath())
		}
	}
}

func exitConstant(s *ast.ValueSpec) (string, bool) {
	if len(s.Names) != 1 || len(s.Values) != 1 || !strings.HasPrefix(s.Names[0].Name, "Exit") {
		return "", false
	}
	lit, ok := s.Values[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return "", false
	}
	return lit.Value, true
}
