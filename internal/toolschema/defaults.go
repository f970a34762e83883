package toolschema

import (
	"bytes"
	"crypto/sha256"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Mismatch is a default that its own schema rejects.
type Mismatch struct {
	Pointer jsondoc.Pointer // to the subschema that holds the default
	Default jsondoc.Value
	Keyword string // that rejects it: "type", "enum", "const", or another
	Type    jsondoc.Value
}

// Judge judges defaults with a bounded amount of work: beyond it, defaults are compared with the type, enum and const beside them and
// with nothing else. The same schemas in the same order give the same results.
type Judge struct {
	left int
	seen map[[sha256.Size]byte]string
}

// judgeWork is the work of one Judge; one unit is about the visit of one subschema.
const judgeWork = 500_000

// NewJudge returns a Judge for the schemas of one catalog.
func NewJudge() *Judge { return &Judge{left: judgeWork, seen: map[[sha256.Size]byte]string{}} }

// FindDefaults reports whether a schema holds a default, and whether its defaults can be judged: not in an unknown dialect, nor where [Walk]
// cannot read the whole schema. Then every member called default counts as one.
func FindDefaults(root jsondoc.Value) (found, judged bool) {
	return eachDefault(root, func(Place, Dialect, jsondoc.Value) {})
}

// eachDefault visits the defaults that have an effect, in document order.
func eachDefault(root jsondoc.Value, visit func(p Place, d Dialect, value jsondoc.Value)) (found, judged bool) {
	if !Mentions(root, "default") {
		return false, false
	}
	d := DialectOf(root)
	whole := d != Unknown && Walk(root, d, func(p Place) bool {
		hidden := d.refHidesSiblings() && p.Schema.Get("$ref").Exists()
		if value := p.Schema.Get("default"); value.Exists() {
			found = true
			if !hidden {
				visit(p, d, value)
			}
		}
		return !hidden
	})
	if !whole {
		return anyDefault(root), false
	}
	return found, found
}

// Defaults returns the defaults of a schema that the subschema they stand in rejects, in document order: a default should be valid there
// (JSON Schema 2020-12 Validation, 9.2). What [FindDefaults] says cannot be judged has none.
func (j *Judge) Defaults(root jsondoc.Value) []Mismatch {
	var out []Mismatch
	_, judged := eachDefault(root, func(p Place, d Dialect, value jsondoc.Value) {
		if keyword := j.rejects(root, p, d, value); keyword != "" {
			out = append(out, Mismatch{p.Pointer(), value, keyword, p.Schema.Get("type")})
		}
	})
	if !judged {
		return nil
	}
	return out
}

func anyDefault(v jsondoc.Value) bool {
	for _, m := range v.Members() {
		if m.Name == "default" || anyDefault(m.Value) {
			return true
		}
	}
	for _, e := range v.Elements() {
		if anyDefault(e.Value) {
			return true
		}
	}
	return false
}

// rejects returns the keyword of a subschema that rejects a value, empty when none does or it cannot be told.
func (j *Judge) rejects(root jsondoc.Value, p Place, d Dialect, value jsondoc.Value) string {
	if keyword := beside(p.Schema, d, value); keyword != "" {
		return keyword
	}
	if accepts(p.Schema, d, value) {
		return ""
	}
	return j.validate(root, p, d, value)
}

// beside tests type, enum and const.
func beside(schema jsondoc.Value, d Dialect, value jsondoc.Value) string {
	if types := typesOf(schema.Get("type")); types != nil {
		ok := false
		for _, t := range types {
			ok = ok || hasType(value, t, d)
		}
		if !ok {
			return "type"
		}
	}
	if enum := schema.Get("enum"); enum.IsArray() {
		ok := false
		for _, e := range enum.Elements() {
			ok = ok || jsondoc.Equal(e.Value, value)
		}
		if !ok {
			return "enum"
		}
	}
	if fixed := schema.Get("const"); d >= Draft06 && fixed.Exists() && !jsondoc.Equal(fixed, value) {
		return "const"
	}
	return ""
}

// typesOf returns the names of a type keyword, nil when it holds anything that is no type.
func typesOf(v jsondoc.Value) []string {
	if typeForm(v) != "" && !v.IsArray() {
		return nil
	}
	if text, ok := v.Text(); ok {
		return []string{text}
	}
	var out []string
	for _, e := range v.Elements() {
		if !typeSet[e.Value.TextOr("")] {
			return nil
		}
		out = append(out, e.Value.TextOr(""))
	}
	return out
}

func hasType(v jsondoc.Value, t string, d Dialect) bool {
	switch v.Kind() {
	case jsondoc.Null:
		return t == "null"
	case jsondoc.Bool:
		return t == "boolean"
	case jsondoc.String:
		return t == "string"
	case jsondoc.Array:
		return t == "array"
	case jsondoc.Object:
		return t == "object"
	case jsondoc.Number:
		return t == "number" || t == "integer" && v.IsInteger() && (d > Draft04 || !bytes.ContainsAny(v.Raw(), ".eE"))
	}
	return false
}

// concerns tells which kind of value a keyword can reject, Absent for any kind. Keywords that are not listed reject nothing.
var concerns = map[string]jsondoc.Kind{
	"$ref": jsondoc.Absent, "$dynamicRef": jsondoc.Absent, "$recursiveRef": jsondoc.Absent, "allOf": jsondoc.Absent, "anyOf": jsondoc.Absent,
	"oneOf": jsondoc.Absent, "not": jsondoc.Absent, "if": jsondoc.Absent, "extends": jsondoc.Absent,
	"multipleOf": jsondoc.Number, "maximum": jsondoc.Number, "minimum": jsondoc.Number, "exclusiveMaximum": jsondoc.Number, "exclusiveMinimum": jsondoc.Number,
	"maxLength": jsondoc.String, "minLength": jsondoc.String, "pattern": jsondoc.String,
	"items": jsondoc.Array, "prefixItems": jsondoc.Array, "additionalItems": jsondoc.Array, "unevaluatedItems": jsondoc.Array, "contains": jsondoc.Array,
	"maxItems": jsondoc.Array, "minItems": jsondoc.Array, "uniqueItems": jsondoc.Array, "minContains": jsondoc.Array, "maxContains": jsondoc.Array,
	"properties": jsondoc.Object, "patternProperties": jsondoc.Object, "additionalProperties": jsondoc.Object, "propertyNames": jsondoc.Object,
	"unevaluatedProperties": jsondoc.Object, "required": jsondoc.Object, "dependentRequired": jsondoc.Object, "dependentSchemas": jsondoc.Object,
	"dependencies": jsondoc.Object, "maxProperties": jsondoc.Object, "minProperties": jsondoc.Object,
}

// needsMembers are the keywords that reject nothing of an empty array or object.
var needsMembers = map[string]bool{
	"items": true, "prefixItems": true, "additionalItems": true, "unevaluatedItems": true, "uniqueItems": true, "maxItems": true,
	"properties": true, "patternProperties": true, "additionalProperties": true, "propertyNames": true, "unevaluatedProperties": true,
	"dependentRequired": true, "dependentSchemas": true, "dependencies": true, "maxProperties": true,
}

// accepts reports whether a schema plainly accepts a value: type, enum and const do, and nothing else could reject it, or one branch of
// its anyOf plainly accepts it. False means nothing.
func accepts(schema jsondoc.Value, d Dialect, value jsondoc.Value) bool {
	if schema.True() && d >= Draft06 {
		return true
	}
	if !schema.IsObject() || beside(schema, d, value) != "" {
		return false
	}
	for _, m := range schema.Members() {
		kind, can := concerns[m.Name]
		if !can || kind != jsondoc.Absent && kind != value.Kind() || needsMembers[m.Name] && value.Len() == 0 {
			continue
		}
		if !within(m.Name, m.Value, value) && (m.Name != "anyOf" || !anyAccepts(m.Value, d, value)) {
			return false
		}
	}
	return true
}

// within reports whether a value is well inside a bound. On the bound itself, where exactness and exclusive bounds matter, it says no.
func within(keyword string, bound, value jsondoc.Value) bool {
	limit, ok := bound.Float()
	if !ok {
		return false
	}
	size, upper := 0.0, strings.HasPrefix(keyword, "max")
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		if size, ok = value.Float(); !ok {
			return false
		}
		upper = strings.HasSuffix(keyword, "aximum")
	case "minLength", "maxLength":
		size = float64(utf8.RuneCountInString(value.TextOr("")))
	case "minItems", "maxItems", "minProperties", "maxProperties":
		size = float64(value.Len())
	default:
		return false
	}
	if upper {
		return size < limit
	}
	return size > limit
}

