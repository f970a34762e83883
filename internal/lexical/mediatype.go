package lexical

import "regexp"

const (
	token    = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
	mimeText = token + "/" + token + "(?:[ \t]*;[ \t]*" + token + "=(?:" + token + `|"(?:[\t !#-\[\]-~]|\\[\t -~])*"))*`
)

var mediaTypePattern = regexp.MustCompile("^(?:" + mimeText + ")$")

// MediaType reports whether s is a media type with optional parameters as RFC 9110 section 8.3.1 writes them. Whether the type is
// registered is not asked, and the "*" of a range counts as the token character that it is.
func MediaType(s string) bool { return mediaTypePattern.MatchString(s) }
