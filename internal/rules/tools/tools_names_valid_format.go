package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsNamesValidFormat = rule.Rule{
	ID:       "tools_names_valid_format",
	Title:    "Tool names use the agreed characters",
	Group:    rule.Tools,
	Order:    4,
	Severity: rule.High,
	Since:    spec.Rev20251125,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Tools › Tool Names").WithSEP(986)},
	Why:      "Clients and model interfaces refuse or rewrite names with other characters or of greater length, and then the tool cannot be called under the name it has.",
	Fix:      "Use 1 to 128 characters of A-Z a-z 0-9, underscore, hyphen and dot in every tool name.",
	Judge:    misnamed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_with_invalid_names": len(misnamed(o))}
	},
}
