package skills

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsGetSupported = rule.Rule{
	ID:       "skills_get_supported",
	Title:    "skills/get answers for every listed skill",
	Group:    rule.Skills,
	Order:    2,
	Severity: rule.Medium,
	Needs: []rule.Need{needEntries(isEntry, "anything"), func(o *observe.Observation) *rule.Skip {
		if len(o.Skills.Gets) == 0 {
			return rule.SkipFor(rule.NotApplicable, "no listed skill has a uri that could be asked for")
		}
		if len(answeredGets(o)) == 0 {
			return rule.SkipFor(rule.Insufficient, "skills/get was not answered%s", because(o.Skills.Gets[0].Error))
		}
		return nil
	}},
	Basis: []spec.Citation{spec.SkillsExtension("Getting a Skill")},
	Why:   "A client that knows a skill's address fetches it alone; when that fails the skill cannot be used.",
	Fix:   "Answer skills/get with {skill}, an entry of the same form as in skills/list, for every skill you serve.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, g := range answeredGets(o) {
			seen := ""
			if g.Error != nil {
				seen = g.Error.Text
			} else if why := completeEntry(g.Skill, g.URI); why != "" && !mirrorsListing(o, g.Skill, g.URI) {
				seen = why
			}
			if seen != "" {
				f := atCall("/skill", g.Step, "skills_get_failed", "skills/get: "+seen, "a complete entry for the uri asked")
				f.Name = g.URI
				found = append(found, f)
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		errors := []any{}
		gets := answeredGets(o)
		for _, g := range gets {
			if g.Error != nil {
				errors = append(errors, g.Error.Plain())
			}
		}
		return map[string]any{"skills_checked": len(gets), "errors": errors}
	},
}

func answeredGets(o *observe.Observation) []observe.SkillGet {
	var list []observe.SkillGet
	for _, g := range o.Skills.Gets {
		if !g.Error.Unobserved() {
			list = append(list, g)
		}
	}
	return list
}

// mirrorsListing reports whether an answer is the entry that the listing has for this URI: its defects are the listing's and count there.
func mirrorsListing(o *observe.Observation, skill jsondoc.Value, uri string) bool {
	for _, item := range o.Skills.Entries {
		if listed, ok := uriOf(item.Value); ok && observe.NormalURI(listed) == observe.NormalURI(uri) && jsondoc.Equal(skill, item.Value) {
			return true
		}
	}
	return false
}
