package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

const (
	minSecret  = 6    // shorter secrets are words of ordinary text: only header values that are nothing else are replaced
	maxSecret  = 8192 // a longer secret is known by its first bytes
	maxLearned = 200  // secrets taken from what a server sends
)

// Redactor replaces the secrets that we hold in everything that is kept: headers the user gave, cookies and session ids, credentials
// in URLs, values given for the server's environment, our OAuth tokens. It finds a secret in plain text, percent-encoded, escaped
// for JSON (also twice) or HTML, as hexadecimal digits, and inside base64 of either alphabet at any alignment. All methods are safe
// for concurrent use, and a nil Redactor changes nothing.
type Redactor struct {
	mu      sync.Mutex
	known   map[string]bool
	learned int
	index   atomic.Pointer[secretIndex]
}

// NewRedactor returns a Redactor that knows these secrets; see Add.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{known: map[string]bool{}}
	for _, s := range secrets {
		r.Add(s)
	}
	return r
}

// Add makes a secret known, from now on. Of "Bearer x" and the like the credential alone is known too, and of Basic credentials the
// user name with password and the password.
func (r *Redactor) Add(secret string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	added := false
	for _, s := range secretParts(secret) {
		if s == "" || r.known[s] {
			continue
		}
		r.known[s] = true
		added = added || len(s) >= minSecret
	}
	if added {
		r.compile()
	}
}

// Learn makes a value known that the server chose for us: a cookie's or a session id. Values that do not look like a token are left
// alone, so that a server cannot hide parts of its catalog from judgement by naming them in a cookie.
func (r *Redactor) Learn(value string) {
	if r == nil || !tokenShaped(value) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[value] || r.learned >= maxLearned {
		return
	}
	r.learned++
	r.known[value] = true
	r.compile()
}

// tokenShaped reports whether value is one word of 8 characters or more that is no identifier (letters only, below 20 characters).
func tokenShaped(value string) bool {
	letters := true
	for i := range len(value) {
		c := value[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case '0' <= c && c <= '9', strings.IndexByte("._~+/=|!*%-", c) >= 0:
			letters = false
		default:
			return false
		}
	}
	return len(value) >= 8 && (!letters || len(value) >= 20)
}

// secretParts lists what must be hidden for one secret.
func secretParts(secret string) []string {
	secret = strings.TrimSpace(secret)
	parts := []string{secret}
	scheme, rest, ok := strings.Cut(secret, " ")
	rest = strings.TrimSpace(rest)
	if !ok || rest == "" {
		return parts
	}
	switch strings.ToLower(scheme) {
	case "bearer", "token", "apikey", "api-key", "key", "dpop", "negotiate":
		parts = append(parts, rest)
	case "basic":
		parts = append(parts, rest)
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil {
			parts = append(parts, string(plain))
			if _, password, ok := bytes.Cut(plain, []byte(":")); ok {
				parts = append(parts, string(password))
			}
		}
	}
	return parts
}

// HeaderSecrets lists the values of headers that must be hidden. Headers that negotiate content or name the client hold nothing
// secret, and hiding their values ("application/json") would change what rules see of every answer.
func HeaderSecrets(header map[string][]string) []string {
	var secrets []string
	for name, values := range header {
		if !publicHeader(name) {
			secrets = append(secrets, values...)
		}
	}
	slices.Sort(secrets)
	return secrets
}

func publicHeader(name string) bool {
	switch strings.ToLower(name) {
	case "accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-type", "host", "mcp-method", "mcp-name",
		"mcp-protocol-version", "origin", "pragma", "user-agent":
		return true
	}
	return false
}

// secretHeader reports whether the value of a header field is never recorded.
func secretHeader(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2", "mcp-session-id":
		return true
	}
	return false
}

// Header returns the value of a header field as it may be recorded. Credentials, cookies and session ids are hidden whoever sent
// them, and so is a value that is as a whole a secret, however short.
func (r *Redactor) Header(name, value string) string {
	if secretHeader(name) {
		return Redacted
	}
	if r == nil {
		return value
	}
	r.mu.Lock()
	whole := r.known[strings.TrimSpace(value)]
	r.mu.Unlock()
	if whole && !publicHeader(name) {
		return Redacted
	}
	return r.String(value)
}

// String is Bytes for strings.
func (r *Redactor) String(s string) string {
	if r == nil || r.index.Load() == nil {
		return s
	}
	return string(r.Bytes([]byte(s)))
}

// Bytes returns b with every secret replaced by [Redacted]. The argument is not changed; it is returned itself when it holds none.
func (r *Redactor) Bytes(b []byte) []byte { return r.replace(b, false, false) }

// Cut is Bytes for text whose end was cut off: the beginning of a secret at the end is hidden too.
func (r *Redactor) Cut(b []byte) []byte { return r.replace(b, false, true) }

// Tail is Bytes for text whose beginning was cut off: the rest of a secret at the beginning is hidden too.
func (r *Redactor) Tail(b []byte) []byte { return r.replace(b, true, false) }

