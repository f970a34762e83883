package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsInputSchemaValid = rule.Rule{
	ID:       "tools_input_schema_valid",
	Title:    "Input schemas are valid",
	Group:    rule.Tools,
	Order:    7,
	Severity: rule.High,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › JSON Schema Usage").WithSEP(1613), spec.MCP(spec.Rev20251125, "Server › Tools › Tool"), {Document: "JSON Schema", Revision: "2020-12", Section: "Core › 4.3 JSON Schema Documents", URL: "https://json-schema.org/draft/2020-12/json-schema-core#section-4.3"}, {Document: "JSON Schema", Revision: "2020-12", Section: "Core › 9.4.1 Guarding Against Infinite Recursion", URL: "https://json-schema.org/draft/2020-12/json-schema-core#section-9.4.1"}},
	Why:      "Clients compile the input schema before they offer a tool, and models are given it as the form to fill in. What does not compile is dropped, or the arguments go unchecked.",
	Fix:      "Give each inputSchema type object at its root and correct what is reported under the dialect that it declares (2020-12 if it declares none).",
	Judge:    invalidInputSchemas,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_with_invalid_input_schema": names(o, invalidInputSchemas(o))}
	},
}
