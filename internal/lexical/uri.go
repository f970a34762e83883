package lexical

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// The two ways a URI can lack what makes it one.
var (
	errEmpty    = errors.New("it is empty")
	errNoScheme = errors.New("it has no scheme")
)

var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// AbsoluteURI checks that s is a URI with a scheme by RFC 3986: only characters of its section 2, whole percent escapes, at most one
// "#", square brackets around an IP literal only, a port up to 65535. Nothing needs to follow the scheme. The error says what is wrong
// in a clause about "it".
func AbsoluteURI(s string) error {
	_, _, err := splitURI(s)
	return err
}

// splitURI checks a URI and returns its scheme in lower case and its host, empty when it has no authority.
func splitURI(s string) (scheme, host string, err error) {
	if s == "" {
		return "", "", errEmpty
	}
	if err := uriCharacters(s); err != nil {
		return "", "", err
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || !schemePattern.MatchString(scheme) {
		return "", "", errNoScheme
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	if strings.Contains(fragment, "#") {
		return "", "", errors.New(`it has more than one "#"`)
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		authority := after
		if i := strings.IndexAny(after, "/?"); i >= 0 {
			authority = after[:i]
		}
		if host, err = uriAuthority(authority); err != nil {
			return "", "", err
		}
		rest = after[len(authority):]
	}
	if strings.ContainsAny(rest, "[]") || strings.ContainsAny(fragment, "[]") {
		return "", "", errors.New("it has a square bracket that encloses no IP address")
	}
	return strings.ToLower(scheme), host, nil
}

// uriCharacters checks for the characters of RFC 3986 section 2 and for whole percent escapes.
func uriCharacters(s string) error {
	for i, r := range s {
		switch {
		case r == '%':
			if len(s) < i+3 || !hexDigit(s[i+1]) || !hexDigit(s[i+2]) {
				return errors.New(`it has a "%" without two hexadecimal digits`)
			}
		case r < 0x80 && (alphanumeric(byte(r)) || strings.IndexByte("._~:/?#[]@!$&'()*+,;=-", byte(r)) >= 0):
		default:
			return fmt.Errorf("it has the character %q, which a URI must escape", r)
		}
	}
	return nil
}

// uriAuthority checks an authority (RFC 3986 section 3.2) and returns its host.
func uriAuthority(authority string) (host string, err error) {
	user, hostport, ok := strings.Cut(authority, "@")
	if !ok {
		user, hostport = "", authority
	}
	if strings.Contains(hostport, "@") {
		return "", errors.New(`its authority has more than one "@"`)
	}
	if strings.ContainsAny(user, "[]") {
		return "", errors.New("it has a square bracket that encloses no IP address")
	}
	port := ""
	if strings.ContainsAny(hostport, "[]") {
		literal, after, closed := strings.Cut(strings.TrimPrefix(hostport, "["), "]")
		if !closed || hostport[0] != '[' || !ipLiteral(literal) || after != "" && after[0] != ':' {
			return "", errors.New("it has square brackets that enclose no IP address")
		}
		host, port = literal, strings.TrimPrefix(after, ":")
	} else {
		host, port, _ = strings.Cut(hostport, ":")
	}
	if port == "" {
		return host, nil
	}
	if n, err := strconv.ParseUint(port, 10, 64); err != nil || n > 65535 {
		return "", errors.New("its port is no number up to 65535")
	}
	return host, nil
}

var ipFuture = regexp.MustCompile(`^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$`)

// ipLiteral reports whether text between square brackets is an IPv6 address, with a zone (RFC 6874) or without, or of a future kind.
func ipLiteral(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is6() || ipFuture.MatchString(s)
}

func hexDigit(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func alphanumeric(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// WebURL checks that s is an absolute http or https URL with a host.
func WebURL(s string) error {
	scheme, host, err := splitURI(s)
	switch {
	case err != nil:
		return err
	case scheme != "http" && scheme != "https":
		return fmt.Errorf("its scheme is %s", scheme)
	case host == "":
		return errors.New("it has no host")
	}
	return nil
}
