package toolschema

import (
	"net/url"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Lookup follows $ref within one schema, by JSON Pointer only: what names an anchor or leads out of the schema is not found.
type Lookup struct {
	root   jsondoc.Value
	known  map[string]jsondoc.Value
	others int
}

// NewLookup returns a Lookup for a schema.
func NewLookup(root jsondoc.Value) *Lookup { return &Lookup{root: root} }

// Bounds of one Lookup: references in a row, and pointers to places other than definitions, each of which is a walk through the schema.
const (
	maxHops   = 16
	maxOthers = 1000
)

// Follow returns the schemas that the $ref of a schema leads to, one after the other.
func (l *Lookup) Follow(schema jsondoc.Value) []jsondoc.Value {
	var out []jsondoc.Value
	for range maxHops {
		ref, ok := schema.Get("$ref").Text()
		fragment, local := strings.CutPrefix(ref, "#")
		if !ok || !local {
			break
		}
		if decoded, err := url.PathUnescape(fragment); err == nil {
			fragment = decoded
		}
		if fragment != "" && fragment[0] != '/' {
			break
		}
		schema = l.at(jsondoc.Pointer(fragment))
		if !schema.Exists() {
			break
		}
		out = append(out, schema)
	}
	return out
}

func (l *Lookup) at(p jsondoc.Pointer) jsondoc.Value {
	if l.known == nil {
		l.known = map[string]jsondoc.Value{"": l.root}
		for _, keyword := range []string{"$defs", "definitions"} {
			for _, m := range l.root.Get(keyword).Members() {
				l.known["/"+keyword+string(jsondoc.Pointer("").Child(m.Name))] = m.Value
			}
		}
	}
	v, ok := l.known[string(p)]
	if !ok && l.others < maxOthers {
		l.others++
		v = l.root.Resolve(p)
		l.known[string(p)] = v
	}
	return v
}
