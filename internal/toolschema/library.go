package toolschema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// The library compiles meta-schemas and the schemas whose defaults need it. Its work grows with the square of the schema, and an instance
// can cost it exponential work; what is given to it is therefore small, see defaults.go.

// noLoader refuses to fetch anything.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not fetched", url)
}

// tolerated are the formats that drafts 4 to 7 may assert and this package does not: a format is an annotation unless a dialect says
// otherwise, and whether a reference can be resolved is looked at separately.
var tolerated = []string{
	"uri", "uriref", "uri-reference", "iri", "iri-reference", "uri-template", "regex", "json-pointer", "relative-json-pointer", "uuid", "duration",
	"period", "ipv4", "ipv6", "hostname", "email", "date", "time", "date-time", "semver",
}

func newCompiler(engine jsonschema.RegexpEngine) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(engine)
	for _, name := range tolerated {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	return c
}

// metaSchema returns the compiled meta-schema of a dialect. It is compiled when it is first needed.
func metaSchema(d Dialect) *jsonschema.Schema {
	metaMutex.Lock()
	defer metaMutex.Unlock()
	if s := metaSchemas[d]; s != nil {
		return s
	}
	s := newCompiler(ecmaEngine(nil)).MustCompile(strings.TrimSuffix(d.String(), "#"))
	metaSchemas[d] = s
	return s
}

var (
	metaMutex   sync.Mutex
	metaSchemas = map[Dialect]*jsonschema.Schema{}
)

func draft(d Dialect) *jsonschema.Draft {
	switch d {
	case Draft04:
		return jsonschema.Draft4
	case Draft06:
		return jsonschema.Draft6
	case Draft07:
		return jsonschema.Draft7
	case Draft201909:
		return jsonschema.Draft2019
	}
	return jsonschema.Draft2020
}

// metaAccepts reports whether a schema that is given as JSON is valid under the dialect's meta-schema.
func metaAccepts(d Dialect, schema []byte) bool {
	v, _, err := jsondoc.Parse(schema)
	if err != nil {
		return false
	}
	doc, ok := native(v)
	return ok && metaSchema(d).Validate(doc) == nil
}

// native converts a value to what the library reads. It fails on numbers that would take much memory to expand and on containers that
// were not opened.
func native(v jsondoc.Value) (any, bool) {
	switch v.Kind() {
	case jsondoc.Bool:
		return v.True(), true
	case jsondoc.String:
		return v.TextOr(""), true
	case jsondoc.Number:
		return nativeNumber(v)
	case jsondoc.Array:
		out := make([]any, 0, v.Len())
		for _, e := range v.Elements() {
			n, ok := native(e.Value)
			if !ok {
				return nil, false
			}
			out = append(out, n)
		}
		return out, !unopened(v)
	case jsondoc.Object:
		out := make(map[string]any, v.Len())
		for _, m := range v.Members() {
			n, ok := native(m.Value)
			if !ok {
				return nil, false
			}
			out[m.Name] = n
		}
		return out, !unopened(v)
	}
	return nil, true
}

func nativeNumber(v jsondoc.Value) (any, bool) {
	raw := string(v.Raw())
	if len(raw) > 400 {
		return nil, false
	}
	if f, ok := v.Float(); !ok || f != 0 && (f < 1e-300 && f > -1e-300) || f == 0 && !zero(v) {
		return nil, false
	}
	if strings.ContainsAny(raw, "eE") && zero(v) {
		return json.Number("0"), true
	}
	return json.Number(raw), true
}

// firstKeyword returns the keyword that an instance broke, the least in the order of the alphabet when it broke several: the library
// reports them in no fixed order.
func firstKeyword(err error) string {
	verr, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return ""
	}
	best := ""
	var visit func(e *jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		switch k := e.ErrorKind.(type) {
		case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
			for _, cause := range e.Causes {
				visit(cause)
			}
			return
		case *kind.FalseSchema:
			best = least(best, "false")
		case *kind.Not:
			best = least(best, "not")
		default:
			if path := k.KeywordPath(); len(path) > 0 {
				best = least(best, path[0])
			}
		}
	}
	visit(verr)
	return best
}

func least(a, b string) string {
	if a == "" || b < a {
		return b
	}
	return a
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
