// Package toolschema reads the JSON Schemas that a server publishes with its tools: whether a schema is valid under its own dialect,
// where its subschemas are, and whether its defaults fit. It fetches nothing, and its work is bounded by the size of the schema, whatever
// the schema says. Which dialects MCP allows is the rules' business.
package toolschema

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Dialect is a version of JSON Schema. The zero Dialect is one that this package does not know. Later dialects compare greater.
type Dialect int

// The dialects. Draft03 can be walked, but not checked.
const (
	Unknown     Dialect = 0
	Draft03     Dialect = 3
	Draft04     Dialect = 4
	Draft06     Dialect = 6
	Draft07     Dialect = 7
	Draft201909 Dialect = 2019
	Draft202012 Dialect = 2020
)

// Default is the dialect of a schema without $schema (MCP 2025-11-25, Basic › JSON Schema Usage).
const Default = Draft202012

// identifiers are the values of $schema, without scheme and trailing "#".
var identifiers = map[string]Dialect{
	"json-schema.org/schema":               Default, // "the current version", as it was written before there were dated dialects
	"json-schema.org/draft/2020-12/schema": Draft202012,
	"json-schema.org/draft/2019-09/schema": Draft201909,
	"json-schema.org/draft-07/schema":      Draft07,
	"json-schema.org/draft-06/schema":      Draft06,
	"json-schema.org/draft-04/schema":      Draft04,
	"json-schema.org/draft-03/schema":      Draft03,
}

// String returns the dialect's own identifier, "unknown" for Unknown.
func (d Dialect) String() string {
	switch d {
	case Draft202012:
		return "https://json-schema.org/draft/2020-12/schema"
	case Draft201909:
		return "https://json-schema.org/draft/2019-09/schema"
	case Draft07:
		return "http://json-schema.org/draft-07/schema#"
	case Draft06:
		return "http://json-schema.org/draft-06/schema#"
	case Draft04:
		return "http://json-schema.org/draft-04/schema#"
	case Draft03:
		return "http://json-schema.org/draft-03/schema#"
	}
	return "unknown"
}

// refHidesSiblings reports whether everything beside a $ref is ignored (drafts 3 to 7).
func (d Dialect) refHidesSiblings() bool { return d <= Draft07 }

// DialectOf returns the dialect that a schema declares, [Default] when it declares none and Unknown when it names one that is not known
// or its $schema is no string. The scheme may be http or https and a trailing "#" does not matter.
func DialectOf(schema jsondoc.Value) Dialect {
	declared := schema.Get("$schema")
	if !declared.Exists() {
		return Default
	}
	text, ok := declared.Text()
	if !ok {
		return Unknown
	}
	return dialectNamed(text)
}

func dialectNamed(identifier string) Dialect {
	name := strings.TrimRight(identifier, "#")
	if rest, ok := strings.CutPrefix(name, "https://"); ok {
		return identifiers[rest]
	}
	rest, ok := strings.CutPrefix(name, "http://")
	if !ok {
		return Unknown
	}
	return identifiers[rest]
}
