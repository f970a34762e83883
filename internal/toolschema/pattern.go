package toolschema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// CheckPattern checks that a pattern is a regular expression of ECMA-262 (2025, 22.2.1 with Annex B.1.2, or with the u flag). The error
// says what is wrong.
func CheckPattern(source string) error {
	_, _, err := translate(source)
	return err
}

// translate reads an ECMA-262 pattern and writes it in the syntax of package regexp, whose matching takes time linear in the text. ok is
// false for patterns that cannot be written so (look-around, back references) and for those whose meaning depends on the u flag; JSON
// Schema recommends the flag, but consumers differ.
func translate(source string) (re2 string, ok bool, err error) {
	p := ecma{src: []rune(source), ok: utf8.ValidString(source), named: strings.Contains(source, "(?<") && namedGroup.MatchString(source)}
	if err := p.disjunction(); err != nil {
		return "", false, err
	}
	if p.pos < len(p.src) {
		return "", false, errors.New("a closing parenthesis has no opening one")
	}
	for _, name := range p.references {
		if !p.groups[name] {
			return "", false, fmt.Errorf("the group %q is not defined", name)
		}
	}
	return p.out.String(), p.ok, nil
}

var namedGroup = regexp.MustCompile(`\(\?<[^=!]`)

type ecma struct {
	src        []rune
	pos        int
	depth      int
	out        strings.Builder
	ok         bool // can be translated
	named      bool // has named groups, so that \k must refer to one
	groups     map[string]bool
	references []string
}

// maxGroups bounds the nesting of groups, so that no pattern exhausts the stack.
const maxGroups = 500

func (p *ecma) more() bool { return p.pos < len(p.src) }

func (p *ecma) at(s string) bool {
	for i, r := range []rune(s) {
		if p.pos+i >= len(p.src) || p.src[p.pos+i] != r {
			return false
		}
	}
	return true
}

func (p *ecma) eat(s string) bool {
	if !p.at(s) {
		return false
	}
	p.pos += utf8.RuneCountInString(s)
	return true
}

func (p *ecma) disjunction() error {
	if p.depth++; p.depth > maxGroups {
		return fmt.Errorf("groups are nested more than %d levels deep", maxGroups)
	}
	defer func() { p.depth-- }()
	for p.more() && !p.at(")") {
		if p.eat("|") {
			p.out.WriteByte('|')
			continue
		}
		if err := p.term(); err != nil {
			return err
		}
	}
	return nil
}

// term reads an assertion or an atom, and its quantifier.
func (p *ecma) term() error {
	quantifiable, err := p.atom()
	if err != nil {
		return err
	}
	start := p.pos
	repeat, err := p.quantifier()
	if err != nil || repeat == "" {
		return err
	}
	if !quantifiable {
		return fmt.Errorf("%q repeats something that cannot be repeated", string(p.src[start:p.pos]))
	}
	p.out.WriteString(repeat)
	return nil
}

// quantifier reads a quantifier, if there is one.
func (p *ecma) quantifier() (string, error) {
	if !p.more() {
		return "", nil
	}
	start := p.pos
	switch p.src[p.pos] {
	case '*', '+', '?':
		p.pos++
	case '{':
		low, high, ok := p.braces()
		if !ok {
			return "", nil
		}
		if high >= 0 && low > high {
			return "", fmt.Errorf("the bounds of %s are in the wrong order", string(p.src[start:p.pos]))
		}
	default:
		return "", nil
	}
	p.eat("?")
	return string(p.src[start:p.pos]), nil
}

// braces reads {n}, {n,} or {n,m}; high is -1 where there is no upper bound. Anything else is no quantifier and nothing is read.
func (p *ecma) braces() (low, high int, ok bool) {
	start := p.pos
	p.pos++
	low, ok = p.digits()
	high = low
	if ok && p.eat(",") {
		if high, ok = p.digits(); !ok {
			high, ok = -1, true
		}
	}
	if ok && p.eat("}") {
		if low > 1000 || high > 1000 {
			p.ok = false
		}
		return low, high, true
	}
	p.pos = start
	return 0, 0, false
}

func (p *ecma) digits() (int, bool) {
	start, n := p.pos, 0
	for p.more() && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		n = min(n*10+int(p.src[p.pos]-'0'), 1<<30)
		p.pos++
	}
	return n, p.pos > start
}

// atom reads one atom or assertion and reports whether it may be repeated.
func (p *ecma) atom() (quantifiable bool, err error) {
	r := p.src[p.pos]
	switch r {
	case '^':
		p.pos++
		p.out.WriteByte('^')
		return false, nil
	case '$':
		p.pos++
		p.out.WriteString(`\z`)
		return false, nil
	case '(':
		return p.group()
	case '*', '+', '?':
		return false, fmt.Errorf("%q has nothing before it to repeat", string(r))
	case '.':
		p.pos++
		p.out.WriteString(`[^\n\r\x{2028}\x{2029}]`)
		return true, nil
	case '[':
		return true, p.class()
	case '\\':
		return p.escape()
	case '{':
		if _, _, ok := p.braces(); ok {
			return false, errors.New("a repetition in braces has nothing before it to repeat")
		}
	}
	p.pos++
	p.out.WriteString(regexp.QuoteMeta(string(r)))
	return true, nil
}

