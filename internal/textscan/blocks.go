package textscan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"

	md "github.com/mcp-hallmark/hallmark/internal/markdown"
)

// Block is a Markdown leaf block with the texts in which it can be read. A scan of a document that people
// see rendered must look at all of them: markup splits a phrase for a matcher and joins it for a reader.
type Block struct {
	// Line is where the block starts, from 1.
	Line int
	// Code is set for code blocks.
	Code bool
	// Views are the block's source; its rendered text; what rendering hides, such as titles, addresses, comments and
	// attributes; and the rendered text with each HTML tag read as a line break. Equal views occur once.
	Views []string
	// Prose are the views without code and without the source; a code block has none.
	Prose []string

	before string // the end of the block before
}

// Injection returns the kinds of what [Injection] finds in the views, sorted. The tokens of chat templates count in
// prose only, as code may well be about them; a code block that the block before introduces as an attack is a
// quotation.
func (b Block) Injection() []string {
	var kinds []string
	if !b.Code || !mentionPatterns().security.MatchString(b.before) {
		for _, v := range b.Views {
			for _, m := range Injection(v) {
				if m.Kind != "chat_template_token" {
					kinds = append(kinds, m.Kind)
				}
			}
		}
	}
	for _, v := range b.Prose {
		for _, m := range Injection(v) {
			kinds = append(kinds, m.Kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// maxBlocksText is how long a text is read as Markdown. A longer one is cut at its blank lines instead.
const maxBlocksText = 64 << 10

// Blocks cuts a Markdown document into its leaf blocks, in order.
func Blocks(markdownText string) []Block {
	if len(markdownText) > maxBlocksText {
		return paragraphs(markdownText)
	}
	var all []Block
	for at, line := 0, 0; at < len(markdownText); {
		n := md.Piece(markdownText[at:], maxBlocksText)
		piece := markdownText[at : at+n]
		for _, b := range pieceBlocks(piece) {
			b.Line += line
			all = append(all, b)
		}
		line += strings.Count(piece, "\n")
		at += n
	}
	return all
}

func pieceBlocks(markdownText string) []Block {
	source := []byte(markdownText)
	doc := markdown().Parse(gmtext.NewReader(source))
	var blocks []Block
	line, counted := 1, 0
	// The walk's error is always that of the callback, which returns none.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock || n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		lines := n.Lines()
		if lines == nil || lines.Len() == 0 {
			return ast.WalkSkipChildren, nil
		}
		start := lines.At(0).Start
		if start >= counted { // blocks come in source order
			line += bytes.Count(source[counted:start], []byte("\n"))
			counted = start
		}
		raw := string(lines.Value(source))
		if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
			raw += string(h.ClosureLine.Value(source))
		}
		b := Block{Line: line}
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock:
			b.Code = true
			b.Views = distinct(raw)
		case ast.KindHTMLBlock:
			var v view
			v.html(raw)
			b.Views, b.Prose = distinct(raw, v.joined.String(), v.aside.String(), v.broken.String()), distinct(v.joined.String(), v.aside.String(), v.broken.String())
		default:
			all, prose := view{source: source}, view{source: source, dropCode: true}
			all.inline(n)
			prose.inline(n)
			b.Views = distinct(raw, all.joined.String(), all.aside.String(), all.broken.String())
			b.Prose = distinct(prose.joined.String(), prose.aside.String(), prose.broken.String())
		}
		if i := len(blocks) - 1; i >= 0 {
			before := blocks[i].Views[0]
			b.before = before[max(0, len(before)-300):]
		}
		if len(b.Views) > 0 {
			blocks = append(blocks, b)
		}
		return ast.WalkSkipChildren, nil
	})
	return blocks
}

// paragraphs cuts a text at its blank lines, without reading Markdown.
func paragraphs(text string) []Block {
	var blocks []Block
	line, first := 0, 0
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			blocks = append(blocks, Block{Line: first, Views: []string{b.String()}})
			b.Reset()
		}
	}
	for l := range strings.Lines(text) {
		line++
		if strings.TrimSpace(l) == "" {
			flush()
			continue
		}
		if b.Len() == 0 {
			first = line
		}
		b.WriteString(l)
	}
	flush()
	return blocks
}

// distinct returns the texts that are not blank, each once.
func distinct(texts ...string) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range texts {
		if strings.TrimSpace(t) != "" && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// view renders inline content as text.
type view struct {
	source         []byte
	dropCode       bool
	joined, broken strings.Builder // HTML tags as nothing, as a line break
	aside          strings.Builder // what is not shown, one piece a paragraph
}

func (v *view) text(s string) {
	v.joined.WriteString(s)
	v.broken.WriteString(s)
}

func (v *view) note(s string) {
	if s != "" {
		v.aside.WriteString(s)
		v.aside.WriteString("\n\n")
	}
}

func (v *view) inline(n ast.Node) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			v.text(plain(n.Segment.Value(v.source)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				v.text("\n")
			}
		case *ast.CodeSpan:
			if v.dropCode {
				return ast.WalkSkipChildren, nil
			}
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					v.text(string(t.Segment.Value(v.source)))
				}
			}
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			v.note(unpercent(plain(n.Destination)))
			v.note(plain(n.Title))
		case *ast.Image:
			v.note(unpercent(plain(n.Destination)))
			v.note(plain(n.Title))
		case *ast.AutoLink:
			v.text(string(n.Label(v.source)))
		case *ast.RawHTML:
			v.html(string(n.Segments.Value(v.source)))
		}
		return ast.WalkContinue, nil
	})
}

// html adds raw HTML.
func (v *view) html(raw string) {
	z := html.NewTokenizer(strings.NewReader(raw))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			v.text(z.Token().Data)
		case html.CommentToken, html.DoctypeToken:
			v.note(z.Token().Data)
		default:
			t := z.Token()
			for _, a := range t.Attr {
				v.note(unpercent(a.Val))
			}
			v.broken.WriteString("\n")
		}
	}
}

// plain resolves Markdown's escapes and character references.
func plain(b []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}
