package recording

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
)

// maxPlaces bounds the readings of a text that are followed at once; ordinary text has one or two.
const maxPlaces = 24

// match follows units through text from i. end is where the longest match is over, -1 when there is none; began is how many units
// had begun when the text ended in the middle, 0 when it did not.
//
// A character can be read in several ways ("%25" is three characters or an escaped "%"), so all places that can be reached are
// followed at once; there are never more than a few.
func match(text []byte, i int, units []unit) (end, began int) {
	var a, b [maxPlaces]int
	places, next := append(a[:0], i), b[:0]
	for n := range units {
		next = next[:0]
		for _, j := range places {
			if len(text)-j < longestEscape && units[n].unfinished(text[j:]) {
				began = max(began, n+min(1, len(text)-j))
			}
			next = units[n].after(text, j, next)
		}
		if len(next) == 0 {
			return -1, began
		}
		places, next = next, places
	}
	return slices.Max(places), 0
}

// longestEscape is more than the length of any escaped character.
const longestEscape = 64

// unfinished reports whether the rest of a text may be the beginning of this character.
func (u *unit) unfinished(rest []byte) bool {
	if len(rest) == 0 {
		return true
	}
	for _, form := range u.forms {
		if strings.HasPrefix(form, string(rest)) {
			return true
		}
		if _, short := percent(rest, form); short {
			return true
		}
	}
	switch rest[0] {
	case '\\':
		tail := strings.TrimLeft(string(rest), "\\")
		digits := strings.TrimLeft(tail, "u")
		return len(tail)-len(digits) <= 1 && len(digits) < 4 || strings.Contains(digits, "\\")
	case '&':
		return !bytes.ContainsRune(rest, ';')
	}
	return false
}

// after appends to out every index in text where this character, begun at i, can be over.
func (u *unit) after(text []byte, i int, out []int) []int {
	if i >= len(text) {
		return out
	}
	add := func(j int) {
		if j > i && len(out) < maxPlaces && !slices.Contains(out, j) {
			out = append(out, j)
		}
	}
	rest := text[i:]
	for k, form := range u.forms {
		if k == 1 && form == u.forms[0] {
			break
		}
		if hasPrefix(rest, form) {
			add(i + len(form))
		}
		if n, _ := percent(rest, form); n > len(form) {
			add(i + n)
		}
	}
	switch rest[0] {
	case '+':
		if u.runes[0] == ' ' {
			add(i + 1)
		}
	case '\\':
		run := 1
		for run < len(rest) && rest[run] == '\\' && run < 64 {
			run++
		}
		if u.is('\\') {
			for n := 2; n <= run; n *= 2 {
				add(i + n)
			}
		}
		if run < len(rest) {
			if c := rest[run]; c == 'u' {
				r, n := unicodeEscape(rest[run:])
				if n > 0 && u.is(r) {
					add(i + run + n)
				}
				if tail := rest[run+n:]; n > 0 && r == '&' { // HTML inside JSON: "\u0026lt;" is how some encoders write "&lt;"
					if r, n := entity(append([]byte("&"), tail[:min(len(tail), 12)]...)); n > 0 && u.is(r) {
						add(len(text) - len(tail) + n - 1)
					}
				}
			} else if strings.IndexByte(`"'/`, c) >= 0 && u.is(rune(c)) {
				add(i + run + 1)
			}
		}
	case '&':
		if r, n := entity(rest); n > 0 && u.is(r) {
			add(i + n)
		}
	}
	return out
}

func (u *unit) is(r rune) bool { return r == u.runes[0] || r == u.runes[1] }

func hasPrefix(text []byte, s string) bool { return len(text) >= len(s) && string(text[:len(s)]) == s }

// percent returns the length of form percent-encoded (once or several times) at the beginning of text, 0 when it is not there. Bytes
// of a longer form may stand unescaped. short reports that the text ended too early to tell.
func percent(text []byte, form string) (n int, short bool) {
	for k := range len(form) {
		switch {
		case n >= len(text):
			return 0, true
		case text[n] == form[k] && form[k] != '%':
			n++
		case text[n] == '%':
			j := n + 1
			for form[k] != '%' && hasPrefix(text[j:], "25") {
				j += 2
			}
			if j+2 > len(text) {
				return 0, true
			}
			if v, ok := hexNumber(text[j : j+2]); !ok || v != rune(form[k]) {
				return 0, false
			}
			n = j + 2
		default:
			return 0, false
		}
	}
	return n, false
}

// unicodeEscape reads "uXXXX", and the second half of a surrogate pair after any number of backslashes.
func unicodeEscape(text []byte) (rune, int) {
	if len(text) < 5 {
		return 0, 0
	}
	r, ok := hexNumber(text[1:5])
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 5
	}
	j := 5
	for j < len(text) && text[j] == '\\' {
		j++
	}
	if j == 5 || j+5 > len(text) || text[j] != 'u' {
		return 0, 0
	}
	low, ok := hexNumber(text[j+1 : j+5])
	if !ok {
		return 0, 0
	}
	return utf16.DecodeRune(r, low), j + 5
}

var entities = []struct {
	text string
	r    rune
}{{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}

// entity reads an HTML character reference.
func entity(text []byte) (rune, int) {
	if len(text) < 4 {
		return 0, 0
	}
	if text[1] != '#' {
		for _, e := range entities {
			if hasPrefix(text, e.text) {
				return e.r, len(e.text)
			}
		}
		return 0, 0
	}
	base, j := rune(10), 2
	if text[2] == 'x' || text[2] == 'X' {
		base, j = 16, 3
	}
	var r rune
	for k := j; k < len(text) && k < j+8; k++ {
		if text[k] == ';' && k > j {
			return r, k + 1
		}
		d, ok := hexNumber(text[k : k+1])
		if !ok || d >= base {
			break
		}
		r = r*base + d
	}
	return 0, 0
}

func hexNumber(digits []byte) (rune, bool) {
	var v rune
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			v = v<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			v = v<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return v, true
}
