package tools

import (
	"regexp"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

const headerKeyword = "x-mcp-header"

// annotation is an x-mcp-header in an input schema: it asks clients to repeat an argument in an HTTP header.
type annotation struct {
	item      observe.Item
	schema    jsondoc.Value   // that holds it
	path      jsondoc.Pointer // to that schema within the tool
	dotted    string
	property  string
	reachable bool // by properties alone
}

func (a annotation) header() jsondoc.Value { return a.schema.Get(headerKeyword) }

// annotations lists the annotations of all tools, in document order. Only schemas are looked at: a property or a definition that is
// called x-mcp-header is none, nor is a member of a default.
func annotations(o *observe.Observation) []annotation {
	var list []annotation
	for _, item := range o.Tools.Items {
		schema := item.Get("inputSchema")
		if !toolschema.Mentions(schema, headerKeyword) {
			continue
		}
		toolschema.Walk(schema, toolschema.DialectOf(schema), func(p toolschema.Place) bool {
			if p.Schema.Get(headerKeyword).Exists() {
				list = append(list, annotation{item, p.Schema, "/inputSchema" + p.Pointer(), p.Dotted(), p.Property, p.Chain})
			}
			return true
		})
	}
	return list
}

// describe lists annotations as reports do.
func describe(list []annotation) []map[string]any {
	out := []map[string]any{}
	for _, a := range list {
		out = append(out, map[string]any{
			"tool": a.item.Label(), "header": observe.Plain(a.header()), "path": a.dotted, "type": observe.Plain(a.schema.Get("type")), "reachable": a.reachable,
		})
	}
	return out
}

// filter keeps the annotations of which bad is true.
func filter(list []annotation, bad func(annotation) bool) []annotation {
	var out []annotation
	for _, a := range list {
		if bad(a) {
			out = append(out, a)
		}
	}
	return out
}

func headerFindings(list []annotation, member, reason, want string) []rule.Finding {
	var found []rule.Finding
	for _, a := range list {
		v := a.schema.Get(member)
		seen := member + " is " + lexical.Excerpt(v)
		if !v.Exists() {
			seen = "there is no " + member
		}
		found = append(found, at(a.item, a.path.Child(member), reason, seen, want))
	}
	return found
}

// token is the syntax of a field name (RFC 9110 section 5.6.2).
var token = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+\\z")

func unusableHeaders(o *observe.Observation) []annotation {
	return filter(annotations(o), func(a annotation) bool {
		text, ok := a.header().Text()
		return !ok || !token.MatchString(text)
	})
}

// repeatedHeaders compares within one tool, without regard to the case of ASCII letters. It leaves out what is no string.
func repeatedHeaders(o *observe.Observation) []annotation {
	type key struct {
		tool int
		name string
	}
	keyOf := func(a annotation) key { return key{a.item.Index, strings.Map(toLowerASCII, a.header().TextOr(""))} }
	counts := map[key]int{}
	list := filter(annotations(o), func(a annotation) bool { return a.header().IsString() })
	for _, a := range list {
		counts[keyOf(a)]++
	}
	return filter(list, func(a annotation) bool { return counts[keyOf(a)] > 1 })
}

func toLowerASCII(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func unsupportedHeaders(o *observe.Observation) []annotation {
	return filter(annotations(o), func(a annotation) bool {
		switch a.schema.Get("type").TextOr("") {
		case "string", "integer", "boolean":
			return false
		}
		return true
	})
}

func unreachableHeaders(o *observe.Observation) []annotation {
	return filter(annotations(o), func(a annotation) bool { return !a.reachable })
}

// sensitiveHeader is a mirrored parameter that looks like a credential or like personal data.
type sensitiveHeader struct {
	annotation
	matchedOn, category string
}

func sensitiveHeaders(o *observe.Observation) []sensitiveHeader {
	var list []sensitiveHeader
	for _, a := range annotations(o) {
		if !a.reachable {
			continue
		}
		if on, category := sensitive(a); category != "" {
			list = append(list, sensitiveHeader{a, on, category})
		}
	}
	return list
}

// sensitive looks at the parameter's name, the header's, the title and the description, in this order.
func sensitive(a annotation) (matchedOn, category string) {
	if c := sensitiveName(a.property); c != "" {
		return "parameter", c
	}
	if c := sensitiveName(a.header().TextOr("")); c != "" {
		return "header", c
	}
	for _, member := range []string{"title", "description"} {
		if c := sensitiveProse(a.schema.Get(member).TextOr("")); c != "" {
			return member, c
		}
	}
	return "", ""
}
