package toolschema

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Place is a subschema as [Walk] finds it.
type Place struct {
	Schema jsondoc.Value
	// Chain reports whether the subschema is a property of the root, or a property of such a property and so on: reached through
	// "properties" alone, in at least one step.
	Chain bool
	Root  bool
	// Property is the name of the property whose schema this is, where it stands directly in a "properties" object.
	Property string
	walk     *walker
}

// MaxPointer bounds the pointers that this package writes, in bytes. A place further down is told by the nearest schema or keyword above it
// whose pointer is shorter: otherwise one long name above many places would fill the memory.
const MaxPointer = 4096

// Pointer returns the place within the root schema, see [MaxPointer]. It must be called during the visit.
func (p Place) Pointer() jsondoc.Pointer {
	at, _ := pointerTo(p.walk.path)
	return at
}

// Dotted returns the place in the form $.properties.a.allOf[0], names as they are, see [MaxPointer]. It must be called during the visit.
func (p Place) Dotted() string {
	var b strings.Builder
	b.WriteByte('$')
	for i, name := range p.walk.path {
		if b.Len()+len(name) > MaxPointer {
			break
		}
		if p.walk.index[i] {
			b.WriteString("[" + name + "]")
		} else {
			b.WriteString("." + name)
		}
	}
	return b.String()
}

type walker struct {
	dialect Dialect
	path    []string
	index   []bool // which tokens of the path are positions in an array
	visit   func(Place) bool
	whole   bool
}

// Walk visits the root and every subschema that is an object, in document order, parents first. It descends where visit returns true and
// where the dialect has subschemas: members of a "properties" object are schemas whatever they are called, and data such as "default" or
// "enum" holds none. An Unknown dialect is walked like [Default]. The result is false when something was left out: a position for
// subschemas that is filled with something else, a schema that begins another dialect, or nesting deeper than [jsondoc.MaxDepth].
func Walk(root jsondoc.Value, d Dialect, visit func(Place) bool) bool {
	if d == Unknown {
		d = Default
	}
	w := walker{dialect: d, visit: visit, whole: true, path: make([]string, 0, 16), index: make([]bool, 0, 16)}
	w.schema(root, Place{Root: true})
	return w.whole
}

func (w *walker) schema(v jsondoc.Value, p Place) {
	if !v.IsObject() {
		return
	}
	if unopened(v) || len(w.path) > 0 && v.Get("$schema").Exists() {
		w.whole = false
		return
	}
	p.Schema, p.walk = v, w
	if !w.visit(p) {
		return
	}
	chain := p.Chain || len(w.path) == 0
	for _, m := range v.Members() {
		f := w.dialect.form(m.Name)
		if !f.holdsSchemas() {
			continue
		}
		w.push(m.Name, false)
		w.position(m, f, chain)
		w.pop()
	}
}

// position visits the subschemas in the value of one keyword.
func (w *walker) position(m jsondoc.Member, f form, chain bool) {
	isMap := f == schemaMap || f == dependencyMap
	switch {
	case isMap && !m.Value.IsObject(), f == schemaList && !m.Value.IsArray(), unopened(m.Value):
		w.whole = false
	case isMap:
		for _, e := range m.Value.Members() {
			p := Place{}
			if m.Name == "properties" {
				p = Place{Chain: chain, Property: e.Name}
			}
			w.push(e.Name, false)
			w.schema(e.Value, p)
			w.pop()
		}
	case m.Value.IsArray() && f != oneSchema && f != boolOrSchema:
		for i, e := range m.Value.Elements() {
			w.push(strconv.Itoa(i), true)
			w.schema(e.Value, Place{})
			w.pop()
		}
	default:
		w.schema(m.Value, Place{})
	}
}

func (w *walker) push(name string, index bool) {
	w.path, w.index = append(w.path, name), append(w.index, index)
}

func (w *walker) pop() { w.path, w.index = w.path[:len(w.path)-1], w.index[:len(w.index)-1] }

// Mentions reports whether a member of this name can stand anywhere in a value. It is quick, and true means nothing more: the name may be
// text, or be spelt with escapes.
func Mentions(v jsondoc.Value, name string) bool {
	return bytes.Contains(v.Raw(), []byte(name)) || bytes.Contains(v.Raw(), []byte(`\u`))
}

// unopened reports whether a container was nested too deeply to be read.
func unopened(v jsondoc.Value) bool {
	if v.Len() > 0 || !v.IsObject() && !v.IsArray() {
		return false
	}
	raw := v.Raw()
	return len(bytes.TrimSpace(raw[1:len(raw)-1])) > 0
}

// pointerTo writes a path; whole is false when it was cut.
func pointerTo(path []string) (at jsondoc.Pointer, whole bool) {
	var b strings.Builder
	for _, name := range path {
		if b.Len()+len(name) > MaxPointer {
			return jsondoc.Pointer(b.String()), false
		}
		b.WriteString(string(jsondoc.Pointer("").Child(name)))
	}
	return jsondoc.Pointer(b.String()), true
}
