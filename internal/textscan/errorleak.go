package textscan

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// ErrorLeak finds what an error answer should have left in the server's own log.
//
// Kinds: stack_trace, file_path, connection_string, password, secret, api_key, token, auth_token. The
// credential kinds count only values that look real: long enough, not a word about the value, no date.
//
// The text is read as it is and, when it is a JSON document, also as its decoded strings: a finding that is
// only in a decoded string has the offsets of its literal.
//
// Limits: paths count where they tell something about the machine (home, usr, opt, srv, var, root, Windows
// users); a path inside a URL does not; other languages' traces than the documented dozen pass.
func ErrorLeak(body string) []Match {
	ms := leaks(body, newExcerpter(body))
	for _, lit := range escapedLiterals(body) {
		var decoded string
		if json.Unmarshal([]byte(body[lit.start:lit.end]), &decoded) != nil {
			continue
		}
		for _, m := range leaks(decoded, newExcerpter(decoded)) {
			seen := slices.ContainsFunc(ms, func(o Match) bool {
				return o.Kind == m.Kind && o.Start < lit.end && lit.start < o.End
			})
			if !seen && len(ms) < maxMatches {
				ms = append(ms, Match{m.Kind, lit.start, lit.end, m.Excerpt})
			}
		}
	}
	return sortMatches(ms)
}

func leaks(text string, ex excerpter) []Match {
	var ms []Match
	low := fold(text)
	for _, p := range leakPatterns() {
		if !containsAny(low, p.words...) {
			continue
		}
		for _, at := range p.pattern.FindAllStringSubmatchIndex(text, maxMatches) {
			start, end := at[2], at[3]
			if p.kind == "file_path" && insideURL(text, start) {
				continue
			}
			ms = append(ms, Match{p.kind, start, end, ex.cut(start, end)})
		}
	}
	for _, c := range findCredentials(text) {
		ms = append(ms, Match{c.kind, c.start, c.end, ex.cut(c.start, c.end)})
	}
	return sortMatches(ms)
}

type leakPattern struct {
	kind    string
	words   []string // one of them is in every match; lower case
	pattern *regexp.Regexp
}

