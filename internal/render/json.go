// Package render writes a report: as JSON for programs, as text for people. It decides nothing and recomputes nothing; every number and
// every word about the server comes from the report. Whatever a server wrote, no output holds a control character.
package render

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/report"
)

// JSON writes the report as one document, indented by two blanks, in printable ASCII, with a newline at the end. The keys of objects
// without an order of their own are sorted. The error is the writer's.
func JSON(w io.Writer, r *report.Report) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(ascii(b.Bytes()))
	return err
}

// ascii writes every character of a JSON text that is not printable ASCII as an escape. Such characters stand in strings only, and the
// encoder has replaced what was not UTF-8.
func ascii(text []byte) []byte {
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
