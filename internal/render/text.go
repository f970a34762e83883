package render

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// style is a Select Graphic Rendition parameter list (ECMA-48 section 8.3.117), empty for plain text.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

func (s style) bold() style {
	if s == plain {
		return bold
	}
	return bold + ";" + s
}

// span is a piece of a line in one style.
type span struct {
	style style
	text  string
}

func text(s string) span             { return span{plain, s} }
func styled(st style, s string) span { return span{st, s} }

// page collects lines of text.
type page struct {
	b     strings.Builder
	width int
	color bool
}

// line writes one line. It is the only way onto the page: every text is made visible here, and no line can be taken for a command by
// what reads the log of a build.
func (p *page) line(spans ...span) {
	var whole strings.Builder
	for i := range spans {
		spans[i].text = textscan.Visible(spans[i].text)
		whole.WriteString(spans[i].text)
	}
	if safe := withoutCommands(whole.String()); safe != whole.String() {
		spans = []span{text(safe)}
	}
	for n := len(spans) - 1; n >= 0; n-- { // nothing is left at the end of a line but text
		if spans[n].text = strings.TrimRight(spans[n].text, " "); spans[n].text != "" {
			break
		}
	}
	for _, s := range spans {
		if p.color && s.style != plain && s.text != "" {
			p.b.WriteString("\x1b[" + string(s.style) + "m" + s.text + "\x1b[0m")
		} else {
			p.b.WriteString(s.text)
		}
	}
	p.b.WriteByte('\n')
}

func (p *page) blank() { p.b.WriteByte('\n') }

// block writes a text over as many lines as it needs. first is put in front of the first line; the others are indented to match.
func (p *page) block(first []span, st style, s string) {
	indent := 0
	for _, f := range first {
		indent += width(f.text)
	}
	for i, l := range wrap(s, p.width-indent) {
		if i == 0 {
			p.line(append(first[:len(first):len(first)], styled(st, l))...)
		} else {
			p.line(text(strings.Repeat(" ", indent)), styled(st, l))
		}
	}
}

var logCommands = strings.NewReplacer("##[", `#\x23[`, "##vso[", `#\x23vso[`, "##teamcity[", `#\x23teamcity[`)

// withoutCommands breaks what GitHub Actions, Azure Pipelines and TeamCity would take for a command in the log of a build: two colons that
// begin a line, two number signs before a bracket.
func withoutCommands(line string) string {
	line = logCommands.Replace(line)
	if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + `\x3a` + rest[1:]
	}
	return line
}

// width is how many columns a text takes on a terminal.
func width(s string) int { return uniseg.StringWidth(textscan.Visible(s)) }

// cut shortens a text to a number of columns.
func cut(s string, columns int) string {
	s = textscan.Visible(s)
	if uniseg.StringWidth(s) <= columns {
		return s
	}
	kept, used := 0, 0
	g := uniseg.NewGraphemes(s)
	for g.Next() {
		if used += g.Width(); used > columns-1 {
			break
		}
		_, kept = g.Positions()
	}
	return s[:kept] + "…"
}

// pad fills a text with blanks up to a number of columns.
func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-width(s)))
}

// wrap breaks a text into lines of at most this many columns, between words where it can. It returns at least one line.
func wrap(s string, columns int) []string {
	columns = max(columns, 8)
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(textscan.Visible(s)) {
		w := uniseg.StringWidth(word)
		if used > 0 && used+1+w > columns {
			lines = append(lines, line)
			line, used = "", 0
		}
		if used > 0 {
			line += " "
			used++
		}
		for w > columns-used {
			head, tail := split(word, columns-used)
			lines = append(lines, line+head)
			line, used, word = "", 0, tail
			w = uniseg.StringWidth(word)
		}
		line += word
		used += w
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// split takes as many characters from the front of a word as fit, at least one.
func split(word string, columns int) (head, tail string) {
	end, used := 0, 0
	g := uniseg.NewGraphemes(word)
	for g.Next() {
		if used += g.Width(); used > columns && end > 0 {
			break
		}
		_, end = g.Positions()
	}
	return word[:end], word[end:]
}
