package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsHiddenUnicode = rule.Rule{
	ID:       "skills_hidden_unicode",
	Title:    "Skills hide no characters",
	Group:    rule.Security,
	Order:    23,
	Severity: rule.High,
	Needs:    []rule.Need{needSkillText},
	Basis:    []spec.Citation{spec.OWASP("MCP03:2025 Tool Poisoning"), spec.OWASP("MCP06:2025 Intent Flow Subversion"), spec.SkillsExtension("Security Considerations")},
	Why:      "A skill is loaded into the model's context as it is; characters that people do not see carry orders past their review.",
	Fix:      "Delete the invisible characters, or type the text again.",
	OWASP:    []string{"MCP03:2025", "MCP06:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		return skillFindings(o, skillHidden, "hidden_unicode", "text that shows all it says")
	},
	Details: func(o *observe.Observation) map[string]any { return skillDetails(o, skillHidden) },
}
