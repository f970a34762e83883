package skills

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsAllowedToolsValid = rule.Rule{
	ID:       "skills_allowed_tools_valid",
	Title:    "allowed-tools is a string",
	Group:    rule.Skills,
	Order:    15,
	Severity: rule.Low,
	Needs: []rule.Need{func(o *observe.Observation) *rule.Skip {
		s := needEntries(setsAllowedTools, "allowed-tools")(o)
		if s != nil && s.Reason == rule.Insufficient && o.Skills != nil && len(judged(o, hasFrontmatter)) > 0 {
			return rule.SkipFor(rule.NotApplicable, "no listed skill sets allowed-tools")
		}
		return s
	}},
	Basis: []spec.Citation{spec.AgentSkills("allowed-tools field")},
	Why:   "Clients that honour the field read one string; anything else is ignored, and the user is asked for every tool.",
	Fix:   "Write allowed-tools as one string with blanks between the tools.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range judged(o, setsAllowedTools) {
			if strings.TrimSpace(item.Path("frontmatter", "allowed-tools").TextOr("")) == "" {
				found = append(found, at(item, problem{"/frontmatter/allowed-tools", "not_a_string", "allowed-tools is no string or blank", "one string with blanks between the tools"}))
			}
		}
		return found
	},
}

func setsAllowedTools(item observe.Item) bool {
	return item.Path("frontmatter", "allowed-tools").Exists()
}
