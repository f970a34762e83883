package textscan

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"
	"golang.org/x/net/html"

	md "github.com/mcp-hallmark/hallmark/internal/markdown"
)

// passage is a stretch of text that reads on: a Markdown leaf block, or a text inside markup. Offsets in it
// plus from are offsets in the source unless whole is set, when the passage stands for that source range.
type passage struct {
	text  string // markup is blank, code is a run of masked
	from  int
	codes []codeSpan // sorted, offsets in text
	whole *span
}

type codeSpan struct {
	span
	content string
}

// masked fills what is not prose: it is neither a word character nor white space nor punctuation.
const masked = 0

// lineEnd ends a sentence inside a passage, where HTML breaks the line or begins a block.
const lineEnd = 0x1e

// readProse cuts Markdown into passages. Code blocks are none.
func readProse(text string) []passage {
	var all []passage
	for at := 0; at < len(text); {
		n := md.Piece(text[at:], maxBlocksText)
		for _, p := range readProsePiece(text[at : at+n]) {
			p.from += at
			if p.whole != nil {
				p.whole = &span{p.whole.start + at, p.whole.end + at}
			}
			all = append(all, p)
		}
		at += n
	}
	return all
}

func readProsePiece(text string) []passage {
	source := []byte(text)
	for i, c := range source { // one kind of line end, same length
		if c == '\r' {
			source[i] = '\n'
			if i+1 < len(source) && source[i+1] == '\n' {
				source[i] = ' '
			}
		}
	}
	p := proseReader{source: source, buf: bytes.Repeat([]byte{' '}, len(source))}
	for i, c := range source {
		if c == '\n' {
			p.buf[i] = '\n'
		}
	}
	doc := markdown().Parse(gmtext.NewReader(source))
	// The walk's error is always that of the callback, which returns none.
	_ = ast.Walk(doc, p.visit)
	return p.passages
}

type proseReader struct {
	source, buf []byte
	codes       []codeSpan // of the block being read
	passages    []passage
}

func (p *proseReader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	switch n := n.(type) {
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return ast.WalkSkipChildren, nil
	case *ast.HTMLBlock:
		if entering {
			p.htmlBlock(n)
		}
		return ast.WalkSkipChildren, nil
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		if !entering {
			p.finish(n.Lines())
		}
	case *ast.Text:
		if entering {
			p.prose(n.Segment.Start, n.Segment.Stop)
		}
	case *ast.CodeSpan:
		if entering {
			p.code(n)
		}
		return ast.WalkSkipChildren, nil
	case *ast.RawHTML:
		if entering {
			for i := range n.Segments.Len() {
				s := n.Segments.At(i)
				p.markup(s.Start, string(p.source[s.Start:s.Stop]))
			}
		}
	case *ast.Link:
		if entering && len(n.Title) > 0 {
			p.aside(string(n.Title), p.place(n))
		}
	case *ast.Image:
		if entering && len(n.Title) > 0 {
			p.aside(string(n.Title), p.place(n))
		}
	}
	return ast.WalkContinue, nil
}

// place returns the source range of the first text below n, or of n's block.
func (p *proseReader) place(n ast.Node) span {
	for c := n.FirstChild(); c != nil; c = c.FirstChild() {
		if t, ok := c.(*ast.Text); ok {
			return span{t.Segment.Start, t.Segment.Stop}
		}
	}
	for n.Type() == ast.TypeInline {
		n = n.Parent()
	}
	if lines := n.Lines(); lines.Len() > 0 {
		return span{lines.At(0).Start, lines.At(lines.Len() - 1).Stop}
	}
	return span{0, len(p.source)}
}

// prose copies text, without the characters that only mark emphasis or links.
func (p *proseReader) prose(start, stop int) {
	for i := start; i < stop; i++ {
		switch c := p.source[i]; c {
		case '*', '[', ']', masked, lineEnd:
			p.buf[i] = ' '
		default:
			p.buf[i] = c
		}
	}
}

func (p *proseReader) code(n *ast.CodeSpan) {
	first, last := -1, -1
	var content strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			if first < 0 {
				first = t.Segment.Start
			}
			last = t.Segment.Stop
			content.Write(t.Segment.Value(p.source))
		}
	}
	if last <= first {
		return
	}
	for i := first; i < last; i++ {
		p.buf[i] = masked
	}
	p.codes = append(p.codes, codeSpan{span{first, last}, content.String()})
}

