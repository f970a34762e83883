package report

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// word writes a text as one word of a POSIX shell command (IEEE Std 1003.1, Shell Command Language, Quoting). Whatever the text holds,
// the word is printable ASCII on one line and nothing in it is expanded or run. Two texts cannot be passed as they are: bytes of
// value 0 are left out, and newlines at the end get lost where a word has to be spelled with printf.
//
// Where a secret was taken out of the text, the word takes the value of the shell variable SECRET.
func word(text string) string {
	parts := strings.Split(text, recording.Redacted)
	if len(parts) == 1 {
		return plainWord(text)
	}
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString(`"$SECRET"`)
		}
		if part != "" {
			b.WriteString(plainWord(part))
		}
	}
	return b.String()
}

func plainWord(text string) string {
	bare, printable := text != "", true
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' {
			printable = false
			break
		}
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_@%+:,./-", c) >= 0) {
			bare = false
		}
	}
	switch {
	case !printable:
		return spelled(text)
	case bare:
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// spelled writes a word that printf puts together, with every byte that could mean something to a shell, to printf or to a terminal
// in octal digits.
func spelled(text string) string {
	var b strings.Builder
	b.WriteString(`"$(printf '`)
	for i := range len(text) {
		c := text[i]
		switch {
		case c == 0:
		case c == '-' && i > 0: // in front, printf would take it for an option
			b.WriteByte(c)
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(" _@+:,./=?&{}[]", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	b.WriteString(`')"`)
	return b.String()
}

// asciiJSON writes the characters of a JSON text that are not printable ASCII as escapes, so that it means the same. ok is false when
// such a character stands where an escape may not.
func asciiJSON(text string) (escaped string, ok bool) {
	var b strings.Builder
	inString, afterBackslash := false, false
	for _, r := range text {
		switch {
		case r == '\uFFFD' || r < ' ' && inString || r > '~' && (!inString || afterBackslash):
			return "", false
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r > '~':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		switch {
		case afterBackslash:
			afterBackslash = false
		case inString && r == '\\':
			afterBackslash = true
		case r == '"':
			inString = !inString
		}
	}
	return b.String(), true
}

// variable turns the name of a header into the name of the shell variable that stands for its value: HEADER_X_API_KEY.
func variable(header string) string {
	name := []byte("HEADER_" + strings.ToUpper(header))
	for i, c := range name {
		if !('A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			name[i] = '_'
		}
	}
	return string(name)
}

// variableName reports whether a name may be a variable of a POSIX shell.
func variableName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
