package experimental

import (
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// shape is a type of the schema of MCP, as far as the JSON types of its members go.
type shape []member

// member is a member of an object. Values of other JSON types than kind are wrong; so is null, which the schema allows nowhere here.
type member struct {
	name         string
	kind         jsondoc.Kind
	required     bool
	since, until spec.Revision // that have the member, both inclusive; empty means no bound
	inner        shape         // of the object, or of the elements of the array; nil to look no further
	words        []string      // the only strings allowed, in the value or among the elements; nil for any
}

// The types of catalog items (MCP 2024-11-05 to 2026-07-28, Schema).
var (
	iconShape = shape{
		{name: "src", kind: jsondoc.String, required: true},
		{name: "mimeType", kind: jsondoc.String},
		{name: "sizes", kind: jsondoc.Array},
		{name: "theme", kind: jsondoc.String, words: []string{"light", "dark"}},
	}
	annotationsShape = shape{
		{name: "audience", kind: jsondoc.Array, words: []string{"user", "assistant"}},
		{name: "priority", kind: jsondoc.Number},
		{name: "lastModified", kind: jsondoc.String, since: spec.Rev20250618},
	}
	objectSchema = shape{{name: "type", kind: jsondoc.String, required: true, words: []string{"object"}}}

	titleMember = member{name: "title", kind: jsondoc.String, since: spec.Rev20250618}
	iconsMember = member{name: "icons", kind: jsondoc.Array, since: spec.Rev20251125, inner: iconShape}
	metaMember  = member{name: "_meta", kind: jsondoc.Object, since: spec.Rev20250618}

	shapes = map[string]shape{
		"tools": {
			{name: "name", kind: jsondoc.String, required: true},
			titleMember,
			{name: "description", kind: jsondoc.String},
			{name: "inputSchema", kind: jsondoc.Object, required: true, inner: objectSchema},
			{name: "outputSchema", kind: jsondoc.Object, since: spec.Rev20250618, until: spec.Rev20251125, inner: objectSchema},
			{name: "outputSchema", kind: jsondoc.Object, since: spec.Rev20260728},
			{name: "annotations", kind: jsondoc.Object, since: spec.Rev20250326, inner: shape{
				{name: "title", kind: jsondoc.String},
				{name: "readOnlyHint", kind: jsondoc.Bool},
				{name: "destructiveHint", kind: jsondoc.Bool},
				{name: "idempotentHint", kind: jsondoc.Bool},
				{name: "openWorldHint", kind: jsondoc.Bool},
			}},
			{name: "execution", kind: jsondoc.Object, since: spec.Rev20251125, until: spec.Rev20251125, inner: shape{
				{name: "taskSupport", kind: jsondoc.String, words: []string{"forbidden", "optional", "required"}},
			}},
			iconsMember, metaMember,
		},
		"resources": {
			{name: "uri", kind: jsondoc.String, required: true},
			{name: "name", kind: jsondoc.String, required: true},
			titleMember,
			{name: "description", kind: jsondoc.String},
			{name: "mimeType", kind: jsondoc.String},
			{name: "size", kind: jsondoc.Number},
			{name: "annotations", kind: jsondoc.Object, inner: annotationsShape},
			iconsMember, metaMember,
		},
		"resource_templates": {
			{name: "uriTemplate", kind: jsondoc.String, required: true},
			{name: "name", kind: jsondoc.String, required: true},
			titleMember,
			{name: "description", kind: jsondoc.String},
			{name: "mimeType", kind: jsondoc.String},
			{name: "annotations", kind: jsondoc.Object, inner: annotationsShape},
			iconsMember, metaMember,
		},
		"prompts": {
			{name: "name", kind: jsondoc.String, required: true},
			titleMember,
			{name: "description", kind: jsondoc.String},
			{name: "arguments", kind: jsondoc.Array, inner: shape{
				{name: "name", kind: jsondoc.String, required: true},
				titleMember,
				{name: "description", kind: jsondoc.String},
				{name: "required", kind: jsondoc.Bool},
			}},
			iconsMember, metaMember,
		},
	}
)

// The types of what a server says about itself, for the spelling of their members.
var (
	implementationShape = shape{
		{name: "name", kind: jsondoc.String, required: true},
		{name: "version", kind: jsondoc.String, required: true},
		{name: "title", kind: jsondoc.String},
		{name: "description", kind: jsondoc.String},
		{name: "websiteUrl", kind: jsondoc.String},
		{name: "icons", kind: jsondoc.Array, inner: iconShape},
	}
	changesShape      = shape{{name: "listChanged", kind: jsondoc.Bool}}
	capabilitiesShape = shape{
		{name: "tools", kind: jsondoc.Object, inner: changesShape},
		{name: "resources", kind: jsondoc.Object, inner: append(shape{{name: "subscribe", kind: jsondoc.Bool}}, changesShape...)},
		{name: "prompts", kind: jsondoc.Object, inner: changesShape},
		{name: "logging", kind: jsondoc.Object},
		{name: "completions", kind: jsondoc.Object},
		{name: "tasks", kind: jsondoc.Object},
		{name: "experimental", kind: jsondoc.Object},
		{name: "extensions", kind: jsondoc.Object},
	}
	discoverShape = shape{
		{name: "supportedVersions", kind: jsondoc.Array},
		{name: "capabilities", kind: jsondoc.Object, inner: capabilitiesShape},
		{name: "instructions", kind: jsondoc.String},
		{name: "resultType", kind: jsondoc.String},
		{name: "ttlMs", kind: jsondoc.Number},
		{name: "cacheScope", kind: jsondoc.String},
	}
)

// in reports whether a revision has the member. Of a revision that is not known every member is expected that the latest has.
func (m member) in(r spec.Revision) bool {
	if !r.WellFormed() {
		r = spec.Latest
	}
	return (m.since == "" || r >= m.since) && (m.until == "" || r <= m.until)
}

// misfits finds the members whose JSON type is not what the schema of a revision says.
func (s shape) misfits(v jsondoc.Value, r spec.Revision, at jsondoc.Pointer) []lexical.Problem {
	var found []lexical.Problem
	for _, m := range s {
		if !m.in(r) {
			continue
		}
		here, got := at.Child(m.name), v.Get(m.name)
		want := withArticle(m.kind)
		switch {
		case !got.Exists() && m.required:
			found = append(found, lexical.Problem{Pointer: here, Reason: "missing_member", Seen: "there is no " + m.name, Want: want})
		case !got.Exists():
		case got.Kind() == jsondoc.Null && !m.required:
			found = append(found, lexical.Problem{Pointer: here, Reason: "null_member", Seen: m.name + " is null", Want: want + ", or no such member"})
		case got.Kind() != m.kind:
			found = append(found, lexical.Problem{Pointer: here, Reason: "wrong_type", Seen: m.name + " is " + lexical.Excerpt(got), Want: want})
		case m.kind == jsondoc.Object:
			found = append(found, m.inner.misfits(got, r, here)...)
		case m.kind == jsondoc.Array:
			found = append(found, m.elementMisfits(got, r, here)...)
		default:
			found = append(found, m.otherWord(got, here)...)
		}
	}
	return found
}

func (m member) elementMisfits(list jsondoc.Value, r spec.Revision, at jsondoc.Pointer) []lexical.Problem {
	var found []lexical.Problem
	kind := jsondoc.String
	if m.inner != nil {
		kind = jsondoc.Object
	}
	for i, e := range list.Elements() {
		switch here := at.Index(i); {
		case e.Value.Kind() != kind:
			found = append(found, lexical.Problem{Pointer: here, Reason: "wrong_type", Seen: m.name + " holds " + lexical.Excerpt(e.Value), Want: withArticle(kind)})
		case m.inner != nil:
			found = append(found, m.inner.misfits(e.Value, r, here)...)
		default:
			found = append(found, m.otherWord(e.Value, here)...)
		}
	}
	return found
}

func (m member) otherWord(v jsondoc.Value, at jsondoc.Pointer) []lexical.Problem {
	if text, ok := v.Text(); m.words == nil || ok && slices.Contains(m.words, text) {
		return nil
	}
	return []lexical.Problem{{Pointer: at, Reason: "wrong_value", Seen: m.name + " has " + lexical.Excerpt(v), Want: strings.Join(m.words, " or ")}}
}

func withArticle(k jsondoc.Kind) string {
	if k == jsondoc.Array || k == jsondoc.Object {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// misspellings finds the members that would have the name of one of the type's if upper and lower case or separators did not matter.
func (s shape) misspellings(v jsondoc.Value, at jsondoc.Pointer) []lexical.Problem {
	var found []lexical.Problem
	names := s.foldedNames()
	for _, given := range v.Members() {
		if len(given.Name) > maxSpelling {
			continue
		}
		name, ok := names[folded(given.Name)]
		if !ok || s.has(given.Name) {
			continue
		}
		p := lexical.Problem{Pointer: at.Child(given.Name), Reason: "other_spelling", Seen: "the member is not called " + name, Want: name}
		if v.Get(name).Exists() {
			p.Reason, p.Seen = "second_spelling", "the member stands beside "+name
		}
		found = append(found, p)
	}
	told := map[string]bool{}
	for _, m := range s {
		if told[m.name] || m.inner == nil {
			continue
		}
		told[m.name] = true
		got := v.Get(m.name)
		found = append(found, m.inner.misspellings(got, at.Child(m.name))...)
		for i, e := range got.Elements() {
			found = append(found, m.inner.misspellings(e.Value, at.Child(m.name).Index(i))...)
		}
	}
	return found
}

// maxSpelling is longer than any name of the schema can be in another spelling, in bytes.
const maxSpelling = 40

// foldedNames maps the names of the type's members in folded form to what they are.
func (s shape) foldedNames() map[string]string {
	names := make(map[string]string, len(s))
	for _, m := range s {
		names[folded(m.name)] = m.name
	}
	return names
}

func (s shape) has(name string) bool {
	return slices.ContainsFunc(s, func(m member) bool { return m.name == name })
}

// folded drops what readers of JSON may overlook: case, and the separators of other conventions. A leading underscore tells _meta from a
// member of the server's own.
func folded(name string) string {
	lead := ""
	if strings.HasPrefix(name, "_") {
		lead, name = "_", name[1:]
	}
	return lead + strings.ToLower(separators.Replace(name))
}

var separators = strings.NewReplacer("_", "", "-", "")
