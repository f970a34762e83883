package smoke

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

// Bounds of making arguments for one tool.
const (
	maxDepth     = 10
	maxMade      = 2000     // values
	maxSchemas   = 64       // schemas that apply to one value
	maxElements  = 50       // of an array
	maxText      = 10_000   // characters of a string
	maxArguments = 64 << 10 // bytes
	attempts     = 8        // branches of anyOf and oneOf that are tried
)

// Arguments makes arguments that an input schema accepts: what is required, and nothing else that is not needed. The same schema gives the
// same arguments. Why says why there are none.
func Arguments(schema jsondoc.Value) (arguments []byte, why string) {
	v := toolschema.NewValidator(schema)
	if v.Unjudged() != "" {
		return nil, "nobody can tell which arguments are valid: " + v.Unjudged()
	}
	for attempt := range attempts {
		m := maker{lookup: toolschema.NewLookup(schema), branch: attempt}
		text, ok := m.value(request{schemas: []jsondoc.Value{schema}})
		if m.spent() {
			break
		}
		if !ok || len(text) > maxArguments || !strings.HasPrefix(text, "{") {
			continue
		}
		made, _, err := jsondoc.Parse([]byte(text))
		if err == nil && v.Check(made).OK {
			return []byte(text), ""
		}
	}
	return nil, "no arguments could be made that its input schema accepts"
}

// request asks for one value.
type request struct {
	schemas []jsondoc.Value // that apply to it together
	name    string          // of the property that it is for
	depth   int
	variant int // which of several possible values, for elements that must differ
}

// maker makes values. Each is made for everything that its schemas ask for together: references and allOf are followed, and of anyOf and oneOf
// one branch is taken.
type maker struct {
	lookup *toolschema.Lookup
	branch int
	made   int
	bytes  int
}

func (m *maker) spent() bool { return m.made > maxMade || m.bytes > maxArguments }

// value makes a value as JSON.
func (m *maker) value(r request) (text string, ok bool) {
	if m.made++; m.spent() || r.depth > maxDepth {
		return "", false
	}
	var all []jsondoc.Value
	for _, s := range r.schemas {
		if s.Kind() == jsondoc.Bool && !s.True() {
			return "", false
		}
		all = m.gather(all, s)
	}
	if text, ok := given(all, r.variant); ok {
		m.bytes += len(text)
		return text, !m.spent()
	}
	for _, t := range typesOf(all) {
		text, ok := "", false
		switch t {
		case "object":
			text, ok = m.object(all, r)
		case "array":
			text, ok = m.array(all, r)
		case "string":
			text, ok = stringFor(all, r)
		case "integer", "number":
			text, ok = number(all, t == "integer", r.variant)
		case "boolean":
			text, ok = "false", true
			if r.variant%2 == 1 {
				text = "true"
			}
		case "null":
			text, ok = "null", true
		}
		if m.spent() {
			return "", false
		}
		if ok && fits(all, text) {
			if t != "object" && t != "array" {
				m.bytes += len(text)
			}
			return text, true
		}
	}
	return "", false
}

// gather adds a schema and everything that applies beside it.
func (m *maker) gather(all []jsondoc.Value, s jsondoc.Value) []jsondoc.Value {
	if !s.IsObject() || len(all) >= maxSchemas {
		return all
	}
	all = append(all, s)
	if next := m.lookup.Follow(s); len(next) > 0 {
		all = m.gather(all, next[0])
	}
	for _, part := range s.Get("allOf").Elements() {
		all = m.gather(all, part.Value)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		var branches []jsondoc.Value
		for _, b := range s.Get(keyword).Elements() {
			if b.Value.Get("type").TextOr("") != "null" {
				branches = append(branches, b.Value)
			}
		}
		if len(branches) > 0 {
			all = m.gather(all, branches[m.branch%len(branches)])
		}
	}
	return all
}

