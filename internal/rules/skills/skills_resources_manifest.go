package skills

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsResourcesManifest = rule.Rule{
	ID:       "skills_resources_manifest",
	Title:    "Every skill lists its files",
	Group:    rule.Skills,
	Order:    5,
	Severity: rule.Medium,
	Needs:    []rule.Need{needEntries(isObject, "the form of an object")},
	Basis: []spec.Citation{
		spec.SkillsExtension("Resources"), spec.SkillsExtension("Integrity and Verification"),
	},
	Why:   "A client checks each file it reads against the list; a file that is not on it, or stands there wrongly, must be refused.",
	Fix:   "List every file once with uri, size and sha256 digest, the SKILL.md included, or set resources to \"dynamic\".",
	OWASP: []string{"MCP04:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range judged(o, isObject) {
			for _, p := range manifestProblems(item.Value) {
				found = append(found, at(item, p))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		dynamic := 0
		for _, item := range o.Skills.Entries {
			if isDynamic(item.Value) {
				dynamic++
			}
		}
		return map[string]any{"dynamic_skills": dynamic}
	},
}
