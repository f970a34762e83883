package capabilities

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var capabilityToolsPresent = rule.Rule{
	ID:       "capability_tools_present",
	Title:    "The tools capability is declared exactly when tools are served",
	Group:    rule.Capabilities,
	Order:    1,
	Severity: rule.Critical,
	Needs:    []rule.Need{tools.need},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Tools › Capabilities"), spec.MCP(spec.Rev20260728, "Server › Tools › Capabilities")},
	Why:      "Clients ask for tools only when the capability is declared, and expect a list when it is. A declaration without a list is a fault that they run into, a list without a declaration stays unseen.",
	Fix:      "Declare the tools capability exactly when tools/list works, and let tools/list answer with an empty list when there is nothing.",
	Judge:    tools.judge,
	Details:  tools.details,
}
