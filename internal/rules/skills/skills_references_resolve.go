package skills

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsReferencesResolve = rule.Rule{
	ID:       "skills_references_resolve",
	Title:    "Links of a skill lead to its files",
	Group:    rule.Skills,
	Order:    10,
	Severity: rule.Low,
	Needs: []rule.Need{needEntries(isEntry, "anything"), func(o *observe.Observation) *rule.Skip {
		if linked, _ := linkedSkills(o); len(linked) == 0 {
			return rule.SkipFor(rule.Insufficient, "no skill has a list of files and a SKILL.md that could be searched for links")
		}
		return nil
	}},
	Basis: []spec.Citation{
		spec.Advice("a file that a skill links to and does not list must be refused by clients"),
		spec.SkillsExtension("Relative References"), spec.AgentSkills("File references"),
	},
	Why: "The model follows the links of a skill; one that leads to no listed file ends in an error in the middle of the task.",
	Fix: "List every file that a SKILL.md links to, and write links relative to the skill's directory.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		linked, _ := linkedSkills(o)
		for _, s := range linked {
			for _, r := range s.references {
				if !resolves(s.root, r.target, s.files) {
					found = append(found, atFile(s.item, s.read, "/SKILL.md", "unresolved_reference", fmt.Sprintf("line %d links to %.120q, which is not listed", r.line+s.above, r.target), "a link to a listed file"))
				}
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		linked, tooLarge := linkedSkills(o)
		n := 0
		for _, s := range linked {
			n += len(s.references)
		}
		return map[string]any{"references_checked": n, "skills_too_large_to_parse": tooLarge}
	},
}

// linkedSkill is a skill whose links can be checked.
type linkedSkill struct {
	item       observe.Item
	read       *observe.SkillFile
	root       string
	files      map[string]bool // in normal form
	references []reference
	above      int // lines of the file above its body
}

// linkedSkills returns the skills that list files and whose SKILL.md was read, and how many were too large to search.
func linkedSkills(o *observe.Observation) (list []linkedSkill, tooLarge int) {
	for _, item := range o.Skills.Entries {
		uri, _ := uriOf(item.Value)
		f, root := readOf(o, item), observe.SkillRoot(uri)
		if f == nil || root == "" || item.Get("resources").Len() == 0 || !hasManifest(item) {
			continue
		}
		header, body, _ := observe.SplitFrontmatter(*f.Text)
		if len(body) > maxMarkdown {
			tooLarge++
			continue
		}
		s := linkedSkill{item: item, read: f, root: root, files: map[string]bool{}, references: relativeReferences(body), above: countLines(header)}
		for _, el := range item.Get("resources").Elements() {
			if file, ok := el.Value.Get("uri").Text(); ok {
				s.files[observe.NormalURI(file)] = true
			}
		}
		list = append(list, s)
	}
	return list, tooLarge
}
