package lock

import (
	"strconv"
	"unicode/utf8"
)

// ascii escapes every character of a JSON text that is not printable ASCII. Such characters stand in strings only.
func ascii(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			r -= 0x10000
			out = appendEscape(appendEscape(out, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			out = appendEscape(out, r)
		}
		text = text[size:]
	}
	return out
}

func appendEscape(out []byte, r rune) []byte {
	digits := strconv.FormatInt(int64(r), 16)
	out = append(out, `\u0000`[:6-len(digits)]...)
	return append(out, digits...)
}
