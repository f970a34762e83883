package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsAnnotationsPresent = rule.Rule{
	ID:       "tools_annotations_present",
	Title:    "Every tool declares how it behaves",
	Group:    rule.Tools,
	Order:    9,
	Severity: rule.Medium,
	Since:    spec.Rev20250326,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.Advice("hints are optional, and without them the worst is assumed"), spec.MCP(spec.Rev20251125, "Schema › ToolAnnotations"), spec.MCP(spec.Rev20251125, "Server › Tools › Tool")},
	Why:      "Clients use these hints to decide which calls a person must approve. Where they are absent, a tool counts as one that writes, deletes and reaches the open world.",
	Fix:      "Declare at least one truthful hint per tool: readOnlyHint, destructiveHint, idempotentHint or openWorldHint.",
	Judge:    unannotated,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_without_annotations": names(o, unannotated(o))}
	},
}
