package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsMcpHeadersPrimitiveTypes = rule.Rule{
	ID:       "tools_mcp_headers_primitive_types",
	Title:    "Mirrored parameters are of simple types",
	Group:    rule.Tools,
	Order:    13,
	Severity: rule.High,
	Since:    spec.Rev20260728,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20260728, "Server › Tools › x-mcp-header").WithSEP(2243)},
	Why:      "Only strings, integers and booleans have one agreed form as a header. Clients must drop a tool that mirrors anything else.",
	Fix:      "Put x-mcp-header only on parameters whose type is string, integer or boolean.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return headerFindings(unsupportedHeaders(o), "type", "unsupported_header_type", "string, integer or boolean")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"headers_with_invalid_types": describe(unsupportedHeaders(o))}
	},
}