// Body returns the recorded form of a message body of which size bytes were received.
func (r *Redactor) Body(b []byte, size int64, cut bool) *Body {
	if cut {
		return &Body{Bytes: r.Cut(b), Size: size, Cut: true}
	}
	return &Body{Bytes: r.Bytes(b), Size: size}
}

func (r *Redactor) replace(b []byte, headCut, tailCut bool) []byte {
	if r == nil {
		return b
	}
	index := r.index.Load()
	if index == nil {
		return b
	}
	spans := index.find(b, headCut, tailCut)
	if len(spans) == 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	at := 0
	for _, s := range spans {
		out = append(out, b[at:s.start]...)
		out = append(out, Redacted...)
		at = s.end
	}
	return append(out, b[at:]...)
}

// compile builds the index of everything known. r.mu is held.
func (r *Redactor) compile() {
	secrets := make([]string, 0, len(r.known))
	for s := range r.known {
		if len(s) >= minSecret {
			secrets = append(secrets, s)
		}
	}
	slices.Sort(secrets)
	index := &secretIndex{}
	for _, s := range secrets {
		index.add(s)
	}
	r.index.Store(index)
}

type span struct{ start, end int }

// secretIndex holds the patterns of all secrets by the bytes that they can begin with.
type secretIndex struct {
	patterns []pattern
	first    [256][]int32
}

// pattern is a secret, or one encoding of it, as a sequence of characters that may each be escaped.
type pattern struct {
	units []unit
	// A base64 character on either side can hold a few bits of the secret.
	mixedBefore, mixedAfter bool
}

func (x *secretIndex) add(secret string) {
	secret = secret[:min(len(secret), maxSecret)]
	x.addPattern(pattern{units: unitsOf(secret, plainUnit)})
	x.addPattern(pattern{units: unitsOf(hex.EncodeToString([]byte(secret)), hexUnit)})
	for shift := range 3 {
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), secret...))
		from, to := 8*shift, 8*(shift+len(secret)) // the bits of the secret
		x.addPattern(pattern{
			units:       unitsOf(text[(from+5)/6:to/6], base64Unit),
			mixedBefore: from%6 != 0,
			mixedAfter:  to%6 != 0,
		})
	}
}

func (x *secretIndex) addPattern(p pattern) {
	n := int32(len(x.patterns))
	x.patterns = append(x.patterns, p)
	starts := []byte{'%', '\\', '&', p.units[0].forms[0][0], p.units[0].forms[1][0]}
	if p.units[0].forms[0] == " " {
		starts = append(starts, '+')
	}
	slices.Sort(starts)
	for _, c := range slices.Compact(starts) {
		x.first[c] = append(x.first[c], n)
	}
}

// find returns what must be replaced in text: sorted, not overlapping.
func (x *secretIndex) find(text []byte, headCut, tailCut bool) []span {
	var spans []span
	if headCut {
		if end := x.rest(text); end > 0 {
			spans = append(spans, span{0, end})
		}
	}
	for i := range text {
		for _, n := range x.first[text[i]] {
			p := &x.patterns[n]
			end, began := match(text, i, p.units)
			if end < 0 && tailCut && began >= 2 {
				end = len(text)
			}
			if end < 0 {
				continue
			}
			start := i
			if p.mixedBefore && i > 0 && base64Byte(text[i-1]) {
				start--
			}
			if p.mixedAfter && end < len(text) && base64Byte(text[end]) {
				end++
			}
			spans = append(spans, span{start, end})
		}
	}
	if len(spans) < 2 {
		return spans
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	merged := spans[:1]
	for _, s := range spans[1:] {
		if last := &merged[len(merged)-1]; s.start <= last.end {
			last.end = max(last.end, s.end)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// rest returns where the longest end of a secret that text begins with is over; at least two characters of it, else 0. The cut may
// have left half an escape ("1" of "%41") in front.
func (x *secretIndex) rest(text []byte) int {
	longest := 0
	for skip := 0; skip <= min(len(text), 5); skip++ {
		for i := range x.patterns {
			units := x.patterns[i].units
			for from := 1; from+2 <= len(units); from++ {
				if end, _ := match(text, skip, units[from:]); end > longest {
					longest = end
				}
			}
		}
	}
	return longest
}

func base64Byte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("+/-_", c) >= 0
}

// unit is one character of a pattern in its two accepted spellings, which are mostly the same.
type unit struct {
	forms [2]string
	runes [2]rune // -1 for a byte that is no character
}

func unitsOf(s string, make func(string, rune) unit) []unit {
	var units []unit
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			r = -1
		}
		units = append(units, make(s[:n], r))
		s = s[n:]
	}
	return units
}

func plainUnit(s string, r rune) unit {
	return unit{[2]string{s, s}, [2]rune{r, r}}
}

func hexUnit(s string, r rune) unit {
	u := strings.ToUpper(s)
	return unit{[2]string{s, u}, [2]rune{r, rune(u[0])}}
}

func base64Unit(s string, r rune) unit {
	switch r {
	case '+':
		return unit{[2]string{"+", "-"}, [2]rune{'+', '-'}}
	case '/':
		return unit{[2]string{"/", "_"}, [2]rune{'/', '_'}}
	}
	return plainUnit(s, r)
}
