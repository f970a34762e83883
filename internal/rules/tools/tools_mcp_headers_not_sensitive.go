package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsMcpHeadersNotSensitive = rule.Rule{
	ID:       "tools_mcp_headers_not_sensitive",
	Title:    "No sensitive parameter is mirrored into a header",
	Group:    rule.Tools,
	Order:    15,
	Severity: rule.High,
	Since:    spec.Rev20260728,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20260728, "Server › Tools › x-mcp-header").WithSEP(2243)},
	Why:      "Proxies, load balancers and logs see headers. A password, a key or personal data does not belong there.",
	Fix:      "Take x-mcp-header off parameters that hold credentials or personal data; rename a parameter that only sounds like one.",
	OWASP:    []string{"MCP01:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, s := range sensitiveHeaders(o) {
			found = append(found, at(s.item, s.path.Child(headerKeyword), "potentially_sensitive_header",
				"the "+s.matchedOn+" names what looks like "+s.category, "no credential and no personal data in a header"))
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		list := []map[string]any{}
		for _, s := range sensitiveHeaders(o) {
			list = append(list, map[string]any{
				"tool": s.item.Label(), "path": s.dotted, "header": s.header().TextOr(string(s.header().Raw())),
				"matched_on": s.matchedOn, "sensitive_category": s.category,
			})
		}
		return map[string]any{"sensitive_headers": list}
	},
}