func (p *ecma) group() (quantifiable bool, err error) {
	p.pos++
	quantifiable = true
	p.out.WriteString("(?:")
	if p.eat("?") {
		switch {
		case p.eat(":"):
		case p.eat("="), p.eat("!"):
			p.ok = false
		case p.eat("<="), p.eat("<!"):
			p.ok, quantifiable = false, false
		case p.eat("<"):
			name, err := p.groupName()
			if err != nil {
				return false, err
			}
			if p.groups == nil {
				p.groups = map[string]bool{}
			}
			p.groups[name] = true
		default:
			if !p.modifiers() {
				return false, fmt.Errorf("%q begins no group of ECMA-262", "(?"+string(p.src[p.pos:min(p.pos+2, len(p.src))]))
			}
			p.ok = false
		}
	}
	if err := p.disjunction(); err != nil {
		return false, err
	}
	if !p.eat(")") {
		return false, errors.New("a parenthesis is not closed")
	}
	p.out.WriteByte(')')
	return quantifiable, nil
}

// modifiers reads the flags of (?ims-ims:…).
func (p *ecma) modifiers() bool {
	seen := map[rune]bool{}
	for p.more() {
		r := p.src[p.pos]
		p.pos++
		switch {
		case r == ':':
			return len(seen) > 1 || len(seen) == 1 && !seen['-']
		case !strings.ContainsRune("ims-", r) || seen[r]:
			return false
		}
		seen[r] = true
	}
	return false
}

func (p *ecma) groupName() (string, error) {
	start := p.pos
	for p.more() && p.src[p.pos] != '>' {
		r := p.src[p.pos]
		if r != '\\' && r != '{' && r != '}' && r != '$' && r != '_' && r != '\u200c' && r != '\u200d' && !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Pc, unicode.Cs) {
			return "", errors.New("a group has no proper name")
		}
		p.pos++
	}
	name := string(p.src[start:p.pos])
	if !p.eat(">") || name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", errors.New("a group has no proper name")
	}
	return name, nil
}

const (
	spaces    = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	digitSet  = `0-9`
	wordSet   = `0-9A-Za-z_`
	everyRune = `[\x00-\x{10FFFF}]`
)

