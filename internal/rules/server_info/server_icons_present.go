package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverIconsPresent = rule.Rule{
	ID:       "server_icons_present",
	Title:    "The server has icons that clients can show",
	Group:    rule.ServerInfo,
	Order:    6,
	Severity: rule.Low,
	Since:    spec.Rev20251125,
	Needs:    []rule.Need{needIdentity},
	Basis:    []spec.Citation{spec.Advice("icons are optional, and people find a server faster by one"), spec.MCP(spec.Rev20251125, "Basic › icons").WithSEP(973), spec.MCP(spec.Rev20251125, "Schema › Icon").WithSEP(973)},
	Why:      "Hosts show the icon in lists of servers. Clients must refuse every scheme but https and data, so any other address is as good as none.",
	Fix:      "Declare at least one icon with an https URL or a Base64 data URI of an image, its media type, and sizes such as 48x48 or any.",
	Judge:    judgeIcons,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"icon_count": o.ServerInfo.Get("icons").Len(), "invalid_srcs": refusedSources(o)}
	},
}
