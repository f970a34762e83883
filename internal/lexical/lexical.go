// Package lexical holds the forms that text in MCP messages must have: absolute URIs, URI templates, media types, timestamps, icons, and
// what counts as blank. It judges the text alone; which field must have which form is the rules' business.
package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Blank reports whether a reader of s would see nothing: it holds only white space, control characters and characters that are not
// drawn, such as U+200B. The empty string is blank.
func Blank(s string) bool {
	for _, r := range s {
		if !unseen(r) {
			return false
		}
	}
	return true
}

// unseen reports whether a character leaves no mark: white space and separators, controls, format characters (zero-width space, byte
// order mark, tags, direction marks), fillers, variation selectors and the empty Braille cell.
func unseen(r rune) bool {
	return unicode.In(r, unicode.White_Space, unicode.Z, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == '\u2800'
}

// excerptLimit is how much of a value a finding quotes, in bytes.
const excerptLimit = 120

// Excerpt writes a JSON value for a finding: as it stood on the wire, cut after 120 bytes at a character. An absent value reads
// "nothing".
func Excerpt(v jsondoc.Value) string {
	if !v.Exists() {
		return "nothing"
	}
	raw := string(v.Raw())
	if len(raw) <= excerptLimit {
		return strings.ToValidUTF8(raw, "\uFFFD")
	}
	end := excerptLimit
	for end > excerptLimit-utf8.UTFMax && !utf8.RuneStart(raw[end]) {
		end--
	}
	return strings.ToValidUTF8(raw[:end], "\uFFFD") + "…"
}
