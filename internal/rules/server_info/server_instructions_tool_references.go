package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverInstructionsToolReferences = rule.Rule{
	ID:       "server_instructions_tool_references",
	Title:    "Instructions name tools that exist",
	Group:    rule.ServerInfo,
	Order:    8,
	Severity: rule.Low,
	Needs:    []rule.Need{needReferences},
	Basis:    []spec.Citation{spec.Advice("a model that follows the instructions calls the tools they name"), spec.MCP(spec.Rev20251125, "Schema › InitializeResult")},
	Why:      "A model that is told to call a tool which is not listed wastes a turn or invents a call.",
	Fix:      "Use the exact names from tools/list in the instructions, or drop the reference.",
	Judge:    judgeReferences,
	Details: func(o *observe.Observation) map[string]any {
		names := unknownReferences(o)
		return map[string]any{"unknown_tool_references": names[:min(len(names), 20)]}
	},
}
