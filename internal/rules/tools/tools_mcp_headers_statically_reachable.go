package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsMcpHeadersStaticallyReachable = rule.Rule{
	ID:       "tools_mcp_headers_statically_reachable",
	Title:    "Mirrored parameters are reached by properties alone",
	Group:    rule.Tools,
	Order:    14,
	Severity: rule.High,
	Since:    spec.Rev20260728,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20260728, "Basic › Transports › Streamable HTTP › Schema Extension").WithSEP(2243), spec.MCP(spec.Rev20260728, "Server › Tools › x-mcp-header").WithSEP(2243)},
	Why:      "A client must find the argument to mirror without evaluating the schema. An annotation in an array, a combination or a definition makes the tool invalid.",
	Fix:      "Put x-mcp-header only on properties of the root, or of such properties, never below items, anyOf, $defs and the like.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return headerFindings(unreachableHeaders(o), headerKeyword, "unreachable_header", "an annotation on a property that properties alone lead to")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"unreachable_headers": describe(unreachableHeaders(o))}
	},
}
