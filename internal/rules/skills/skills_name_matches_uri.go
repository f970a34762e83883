package skills

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsNameMatchesUri = rule.Rule{
	ID:       "skills_name_matches_uri",
	Title:    "A skill's name is the last segment of its path",
	Group:    rule.Skills,
	Order:    6,
	Severity: rule.Medium,
	Needs:    []rule.Need{needEntries(isNamed, "a uri and a name")},
	Basis:    []spec.Citation{spec.SkillsExtension("Resource Mapping")},
	Why:      "Clients find a skill by its address and show it by its name; where the two differ they load something else than they show.",
	Fix:      "Serve each skill at <path>/<name>/SKILL.md.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range judged(o, isNamed) {
			uri, _ := uriOf(item.Value)
			name, _ := item.Path("frontmatter", "name").Text()
			got, ok := observe.SkillPathName(uri)
			switch {
			case observe.SkillRoot(uri) == "":
				found = append(found, at(item, problem{"/uri", "not_skill_md", "the uri does not end in /SKILL.md", "<path>/<name>/SKILL.md"}))
			case !ok || got != name:
				found = append(found, at(item, problem{"/uri", "name_mismatch", fmt.Sprintf("the uri names %q, the frontmatter %q", got, name), "one name in both"}))
			}
		}
		return found
	},
}

func isNamed(item observe.Item) bool {
	return item.Get("uri").IsString() && item.Path("frontmatter", "name").IsString()
}
