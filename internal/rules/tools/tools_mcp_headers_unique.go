package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsMcpHeadersUnique = rule.Rule{
	ID:       "tools_mcp_headers_unique",
	Title:    "Mirrored parameters have header names of their own",
	Group:    rule.Tools,
	Order:    12,
	Severity: rule.High,
	Since:    spec.Rev20260728,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20260728, "Server › Tools › x-mcp-header").WithSEP(2243)},
	Why:      "Two parameters that are mirrored into one header overwrite each other, so clients must drop the tool.",
	Fix:      "Give each mirrored parameter of a tool its own header name; upper and lower case are the same.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return headerFindings(repeatedHeaders(o), headerKeyword, "duplicate_header_name", "a name that no other parameter of the tool has")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"duplicate_headers": describe(repeatedHeaders(o))}
	},
}
