package skills

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsGetUnknownRejected = rule.Rule{
	ID:       "skills_get_unknown_rejected",
	Title:    "skills/get refuses an unknown skill",
	Group:    rule.Skills,
	Order:    2,
	Severity: rule.Medium,
	Needs: []rule.Need{needEvidence, func(o *observe.Observation) *rule.Skip {
		if o.Skills.Unknown == nil {
			return rule.SkipFor(rule.Insufficient, "no unknown skill was asked for")
		}
		if o.Skills.Unknown.Error.Unobserved() {
			return rule.SkipFor(rule.Insufficient, "skills/get of an unknown skill was not answered%s", because(o.Skills.Unknown.Error))
		}
		return nil
	}},
	Basis: []spec.Citation{spec.SkillsExtension("Getting a Skill"), spec.SkillsExtension("Error Handling")},
	Why:   "A client must be able to tell a skill that is gone from one that exists; an invented answer is worse than none.",
	Fix:   "Answer skills/get for a uri that you do not serve with error -32602.",
	Judge: func(o *observe.Observation) []rule.Finding {
		u := o.Skills.Unknown
		if u.Error.HasCode(spec.CodeInvalidParams) {
			return nil
		}
		seen := "a result"
		if u.Error != nil {
			seen = u.Error.Text
		}
		f := atCall("/skills/get", u.Step, "unknown_skill_not_refused", "a made-up skill was answered with "+seen, "error -32602")
		f.Name = u.URI
		return []rule.Finding{f}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"requested_uri": o.Skills.Unknown.URI, "error": o.Skills.Unknown.Error.Plain()}
	},
}
