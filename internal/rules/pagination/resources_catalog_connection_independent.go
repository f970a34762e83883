package pagination

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesCatalogConnectionIndependent = rule.Rule{
	ID:         "resources_catalog_connection_independent",
	Title:      "Every connection sees the same resources",
	Group:      rule.Pagination,
	Order:      7,
	Severity:   rule.High,
	Since:      spec.Rev20260728,
	ByEvidence: true,
	Needs:      []rule.Need{rule.NeedProbe(observe.ProbeResourcesIndependent)},
	Basis:      []spec.Citation{spec.MCP(spec.Rev20260728, "Server › Resources › Capabilities").WithSEP(2567)},
	Why:        connectionWhy,
	Fix:        "Build the list of resources from what the request itself presents (its authorization), not from the connection, the process or what was asked before.",
	OWASP:      []string{"MCP03:2025"},
	Judge:      judgeConnections(observe.ProbeResourcesIndependent, "resources"),
	Details:    connectionDetails(observe.ProbeResourcesIndependent, "resources"),
}
