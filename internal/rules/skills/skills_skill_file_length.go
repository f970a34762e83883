package skills

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsSkillFileLength = rule.Rule{
	ID:       "skills_skill_file_length",
	Title:    "A SKILL.md has fewer than 500 lines",
	Group:    rule.Skills,
	Order:    14,
	Severity: rule.Low,
	Needs: []rule.Need{needEntries(isEntry, "anything"), func(o *observe.Observation) *rule.Skip {
		for _, item := range o.Skills.Entries {
			if readOf(o, item) != nil {
				return nil
			}
		}
		return rule.SkipFor(rule.Insufficient, "no SKILL.md was read")
	}},
	Basis: []spec.Citation{spec.AgentSkills("Progressive disclosure")},
	Why:   "The whole SKILL.md goes into the model's context when the skill is used; what is only sometimes needed costs every time.",
	Fix:   "Move detail into further files and link to them.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range o.Skills.Entries {
			f := readOf(o, item)
			if f == nil {
				continue
			}
			if n := countLines(*f.Text); n >= 500 {
				found = append(found, atFile(item, f, "/SKILL.md", "too_long", fmt.Sprintf("%d lines", n), "fewer than 500"))
			}
		}
		return found
	},
}

// countLines counts lines; a line end at the end begins no further one.
func countLines(s string) int {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}