func anyAccepts(branches jsondoc.Value, d Dialect, value jsondoc.Value) bool {
	for _, e := range branches.Elements() {
		if accepts(e.Value, d, value) {
			return true
		}
	}
	return false
}

// What is given to the library.
const (
	maxSchemas  = 500    // subschemas of one document
	maxInstance = 2000   // bytes of one default
	maxVisits   = 20_000 // subschemas that one default may cost
)

// validate asks the library, if the question is small enough and there is work left.
func (j *Judge) validate(root jsondoc.Value, p Place, d Dialect, value jsondoc.Value) string {
	if len(value.Raw()) > maxInstance || len(root.Raw()) > 1<<20 {
		return ""
	}
	doc, at, whole := p.Schema, jsondoc.Pointer(""), true
	if bytes.Contains(doc.Raw(), []byte("Ref\"")) || bytes.Contains(doc.Raw(), []byte("$ref")) || bytes.Contains(doc.Raw(), []byte("$id")) {
		doc = root
		at, whole = pointerTo(p.walk.path)
	}
	if !whole {
		return ""
	}
	report := CheckUnder(doc, d)
	if !report.Valid() || report.Unjudged != "" || report.untraced || report.schemas > maxSchemas {
		return ""
	}
	visits := report.visits(value)
	if visits > maxVisits {
		return ""
	}
	schema := bare(nil, doc, d)
	key := sha256.Sum256([]byte(strconv.Itoa(int(d)) + "\n" + string(at) + "\n" + string(schema) + "\n" + string(value.Raw())))
	if keyword, ok := j.seen[key]; ok {
		return keyword
	}
	j.left -= 400 + 40*report.schemas + visits
	if bytes.Contains(schema, []byte("pattern")) {
		j.left -= len(value.Raw()) * len(schema) / 10
	}
	if j.left < 0 {
		return ""
	}
	keyword := ask(schema, at, d, value)
	j.seen[key] = keyword
	return keyword
}

