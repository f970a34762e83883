package recording

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// MaskURL returns a URL (or a part of one, such as a Location header) as it may be shown: without user name and password, and with
// the values of query and fragment parameters that are named like credentials replaced by [Redacted]. Everything else stays as it
// was written; a text that is no URL is treated alike.
func MaskURL(raw string) string {
	head, tail := raw, ""
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		head, tail = raw[:i], raw[i:]
	}
	if start, end := userinfo(raw); end > start {
		if end > len(head) { // an unescaped "?" or "#" in the password
			rest := raw[end:]
			i := strings.IndexAny(rest+"?", "?#")
			head, tail = raw[:start]+rest[:i], rest[i:]
		} else {
			head = raw[:start] + head[end:]
		}
	}
	var b strings.Builder
	b.WriteString(head)
	for _, p := range parameters(tail) {
		b.WriteString(p.before)
		if p.masked() {
			b.WriteString(p.name + "=" + Redacted)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// CredentialParams returns the names of the URL's query parameters that carry credentials, in order and without duplicates.
func CredentialParams(raw string) []string {
	var names []string
	for _, p := range queryParameters(raw) {
		if name := formDecode(p.name); p.credential() && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// WithoutCredentialParams returns the URL without those query parameters.
func WithoutCredentialParams(raw string) string {
	start := strings.IndexByte(raw, '?')
	if start < 0 {
		return raw
	}
	end := len(raw)
	if i := strings.IndexByte(raw, '#'); i >= 0 {
		if i < start {
			return raw
		}
		end = i
	}
	var kept []string
	for _, p := range parameters(raw[start:end]) {
		if !p.credential() {
			kept = append(kept, p.text)
		}
	}
	if len(kept) == 0 {
		return raw[:start] + raw[end:]
	}
	return raw[:start] + "?" + strings.Join(kept, "&") + raw[end:]
}

// URLSecrets returns what a URL given by the user must not leak: its user name with password, the password, and the values of
// parameters that MaskURL hides, each as written and decoded.
func URLSecrets(raw string) []string {
	var secrets []string
	add := func(s string) {
		for _, v := range []string{s, formDecode(s)} {
			if v != "" && !slices.Contains(secrets, v) {
				secrets = append(secrets, v)
			}
		}
	}
	if start, end := userinfo(raw); end > start {
		user := raw[start : end-1]
		add(user)
		if _, password, ok := strings.Cut(user, ":"); ok {
			add(password)
		}
	}
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		for _, p := range parameters(raw[i:]) {
			if p.masked() {
				add(p.value)
			}
		}
	}
	return secrets
}

// userinfo returns the bounds of user name and password in a URL, the "@" included.
func userinfo(raw string) (start, end int) {
	i := strings.Index(raw, "//")
	if i < 0 {
		return 0, 0
	}
	start = i + 2
	authority := raw[start:]
	if j := strings.IndexAny(authority, `/\?#`); j >= 0 {
		host := authority[:j]
		// "https://user:pa/ss@host": what stands before the slash is no host with a port.
		_, port, hasPort := strings.Cut(host, ":")
		if strings.Contains(host, "@") || !hasPort || strings.HasPrefix(host, "[") || strings.Trim(port, "0123456789") == "" {
			authority = host
		}
	}
	if j := strings.LastIndexByte(authority, '@'); j >= 0 {
		return start, start + j + 1
	}
	return start, start
}

type parameter struct{ before, text, name, value string }

func queryParameters(raw string) []parameter {
	raw, _, _ = strings.Cut(raw, "#")
	i := strings.IndexByte(raw, '?')
	if i < 0 {
		return nil
	}
	return parameters(raw[i:])
}

// parameters splits what follows a URL's path. before is the separator that stands in front of each.
func parameters(tail string) []parameter {
	var list []parameter
	for tail != "" {
		p := parameter{before: tail[:1]}
		tail = tail[1:]
		i := strings.IndexAny(tail, "&;#")
		if p.before == "#" {
			i = strings.IndexAny(tail, "?&;")
		}
		if i < 0 {
			i = len(tail)
		}
		p.text = tail[:i]
		p.name, p.value, _ = strings.Cut(p.text, "=")
		list = append(list, p)
		tail = tail[i:]
	}
	return list
}

// credential applies the audit's rule for credential parameters: some names always count, others with a value that looks secret.
func (p parameter) credential() bool {
	name := normalName(formDecode(p.name))
	switch name {
	case "token", "access_token", "api_key", "apikey", "secret", "client_secret", "password":
		return true
	case "key", "auth", "sig", "signature", "session":
		return looksSecret(p.value)
	}
	for _, suffix := range []string{"_token", "_secret", "_api_key"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasSuffix(name, "_key") && looksSecret(p.value)
}

func (p parameter) masked() bool {
	if !strings.Contains(p.text, "=") {
		return false
	}
	switch normalName(formDecode(p.name)) {
	case "authorization", "code", "code_verifier", "client_assertion", "pwd", "passwd":
		return true
	}
	return p.credential()
}

// normalName writes a parameter name in lower case with "_" between its words: "serviceAPIKey" is "service_api_key".
func normalName(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case r == '-' || r == '.' || unicode.IsSpace(r):
			b.WriteByte('_')
			continue
		case i > 0 && unicode.IsUpper(r):
			before := runes[i-1]
			acronymEnds := unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsDigit(before) || acronymEnds {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

var secretPrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:rdme_|sk_|rk_|ghp_|github_pat_|xoxb-|xoxp-)`)
})

func looksSecret(value string) bool {
	decoded := formDecode(value)
	return secretPrefix().MatchString(decoded) || longToken(decoded) || longToken(strings.ReplaceAll(decoded, " ", "+"))
}

func longToken(value string) bool {
	letter, digit := false, false
	for i := range len(value) {
		c := value[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			letter = true
		case '0' <= c && c <= '9':
			digit = true
		case strings.IndexByte("._~+/=-", c) < 0:
			return false
		}
	}
	return len(value) >= 20 && letter && digit
}

func formDecode(s string) string {
	if d, err := url.QueryUnescape(s); err == nil {
		return d
	}
	return s
}
