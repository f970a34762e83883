package textscan

import "unicode/utf8"

// Hidden finds characters that a person reviewing the text does not see but a model reads, or that make the
// text look different from what it is.
//
// Kinds:
//   - tag_characters: the Tags block, which mirrors ASCII invisibly; a well-formed emoji flag (UTS 51) is none
//   - bidi_controls: embeddings, overrides and isolates; the marks that right-to-left prose needs are none
//   - control_characters: C0 and C1 controls and DEL, except tab, LF and CR
//   - zero_width_run: two or more invisible characters in a row; one alone separates syllables or joins emoji
//   - variation_selector_run: such a run of variation selectors only, which can encode arbitrary bytes
//
// Limits: blank letters (Hangul fillers, the empty Braille cell) are not counted, since they are printed
// and have uses; bytes that are not UTF-8 are no characters.
func Hidden(text string) []Match {
	if plainASCII(text) {
		return nil
	}
	var ms []Match
	ex := newExcerpter(text)
	add := func(kind string, start, end int) {
		ms = append(ms, Match{kind, start, end, ex.cut(around(text, start, end))})
	}
	for i := 0; i < len(text) && len(ms) < maxMatches; {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
		case r == blackFlag:
			if n := emojiFlag(text[i+size:]); n > 0 {
				size += n
			}
		case isTag(r):
			add("tag_characters", i, i+size)
		case 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069:
			add("bidi_controls", i, i+size)
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || 0x7f <= r && r <= 0x9f:
			add("control_characters", i, i+size)
		case zeroWidth(r) || variationSelector(r):
			end, units, onlySelectors := invisibleRun(text, i)
			if units > 1 && onlySelectors {
				add("variation_selector_run", i, end)
			} else if units > 1 {
				add("zero_width_run", i, end)
			}
			size = end - i
		}
		i += size
	}
	return ms
}

const (
	blackFlag = 0x1f3f4
	cancelTag = 0xe007f
)

// plainASCII reports whether text has nothing but printable ASCII, tab, LF and CR.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func isTag(r rune) bool { return 0xe0000 <= r && r <= 0xe007f }

// emojiFlag returns the length of the tags that follow a black flag and end in a cancel tag, or 0.
func emojiFlag(rest string) int {
	for i := 0; i < len(rest); {
		r, size := utf8.DecodeRuneInString(rest[i:])
		if r == cancelTag && i > 0 {
			return i + size
		}
		if r < 0xe0020 || r >= cancelTag {
			return 0
		}
		i += size
	}
	return 0
}

func zeroWidth(r rune) bool {
	return r == 0xad || r == 0x61c || 0x200b <= r && r <= 0x200f || 0x2060 <= r && r <= 0x2064 || r == 0xfeff
}

func variationSelector(r rune) bool {
	return 0xfe00 <= r && r <= 0xfe0f || 0xe0100 <= r && r <= 0xe01ef
}

// invisibleRun measures the run of invisible characters that starts at i. The emoji presentation selector
// with the joiner after it counts once, as emoji are spelled that way.
func invisibleRun(text string, i int) (end, units int, onlySelectors bool) {
	onlySelectors = true
	for end = i; end < len(text); units++ {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case variationSelector(r):
			if next, n := utf8.DecodeRuneInString(text[end+size:]); r == 0xfe0f && next == 0x200d {
				size += n
				onlySelectors = false
			}
		case zeroWidth(r):
			onlySelectors = false
		default:
			return end, units, onlySelectors
		}
		end += size
	}
	return end, units, onlySelectors
}

// around widens a range by some characters on each side, so that an excerpt shows where an invisible
// character stands.
func around(text string, start, end int) (int, int) {
	for range 16 {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
		_, size = utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return start, end
}
