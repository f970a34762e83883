package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsPromptInjectionPhrasing = rule.Rule{
	ID:       "skills_prompt_injection_phrasing",
	Title:    "Skills give the model no orders about its instructions",
	Group:    rule.Security,
	Order:    25,
	Severity: rule.High,
	Needs:    []rule.Need{needSkillText},
	Basis:    []spec.Citation{spec.OWASP("MCP03:2025 Tool Poisoning"), spec.OWASP("MCP06:2025 Intent Flow Subversion"), spec.SkillsExtension("Security Considerations")},
	Why:      "A skill may tell how a task is done. Phrases that override other instructions, hide things from the user or change the model's role do something else.",
	Fix:      "Write the lines as instructions for the task.",
	OWASP:    []string{"MCP03:2025", "MCP06:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		return skillFindings(o, skillInjection, "prompt_injection_phrasing", "instructions for the task")
	},
	Details: func(o *observe.Observation) map[string]any { return skillDetails(o, skillInjection) },
}
