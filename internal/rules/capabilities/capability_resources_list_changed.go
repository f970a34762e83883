package capabilities

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var capabilityResourcesListChanged = rule.Rule{
	ID:       "capability_resources_list_changed",
	Title:    "Changes of the list of resources are announced",
	Group:    rule.Capabilities,
	Order:    6,
	Severity: rule.Low,
	Needs:    []rule.Need{resources.needObject},
	Basis:    []spec.Citation{spec.Advice("listChanged is optional, and without it clients learn of changes late or never"), spec.MCP(spec.Rev20251125, "Server › Resources › Capabilities")},
	Why:      "A client that is told of a change lists resources again. Without the announcement it works with an old list until the next start.",
	Fix:      "If resources can change while the server runs, send notifications/resources/list_changed and declare listChanged true. A list that never changes may leave it out.",
	Judge:    resources.judgeListChanged,
	Details:  resources.textDetails,
}
