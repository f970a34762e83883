// Package jsondoc holds JSON documents the way an auditor must see them: object members in document order with exact-case
// names, numbers as they were written, the raw bytes of every value, and notes about what a lenient reader would hide
// (duplicate names, invalid UTF-8, raw control bytes). It knows nothing of MCP.
package jsondoc

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the type of a JSON value. The zero Kind, Absent, is that of a member that does not exist.
type Kind uint8

// The kinds of JSON values.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}[k]
}

// MaxDepth is the nesting depth down to which values are opened. Deeper containers keep their raw bytes and kind but have
// no children, so that no walk over a Value can exhaust the stack.
const MaxDepth = 200

// Value is one JSON value. The zero Value is absent; every method may be called on it. A catalog of thousands of items is a million of
// them, so a Value is kept small: most strings, and all raw forms, are parts of the document.
type Value struct {
	raw  string
	more *more // nil for most
	kind Kind
}

// more is what a Value holds beside its raw form.
type more struct {
	kids []Member
	text string // of a String that its raw form does not show as it is
}

// Member is a named member of an object or, with an empty name, an element of an array.
type Member struct {
	Name  string
	Value Value
}

// Notes tells what a lenient reader would not have noticed about a document. All lists are in document order and hold at
// most MaxNotes entries.
type Notes struct {
	// Duplicates are JSON Pointers of members whose name occurs more than once in their object. The last one counts
	// (as ECMA-262 JSON.parse and most parsers do), at the place of the first.
	Duplicates []string
	// InvalidText are JSON Pointers of strings with invalid UTF-8 or half a surrogate pair; each bad unit reads as U+FFFD.
	InvalidText []string
	// ControlBytes are byte offsets of raw control characters inside strings (RFC 8259 section 7 forbids them).
	ControlBytes []int
	// Deep are JSON Pointers of containers nested below MaxDepth, which were not opened.
	Deep []string
}

// MaxNotes bounds each list of Notes.
const MaxNotes = 50

// Empty reports whether there is nothing to note.
func (n Notes) Empty() bool {
	return len(n.Duplicates)+len(n.InvalidText)+len(n.ControlBytes)+len(n.Deep) == 0
}

// Parse reads one JSON document. The result refers to data, which must not be changed any more. A leading byte-order mark is skipped. Raw control bytes inside strings are noted and read
// as if they had been escaped. The error names the byte offset of a syntax error.
func Parse(data []byte) (Value, Notes, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p := parser{}
	v, err := p.document(data)
	if err == nil {
		return v, p.notes, nil
	}
	repaired, offsets := escapeControls(data)
	if len(offsets) == 0 {
		return Value{}, Notes{}, err
	}
	p = parser{}
	v, err = p.document(repaired)
	if err != nil {
		return Value{}, Notes{}, err
	}
	p.notes.ControlBytes = offsets[:min(len(offsets), MaxNotes)]
	return v, p.notes, nil
}

// MustParse is Parse for literals in tests and tables; it panics on a syntax error.
func MustParse(text string) Value {
	v, _, err := Parse([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("jsondoc: %v in %.200s", err, text))
	}
	return v
}

type parser struct {
	dec   *jsontext.Decoder
	src   string   // the document
	path  []string // where the decoder is; pointers are only written where there is something to note
	open  []Member // members so far of the containers that are open, those of the innermost last
	notes Notes
}

func (p *parser) pointer() string {
	var b strings.Builder
	for _, name := range p.path {
		b.WriteString(string(Pointer("").Child(name)))
	}
	return b.String()
}

func (p *parser) document(data []byte) (Value, error) {
	p.src = unsafe.String(unsafe.SliceData(data), len(data)) // not a copy: Parse may rely on data to stay as it is
	p.dec = jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	if rest := bytes.TrimSpace(data[p.dec.InputOffset():]); len(rest) > 0 {
		return Value{}, fmt.Errorf("unexpected data after the JSON value at byte %d", int(p.dec.InputOffset()))
	}
	return v, nil
}

