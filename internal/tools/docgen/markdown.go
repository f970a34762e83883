package main

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// width is where lines of prose are broken, in characters.
const width = 120

// escape writes plain text so that Markdown shows it as it is.
func escape(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		switch r {
		case '\\', '`', '*', '[', ']', '<', '>', '|', '~':
			b.WriteByte('\\')
		case '_': // within a word it means nothing
			if i == 0 || i == len(runes)-1 || !wordy(runes[i-1]) || !wordy(runes[i+1]) {
				b.WriteByte('\\')
			}
		case '&': // "&amp;" would be read as a character
			if i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || runes[i+1] == '#') {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// code writes text as code, whatever it holds.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// link writes a link, or the text alone where there is no address.
func link(text, url string) string {
	if url == "" {
		return escape(text)
	}
	return "[" + escape(text) + "](" + strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E").Replace(url) + ")"
}

// structure is a word that would begin a list, a heading or a rule at the beginning of a line.
var structure = regexp.MustCompile(`^(#{1,6}|[-+=]+|\d{1,9}[.)])$`)

// wrap breaks Markdown text into lines. Following lines are indented, which goes on with a list item. Links and code are kept whole.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range words(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width && !structure.MatchString(word):
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// words splits at blanks outside of code spans and link texts.
func words(text string) []string {
	var list []string
	var word strings.Builder
	inCode, depth := false, 0
	escaped := false
	for _, r := range text {
		if unicode.IsSpace(r) && !inCode && depth == 0 {
			if word.Len() > 0 {
				list = append(list, word.String())
				word.Reset()
			}
			escaped = false
			continue
		}
		if !escaped {
			switch {
			case r == '`':
				inCode = !inCode
			case inCode:
			case r == '[':
				depth++
			case r == ']' && depth > 0:
				depth--
			}
		}
		escaped = r == '\\' && !escaped && !inCode
		word.WriteRune(r)
	}
	if word.Len() > 0 {
		list = append(list, word.String())
	}
	return list
}

// table writes a table; cells are Markdown already.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}
