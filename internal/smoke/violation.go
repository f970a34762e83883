package smoke

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

// marker is a text and a name that no server expects.
const marker = "hallmark_no_such_value"

// wrong are values of another type, by type.
var wrong = map[string]string{"string": "42", "number": "{}", "integer": "{}", "boolean": "{}", "array": "{}", "object": "[]", "null": "0"}

// Violation makes arguments that an input schema rejects for one reason, the first of these that works: a property of the wrong type, a value that
// an enumeration does not hold, a required property left out, a property that is not allowed. What names the reason in a clause; it is
// empty when the schema rejects nothing that could be found.
func Violation(schema jsondoc.Value) (arguments []byte, what string) {
	v := toolschema.NewValidator(schema)
	if v.Unjudged() != "" {
		return nil, ""
	}
	base, _ := Arguments(schema)
	if base == nil {
		base = []byte("{}")
	}
	valid, _, err := jsondoc.Parse(base)
	if err != nil {
		return nil, ""
	}
	m := maker{lookup: toolschema.NewLookup(schema)}
	all := m.gather(nil, schema)
	declared, needed := names(all)
	refused := func(members []jsondoc.Member) bool {
		made, _, err := jsondoc.Parse(object(members))
		if err != nil {
			return false
		}
		fit := v.Check(made)
		return fit.Judged && !fit.OK
	}
	for _, name := range declared {
		own := m.property(all, name)
		types := typesOf(own)
		if len(types) != 1 || wrong[types[0]] == "" || !slices.ContainsFunc(own, func(s jsondoc.Value) bool { return s.Get("type").Exists() }) {
			continue
		}
		value := jsondoc.MustParse(wrong[types[0]])
		if changed := with(valid, name, value); refused(changed) {
			return object(changed), fmt.Sprintf("%s is %s instead of %s", label(name), lexical.Excerpt(value), article(types[0]))
		}
	}
	for _, name := range declared {
		own := m.property(all, name)
		if !slices.ContainsFunc(own, func(s jsondoc.Value) bool { return s.Get("enum").Exists() || s.Get("const").Exists() }) {
			continue
		}
		for _, text := range []string{quoted(marker), "42", "false", "[]", "{" + quoted(marker) + ":true}"} {
			value := jsondoc.MustParse(text)
			if changed := with(valid, name, value); refused(changed) {
				return object(changed), fmt.Sprintf("%s is %s, which is none of the values that it may have", label(name), lexical.Excerpt(value))
			}
		}
	}
	for _, name := range needed {
		changed := slices.DeleteFunc(slices.Clone(valid.Members()), func(p jsondoc.Member) bool { return p.Name == name })
		if refused(changed) {
			return object(changed), label(name) + ", which is required, is missing"
		}
	}
	extra := marker
	for slices.Contains(declared, extra) {
		extra += "_x"
	}
	if changed := with(valid, extra, jsondoc.MustParse("true")); refused(changed) {
		return object(changed), "there is a property " + label(extra) + ", and no others are allowed"
	}
	return nil, ""
}

// property gathers what applies to a property.
func (m *maker) property(all []jsondoc.Value, name string) []jsondoc.Value {
	var own []jsondoc.Value
	for _, s := range all {
		own = m.gather(own, s.Get("properties").Get(name))
	}
	return own
}

// with returns the members of an object with one set.
func with(object jsondoc.Value, name string, value jsondoc.Value) []jsondoc.Member {
	members := slices.Clone(object.Members())
	for i := range members {
		if members[i].Name == name {
			members[i].Value = value
			return members
		}
	}
	return append(members, jsondoc.Member{Name: name, Value: value})
}

func object(members []jsondoc.Member) []byte {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = quoted(m.Name) + ":" + string(m.Value.Raw())
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

// label quotes a name that a server chose, as much of it as can be read.
func label(name string) string {
	return lexical.Excerpt(jsondoc.MustParse(quoted(name)))
}

func article(typeName string) string {
	if strings.ContainsRune("aio", rune(typeName[0])) {
		return "an " + typeName
	}
	return "a " + typeName
}
