package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverInstructionsPresent = rule.Rule{
	ID:       "server_instructions_present",
	Title:    "The server gives instructions",
	Group:    rule.ServerInfo,
	Order:    4,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedAccess},
	Basis:    []spec.Citation{spec.Advice("instructions are optional, and a model uses a server better with them"), spec.MCP(spec.Rev20251125, "Schema › InitializeResult")},
	Why:      "Hosts may give the instructions to the model. They are the one place to say what no single tool description can: the order of calls, limits, what the server is not for.",
	Fix:      "Write a few sentences of instructions: when to use the server, in which order to call, what its limits are.",
	Judge:    judgeInstructions,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"has_instructions": judgeInstructions(o) == nil}
	},
}
