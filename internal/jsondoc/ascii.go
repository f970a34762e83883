package jsondoc

import "unicode/utf8"

// ASCII writes every character of an encoded JSON text that is not printable ASCII as an escape, so that nothing in it can hide from a reader
// or act on a terminal. In a text that an encoder wrote such characters stand in strings only, and what was not UTF-8 has been replaced.
func ASCII(text []byte) []byte {
	const hex = "0123456789abcdef"
	out := make([]byte, 0, len(text)+len(text)/16)
	escape := func(r rune) {
		out = append(out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
	}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && c != 0x7f {
			out = append(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r > 0xffff {
			r -= 0x10000
			escape(0xd800 + r>>10)
			r = 0xdc00 + r&0x3ff
		}
		escape(r)
	}
	return out
}
