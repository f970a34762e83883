package capabilities

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var capabilityPromptsListChanged = rule.Rule{
	ID:       "capability_prompts_list_changed",
	Title:    "Changes of the list of prompts are announced",
	Group:    rule.Capabilities,
	Order:    4,
	Severity: rule.Low,
	Needs:    []rule.Need{prompts.needObject},
	Basis:    []spec.Citation{spec.Advice("listChanged is optional, and without it clients learn of changes late or never"), spec.MCP(spec.Rev20251125, "Server › Prompts › Capabilities")},
	Why:      "A client that is told of a change lists prompts again. Without the announcement it works with an old list until the next start.",
	Fix:      "If prompts can change while the server runs, send notifications/prompts/list_changed and declare listChanged true. A list that never changes may leave it out.",
	Judge:    prompts.judgeListChanged,
	Details:  prompts.textDetails,
}
