package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
)

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM))

// ourHTML are the tags that a comment may hold.
var ourHTML = []string{"<details>", "</details>", "<summary>", "</summary>", "<b>", "</b>", "<sub>", "</sub>", "<!-- -->"}

// checkComment parses a comment and reports links, images, headings but the first, and HTML that is not ours.
func checkComment(t failer, what string, out []byte) {
	headings := 0
	err := ast.Walk(gfm.Parser().Parse(gmtext.NewReader(out)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.Blockquote, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.ThematicBreak:
			if _, quote := n.(*ast.Blockquote); quote && strings.Contains(string(out), "\n> ⚠️ ") {
				break
			}
			t.Errorf("%s: a %s came from the server:\n%s", what, n.Kind(), out)
		case *ast.Heading:
			if headings++; headings > 1 {
				t.Errorf("%s: a second heading", what)
			}
		case *ast.RawHTML:
			checkTags(t, what, string(n.Segments.Value(out)))
		case *ast.HTMLBlock:
			checkTags(t, what, string(n.Lines().Value(out)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if len(out) > 65_536 {
		t.Errorf("%s: %d bytes", what, len(out))
	}
}

func checkTags(t failer, what, html string) {
	rest := html
	for _, tag := range ourHTML {
		rest = strings.ReplaceAll(rest, tag, "")
	}
	if strings.HasPrefix(rest, "<!-- hallmark-report ") && strings.Count(rest, "<") == 1 {
		return
	}
	if strings.Contains(rest, "<") {
		t.Errorf("%s: HTML that is not ours: %q", what, html)
	}
}

func TestMarkdownHoldsNoMarkupOfTheServer(t *testing.T) {
	everyReport(t, func(name string, r *report.Report, rec *recording.Recording) {
		checkComment(t, name, rendered(t, fileFormats[1].write, r, rec))
	})
}

// What a server writes shows as it was written.
func TestEscapeMarkdown(t *testing.T) {
	for _, in := range []string{
		"plain text, with (brackets). And more: yes!", "*a* _b_ ~c~ `d`", "[x](data:text/html,x)", "![i](https://e.example/i.png)", "<img src=x onerror=alert(1)>", "<!-- x -->",
		"a | b", "https://evil.example", "http://evil.example/a_b", "www.evil.example", "WWW.evil.example", "me@evil.example", "# heading", "- item", "+ item", "1. item", "12) item", "=== x", "> quote", "\\", "&lt;",
		"    code", "a  b", "$x$", "[^1]", "***", "---", "| a | b |", "a\\|b", "~~~", "```",
	} {
		page, err := htmlOf("- start\n  - " + escapeMarkdown(in) + "\n\n| c |\n|--|\n| " + escapeMarkdown(in) + " |\n")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimLeft(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(in), " ")
		got := strings.ReplaceAll(page, "<!-- raw HTML omitted -->", "")
		if !strings.Contains(got, "<li>"+want+"</li>") || !strings.Contains(got, "<td>"+want+"</td>") {
			t.Errorf("%q reads\n%s", in, got)
		}
	}
	for _, in := range []string{"@someone", "see #12"} {
		if got := escapeMarkdown(in); !strings.Contains(got, "<!-- -->") {
			t.Errorf("%q became %q, which mentions somebody or something", in, got)
		}
	}
}

func htmlOf(markdown string) (string, error) {
	var b bytes.Buffer
	err := gfm.Convert([]byte(markdown), &b)
	return b.String(), err
}

// The marker tells one target's comment from another's, and stays the same.
func TestCommentMarker(t *testing.T) {
	a, b := reporttest.Legacy().Report(), reporttest.DualEra().Report()
	again := reporttest.Legacy().Report()
	again.Score, again.GeneratedAt = 1, "later"
	if CommentMarker(a) == CommentMarker(b) || CommentMarker(a) != CommentMarker(again) {
		t.Errorf("%s, %s, %s", CommentMarker(a), CommentMarker(b), CommentMarker(again))
	}
	if out := string(rendered(t, fileFormats[1].write, a, nil)); !strings.HasPrefix(out, CommentMarker(a)+"\n") {
		t.Errorf("the comment begins with %q", out[:60])
	}
}