// escape reads an escape outside of a class.
func (p *ecma) escape() (quantifiable bool, err error) {
	p.pos++
	if !p.more() {
		return false, errors.New("the pattern ends in a backslash")
	}
	switch r := p.src[p.pos]; {
	case r == 'b', r == 'B':
		p.pos++
		p.out.WriteString(`\` + string(r))
		return false, nil
	case r >= '1' && r <= '9':
		p.ok = false // a back reference or an octal escape
		p.digits()
		return true, nil
	case r == 'k':
		p.pos++
		p.ok = false
		if !p.named {
			return true, nil
		}
		if !p.eat("<") {
			return false, errors.New(`\k names no group`)
		}
		name, err := p.groupName()
		p.references = append(p.references, name)
		return true, err
	}
	if set, negated, isSet := p.setEscape(); isSet {
		if negated {
			p.out.WriteString("[^" + set + "]")
		} else {
			p.out.WriteString("[" + set + "]")
		}
		return true, nil
	}
	p.out.WriteString(literal(p.character()))
	return true, nil
}

// setEscape reads \d, \s, \w, \p{…} and their opposites, as what stands between the brackets of a class.
func (p *ecma) setEscape() (set string, negated, ok bool) {
	r := p.src[p.pos]
	switch r {
	case 'd', 'D':
		set = digitSet
	case 's', 'S':
		set = spaces
	case 'w', 'W':
		set = wordSet
	case 'p', 'P':
		name, end := p.property()
		if end == 0 {
			return "", false, false
		}
		p.pos = end
		if len(name) > 2 || unicode.Categories[name] == nil {
			p.ok = false // names and scripts are many, and without the u flag this is the letter p
			return "", false, true
		}
		return `\` + string(r) + "{" + name + "}", false, true
	default:
		return "", false, false
	}
	p.pos++
	return set, unicode.IsUpper(r), true
}

// property reads the {…} of \p{…}: the name and where it ends, 0 when there is none.
func (p *ecma) property() (string, int) {
	i := p.pos + 1
	if i >= len(p.src) || p.src[i] != '{' {
		return "", 0
	}
	for end := i + 1; end < len(p.src) && end < i+80; end++ {
		if p.src[end] == '}' {
			return string(p.src[i+1 : end]), end + 1
		}
	}
	return "", 0
}

// character reads what follows the backslash of an escape that stands for one character.
func (p *ecma) character() rune {
	r := p.src[p.pos]
	p.pos++
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case '0':
		if p.more() && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
			p.ok = false // an octal escape
		}
		return 0
	case 'c':
		if p.more() && (p.src[p.pos] >= 'a' && p.src[p.pos] <= 'z' || p.src[p.pos] >= 'A' && p.src[p.pos] <= 'Z') {
			p.pos++
			return p.src[p.pos-1] & 31
		}
		p.ok = false // a backslash, by Annex B
		return 'c'
	case 'x':
		if n, ok := p.hex(2); ok {
			return n
		}
	case 'u':
		if n, ok := p.unicodeEscape(); ok {
			return n
		}
	}
	return r
}

func (p *ecma) unicodeEscape() (rune, bool) {
	if p.at("{") {
		for end := p.pos + 1; end < len(p.src) && end < p.pos+10; end++ {
			if p.src[end] != '}' {
				continue
			}
			n, err := strconv.ParseUint(string(p.src[p.pos+1:end]), 16, 32)
			if err != nil || n > unicode.MaxRune {
				break
			}
			p.pos = end + 1
			p.ok = p.ok && !utf16.IsSurrogate(rune(n))
			return rune(n), true
		}
		p.ok = false
		return 0, false
	}
	high, ok := p.hex(4)
	if !ok || !utf16.IsSurrogate(high) {
		return high, ok
	}
	if start := p.pos; p.eat(`\u`) {
		if low, ok := p.hex(4); ok && utf16.DecodeRune(high, low) != utf8.RuneError {
			return utf16.DecodeRune(high, low), true
		}
		p.pos = start
	}
	p.ok = false // half a pair matches no character
	return utf8.RuneError, true
}

func (p *ecma) hex(n int) (rune, bool) {
	if p.pos+n > len(p.src) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(p.src[p.pos:p.pos+n]), 16, 32)
	if err != nil {
		return 0, false
	}
	p.pos += n
	return rune(v), true
}

// class reads a bracketed class.
func (p *ecma) class() error {
	p.pos++
	negated := p.eat("^")
	var set strings.Builder
	empty := true
	for {
		if !p.more() {
			return errors.New("a bracket is not closed")
		}
		if p.eat("]") {
			break
		}
		low, isSet := p.classAtom(&set)
		empty = false
		if !p.at("-") || p.at("-]") || p.pos+1 >= len(p.src) {
			if !isSet {
				set.WriteString(literal(low))
			}
			continue
		}
		p.pos++
		high, highSet := p.classAtom(&set)
		switch {
		case isSet || highSet: // Annex B: the hyphen is itself
			p.ok = false
		case low > high:
			return fmt.Errorf("the range %q-%q is in the wrong order", low, high)
		default:
			set.WriteString(literal(low) + "-" + literal(high))
		}
	}
	switch {
	case empty && negated:
		p.out.WriteString(everyRune)
	case empty:
		p.out.WriteString(`[^\x00-\x{10FFFF}]`)
	case negated:
		p.out.WriteString("[^" + set.String() + "]")
	default:
		p.out.WriteString("[" + set.String() + "]")
	}
	return nil
}

// classAtom reads one member of a class. Sets are written at once, single characters returned.
func (p *ecma) classAtom(set *strings.Builder) (r rune, isSet bool) {
	r = p.src[p.pos]
	p.pos++
	if r != '\\' || !p.more() {
		return r, false
	}
	if s, negated, ok := p.setEscape(); ok {
		switch {
		case negated && s == digitSet:
			s = `\D`
		case negated && s == wordSet:
			s = `\W`
		case negated:
			p.ok = false
		}
		set.WriteString(s)
		return 0, true
	}
	switch e := p.src[p.pos]; {
	case e == 'b':
		p.pos++
		return '\b', false
	case e >= '1' && e <= '9':
		p.ok = false
	}
	return p.character(), false
}

// literal writes one character so that it stands for itself, inside and outside of a class.
func literal(r rune) string {
	if r < utf8.RuneSelf && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') || r == utf8.RuneError {
		return fmt.Sprintf(`\x{%x}`, r)
	}
	return string(r)
}

// maxProgram bounds compiled patterns: the instructions that one character of a text may cost.
const maxProgram = 2000

// compilePattern compiles a pattern for matching. It is nil when the pattern cannot be translated or would cost too much.
func compilePattern(source string) *regexp.Regexp {
	if len(source) > maxProgram {
		return nil
	}
	re2, ok, err := translate(source)
	if err != nil || !ok {
		return nil
	}
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return nil
	}
	re, err := regexp.Compile(re2)
	if err != nil {
		return nil
	}
	return re
}

// ecmaEngine gives the library patterns of ECMA-262. Where one cannot be compiled, unreadable is set and the pattern matches everything.
func ecmaEngine(unreadable *bool) jsonschema.RegexpEngine {
	return func(source string) (jsonschema.Regexp, error) {
		if re := compilePattern(source); re != nil {
			return re, nil
		}
		if unreadable != nil {
			*unreadable = true
		}
		return anyText(source), nil
	}
}

type anyText string

func (t anyText) String() string          { return string(t) }
func (t anyText) MatchString(string) bool { return true }