func (p *parser) value(depth int) (Value, error) {
	kind := p.dec.PeekKind()
	if kind == '{' || kind == '[' {
		if depth >= MaxDepth {
			raw, err := p.dec.ReadValue()
			if err != nil {
				return Value{}, err
			}
			p.notes.Deep = p.note(p.notes.Deep)
			k := Array
			if kind == '{' {
				k = Object
			}
			return Value{kind: k, raw: string(raw)}, nil
		}
		return p.container(depth)
	}
	tok, err := p.dec.ReadToken()
	if err != nil {
		return Value{}, err
	}
	end := int(p.dec.InputOffset())
	switch tok.Kind() {
	case 'n':
		return Value{kind: Null, raw: p.src[end-4 : end]}, nil
	case 't':
		return Value{kind: Bool, raw: p.src[end-4 : end]}, nil
	case 'f':
		return Value{kind: Bool, raw: p.src[end-5 : end]}, nil
	case '0':
		start := end
		for start > 0 && strings.IndexByte("0123456789+-.eE", p.src[start-1]) >= 0 {
			start--
		}
		return Value{kind: Number, raw: p.src[start:end]}, nil
	case '"':
		v := Value{kind: String, raw: p.quoted(end)}
		if _, plain := plainText(v.raw); !plain {
			v.more = &more{text: tok.String()}
		}
		if strings.ContainsRune(v.TextOr(""), utf8.RuneError) && !honestReplacement(v.raw) {
			p.notes.InvalidText = p.note(p.notes.InvalidText)
		}
		return v, nil
	}
	return Value{}, fmt.Errorf("unexpected JSON token at byte %d", end)
}

// quoted returns the raw form of the string token that ends at end. The decoder does not say where a token began, so this walks back to
// the quotation mark that opens it: the last one before end that is not escaped.
func (p *parser) quoted(end int) string {
	start := end - 1
	for escaped := true; escaped; {
		start = strings.LastIndexByte(p.src[:start], '"')
		escaped = false
		for j := start - 1; j >= 0 && p.src[j] == '\\'; j-- {
			escaped = !escaped
		}
	}
	return p.src[start:end]
}

// plainText returns what stands between the quotation marks of a string's raw form, if that is its text.
func plainText(raw string) (string, bool) {
	text := raw[1 : len(raw)-1]
	return text, strings.IndexByte(text, '\\') < 0 && utf8.ValidString(text)
}

func honestReplacement(raw string) bool {
	return utf8.ValidString(raw) && (strings.Contains(raw, "\uFFFD") || strings.Contains(strings.ToLower(raw), `\ufffd`))
}

func (p *parser) container(depth int) (Value, error) {
	tok, err := p.dec.ReadToken()
	if err != nil {
		return Value{}, err
	}
	v := Value{kind: Array}
	if tok.Kind() == '{' {
		v.kind = Object
	}
	start := int(p.dec.InputOffset()) - 1
	base := len(p.open)
	var index map[string]int
	for {
		next := p.dec.PeekKind()
		if next == '}' || next == ']' {
			break
		}
		var m Member
		if v.kind == Object {
			name, err := p.dec.ReadToken()
			if err != nil {
				return Value{}, err
			}
			if text, plain := plainText(p.quoted(int(p.dec.InputOffset()))); plain {
				m.Name = text
			} else {
				m.Name = name.String()
			}
			p.path = append(p.path, m.Name)
		} else {
			p.path = append(p.path, strconv.Itoa(len(p.open)-base))
		}
		m.Value, err = p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		seenAt, seen := -1, false
		if v.kind == Object {
			if seenAt, seen = find(p.open[base:], index, m.Name); seen {
				p.notes.Duplicates = p.note(p.notes.Duplicates)
			}
		}
		p.path = p.path[:len(p.path)-1]
		if v.kind == Object {
			kids := p.open[base:]
			if seen {
				kids[seenAt] = m
				continue
			}
			if index != nil {
				index[m.Name] = len(kids)
			} else if len(kids) == 32 {
				index = make(map[string]int, 64)
				for i, k := range kids {
					index[k.Name] = i
				}
				index[m.Name] = len(kids)
			}
		}
		p.open = append(p.open, m)
	}
	if len(p.open) > base {
		v.more = &more{kids: slices.Clone(p.open[base:])}
		clear(p.open[base:])
		p.open = p.open[:base]
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return Value{}, err
	}
	v.raw = p.src[start:p.dec.InputOffset()]
	return v, nil
}

