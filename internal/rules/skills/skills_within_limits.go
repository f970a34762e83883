package skills

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsWithinLimits = rule.Rule{
	ID:       "skills_within_limits",
	Title:    "Skills stay within the limits of the extension",
	Group:    rule.Skills,
	Order:    11,
	Severity: rule.Low,
	Needs:    []rule.Need{needManifest},
	Basis:    []spec.Citation{spec.SkillsExtension("Limits")},
	Why:      "Clients need only support skills of 512 files and 16 MiB; a larger one works here and fails there.",
	Fix:      "Split the skill, or leave files out of it.",
	Judge: func(o *observe.Observation) []rule.Finding {
		const maxFiles, maxBytes = 512, 16 << 20
		var found []rule.Finding
		for _, item := range judged(o, hasManifest) {
			files := item.Get("resources")
			if n := files.Len(); n > maxFiles {
				found = append(found, at(item, problem{"/resources", "too_many_resources", fmt.Sprintf("%d files", n), "at most 512"}))
			}
			if total := listedBytes(files); total > maxBytes {
				found = append(found, at(item, problem{"/resources", "too_large", fmt.Sprintf("%d bytes in all", total), "at most 16777216"}))
			}
		}
		return found
	},
}

// listedBytes adds up the sizes of files with a uri; a size that is none counts nothing, and the sum stops at the largest number.
func listedBytes(files jsondoc.Value) int64 {
	var total int64
	for _, el := range files.Elements() {
		size, ok := entrySize(el.Value)
		if !ok || !el.Value.Get("uri").IsString() {
			continue
		}
		if total += size; total < 0 {
			return 1<<63 - 1
		}
	}
	return total
}
