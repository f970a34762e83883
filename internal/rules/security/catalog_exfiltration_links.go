package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var catalogExfiltrationLinks = rule.Rule{
	ID:       "catalog_exfiltration_links",
	Title:    "The catalog holds no links that carry data away",
	Group:    rule.Security,
	Order:    23,
	Severity: rule.High,
	Needs:    []rule.Need{needCatalogText(judgeExfiltrationLinks)},
	Basis:    []spec.Citation{spec.OWASP("MCP03:2025 Tool Poisoning"), spec.OWASP("MCP06:2025 Intent Flow Subversion")},
	Why:      "A picture or link whose address has a slot for data sends that data to its host as soon as a client shows it.",
	Fix:      "Link to fixed pages only, load no pictures with variable addresses, and return data in tool results.",
	OWASP:    []string{"MCP03:2025", "MCP06:2025"},
	Judge:    judgeExfiltrationLinks,
	Details:  func(o *observe.Observation) map[string]any { return catalogDetails(o, exfiltration, false) },
}

func judgeExfiltrationLinks(o *observe.Observation) []rule.Finding {
	return scan(catalogPassages(o), exfiltration, "exfiltration_link", "links with fixed addresses")
}
