package lexical

import (
	"errors"
	"strings"

	"github.com/yosida95/uritemplate/v3"
)

// URITemplate checks s against the grammar of RFC 6570 section 2. Two things differ from what the template library accepts: operators
// that the RFC reserves for later ("{=x}") are grammatical, see [ReservedOperator], and an apostrophe outside an expression is not, as
// the RFC prints it (erratum 6937 asks for its return). The empty template is refused: no resource has an empty URI. The error says
// what is wrong in a clause about "it".
func URITemplate(s string) error {
	if s == "" {
		return errEmpty
	}
	if strings.Contains(s, "'") {
		return errors.New(`it has an apostrophe, which a template must write as %27`)
	}
	if _, err := uritemplate.New(reservedOperators.Replace(s)); err != nil {
		return templateFault(s)
	}
	return nil
}

// reservedOperators puts an operator that the library knows in place of a reserved one. An opening brace can stand nowhere else.
var reservedOperators = strings.NewReplacer("{=", "{+", "{,", "{+", "{!", "{+", "{@", "{+", "{|", "{+")

// ReservedOperator reports whether a template uses an operator that RFC 6570 section 2.2 keeps for later, so that no client can expand
// it.
func ReservedOperator(s string) bool { return reservedOperators.Replace(s) != s }

// templateFault says what is wrong with a template that the library refused; the library's own words repeat all that stands before.
func templateFault(s string) error {
	open := false
	start := 0
	for i := range len(s) {
		switch {
		case s[i] == '{' && !open:
			open, start = true, i
		case s[i] == '}' && open:
			open = false
			if _, err := uritemplate.New(reservedOperators.Replace(s[start : i+1])); err != nil {
				return errors.New("it has the malformed expression " + excerptText(s[start:i+1]))
			}
		case s[i] == '}':
			return errors.New(`it has a "}" without "{"`)
		}
	}
	if open {
		return errors.New(`it has a "{" without "}"`)
	}
	return errors.New("it has a character that a template must percent-encode")
}

func excerptText(s string) string {
	if len(s) > excerptLimit {
		s = s[:excerptLimit] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
