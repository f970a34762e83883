package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// tail keeps the last bytes of a stream.
type tail struct {
	keep  int
	buf   []byte
	total int64
}

func (t *tail) add(p []byte) {
	t.total += int64(len(p))
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*t.keep {
		t.buf = append(t.buf[:0], lastBytes(t.buf, t.keep)...)
	}
}

// body returns the tail without what redact knows.
func (t *tail) body(redact *recording.Redactor) recording.Body {
	kept := bytes.Clone(lastBytes(t.buf, t.keep))
	if int64(len(kept)) == t.total {
		return recording.Body{Bytes: redact.Bytes(kept), Size: t.total}
	}
	for cutRune := 0; cutRune < utf8.UTFMax-1 && len(kept) > 0 && !utf8.RuneStart(kept[0]); cutRune++ {
		kept = kept[1:]
	}
	return recording.Body{Bytes: redact.Tail(kept), Size: t.total, Cut: true}
}

// wholeRunes drops a character that was cut in two from the end of b.
func wholeRunes(b []byte) []byte {
	for back := 1; back <= min(len(b), utf8.UTFMax-1); back++ {
		i := len(b) - back
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			return b
		}
	}
	return b
}

// progressLines splits standard error into lines for display. CR ends a line too, as progress bars use it. Of long lines only the
// beginning is kept.
type progressLines struct {
	line []byte
	size int64
}

func (p *progressLines) add(piece []byte, show func(text []byte, size int64)) {
	for len(piece) > 0 {
		i := bytes.IndexAny(piece, "\r\n")
		part := piece
		if i >= 0 {
			part = piece[:i]
		}
		p.size += int64(len(part))
		p.line = append(p.line, firstBytes(part, maxProgressBytes-len(p.line))...)
		if i < 0 {
			return
		}
		if p.size > 0 {
			show(p.line, p.size)
		}
		p.line, p.size = p.line[:0], 0
		piece = piece[i+1:]
	}
}

// tellingLine returns the line of a program's last words that says what went wrong: a Go panic's first line, else the last line that
// is neither blank, nor indented (stack frames), nor a closing brace, nor the version line that Node.js prints last.
func tellingLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	best := ""
	for _, l := range lines {
		trimmed := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "panic: "), strings.HasPrefix(l, "fatal error: "):
			return trimmed
		case trimmed == "", strings.Trim(trimmed, "{}[]();^~") == "", strings.HasPrefix(l, "Node.js v"):
		case best != "" && (l[0] == ' ' || l[0] == '\t'):
		default:
			best = trimmed
		}
	}
	return best
}
