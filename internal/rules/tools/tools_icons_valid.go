package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsIconsValid = rule.Rule{
	ID:       "tools_icons_valid",
	Title:    "Tool icons can be shown",
	Group:    rule.Tools,
	Order:    16,
	Severity: rule.Low,
	Since:    spec.Rev20251125,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › Icon").WithSEP(973), spec.MCP(spec.Rev20251125, "Basic › icons").WithSEP(973)},
	Why:      "Clients must refuse icons of other schemes than https and data, and cannot choose among icons whose type or size they cannot read.",
	Fix:      "Give each icon an absolute http or https URL or a Base64 data URI of an image as src, a media type such as image/png if any, and sizes such as 48x48 or any.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return fields.Icons("tool", &o.Tools)
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"invalid_icons": fields.InvalidIcons(&o.Tools, "name")}
	},
}