// given returns a value that the schemas themselves name: a default, a constant, an example, one of an enumeration. An empty string is
// taken when nothing else is named.
func given(all []jsondoc.Value, variant int) (string, bool) {
	var named, empty []string
	add := func(v jsondoc.Value) {
		text := string(v.Raw())
		switch {
		case !v.Exists() || !fits(all, text):
		case text == `""`:
			empty = append(empty, text)
		case !slices.Contains(named, text):
			named = append(named, text)
		}
	}
	for _, keyword := range []string{"default", "const", "examples", "example", "enum"} {
		for _, s := range all {
			v := s.Get(keyword)
			if keyword != "examples" && keyword != "enum" {
				add(v)
				continue
			}
			for _, e := range v.Elements() {
				add(e.Value)
			}
		}
	}
	if named = append(named, empty...); len(named) == 0 || variant > 0 && variant >= len(named) {
		return "", false
	}
	return named[variant], true
}

var typeNames = []string{"object", "array", "string", "integer", "number", "boolean", "null"}

// implied are keywords that suggest a type where none is given.
var implied = []struct {
	keyword, name string
}{
	{"properties", "object"}, {"required", "object"}, {"additionalProperties", "object"}, {"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"},
	{"format", "string"}, {"pattern", "string"}, {"minLength", "string"}, {"maxLength", "string"},
	{"minimum", "number"}, {"maximum", "number"}, {"exclusiveMinimum", "number"}, {"exclusiveMaximum", "number"}, {"multipleOf", "number"},
}

