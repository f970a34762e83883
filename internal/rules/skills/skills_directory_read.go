package skills

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsDirectoryRead = rule.Rule{
	ID:       "skills_directory_read",
	Title:    "Directories of skills can be read as declared",
	Group:    rule.Skills,
	Order:    2,
	Severity: rule.Medium,
	Needs: []rule.Need{rule.NeedSkills, func(o *observe.Observation) *rule.Skip {
		if !o.SkillDirectories() {
			return rule.SkipFor(rule.NotApplicable, "the server does not declare that directories can be read")
		}
		return nil
	}, needEntries(isEntry, "anything"), func(o *observe.Observation) *rule.Skip {
		answered := 0
		for _, d := range o.Skills.Directories {
			if !d.Error.Unobserved() {
				answered++
			}
		}
		if answered < 3 && len(directoryFindings(o)) == 0 {
			return rule.SkipFor(rule.Insufficient, "%d of the 3 directory reads were answered", answered)
		}
		return nil
	}},
	Basis: []spec.Citation{spec.SkillsExtension("Reading Directories"), spec.SkillsExtension("Error Handling")},
	Why:   "Clients walk through a skill's files by its directories; a wrong answer hides files or sends them in circles.",
	Fix:   "Answer with every direct child of a directory, and with error -32602 for what does not exist or is a file.",
	Judge: directoryFindings,
	Details: func(o *observe.Observation) map[string]any {
		reads := []any{}
		for _, d := range o.Skills.Directories {
			reads = append(reads, map[string]any{"uri": d.URI, "kind": d.Kind, "error": d.Error.Plain(), "children": len(d.Children)})
		}
		return map[string]any{"reads": reads}
	},
}

func directoryFindings(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	add := func(d observe.SkillDirectory, reason, seen, want string) {
		f := atCall("/resources/directory/read", d.Step, reason, seen, want)
		f.Name = d.URI
		found = append(found, f)
	}
	for _, d := range o.Skills.Directories {
		if d.Error.Unobserved() {
			continue
		}
		if d.Kind == "skill_root" {
			if reason, seen, want := rootProblem(d); reason != "" {
				add(d, reason, seen, want)
			}
			continue
		}
		if d.Error.HasCode(spec.CodeInvalidParams) {
			continue
		}
		seen := "a result"
		if d.Error != nil {
			seen = d.Error.Text
		}
		if d.Kind == "file" {
			add(d, "file_read_as_directory", "reading the SKILL.md as a directory was answered with "+seen, "error -32602")
		} else {
			add(d, "unknown_directory_not_refused", "reading a directory that does not exist was answered with "+seen, "error -32602")
		}
	}
	return found
}

// rootProblem is the first thing that is wrong with the listing of a skill's directory.
func rootProblem(d observe.SkillDirectory) (reason, seen, want string) {
	switch {
	case d.Error != nil:
		return "directory_read_failed", "reading the skill's directory was answered with " + d.Error.Text, "its direct children"
	case d.Malformed:
		return "malformed_directory_result", "a page has no array of resources, or a cursor that is no string", "an array of resources"
	}
	root := observe.NormalURI(strings.TrimSuffix(d.URI, "/"))
	listed := false
	for _, c := range d.Children {
		uri, ok := c.Get("uri").Text()
		if !ok || !c.Get("name").IsString() {
			return "malformed_directory_child", "a child has no uri or no name", "an object with uri and name"
		}
		normal := observe.NormalURI(uri)
		if !inside(root, normal) || strings.Contains(normal[len(root)+1:], "/") {
			return "not_a_direct_child", "a child is not directly below the directory", "direct children only"
		}
		if normal == root+"/SKILL.md" {
			listed = true
			if c.Get("mimeType").TextOr("") == "inode/directory" {
				return "skill_file_listed_as_directory", "SKILL.md is listed as a directory", "SKILL.md as a file"
			}
		}
	}
	if d.Complete && !listed {
		return "skill_file_not_listed", "SKILL.md is not among the children", "every direct child"
	}
	return "", "", ""
}
