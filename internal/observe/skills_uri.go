package observe

import (
	"fmt"
	"net/url"
	"strings"
)

// NormalURI writes a URI in the form in which skills are compared (RFC 3986 sections 6.2.2.1 and 6.2.2.2, no further): the scheme in
// lower case, escapes in upper case, escapes of unreserved characters undone, and what a URI may not carry escaped. Path segments stay as they are.
func NormalURI(uri string) string {
	scheme := uriScheme(uri)
	var b strings.Builder
	b.Grow(len(uri))
	b.WriteString(strings.ToLower(scheme))
	for i := len(scheme); i < len(uri); i++ {
		c := uri[i]
		switch {
		case c == '%' && i+2 < len(uri) && isHex(uri[i+1]) && isHex(uri[i+2]):
			if v := unhex(uri[i+1])<<4 | unhex(uri[i+2]); isUnreserved(v) {
				b.WriteByte(v)
			} else {
				b.WriteString(strings.ToUpper(uri[i : i+3]))
			}
			i += 2
		case c == '%' || isUnreserved(c) || strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// uriScheme returns the scheme of a URI without its colon, empty when it has none.
func uriScheme(uri string) string {
	for i := range len(uri) {
		switch c := uri[i]; {
		case c == ':' && i > 0:
			return uri[:i]
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return ""
		}
	}
	return ""
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

// SkillRoot returns the URI of a skill's directory: that of its SKILL.md without the last segment. Empty when the URI names no SKILL.md.
func SkillRoot(uri string) string {
	i := strings.LastIndexByte(uri, '/')
	if i < 0 || NormalURI(uri[i+1:]) != "SKILL.md" {
		return ""
	}
	return uri[:i]
}

// SkillPathName returns the name that a skill's URI gives it: the last segment of its root, unescaped. ok is false when there is none.
func SkillPathName(uri string) (name string, ok bool) {
	root := SkillRoot(uri)
	scheme := uriScheme(root)
	if scheme == "" || strings.ContainsAny(uri, "?#") {
		return "", false
	}
	segment := root[len(scheme)+1:]
	segment = segment[strings.LastIndexByte(segment, '/')+1:]
	if segment == "" {
		return "", false
	}
	if decoded, err := url.PathUnescape(segment); err == nil {
		segment = decoded
	}
	return segment, true
}
