package skills

import (
	"errors"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsFrontmatterMatches = rule.Rule{
	ID:       "skills_frontmatter_matches",
	Title:    "The listed frontmatter is that of the file",
	Group:    rule.Skills,
	Order:    9,
	Severity: rule.High,
	Needs: []rule.Need{needEntries(isEntry, "anything"), func(o *observe.Observation) *rule.Skip {
		if len(comparable(o)) == 0 {
			return rule.SkipFor(rule.Insufficient, "no skill has both a listed frontmatter and a SKILL.md whose frontmatter could be read")
		}
		return nil
	}},
	Basis: []spec.Citation{spec.SkillsExtension("Frontmatter"), spec.SkillsExtension("Frontmatter Verification")},
	Why:   "Users and models choose by what is listed and get what the file says; where the two differ the choice was about something else.",
	Fix:   "Build the listing from the parsed SKILL.md.",
	OWASP: []string{"MCP03:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range comparable(o) {
			f := readOf(o, item)
			front, err := observe.ParseFrontmatter(*f.Text)
			switch {
			case err != nil:
				found = append(found, atFile(item, f, "/SKILL.md", "frontmatter_unparseable", err.Error(), "YAML frontmatter between two lines of three hyphens"))
			case !front.Matches(item.Get("frontmatter")):
				found = append(found, at(item, problem{"/frontmatter", "frontmatter_mismatch", "the frontmatter of the SKILL.md says something else", "the same keys and values"}))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"skills_checked": len(comparable(o))}
	},
}

// comparable are the entries with a frontmatter whose SKILL.md was read. A frontmatter that only our own limits keep from being read is left out.
func comparable(o *observe.Observation) []observe.Item {
	return judged(o, func(item observe.Item) bool {
		f := readOf(o, item)
		if f == nil || !hasFrontmatter(item) {
			return false
		}
		_, err := observe.ParseFrontmatter(*f.Text)
		return !errors.Is(err, observe.ErrFrontmatterLimit)
	})
}
