package pagination

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var promptsCatalogConnectionIndependent = rule.Rule{
	ID:         "prompts_catalog_connection_independent",
	Title:      "Every connection sees the same prompts",
	Group:      rule.Pagination,
	Order:      8,
	Severity:   rule.High,
	Since:      spec.Rev20260728,
	ByEvidence: true,
	Needs:      []rule.Need{rule.NeedProbe(observe.ProbePromptsIndependent)},
	Basis:      []spec.Citation{spec.MCP(spec.Rev20260728, "Server › Prompts › Capabilities").WithSEP(2567)},
	Why:        connectionWhy,
	Fix:        "Build the list of prompts from what the request itself presents (its authorization), not from the connection, the process or what was asked before.",
	OWASP:      []string{"MCP03:2025"},
	Judge:      judgeConnections(observe.ProbePromptsIndependent, "prompts"),
	Details:    connectionDetails(observe.ProbePromptsIndependent, "prompts"),
}