func find(kids []Member, index map[string]int, name string) (int, bool) {
	if index != nil {
		i, ok := index[name]
		return i, ok
	}
	for i, k := range kids {
		if k.Name == name {
			return i, true
		}
	}
	return 0, false
}

// note adds the place that the decoder is at.
func (p *parser) note(list []string) []string {
	if len(list) >= MaxNotes {
		return list
	}
	return append(list, p.pointer())
}

// escapeControls returns data with raw control bytes inside strings written as escapes, and their offsets in data.
func escapeControls(data []byte) ([]byte, []int) {
	var out []byte
	var offsets []int
	inString, escaped := false, false
	for i, b := range data {
		if inString && b < 0x20 {
			if out == nil {
				out = append(make([]byte, 0, len(data)+64), data[:i]...)
			}
			offsets = append(offsets, i)
			out = fmt.Appendf(out, `\u%04x`, b)
			escaped = false
			continue
		}
		if out != nil {
			out = append(out, b)
		}
		switch {
		case escaped:
			escaped = false
		case inString && b == '\\':
			escaped = true
		case b == '"':
			inString = !inString
		}
	}
	return out, offsets
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// Exists reports whether v is there at all; JSON null exists.
func (v Value) Exists() bool { return v.kind != Absent }

// Missing reports whether v is absent or null, which MCP's optional members treat alike.
func (v Value) Missing() bool { return v.kind == Absent || v.kind == Null }

// IsObject, IsArray and IsString report the kind of v.
func (v Value) IsObject() bool { return v.kind == Object }

// IsArray reports whether v is an array.
func (v Value) IsArray() bool { return v.kind == Array }

// IsString reports whether v is a string.
func (v Value) IsString() bool { return v.kind == String }

// Raw returns the bytes of v as they stood in the document. The caller must not change them.
func (v Value) Raw() []byte {
	if v.raw == "" {
		return nil
	}
	return unsafe.Slice(unsafe.StringData(v.raw), len(v.raw)) // bytes of Parse's data
}

func (v Value) kids() []Member {
	if v.more == nil {
		return nil
	}
	return v.more.kids
}

// Get returns the member of an object with exactly this name, absent when v is no object or has no such member.
func (v Value) Get(name string) Value {
	if v.kind != Object {
		return Value{}
	}
	kids := v.kids()
	for i := range kids {
		if kids[i].Name == name {
			return kids[i].Value
		}
	}
	return Value{}
}

// Path follows Get through several names.
func (v Value) Path(names ...string) Value {
	for _, n := range names {
		v = v.Get(n)
	}
	return v
}

// Hollow returns v with the container that the names lead to emptied of its members. Raw forms stay as they are. It lets go of what takes
// most memory in a large document when the rest is still needed.
func (v Value) Hollow(names ...string) Value {
	if len(names) == 0 {
		if v.kind == Array || v.kind == Object {
			v.more = nil
		}
		return v
	}
	if v.kind != Object {
		return v
	}
	kids := slices.Clone(v.Members())
	for i := range kids {
		if kids[i].Name == names[0] {
			kids[i].Value = kids[i].Value.Hollow(names[1:]...)
		}
	}
	v.more = &more{kids: kids}
	return v
}

// Members returns the members of an object in document order, nil for anything else.
func (v Value) Members() []Member {
	if v.kind != Object {
		return nil
	}
	return v.kids()
}

// Elements returns the elements of an array as members without names, nil for anything else.
func (v Value) Elements() []Member {
	if v.kind != Array {
		return nil
	}
	return v.kids()
}

// At returns element i of an array, absent when there is none.
func (v Value) At(i int) Value {
	kids := v.Elements()
	if i < 0 || i >= len(kids) {
		return Value{}
	}
	return kids[i].Value
}

// Len returns the number of members or elements; 0 for other kinds.
func (v Value) Len() int { return len(v.kids()) }

// Text returns the unescaped text of a string.
func (v Value) Text() (string, bool) {
	switch {
	case v.kind != String:
		return "", false
	case v.more != nil:
		return v.more.text, true
	}
	return v.raw[1 : len(v.raw)-1], true
}

// TextOr returns the text of a string, or the fallback for any other kind.
func (v Value) TextOr(fallback string) string {
	if text, ok := v.Text(); ok {
		return text
	}
	return fallback
}

// Bool returns the value of a boolean; ok is false for other kinds.
func (v Value) Bool() (value, ok bool) { return v.kind == Bool && v.raw[0] == 't', v.kind == Bool }

// True reports whether v is the boolean true.
func (v Value) True() bool { b, _ := v.Bool(); return b }

// Int returns a number without fraction that fits an int64, however it is written (1, 1.0, 1e0).
func (v Value) Int() (int64, bool) {
	if v.kind != Number {
		return 0, false
	}
	if n, err := strconv.ParseInt(v.raw, 10, 64); err == nil {
		return n, true
	}
	r, ok := v.rat()
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Float returns a number as a float64, rounded where need be.
func (v Value) Float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	return f, err == nil
}

// IsInteger reports whether v is a number with a zero fraction, of any size.
func (v Value) IsInteger() bool {
	r, ok := v.rat()
	if !ok {
		return v.kind == Number && !strings.ContainsAny(v.raw, ".-") // an exponent too large to expand still has no fraction
	}
	return r.IsInt()
}

// rat returns the exact number; not ok for other kinds and for exponents that would need much memory.
func (v Value) rat() (*big.Rat, bool) {
	if v.kind != Number {
		return nil, false
	}
	if i := strings.IndexAny(v.raw, "eE"); i >= 0 {
		if e, err := strconv.Atoi(strings.TrimPrefix(v.raw[i+1:], "+")); err != nil || e > 400 || e < -400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(v.raw)
}

// Equal reports whether a and b are the same JSON value as JSON Schema compares them: numbers by value, objects without
// regard to order.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case Absent, Null:
		return true
	case Bool:
		return a.True() == b.True()
	case Number:
		x, okx := a.rat()
		y, oky := b.rat()
		if okx && oky {
			return x.Cmp(y) == 0
		}
		return a.raw == b.raw
	case String:
		return a.TextOr("") == b.TextOr("")
	case Array:
		x, y := a.kids(), b.kids()
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Equal(x[i].Value, y[i].Value) {
				return false
			}
		}
		return true
	default:
		if a.Len() != b.Len() {
			return false
		}
		for _, m := range a.kids() {
			if o := b.Get(m.Name); !o.Exists() || !Equal(m.Value, o) {
				return false
			}
		}
		return true
	}
}

// Resolve follows a JSON Pointer (RFC 6901) from v. It is absent where the pointer leads nowhere.
func (v Value) Resolve(p Pointer) Value {
	for _, name := range p.Names() {
		switch v.kind {
		case Object:
			v = v.Get(name)
		case Array:
			i, err := strconv.Atoi(name)
			if err != nil {
				return Value{}
			}
			v = v.At(i)
		default:
			return Value{}
		}
	}
	return v
}
