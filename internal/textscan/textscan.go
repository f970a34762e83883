// Package textscan finds, in text that an MCP server publishes, what does not belong there: hidden
// characters, credentials, phrasing that steers a model, links that carry data away, orders about other
// servers' tools, and internals leaking through error messages. It also makes text safe to show
// ([Mask], [Visible]).
//
// Everything here is a pure function of its arguments. Text arrives exactly as the server sent it: not
// normalised, not folded, possibly not valid UTF-8. A matcher never fails; on text it cannot read it finds
// less. Deciding what a match costs is the rules' business and does not belong here.
package textscan

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Match is one finding in a text.
type Match struct {
	// Kind is a short stable reason, such as "bidi_controls". Each matcher documents its own.
	Kind string
	// Start and End are byte offsets: text[Start:End] is what was found.
	Start, End int
	// Excerpt shows the finding: at most excerptRunes characters, credentials masked, nothing invisible.
	Excerpt string
}

const (
	// maxMatches bounds what one call returns; counts in reports saturate there.
	maxMatches = 1000
	// excerptRunes bounds an excerpt, before hidden characters are spelled out.
	excerptRunes = 120
)

// sortMatches puts matches in the order every matcher promises and cuts them to maxMatches.
func sortMatches(ms []Match) []Match {
	slices.SortStableFunc(ms, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Kind, b.Kind))
	})
	if len(ms) > maxMatches {
		ms = ms[:maxMatches]
	}
	return ms
}

// excerpter cuts excerpts out of one text. The credentials are looked for in the whole text, so that a cut
// never shows half of one.
type excerpter struct {
	text    string
	secrets func() []span
}

func newExcerpter(text string) excerpter {
	return excerpter{text, sync.OnceValue(func() []span { return maskSpans(text) })}
}

// cut renders text[start:end], shortened to excerptRunes.
func (e excerpter) cut(start, end int) string {
	var b strings.Builder
	spans := e.secrets()
	next, _ := slices.BinarySearchFunc(spans, start, func(s span, at int) int { return cmp.Compare(s.end, at+1) })
	for n := 0; start < end; n++ {
		if n == excerptRunes {
			b.WriteString("…")
			break
		}
		if next < len(spans) && start >= spans[next].start {
			b.WriteString(redacted)
			start = spans[next].end
			next++
			continue
		}
		_, size := utf8.DecodeRuneInString(e.text[start:])
		b.WriteString(Visible(e.text[start : start+size]))
		start += size
	}
	return b.String()
}

// span is a half-open range of byte offsets.
type span struct{ start, end int }

// isWord reports whether r is part of a word in any script: a letter, a mark, a digit or an underscore.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// startsWord reports whether no word character stands right before offset i. Go's \b knows ASCII only.
func startsWord(text string, i int) bool {
	r, size := utf8.DecodeLastRuneInString(text[:i])
	return size == 0 || !isWord(r)
}

// endsWord reports whether no word character stands right after offset i.
func endsWord(text string, i int) bool {
	r, size := utf8.DecodeRuneInString(text[i:])
	return size == 0 || !isWord(r)
}

// fold lowers ASCII letters and the two letters outside ASCII that regular expressions read as ASCII ones
// when case is ignored (long s, Kelvin sign), so that a search in the result misses nothing a
// case-insensitive pattern would find. Offsets in the result are not offsets in the text.
func fold(text string) string {
	i := 0
	for i < len(text) && !('A' <= text[i] && text[i] <= 'Z') && text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:i])
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case 'A' <= c && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		case c >= utf8.RuneSelf && strings.HasPrefix(text[i:], "\u017f"):
			b.WriteByte('s')
			i += len("\u017f") - 1
		case c >= utf8.RuneSelf && strings.HasPrefix(text[i:], "\u212a"):
			b.WriteByte('k')
			i += len("\u212a") - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// containsAny reports whether text holds one of the words.
func containsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
