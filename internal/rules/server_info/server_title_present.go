package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverTitlePresent = rule.Rule{
	ID:       "server_title_present",
	Title:    "The server has a title",
	Group:    rule.ServerInfo,
	Order:    3,
	Severity: rule.Medium,
	Since:    spec.Rev20250618,
	Needs:    []rule.Need{needIdentity},
	Basis:    []spec.Citation{spec.Advice("a title is optional, and people read it better than an identifier"), spec.MCP(spec.Rev20251125, "Schema › Implementation")},
	Why:      "Hosts show the title to people and fall back to the name, which is often written for programs.",
	Fix:      "Set serverInfo.title to a short name for display.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return missing(o, "title", "ideally a title for display")
	},
	Details: func(o *observe.Observation) map[string]any {
		return detail(o, "title", "server_title")
	},
}
