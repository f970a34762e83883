package textscan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible spells out every character that a terminal would act on or not show: CR, LF and TAB as \r, \n and
// \t, bytes that are not UTF-8 as \xNN, other controls, direction marks, zero-width, tag and other
// invisible characters as <U+202E>. What is left is one line that occupies the place it seems to. An emoji
// keeps its own joiners and selectors. It escapes no backslash, so it is for reading, not for decoding.
func Visible(text string) string {
	i := 0
	for i < len(text) && ' ' <= text[i] && text[i] <= '~' {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	b.WriteString(text[:i])
	before := rune(0)
	if i > 0 {
		before = rune(text[i-1])
	}
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unseen(r) && !joinsEmoji(before, r, after):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		before = r
		i += size
	}
	return b.String()
}

// unseen reports whether r shows nothing of its own. Go counts spaces other than U+0020 as unprintable; they
// do occupy their place and stay. The letters and symbols listed last are blank all the same.
func unseen(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	switch {
	case unicode.Is(unicode.Zs, r):
		return false
	case !unicode.IsPrint(r):
		return true
	case variationSelector(r):
		return true
	}
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180f, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return false
}

// joinsEmoji reports whether r is a joiner or selector in the middle of an emoji, where it belongs.
func joinsEmoji(before, r, after rune) bool {
	switch r {
	case 0xfe0f:
		return pictograph(before) || '0' <= before && before <= '9' || before == '#' || before == '*'
	case 0x200d:
		return (pictograph(before) || before == 0xfe0f) && pictograph(after)
	}
	return false
}

func pictograph(r rune) bool {
	return r >= 0x00a9 && r != utf8.RuneError && unicode.Is(unicode.So, r) && !unseen(r) || 0x1f3fb <= r && r <= 0x1f3ff || r == 0x2194 || r == 0x203c || r == 0x2049
}