// htmlBlock reads the text of an HTML block as a passage.
func (p *proseReader) htmlBlock(n *ast.HTMLBlock) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	start, stop := lines.At(0).Start, lines.At(lines.Len()-1).Stop
	if n.HasClosure() && n.ClosureLine.Stop > stop {
		stop = n.ClosureLine.Stop
	}
	z := html.NewTokenizer(bytes.NewReader(p.source[start:stop]))
	at, skip := start, ""
	for {
		kind := z.Next()
		raw := len(z.Raw())
		switch kind {
		case html.ErrorToken:
			p.finishAt(start, stop)
			return
		case html.TextToken:
			if skip == "" {
				p.prose(at, at+raw)
			}
		case html.StartTagToken, html.EndTagToken:
			name, _ := z.TagName()
			skip = ""
			if kind == html.StartTagToken && (string(name) == "script" || string(name) == "style") {
				skip = string(name)
			}
			p.markup(at, string(p.source[at:at+raw]))
		default:
			p.markup(at, string(p.source[at:at+raw]))
		}
		at += raw
	}
}

var inlineTags = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "del": true, "dfn": true, "em": true,
	"font": true, "i": true, "img": true, "ins": true, "kbd": true, "label": true, "mark": true, "q": true, "s": true, "samp": true, "small": true,
	"span": true, "strong": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}

// markup notes what a tag or comment at that offset holds; a tag that breaks the line ends the sentence.
func (p *proseReader) markup(at int, raw string) {
	place := span{at, at + len(raw)}
	z := html.NewTokenizer(strings.NewReader(raw))
	switch z.Next() {
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		t := z.Token()
		for _, a := range t.Attr {
			p.aside(a.Val, place)
		}
		if !inlineTags[t.Data] && htmlName(t.Data) {
			p.buf[at] = lineEnd
		}
	case html.CommentToken:
		p.aside(z.Token().Data, place)
	default: // an instruction or a CDATA section
		p.aside(strings.Trim(raw, "<>"), place)
	}
}

// htmlName tells the tags of HTML from angle brackets around a placeholder: <br> breaks a line, <id> does not.
func htmlName(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
		"fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "li", "link",
		"main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th",
		"thead", "title", "tr", "ul":
		return true
	}
	return false
}

func (p *proseReader) aside(text string, place span) {
	if strings.IndexByte(text, ' ') < 0 && strings.IndexByte(text, '\n') < 0 {
		return // one word gives no order
	}
	text = strings.Map(func(r rune) rune {
		if r == masked || r == lineEnd {
			return ' '
		}
		return r
	}, text)
	p.passages = append(p.passages, passage{text: text, from: place.start, whole: &place})
}

func (p *proseReader) finish(lines *gmtext.Segments) {
	if lines.Len() > 0 {
		p.finishAt(lines.At(0).Start, lines.At(lines.Len()-1).Stop)
	}
}

func (p *proseReader) finishAt(start, stop int) {
	for i := range p.codes {
		p.codes[i].start -= start
		p.codes[i].end -= start
	}
	sort.Slice(p.codes, func(i, j int) bool { return p.codes[i].start < p.codes[j].start })
	p.passages = append(p.passages, passage{text: string(p.buf[start:stop]), from: start, codes: p.codes})
	p.codes = nil
}

// sentences cuts the passage at the ends of its sentences; neither a quotation nor code is cut.
func (p passage) sentences(quotes []span) []span {
	var out []span
	start, q := 0, 0
	for i := 0; i < len(p.text); i++ {
		for q < len(quotes) && quotes[q].end <= i {
			q++
		}
		if q < len(quotes) && i > quotes[q].start && i < quotes[q].end-1 {
			continue
		}
		switch p.text[i] {
		case lineEnd:
			out = append(out, span{start, i})
			start = i + 1
		case '.', '!', '?', ';':
			end := i + 1
			for end < len(p.text) && closer(p.text[end:]) > 0 {
				end += closer(p.text[end:])
			}
			if end < len(p.text) && (p.text[end] == ' ' || p.text[end] == '\n' || p.text[end] == '\t') {
				out = append(out, span{start, end})
				start = end
				i = end - 1
			}
		}
	}
	if start < len(p.text) {
		out = append(out, span{start, len(p.text)})
	}
	return out
}

// closer returns the length of the closing mark that rest begins with, or 0.
func closer(rest string) int {
	for _, mark := range []string{`"`, "'", ")", "]", "}", "”", "’", "»"} {
		if strings.HasPrefix(rest, mark) {
			return len(mark)
		}
	}
	return 0
}

// quotations returns the passages's double-quoted stretches, marks included. A mark without a partner
// quotes nothing.
func (p passage) quotations() []span {
	var out []span
	open, curly := -1, -1
	for i := 0; i < len(p.text); i++ {
		switch {
		case p.text[i] == '"':
			if open < 0 {
				open = i
			} else {
				out = append(out, span{open, i + 1})
				open = -1
			}
		case open >= 0:
		case strings.HasPrefix(p.text[i:], "“"):
			curly = i
		case strings.HasPrefix(p.text[i:], "”") && curly >= 0:
			out = append(out, span{curly, i + len("”")})
			curly = -1
		}
	}
	return out
}
