package skills

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsResourcesCapability = rule.Rule{
	ID:       "skills_resources_capability",
	Title:    "A server with skills declares resources",
	Group:    rule.Skills,
	Order:    3,
	Severity: rule.Medium,
	Needs:    []rule.Need{needEvidence},
	Basis:    []spec.Citation{spec.SkillsExtension("Capability Negotiation")},
	Why:      "Skills are read with resources/read, which a client only sends to a server that declares resources.",
	Fix:      "Declare the resources capability beside the skills extension.",
	Judge: func(o *observe.Observation) []rule.Finding {
		c := o.SkillsCapabilities()
		if !c.Get("resources").Missing() {
			return nil
		}
		return []rule.Finding{rule.AtField(c, "/capabilities/resources", "", "missing_resources_capability", "the capabilities declare skills and no resources", "a resources object")}
	},
}