// typesOf returns the types that all schemas allow, the first schema's order, null last.
func typesOf(all []jsondoc.Value) []string {
	var types []string
	for _, s := range all {
		own := namesIn(s.Get("type"))
		switch {
		case own == nil:
		case types == nil:
			types = own
		default:
			types = slices.DeleteFunc(slices.Clone(types), func(t string) bool {
				return !slices.Contains(own, t) && (t != "integer" || !slices.Contains(own, "number"))
			})
			if slices.Contains(own, "integer") && slices.Contains(namesIn(all[0].Get("type")), "number") && !slices.Contains(types, "integer") {
				types = append(types, "integer")
			}
		}
	}
	if types == nil {
		for _, i := range implied {
			if slices.ContainsFunc(all, func(s jsondoc.Value) bool { return s.Get(i.keyword).Exists() }) {
				return []string{i.name}
			}
		}
		return []string{"string"}
	}
	slices.SortStableFunc(types, func(a, b string) int {
		return boolInt(a == "null") - boolInt(b == "null")
	})
	return types
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// namesIn returns the types that a type keyword names, nil when it names none.
func namesIn(v jsondoc.Value) []string {
	if text, ok := v.Text(); ok {
		return []string{text}
	}
	var list []string
	for _, e := range v.Elements() {
		if text, ok := e.Value.Text(); ok && slices.Contains(typeNames, text) {
			list = append(list, text)
		}
	}
	return list
}

// fits tests a value against what each schema asks for by itself. It lets pass what it does not look at; the validator has the last word.
func fits(all []jsondoc.Value, text string) bool {
	v, _, err := jsondoc.Parse([]byte(text))
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(all, func(s jsondoc.Value) bool { return !fitsOne(s, v) })
}

func fitsOne(s, v jsondoc.Value) bool {
	if types := namesIn(s.Get("type")); types != nil && !slices.ContainsFunc(types, func(t string) bool { return isType(v, t) }) {
		return false
	}
	if enum := s.Get("enum"); enum.IsArray() && !slices.ContainsFunc(enum.Elements(), func(e jsondoc.Member) bool { return jsondoc.Equal(e.Value, v) }) {
		return false
	}
	if fixed := s.Get("const"); fixed.Exists() && !jsondoc.Equal(fixed, v) {
		return false
	}
	if n, ok := v.Float(); ok {
		low, high := limits([]jsondoc.Value{s})
		if n < low.at || n == low.at && low.open || n > high.at || n == high.at && high.open {
			return false
		}
		if step, ok := s.Get("multipleOf").Float(); ok && step > 0 && math.Abs(math.Remainder(n, step)) > 1e-9*math.Max(1, math.Abs(n)) {
			return false
		}
	}
	if t, ok := v.Text(); ok {
		if shortest, longest := lengths([]jsondoc.Value{s}, "minLength", "maxLength", maxText); !within(utf8.RuneCountInString(t), shortest, longest) {
			return false
		}
		if pattern, ok := s.Get("pattern").Text(); ok {
			if re, err := regexp.Compile(pattern); err == nil && !re.MatchString(t) {
				return false
			}
		}
	}
	return true
}

func within(n, low, high int) bool { return n >= low && n <= high }

func isType(v jsondoc.Value, name string) bool {
	switch name {
	case "integer":
		return v.IsInteger()
	case "number":
		return v.Kind() == jsondoc.Number
	case "string":
		return v.IsString()
	case "boolean":
		return v.Kind() == jsondoc.Bool
	case "array":
		return v.IsArray()
	case "object":
		return v.IsObject()
	case "null":
		return v.Kind() == jsondoc.Null
	}
	return false
}

// lengths returns the narrowest bounds that a pair of keywords sets.
func lengths(all []jsondoc.Value, least, most string, unbounded int) (low, high int) {
	high = unbounded
	for _, s := range all {
		if n, ok := s.Get(least).Int(); ok {
			low = max(low, int(min(n, math.MaxInt32)))
		}
		if n, ok := s.Get(most).Int(); ok {
			high = min(high, int(max(min(n, math.MaxInt32), 0)))
		}
	}
	return low, high
}

// formats are texts of the formats of JSON Schema and OpenAPI. Addresses and names are those that are reserved for examples (RFC 2606,
// RFC 3849, RFC 5737).
var formats = map[string]string{
	"date": "2024-01-15", "date-time": "2024-01-15T12:00:00Z", "time": "12:00:00Z", "duration": "P1D",
	"email": "user@example.com", "idn-email": "user@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/",
	"uri-reference": "/example", "iri-reference": "/example", "uri-template": "https://example.com/{id}",
	"uuid": "00000000-0000-4000-8000-000000000001", "json-pointer": "/example", "relative-json-pointer": "0", "regex": "^example$",
	"byte": "ZXhhbXBsZQ==", "base64": "ZXhhbXBsZQ==", "color": "#336699",
}

// hints are texts for properties whose names say what belongs there, where no format does.
var hints = []struct{ part, text string }{
	{"email", "user@example.com"}, {"url", "https://example.com/"}, {"uri", "https://example.com/"}, {"date", "2024-01-15"},
	{"timezone", "UTC"}, {"time_zone", "UTC"}, {"language", "en"}, {"country", "DE"}, {"currency", "EUR"},
}

const plainText = "example"

func stringFor(all []jsondoc.Value, r request) (string, bool) {
	shortest, longest := lengths(all, "minLength", "maxLength", maxText)
	if shortest > longest {
		return "", false
	}
	var candidates []string
	for _, s := range all {
		if text, known := formats[s.Get("format").TextOr("")]; known {
			candidates = append(candidates, text)
		}
	}
	for _, s := range all {
		if pattern, ok := s.Get("pattern").Text(); ok {
			candidates = append(candidates, matching(pattern, shortest, longest)...)
		}
	}
	name := strings.ToLower(r.name)
	for _, h := range hints {
		if strings.Contains(name, h.part) {
			candidates = append(candidates, h.text)
		}
	}
	plain := strings.Repeat(plainText, 1+shortest/len(plainText))
	candidates = append(candidates, plain[:max(min(len(plain), max(shortest, len(plainText)), longest), 0)])
	if r.variant > 0 {
		number := strconv.Itoa(r.variant)
		for _, c := range slices.Clone(candidates) {
			candidates = append([]string{c + number, c[:max(0, len(c)-len(number))] + number}, candidates...)
		}
	}
	for _, c := range candidates {
		if text := quoted(c); fits(all, text) {
			return text, true
		}
	}
	return "", false
}

func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimRight(b.String(), "\n")
}

