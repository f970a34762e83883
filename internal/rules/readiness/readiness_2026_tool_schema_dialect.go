package readiness

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

var readiness2026ToolSchemaDialect = rule.Rule{
	ID:       "readiness_2026_tool_schema_dialect",
	Title:    "Tool schemas are valid 2020-12 and stand alone",
	Group:    rule.Readiness,
	Order:    10,
	Severity: rule.Low,
	Catalog:  "tools",
	Needs:    []rule.Need{toolsRead},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Basic › JSON Schema Usage › Schema Validation").WithSEP(2106),
		spec.MCP(spec.Rev20260728, "Basic › JSON Schema Usage › $ref Resolution").WithSEP(2106),
	},
	Why:   "A schema without a dialect is read as JSON Schema 2020-12, and clients must not fetch what it refers to. One that is neither valid nor whole is refused, and its tool with it.",
	Fix:   "Make schemas valid under JSON Schema 2020-12, or name their dialect in $schema, and bring referenced schemas in under $defs.",
	OWASP: []string{"MCP04:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range o.Tools.Items {
			found = append(found, schemaFindings(item)...)
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		offending, indexes := map[string]any{}, map[string]any{}
		for _, item := range o.Tools.Items {
			for _, f := range schemaFindings(item) {
				label := strings.ReplaceAll(f.Reason, "_", " ")
				offending[f.Name] = addNew(offending[f.Name], label)
				indexes[f.Name] = addNew(indexes[f.Name], int64(item.Index))
			}
		}
		return map[string]any{"sep": "SEP-2106", "target_version": string(spec.Latest), "offending_tools": offending, "offending_tool_indexes": indexes}
	},
}

// addNew appends v to a list that does not hold it yet.
func addNew(list any, v any) []any {
	all, _ := list.([]any)
	for _, e := range all {
		if e == v {
			return all
		}
	}
	return append(all, v)
}

func toolsRead(o *observe.Observation) *rule.Skip {
	if !o.Tools.Served {
		return rule.SkipFor(rule.Insufficient, "the tools could not be read")
	}
	return nil
}

// schemaFindings reports, for each schema of a tool, its first reference into the network and what makes it invalid first. Whether
// references lead anywhere is not this rule's business.
func schemaFindings(item observe.Item) []rule.Finding {
	var found []rule.Finding
	for _, field := range []string{"inputSchema", "outputSchema"} {
		schema := item.Get(field)
		if !schema.IsObject() {
			continue
		}
		at := jsondoc.Pointer("").Child(field)
		if p, ok := networkReference(schema); ok {
			found = append(found, rule.AtItem("tool", item, at, "network_reference", p.Seen+" at "+string(at+p.Pointer), "schemas that stand under $defs of the same schema"))
		}
		if !judgedAs202012(schema) {
			continue
		}
		for _, p := range toolschema.CheckUnder(schema, toolschema.Draft202012).Problems {
			if p.Reason == "unresolvable_reference" || p.Reason == "reference_loop" || p.Reason == "duplicate_identifier" {
				continue
			}
			found = append(found, rule.AtItem("tool", item, at+p.Pointer, "invalid_schema", p.Seen, p.Want))
			break
		}
	}
	return found
}

// judgedAs202012 reports whether a schema is read as JSON Schema 2020-12: it names no dialect, this one, or something that is no name.
func judgedAs202012(schema jsondoc.Value) bool {
	return !schema.Get("$schema").IsString() || toolschema.DialectOf(schema) == toolschema.Draft202012
}

// networkReference finds the first $ref that names a web address outside the schema.
func networkReference(schema jsondoc.Value) (toolschema.Problem, bool) {
	dialect := toolschema.DialectOf(schema)
	if dialect == toolschema.Unknown || dialect == toolschema.Draft03 {
		dialect = toolschema.Default
	}
	for _, p := range toolschema.CheckUnder(schema, dialect).External {
		names := p.Pointer.Names()
		target := strings.ToLower(schema.Resolve(p.Pointer).TextOr(""))
		if names[len(names)-1] == "$ref" && (strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")) {
			return p, true
		}
	}
	return toolschema.Problem{}, false
}
