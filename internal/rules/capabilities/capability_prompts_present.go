package capabilities

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var capabilityPromptsPresent = rule.Rule{
	ID:       "capability_prompts_present",
	Title:    "The prompts capability is declared exactly when prompts are served",
	Group:    rule.Capabilities,
	Order:    3,
	Severity: rule.Critical,
	Needs:    []rule.Need{prompts.need},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Prompts › Capabilities"), spec.MCP(spec.Rev20260728, "Server › Prompts › Capabilities")},
	Why:      "Clients ask for prompts only when the capability is declared, and expect a list when it is. A declaration without a list is a fault that they run into, a list without a declaration stays unseen.",
	Fix:      "Declare the prompts capability exactly when prompts/list works, and let prompts/list answer with an empty list when there is nothing.",
	Judge:    prompts.judge,
	Details:  prompts.details,
}