// matching writes texts for a simple pattern, with repetitions as short as can be and then longer.
func matching(pattern string, shortest, longest int) []string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	var list []string
	for _, extra := range []int{0, 1, 2, shortest, longest} {
		if extra > 200 {
			continue
		}
		var b strings.Builder
		if write(&b, tree, extra) && within(utf8.RuneCountInString(b.String()), shortest, longest) && b.Len() > 0 {
			list = append(list, b.String())
		}
	}
	return list
}

// write writes a text that an expression matches; extra repetitions are added where they may be.
func write(b *strings.Builder, re *syntax.Regexp, extra int) bool {
	if b.Len() > maxText {
		return false
	}
	repeat := func(low, high int) bool {
		n := low + extra
		if high >= 0 {
			n = min(n, high)
		}
		for range n {
			if !write(b, re.Sub[0], 0) {
				return false
			}
		}
		return true
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		c, ok := readable(re.Rune)
		if !ok {
			return false
		}
		b.WriteRune(c)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpStar:
		return repeat(0, -1)
	case syntax.OpPlus:
		return repeat(1, -1)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, re.Max)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			if !write(b, sub, extra) {
				return false
			}
		}
	case syntax.OpAlternate:
		return write(b, re.Sub[0], extra)
	case syntax.OpNoMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return false
	}
	return true // anchors and the empty match write nothing
}

// readable chooses a character of a class: a letter or a digit where there is one, else what is printable in ASCII.
func readable(ranges []rune) (rune, bool) {
	for _, wanted := range [][2]rune{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'!', '~'}} {
		for i := 0; i+1 < len(ranges); i += 2 {
			if low := max(ranges[i], wanted[0]); low <= min(ranges[i+1], wanted[1]) {
				return low, true
			}
		}
	}
	if len(ranges) > 0 && ranges[0] >= ' ' && utf8.ValidRune(ranges[0]) {
		return ranges[0], true
	}
	return 0, false
}

// limit is a bound of a number.
type limit struct {
	at   float64
	open bool // the bound itself is outside
}

// limits returns the narrowest bounds of all schemas. In draft 4, exclusive bounds are booleans beside the bound.
func limits(all []jsondoc.Value) (low, high limit) {
	low, high = limit{at: math.Inf(-1)}, limit{at: math.Inf(1)}
	for _, s := range all {
		if n, ok := s.Get("minimum").Float(); ok && n >= low.at {
			low = limit{n, n == low.at && low.open || s.Get("exclusiveMinimum").True()}
		}
		if n, ok := s.Get("exclusiveMinimum").Float(); ok && n >= low.at {
			low = limit{n, true}
		}
		if n, ok := s.Get("maximum").Float(); ok && n <= high.at {
			high = limit{n, n == high.at && high.open || s.Get("exclusiveMaximum").True()}
		}
		if n, ok := s.Get("exclusiveMaximum").Float(); ok && n <= high.at {
			high = limit{n, true}
		}
	}
	return low, high
}

// number makes a small number within the bounds.
func number(all []jsondoc.Value, whole bool, variant int) (string, bool) {
	low, high := limits(all)
	v := float64(variant)
	candidates := []float64{1 + v, v, math.Ceil(low.at) + v, math.Floor(low.at) + 1 + v, math.Floor(high.at) - v, math.Ceil(high.at) - 1 - v}
	for _, s := range all {
		if step, ok := s.Get("multipleOf").Float(); ok && step > 0 {
			first := math.Ceil(low.at / step)
			candidates = append(candidates, step*(1+v), step*(first+v), step*(first+1+v), step*(math.Floor(high.at/step)-v))
		}
	}
	if !whole {
		candidates = append(candidates, (low.at+high.at)/2, low.at+0.5+v, high.at-0.5-v)
	}
	for _, n := range candidates {
		if math.IsInf(n, 0) || math.IsNaN(n) || whole && n != math.Trunc(n) {
			continue
		}
		if text := strconv.FormatFloat(n, 'f', -1, 64); len(text) < 40 && fits(all, text) {
			return text, true
		}
	}
	return "", false
}

