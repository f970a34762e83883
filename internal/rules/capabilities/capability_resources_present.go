package capabilities

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var capabilityResourcesPresent = rule.Rule{
	ID:       "capability_resources_present",
	Title:    "The resources capability is declared exactly when resources are served",
	Group:    rule.Capabilities,
	Order:    5,
	Severity: rule.Critical,
	Needs:    []rule.Need{resources.need},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Resources › Capabilities"), spec.MCP(spec.Rev20260728, "Server › Resources › Capabilities")},
	Why:      "Clients ask for resources only when the capability is declared, and expect a list when it is. A declaration without a list is a fault that they run into, a list without a declaration stays unseen.",
	Fix:      "Declare the resources capability exactly when resources/list works, and let resources/list answer with an empty list when there is nothing.",
	Judge:    resources.judge,
	Details:  resources.details,
}
