package experimental

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

var experimentalSchemaCompiles = rule.Rule{
	ID:       "experimental_schema_compiles",
	Title:    "Schemas compile as they stand",
	Group:    rule.Experimental,
	Order:    6,
	Severity: rule.Medium,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › JSON Schema Usage").WithSEP(1613),
		{Document: "JSON Schema", Revision: "2020-12", Section: "Core › 8.1.1 The \"$schema\" Keyword", URL: "https://json-schema.org/draft/2020-12/json-schema-core#section-8.1.1"},
		{Document: "JSON Schema", Revision: "2020-12", Section: "Core › 9.1.2 Loading a referenced schema", URL: "https://json-schema.org/draft/2020-12/json-schema-core#section-9.1.2"},
	},
	Why: "A schema may be valid and still not compile: its dialect is unknown to clients, it refers to a document that no careful client fetches, or it only holds under a dialect" +
		" that it does not name. Then arguments and results go unchecked, or the tool is dropped.",
	Fix:   "Name a published dialect of JSON Schema in $schema, or write for 2020-12, and move what is referred to into $defs.",
	OWASP: []string{"MCP04:2025"},
	Judge: uncompiled,
}

// uncompiled finds what keeps a schema from being compiled although the rules about its validity let it pass. What those fail is told
// there.
func uncompiled(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		for _, member := range []string{"inputSchema", "outputSchema"} {
			schema, at := item.Get(member), jsondoc.Pointer("").Child(member)
			if !schema.IsObject() {
				continue
			}
			report := toolschema.Check(schema)
			switch d := toolschema.DialectOf(schema); {
			case report.Unjudged != "" && (d == toolschema.Unknown || d == toolschema.Draft03):
				found = append(found, rule.AtItem("tool", item, at+"/$schema", "unknown_dialect", report.Unjudged, "the identifier of draft-04 to 2020-12"))
			case report.Unjudged != "":
				found = append(found, rule.AtItem("tool", item, at, "not_compiled", report.Unjudged, "one dialect, and nesting that a client can follow"))
			case !report.Valid():
				if p := report.Problems[0]; excused(schema, o.Tools.Revision) {
					found = append(found, rule.AtItem("tool", item, at+p.Pointer, "other_dialect", p.Seen+", and no $schema names a dialect that allows it", p.Want+", or a $schema"))
				}
			}
			for _, p := range report.External {
				found = append(found, rule.AtItem("tool", item, at+p.Pointer, "external_reference", p.Seen, p.Want))
			}
		}
	}
	return found
}

// excused reports whether the rules about validity accept a schema although it is invalid under the default dialect: revisions before
// 2025-11-25 named no default, so there it is enough that any dialect accepts it.
func excused(schema jsondoc.Value, r spec.Revision) bool {
	if r.AtLeast(spec.Rev20251125) || !r.WellFormed() || schema.Get("$schema").Exists() {
		return false
	}
	for _, d := range []toolschema.Dialect{toolschema.Draft07, toolschema.Draft201909, toolschema.Draft06, toolschema.Draft04} {
		if toolschema.CheckUnder(schema, d).Valid() {
			return true
		}
	}
	return false
}