// visits bounds how often the library applies a subschema while it validates a value.
func (r *Report) visits(value jsondoc.Value) int {
	depth, size := shape(value)
	visits := size * max(r.fanout, 1)
	if !r.refs {
		return size * r.schemas
	}
	for range depth {
		if visits = visits * max(r.fanout, 1) * max(r.applied, 1); visits > maxVisits {
			return visits
		}
	}
	return visits
}

// shape returns the nesting depth of a value and how many values it holds, itself included.
func shape(v jsondoc.Value) (depth, size int) {
	size = 1
	for _, list := range [][]jsondoc.Member{v.Members(), v.Elements()} {
		for _, m := range list {
			d, s := shape(m.Value)
			depth, size = max(depth, d+1), size+s
		}
	}
	return depth, size
}

// ask compiles a schema and validates a value against the subschema at a place in it.
func ask(schema []byte, at jsondoc.Pointer, d Dialect, value jsondoc.Value) string {
	parsed, _, err := jsondoc.Parse(schema)
	if err != nil {
		return ""
	}
	doc, ok := native(parsed)
	instance, fine := native(value)
	if !ok || !fine {
		return ""
	}
	unreadable := false
	c := newCompiler(ecmaEngine(&unreadable))
	c.DefaultDraft(draft(d))
	const address = "https://schema.invalid/"
	if err := c.AddResource(address, doc); err != nil {
		return ""
	}
	compiled, err := c.Compile(address + "#" + fragment(at))
	if err != nil || unreadable {
		return ""
	}
	return firstKeyword(compiled.Validate(instance))
}

// fragment writes a JSON Pointer as a URI fragment (RFC 6901 section 6).
func fragment(at jsondoc.Pointer) string {
	var b strings.Builder
	for _, c := range []byte(at) {
		if c == '/' || c == '-' || c == '_' || c == '.' || c == '~' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			b.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// silent are the keywords that reject nothing and lead nowhere. Leaving them out makes equal what differs in wording only.
var silent = map[string]bool{
	"$schema": true, "$comment": true, "title": true, "description": true, "default": true, "examples": true, "format": true, "deprecated": true,
	"readOnly": true, "writeOnly": true, "contentMediaType": true, "contentEncoding": true, "contentSchema": true,
}

// bare writes a schema as JSON without what is silent.
func bare(b []byte, v jsondoc.Value, d Dialect) []byte {
	if !v.IsObject() {
		return append(b, v.Raw()...)
	}
	b = append(b, '{')
	for _, m := range v.Members() {
		if silent[m.Name] {
			continue
		}
		b = appendName(b, m.Name)
		f := d.form(m.Name)
		switch {
		case f == schemaMap || f == dependencyMap:
			b = append(b, '{')
			for _, e := range m.Value.Members() {
				b = bare(appendName(b, e.Name), e.Value, d)
			}
			b = append(b, '}')
		case f.holdsSchemas() && m.Value.IsArray():
			b = append(b, '[')
			for i, e := range m.Value.Elements() {
				if i > 0 {
					b = append(b, ',')
				}
				b = bare(b, e.Value, d)
			}
			b = append(b, ']')
		case f.holdsSchemas():
			b = bare(b, m.Value, d)
		default:
			b = append(b, m.Value.Raw()...)
		}
	}
	return append(b, '}')
}

// appendName writes a member's name, with a comma before it unless it is the first.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, quoted(name)...)
	return append(b, ':')
}
