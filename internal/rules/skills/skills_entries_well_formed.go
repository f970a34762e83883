package skills

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsEntriesWellFormed = rule.Rule{
	ID:       "skills_entries_well_formed",
	Title:    "Every skill has a uri, a name and a description",
	Group:    rule.Skills,
	Order:    4,
	Severity: rule.Medium,
	Needs:    []rule.Need{needEntries(isEntry, "anything")},
	Basis: []spec.Citation{
		spec.SkillsExtension("Skill Entries"), spec.SkillsExtension("Frontmatter"), spec.AgentSkills("Frontmatter"),
	},
	Why: "A model decides by name and description whether a skill fits; without them, or without an address, it is never used.",
	Fix: "Give every entry a uri and the frontmatter of its SKILL.md with name and a description of at most 1024 characters.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range o.Skills.Entries {
			for _, p := range entryProblems(item) {
				found = append(found, at(item, p))
			}
		}
		return found
	},
}

func entryProblems(item observe.Item) []problem {
	if !item.IsObject() {
		return []problem{{"", "not_an_object", "the entry is no object", "an object with uri and frontmatter"}}
	}
	var found []problem
	if uri, ok := uriOf(item.Value); !ok || uri == "" {
		found = append(found, problem{"/uri", "missing_uri", "uri is missing, empty or no string", "the address of the SKILL.md"})
	}
	front := item.Get("frontmatter")
	if !front.IsObject() {
		return append(found, problem{"/frontmatter", "missing_frontmatter", "frontmatter is missing or no object", "the frontmatter of the SKILL.md"})
	}
	if name, ok := front.Get("name").Text(); !ok || name == "" {
		found = append(found, problem{"/frontmatter/name", "missing_name", "name is missing, empty or no string", "the skill's name"})
	}
	if !validDescription(front.Get("description")) {
		found = append(found, problem{"/frontmatter/description", "invalid_description", "description is missing, empty, no string or longer than 1024 characters", "1 to 1024 characters"})
	}
	return found
}