var leakPatterns = sync.OnceValue(func() []leakPattern {
	trace := func(pattern string, words ...string) leakPattern {
		return leakPattern{"stack_trace", words, regexp.MustCompile(pattern)}
	}
	return []leakPattern{
		{"file_path", []string{"/home/", "/usr/", "/opt/", "/srv/", "/var/", "/root/", "/users/"},
			regexp.MustCompile(`(?i)(?:^|file://|[^\w./-])(/(?:home|usr|opt|srv|root|Users|var/(?:www|lib|log|task|app|run))/(?:\w|\.\w)[\w./@+-]*)`)},
		{"file_path", []string{`:\users\`}, regexp.MustCompile(`(?i)\b([A-Z]:\\Users\\[^\s\\"'<>]*)`)},
		{"connection_string", []string{"://"}, regexp.MustCompile(`(?i)\b((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|ldaps?|ftp|smtps?|jdbc:[a-z]+)://[^\s"'<>]+)`)},
		{"connection_string", []string{"server=", "data source=", "host="}, regexp.MustCompile(`(?i)\b((?:server|data source|host)=[^;\s"']+;[^"'\r\n]*\b(?:password|pwd)=[^;\s"']+)`)},

		trace(`(?i)(traceback \(most recent call last\))`, "traceback"),                                                                                                // Python
		trace(`(?i)(file "[^"\r\n]+", line \d+)`, `file "`),                                                                                                            // Python
		trace(`(?i)\b(at [\w$.<>\[\] ]+\.[\w$<>\[\] ]+ ?\([^()\r\n]+:\d+:\d+\))`, "at "),                                                                               // JavaScript
		trace(`(?im)(?:^[ \t]*|&nbsp;|<br ?/?>\s*)(at (?:[^()\r\n<]+ )?\(?(?:/|[a-z]:[\\/]|node:|file://)[^()\r\n]+:\d+:\d+\)?)(?:[ \t]*\r?$|<br ?/?>|</pre>)`, "at "), // JavaScript
		trace(`(?i)\b(at [\w$.]+\.[\w$<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\))`, "at "),                                                                           // JVM
		trace(`(?i)(exception in thread "[^"\r\n]*")`, "exception in thread"),                                                                                          // JVM
		trace(`(?i)\b(goroutine \d+ \[)`, "goroutine"),                                                                                                                 // Go
		trace("(?i)([\\w./-]+\\.rb:\\d+:in ['`])", ".rb:"),                                                                                                             // Ruby
		trace(`(?i)\b(at [^\s()]+\([^()\r\n]*\) in [^\r\n]+:line \d+)`, ":line "),                                                                                      // .NET
		trace(`(?i)\b(thread '[^'\r\n]*'(?: \(\d+\))? panicked at)`, "panicked at"),                                                                                    // Rust
		trace(`(?i)(php (?:fatal|parse) error:|fatal error: uncaught|#\d+ [^\s()]+\.php\(\d+\):)`, "php", "fatal error"),                                               // PHP
		trace(`(?i)(terminate called after throwing an instance of)`, "terminate called"),                                                                              // C++
		trace(`(?i)(\*\* \((?:RuntimeError|ArgumentError|ErlangError|exit|throw)\))`, "** ("),                                                                          // Elixir
	}
})

// insideURL reports whether the path that starts at i belongs to a URL in the same word.
func insideURL(text string, i int) bool {
	word := text[max(0, i-200):i]
	if at := strings.LastIndexFunc(word, unicode.IsSpace); at >= 0 {
		word = word[at:]
	}
	return strings.Contains(word, "://") && !strings.HasSuffix(word, "file://")
}

// escapedLiterals returns the JSON string literals of body that an escape makes read differently from how
// they are written, none when body is no JSON document.
func escapedLiterals(body string) []span {
	if !strings.Contains(body, `\`) || !json.Valid([]byte(body)) {
		return nil
	}
	var lits []span
	for i := 0; i < len(body); i++ {
		if body[i] != '"' {
			continue
		}
		start, escaped := i, false
		for i++; body[i] != '"'; i++ {
			if body[i] == '\\' {
				escaped = true
				i++
			}
		}
		if escaped {
			lits = append(lits, span{start, i + 1})
		}
	}
	return lits
}

// credential is a value that a keyword introduces: password=..., Bearer ...
type credential struct {
	kind  string
	span  // from the keyword on
	value span
}

var credentialPattern = sync.OnceValue(func() *regexp.Regexp {
	const assign = `\\?["']?[ \t]*[:=][ \t]*\\?["']?`
	return regexp.MustCompile(`(?i)\A(?:(password|secret)` + assign + `([\w.~+/!@#$%^&*-]+=*)` +
		`|(api[_-]?key|token)` + assign + `([\w.~+/-]+=*)` +
		`|(bearer)\s+([\w.~+/-]+=*))`)
})

var credentialKinds = map[string]string{"password": "password", "secret": "secret", "token": "token", "bearer": "auth_token"}

func findCredentials(text string) []credential {
	var found []credential
	for start := range beginnings(text, fold(text), []string{"password", "secret", "api", "token", "bearer"}) {
		at := credentialPattern().FindStringSubmatchIndex(text[start:])
		for g := 2; g < len(at); g += 4 {
			if at[g] < 0 {
				continue
			}
			keyword := fold(text[start : start+at[g+1]])
			value := span{start + at[g+2], start + at[g+3]}
			if realValue(text[value.start:value.end]) {
				found = append(found, credential{cmp.Or(credentialKinds[keyword], "api_key"), span{start, start + at[1]}, value})
			}
		}
	}
	return found
}

// aboutValues are words that speak of a value where the value would be.
var aboutValues = []string{
	"required", "redacted", "missing", "none", "null", "empty", "example", "placeholder", "changeme", "here", "your",
	"token", "key", "secret", "value", "string", "password", "hidden", "provided", "expected", "invalid",
	"unauthorized", "masked", "omitted", "removed", "xxx",
}

var datePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{4}[-/.]\d{2}[-/.]\d{2}(?:T[\d:.+Z-]*)?$`)
})

// realValue tells a credential from a word about one: at least eight characters, of two classes unless it is
// long, with no word of aboutValues in it, and no date.
func realValue(value string) bool {
	value = strings.Trim(value, " \t'\"`<>*[]{}():")
	if len(value) < 8 || containsAny(fold(value), aboutValues...) || datePattern().MatchString(value) {
		return false
	}
	var lower, upper, digits, other int
	for _, c := range []byte(value) {
		switch {
		case 'a' <= c && c <= 'z':
			lower = 1
		case 'A' <= c && c <= 'Z':
			upper = 1
		case digit(c):
			digits = 1
		default:
			other = 1
		}
	}
	return lower+upper+digits+other >= 2 || len(value) >= 20
}
