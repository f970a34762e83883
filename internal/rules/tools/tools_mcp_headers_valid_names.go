package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsMcpHeadersValidNames = rule.Rule{
	ID:       "tools_mcp_headers_valid_names",
	Title:    "Mirrored parameters have usable header names",
	Group:    rule.Tools,
	Order:    11,
	Severity: rule.High,
	Since:    spec.Rev20260728,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20260728, "Server › Tools › x-mcp-header").WithSEP(2243)},
	Why:      "Clients must drop a tool whose x-mcp-header is no name of a header field. Control characters in it would even let a server inject headers into the requests of its clients.",
	Fix:      "Use a name of letters, digits and hyphens as x-mcp-header.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return headerFindings(unusableHeaders(o), headerKeyword, "invalid_header_name", "a field name of RFC 9110, such as Region")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"invalid_headers": describe(unusableHeaders(o))}
	},
}
