package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsOutputSchemaValid = rule.Rule{
	ID:       "tools_output_schema_valid",
	Title:    "Output schemas are valid",
	Group:    rule.Tools,
	Order:    8,
	Severity: rule.High,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › JSON Schema Usage").WithSEP(1613), spec.MCP(spec.Rev20251125, "Server › Tools › Output Schema"), {Document: "JSON Schema", Revision: "2020-12", Section: "Core › 4.3 JSON Schema Documents", URL: "https://json-schema.org/draft/2020-12/json-schema-core#section-4.3"}},
	Why:      "Clients validate structured results against the output schema. One that does not compile makes every result fail, or go unchecked.",
	Fix:      "Correct what is reported under the dialect that the outputSchema declares (2020-12 if it declares none).",
	Judge:    invalidOutputSchemas,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_with_invalid_output_schema": names(o, invalidOutputSchemas(o))}
	},
}