func (m *maker) array(all []jsondoc.Value, r request) (string, bool) {
	shortest, longest := lengths(all, "minItems", "maxItems", maxElements)
	if shortest > longest {
		return "", false
	}
	unique := slices.ContainsFunc(all, func(s jsondoc.Value) bool { return s.Get("uniqueItems").True() })
	want := min(max(shortest, 1), longest)
	var elements []string
	for i := range want {
		element := request{name: strings.TrimSuffix(r.name, "s"), depth: r.depth + 1, variant: r.variant}
		if unique {
			element.variant += i
		}
		for _, s := range all {
			element.schemas = append(element.schemas, elementSchemas(s, i)...)
		}
		text, ok := m.value(element)
		if !ok {
			break
		}
		elements = append(elements, text)
	}
	if len(elements) < shortest {
		return "", false
	}
	return "[" + strings.Join(elements, ",") + "]", true
}

// elementSchemas are the schemas that one schema of an array has for element i.
func elementSchemas(s jsondoc.Value, i int) []jsondoc.Value {
	var list []jsondoc.Value
	if contains := s.Get("contains"); contains.Exists() && i == 0 {
		list = append(list, contains)
	}
	prefix, rest := s.Get("prefixItems"), s.Get("items")
	if rest.IsArray() { // as lists of schemas were written up to draft 2019-09
		prefix, rest = rest, s.Get("additionalItems")
	}
	if i < prefix.Len() {
		return append(list, prefix.At(i))
	}
	if rest.Exists() {
		list = append(list, rest)
	}
	return list
}

func (m *maker) object(all []jsondoc.Value, r request) (string, bool) {
	declared, needed := names(all)
	least, most := lengths(all, "minProperties", "maxProperties", maxMade)
	for _, name := range declared {
		if len(needed) < least && !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	for i := 1; len(needed) < least && i <= maxElements; i++ {
		needed = append(needed, fmt.Sprintf("property%d", i))
	}
	if len(needed) > most {
		return "", false
	}
	slices.SortStableFunc(needed, func(a, b string) int { return place(declared, a) - place(declared, b) })
	var members []string
	for _, name := range needed {
		property := request{name: name, depth: r.depth + 1, variant: r.variant}
		for _, s := range all {
			schemas, allowed := propertySchemas(s, name)
			if !allowed {
				return "", false
			}
			property.schemas = append(property.schemas, schemas...)
		}
		text, ok := m.value(property)
		if !ok {
			return "", false
		}
		members = append(members, quoted(name)+":"+text)
	}
	return "{" + strings.Join(members, ",") + "}", true
}

// names returns the properties that schemas declare, in document order, and those that an object must have.
func names(all []jsondoc.Value) (declared, needed []string) {
	add := func(list []string, name string) []string {
		if slices.Contains(list, name) || len(list) >= maxMade {
			return list
		}
		return append(list, name)
	}
	for _, s := range all {
		for _, p := range s.Get("properties").Members() {
			declared = add(declared, p.Name)
		}
		for _, e := range s.Get("required").Elements() {
			if name, ok := e.Value.Text(); ok {
				needed = add(needed, name)
			}
		}
	}
	for i := 0; i < len(needed); i++ { // what is needed may need more
		for _, s := range all {
			for _, keyword := range []string{"dependentRequired", "dependencies"} {
				for _, e := range s.Path(keyword, needed[i]).Elements() {
					if name, ok := e.Value.Text(); ok {
						needed = add(needed, name)
					}
				}
			}
		}
	}
	return declared, needed
}

func place(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// propertySchemas are the schemas that one schema of an object has for a property; allowed is false when there must be none.
func propertySchemas(s jsondoc.Value, name string) (list []jsondoc.Value, allowed bool) {
	if own := s.Get("properties").Get(name); own.Exists() {
		list = append(list, own)
	}
	for _, p := range s.Get("patternProperties").Members() {
		if re, err := regexp.Compile(p.Name); err == nil && re.MatchString(name) {
			list = append(list, p.Value)
		}
	}
	if rest := s.Get("additionalProperties"); len(list) == 0 && rest.Exists() {
		if rest.Kind() == jsondoc.Bool {
			return nil, rest.True()
		}
		list = append(list, rest)
	}
	return list, true
}
