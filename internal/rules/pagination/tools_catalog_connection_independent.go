package pagination

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsCatalogConnectionIndependent = rule.Rule{
	ID:         "tools_catalog_connection_independent",
	Title:      "Every connection sees the same tools",
	Group:      rule.Pagination,
	Order:      6,
	Severity:   rule.High,
	Since:      spec.Rev20260728,
	ByEvidence: true,
	Needs:      []rule.Need{rule.NeedProbe(observe.ProbeToolsIndependent)},
	Basis:      []spec.Citation{spec.MCP(spec.Rev20260728, "Server › Tools › Capabilities").WithSEP(2567)},
	Why:        connectionWhy,
	Fix:        "Build the list of tools from what the request itself presents (its authorization), not from the connection, the process or what was asked before.",
	OWASP:      []string{"MCP03:2025"},
	Judge:      judgeConnections(observe.ProbeToolsIndependent, "tools"),
	Details:    connectionDetails(observe.ProbeToolsIndependent, "tools"),
}
