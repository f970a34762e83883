package capabilities

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var capabilityToolsListChanged = rule.Rule{
	ID:       "capability_tools_list_changed",
	Title:    "Changes of the list of tools are announced",
	Group:    rule.Capabilities,
	Order:    2,
	Severity: rule.Low,
	Needs:    []rule.Need{tools.needObject},
	Basis:    []spec.Citation{spec.Advice("listChanged is optional, and without it clients learn of changes late or never"), spec.MCP(spec.Rev20251125, "Server › Tools › Capabilities")},
	Why:      "A client that is told of a change lists tools again. Without the announcement it works with an old list until the next start.",
	Fix:      "If tools can change while the server runs, send notifications/tools/list_changed and declare listChanged true. A list that never changes may leave it out.",
	Judge:    tools.judgeListChanged,
	Details:  tools.textDetails,
}
