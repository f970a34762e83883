package toolschema

import (
	"errors"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Validator tells which values a schema accepts. Formats are annotations and reject nothing.
type Validator struct {
	unjudged string
	schema   jsondoc.Value
	compiled *jsonschema.Schema
	report   *Report
}

// Bounds of what a Validator gives to the library.
const (
	validatorSchema  = 1 << 20 // bytes of a schema
	validatorSchemas = 1000    // subschemas of it
	validatorVisits  = 200_000 // how often subschemas are applied to a value and its parts
)

// NewValidator reads a schema under the dialect that it declares.
func NewValidator(schema jsondoc.Value) *Validator {
	v := &Validator{schema: schema}
	if !schema.IsObject() && schema.Kind() != jsondoc.Bool {
		v.unjudged = "the schema is no object"
		return v
	}
	v.report = Check(schema)
	switch {
	case v.report.Unjudged != "":
		v.unjudged = v.report.Unjudged
	case !v.report.Valid():
		p := v.report.Problems[0]
		v.unjudged = "the schema is invalid: " + p.Seen
	case len(v.report.External) > 0:
		v.unjudged = "the schema refers to another document, which is not fetched"
	case v.report.untraced:
		v.unjudged = "the schema refers to anchors or by the dynamic scope, which is not followed"
	case len(schema.Raw()) > validatorSchema || v.report.schemas > validatorSchemas:
		v.unjudged = "the schema is too large"
	default:
		v.compile(schema)
	}
	return v
}

func (v *Validator) compile(schema jsondoc.Value) {
	d := v.report.Dialect
	parsed, _, err := jsondoc.Parse(bare(nil, schema, d))
	doc, ok := native(parsed)
	unreadable := false
	c := newCompiler(ecmaEngine(&unreadable))
	c.DefaultDraft(draft(d))
	const address = "https://schema.invalid/"
	if err != nil || !ok || c.AddResource(address, doc) != nil {
		v.unjudged = "the schema cannot be read"
		return
	}
	if v.compiled, err = c.Compile(address); err != nil {
		v.unjudged = "the schema cannot be compiled"
	} else if unreadable {
		v.unjudged = "the schema has a pattern that cannot be matched in bounded time"
	}
}

// Unjudged says why the schema accepts or rejects nothing that could be told, empty when it can.
func (v *Validator) Unjudged() string { return v.unjudged }

// Fit is what a schema says of a value.
type Fit struct {
	Judged bool // otherwise nothing is known
	OK     bool
	// Keyword rejects the value at the place At, the first one in the order of places when several do.
	Keyword string
	At      jsondoc.Pointer
}

// Check tells whether the schema accepts a value.
func (v *Validator) Check(value jsondoc.Value) Fit {
	if v.unjudged != "" || !affordable(v.schema, value) {
		return Fit{}
	}
	instance, ok := native(value)
	if !ok {
		return Fit{}
	}
	err := v.compiled.Validate(instance)
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		return Fit{Judged: true, OK: true}
	}
	f := Fit{Judged: true}
	f.first(broken)
	return f
}

// first finds the least place that the library complains about: it reports several in no fixed order.
func (f *Fit) first(e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			f.first(cause)
		}
		return
	}
	at := jsondoc.Pointer("")
	for _, name := range e.InstanceLocation {
		if _, err := strconv.Atoi(name); err == nil {
			at += jsondoc.Pointer("/" + name)
			continue
		}
		at = at.Child(name)
	}
	keyword := firstKeyword(e)
	if keyword == "" {
		keyword = "schema"
	}
	if f.Keyword == "" || at < f.At || at == f.At && keyword < f.Keyword {
		f.At, f.Keyword = at, keyword
	}
}

// affordable reports whether a schema can be applied to a value in bounded work. The library applies a subschema anew on each path that
// leads to it, so references can make the work grow exponentially; here each pair of subschema and part of the value is counted once.
func affordable(schema, value jsondoc.Value) bool {
	c := counter{lookup: NewLookup(schema), known: map[pair]int{}}
	return c.count(schema, value) < validatorVisits
}

type counter struct {
	lookup *Lookup
	known  map[pair]int
}

// pair are a subschema and a part of a value, each known by where its text begins.
type pair struct{ schema, value *byte }

func (c *counter) count(schema, value jsondoc.Value) int {
	if len(schema.Raw()) == 0 || len(value.Raw()) == 0 {
		return 0
	}
	key := pair{&schema.Raw()[0], &value.Raw()[0]}
	if n, known := c.known[key]; known {
		return n
	}
	c.known[key] = validatorVisits // what comes back to itself is beyond any bound
	if len(c.known) > validatorVisits {
		return validatorVisits
	}
	total := 1
	add := func(schema, value jsondoc.Value) {
		if schema.IsObject() && total < validatorVisits {
			total = min(total+c.count(schema, value), validatorVisits)
		}
	}
	if next := c.lookup.Follow(schema); len(next) > 0 {
		add(next[0], value)
	}
	for _, m := range schema.Members() {
		switch m.Name {
		case "allOf", "anyOf", "oneOf":
			for _, branch := range m.Value.Elements() {
				add(branch.Value, value)
			}
		case "not", "if", "then", "else":
			add(m.Value, value)
		case "dependentSchemas", "dependencies":
			for _, dependent := range m.Value.Members() {
				add(dependent.Value, value)
			}
		case "properties":
			for _, property := range value.Members() {
				add(m.Value.Get(property.Name), property.Value)
			}
		case "patternProperties":
			for _, pattern := range m.Value.Members() {
				for _, property := range value.Members() {
					add(pattern.Value, property.Value)
				}
			}
		case "additionalProperties", "unevaluatedProperties", "propertyNames":
			for _, property := range value.Members() {
				add(m.Value, property.Value)
			}
		case "items", "additionalItems", "unevaluatedItems", "contains", "prefixItems":
			for i, element := range value.Elements() {
				if m.Value.IsArray() {
					add(m.Value.At(i), element.Value)
				} else {
					add(m.Value, element.Value)
				}
			}
		}
	}
	c.known[key] = total
	return total
}
