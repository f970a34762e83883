package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/gowebpki/jcs"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// canonical is the canonical form of a JSON text (RFC 8785), in time and stack that a hostile text cannot inflate. Two things keep it
// from hiding a change: a number beyond 2^53 that a double cannot hold stays as it is written, and a text that readers may take differently
// (a key that stands in it twice, broken characters, nesting beyond all reason) stays as it is but for the blanks between its parts.
func canonical(raw []byte) []byte {
	v, notes, err := jsondoc.Parse(raw)
	if err != nil || !notes.Empty() {
		return plain(raw)
	}
	return appendCanonical(nil, v)
}

func plain(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func appendCanonical(out []byte, v jsondoc.Value) []byte {
	switch {
	case v.IsObject():
		members := slices.Clone(v.Members())
		slices.SortFunc(members, func(a, b jsondoc.Member) int { return compareUTF16(a.Name, b.Name) })
		out = append(out, '{')
		for i, m := range members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, m.Name), ':')
			out = appendCanonical(out, m.Value)
		}
		return append(out, '}')
	case v.IsArray():
		out = append(out, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendCanonical(out, e.Value)
		}
		return append(out, ']')
	case v.IsString():
		return appendString(out, v.TextOr(""))
	case v.Kind() == jsondoc.Number:
		return append(out, number(v)...)
	}
	return append(out, v.Raw()...)
}

func number(v jsondoc.Value) string {
	raw := string(v.Raw())
	f, ok := v.Float()
	if !ok || len(raw) > 400 || math.Abs(f) >= 1<<53 && !exactly(raw, f) {
		return raw
	}
	text, err := jcs.NumberToJSON(f)
	if err != nil {
		return raw
	}
	return text
}

// exactly reports whether a number is what a double made of it. Up to 2^53 a double holds every whole number.
func exactly(raw string, f float64) bool {
	exact, _, err := big.ParseFloat(raw, 10, 2000, big.ToNearestEven)
	return err == nil && exact.Cmp(big.NewFloat(f)) == 0
}

// compareUTF16 orders by UTF-16 code units, as RFC 8785 section 3.2.3 asks. It differs from the order of bytes only beyond U+FFFF.
func compareUTF16(a, b string) int {
	if strings.IndexFunc(a, wide) < 0 && strings.IndexFunc(b, wide) < 0 {
		return strings.Compare(a, b)
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func wide(r rune) bool { return r > 0xffff }

var escapes = map[byte]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}

func appendString(out []byte, text string) []byte {
	out = append(out, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case escapes[c] != "":
			out = append(out, escapes[c]...)
		case c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
