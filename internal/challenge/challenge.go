// Package challenge reads WWW-Authenticate header fields (RFC 9110 section 11.6.1) the way a tolerant client does: several challenges in
// one line, several lines, quoted commas, token68 credentials, and the bare URLs that servers write where a quoted string is due.
package challenge

import "strings"

// Challenge is one authentication challenge.
type Challenge struct {
	Scheme  string // as written; empty when parameters stand without one
	Token68 string // the single credential of schemes such as Negotiate
	Params  []Param
}

// Param is one parameter of a challenge.
type Param struct {
	Name   string // in lower case
	Value  string // unescaped
	Quoted bool
	// Bare marks a value that is neither a token nor quoted, such as an unquoted URL. The grammar does not allow it.
	Bare bool
}

// Is reports whether the challenge has this scheme, which is compared without regard to case.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// String writes the challenge in the proper form, every value quoted.
func (c Challenge) String() string {
	var b strings.Builder
	b.WriteString(c.Scheme)
	if c.Token68 != "" {
		b.WriteString(" " + c.Token68)
	}
	for i, p := range c.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + p.Name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.Value) + `"`)
	}
	return strings.TrimPrefix(b.String(), " ")
}

// Param returns the first parameter with this name in lower case.
func (c Challenge) Param(name string) (Param, bool) {
	for _, p := range c.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// Find returns the first parameter with this name in lower case of any challenge.
func Find(challenges []Challenge, name string) (Param, bool) {
	for _, c := range challenges {
		if p, ok := c.Param(name); ok {
			return p, true
		}
	}
	return Param{}, false
}

// Parse reads header values, one per header line. What it cannot read it leaves out.
func Parse(lines ...string) []Challenge {
	var all []Challenge
	for _, line := range lines {
		s := scanner{text: line}
		all = s.line(all)
	}
	return all
}

type scanner struct {
	text string
	at   int
}

func (s *scanner) line(all []Challenge) []Challenge {
	first := len(all)
	add := func(p Param) {
		if len(all) == first {
			all = append(all, Challenge{})
		}
		c := &all[len(all)-1]
		c.Params = append(c.Params, p)
	}
	for s.skip(" \t,"); s.at < len(s.text); s.skip(" \t,") {
		word := s.word()
		if word == "" {
			s.junk()
			continue
		}
		if p, ok := s.param(word); ok {
			if p.Quoted || p.Value != "" {
				add(p)
			}
			continue
		}
		c := Challenge{Scheme: word}
		s.skip(" \t")
		c.Token68 = s.token68()
		all = append(all, c)
	}
	return all
}

// param reads "= value" after a name; without one the word was a scheme.
func (s *scanner) param(name string) (Param, bool) {
	start := s.at
	s.skip(" \t")
	if s.at >= len(s.text) || s.text[s.at] != '=' {
		s.at = start
		return Param{}, false
	}
	s.at++
	s.skip(" \t")
	p := Param{Name: strings.ToLower(name)}
	if s.at < len(s.text) && s.text[s.at] == '"' {
		p.Value, p.Quoted = s.quoted(), true
		return p, true
	}
	from := s.at
	s.until(" \t,")
	p.Value = s.text[from:s.at]
	p.Bare = strings.IndexFunc(p.Value, func(r rune) bool { return !isTokenChar(r) }) >= 0
	return p, true
}

func (s *scanner) quoted() string {
	var b strings.Builder
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return b.String()
		case c == '\\' && s.at+1 < len(s.text):
			s.at++
			b.WriteByte(s.text[s.at])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// token68 reads a credential such as "dG9rZW4=" when that is all that follows up to the next comma.
func (s *scanner) token68() string {
	start := s.at
	for s.at < len(s.text) && (isAlphanumeric(rune(s.text[s.at])) || strings.IndexByte("-._~+/", s.text[s.at]) >= 0) {
		s.at++
	}
	body := s.at
	s.skip("=")
	end := s.at
	s.skip(" \t")
	if body > start && (s.at == len(s.text) || s.text[s.at] == ',') {
		return s.text[start:end]
	}
	s.at = start
	return ""
}

func (s *scanner) word() string {
	start := s.at
	for s.at < len(s.text) && isTokenChar(rune(s.text[s.at])) {
		s.at++
	}
	return s.text[start:s.at]
}

// junk steps over what begins no word: a stray quoted string as a whole, anything else up to the next separator.
func (s *scanner) junk() {
	if s.text[s.at] == '"' {
		s.quoted()
		return
	}
	s.at++
	s.until(" \t,")
}

func (s *scanner) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) until(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) < 0 {
		s.at++
	}
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// isTokenChar knows tchar of RFC 9110 section 5.6.2.
func isTokenChar(r rune) bool {
	return isAlphanumeric(r) || r != 0 && strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
