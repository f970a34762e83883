package skills

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsNameValid = rule.Rule{
	ID:       "skills_name_valid",
	Title:    "Names of skills follow the rules for names",
	Group:    rule.Skills,
	Order:    7,
	Severity: rule.Medium,
	Needs:    []rule.Need{needEntries(hasName, "a name")},
	Basis:    []spec.Citation{spec.AgentSkills("name field"), spec.SkillsExtension("Resource Mapping")},
	Why:      "The name is a folder's name and a command's name in clients; other characters break there.",
	Fix:      "Use 1 to 64 lower-case letters and digits, with single hyphens between them.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range judged(o, hasName) {
			name, _ := item.Path("frontmatter", "name").Text()
			if problems := nameProblems(name); len(problems) > 0 {
				found = append(found, at(item, problem{"/frontmatter/name", "invalid_name", fmt.Sprintf("the name is %.80q (%s)", name, strings.Join(problems, ", ")), "lower-case letters, digits and single inner hyphens, at most 64"}))
			}
		}
		return found
	},
}

func hasName(item observe.Item) bool { return item.Path("frontmatter", "name").TextOr("") != "" }
