package skills

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsOpenaiImportLimits = rule.Rule{
	ID:       "skills_openai_import_limits",
	Title:    "Skills are small enough for OpenAI's import (optional)",
	Group:    rule.Skills,
	Order:    12,
	Severity: rule.Low,
	Needs:    []rule.Need{needManifest},
	Basis:    []spec.Citation{spec.Advice("limits that OpenAI gives for importing skills from an MCP server; no specification asks for them")},
	Why:      "One widely used client imports skills only up to these sizes.",
	Fix:      "To be importable there, keep a skill within 100 files, 256 KiB of SKILL.md, 1 MiB for each other file and 5 MiB in all.",
	Judge: func(o *observe.Observation) []rule.Finding {
		const maxFiles, maxSkill, maxFile, maxTotal = 100, 256 << 10, 1 << 20, 5 << 20
		var found []rule.Finding
		for _, item := range judged(o, hasManifest) {
			files := item.Get("resources")
			uri, hasURI := uriOf(item.Value)
			var skill, largest int64
			for _, el := range files.Elements() {
				size, ok := entrySize(el.Value)
				file, isFile := el.Value.Get("uri").Text()
				switch {
				case !ok || !isFile:
				case hasURI && observe.NormalURI(file) == observe.NormalURI(uri):
					skill = max(skill, size)
				default:
					largest = max(largest, size)
				}
			}
			if n := files.Len(); n > maxFiles {
				found = append(found, at(item, problem{"/resources", "too_many_files", fmt.Sprintf("%d files", n), "at most 100"}))
			}
			if skill > maxSkill {
				found = append(found, at(item, problem{"/SKILL.md", "skill_file_too_large", fmt.Sprintf("the SKILL.md has %d bytes", skill), "at most 262144"}))
			}
			if largest > maxFile {
				found = append(found, at(item, problem{"/resources", "file_too_large", fmt.Sprintf("a file has %d bytes", largest), "at most 1048576"}))
			}
			if total := listedBytes(files); total > maxTotal {
				found = append(found, at(item, problem{"/resources", "skill_too_large", fmt.Sprintf("%d bytes in all", total), "at most 5242880"}))
			}
		}
		return found
	},
}
