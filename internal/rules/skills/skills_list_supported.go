package skills

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsListSupported = rule.Rule{
	ID:       "skills_list_supported",
	Title:    "skills/list answers with skills",
	Group:    rule.Skills,
	Order:    1,
	Severity: rule.Medium,
	Needs: []rule.Need{needEvidence, func(o *observe.Observation) *rule.Skip {
		if !o.Skills.Listed && o.Skills.ListError.Unobserved() {
			return rule.SkipFor(rule.Insufficient, "skills/list was not answered%s", because(o.Skills.ListError))
		}
		return nil
	}},
	Basis: []spec.Citation{spec.SkillsExtension("Capability Negotiation"), spec.SkillsExtension("Listing Skills")},
	Why:   "A client that sees the extension declared asks for the list first; without it the skills cannot be found.",
	Fix:   "Answer skills/list with an array of skills, an empty one if there is nothing to list.",
	Judge: func(o *observe.Observation) []rule.Finding {
		s := o.Skills
		if s.Listed && !s.Malformed {
			return nil
		}
		seen := "a page has no array of skills"
		if s.ListError != nil {
			seen = "skills/list was answered with " + s.ListError.Text
		}
		return []rule.Finding{atCall("/skills", s.ListStep, "skills_list_failed", seen, "a result with an array of skills")}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"skills": len(o.Skills.Entries), "error": o.Skills.ListError.Plain(), "incomplete": !o.Skills.Complete}
	},
}
