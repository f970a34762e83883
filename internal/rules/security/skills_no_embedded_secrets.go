package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsNoEmbeddedSecrets = rule.Rule{
	ID:       "skills_no_embedded_secrets",
	Title:    "Skills hold no credentials",
	Group:    rule.Security,
	Order:    24,
	Severity: rule.High,
	Needs:    []rule.Need{needSkillText},
	Basis:    []spec.Citation{spec.OWASP("MCP01:2025 Token Mismanagement & Secret Exposure"), spec.SkillsExtension("Security Considerations")},
	Why:      "Every client that reads the skill gets the credential, and it goes on into logs and to the model's provider.",
	Fix:      "Revoke the credential, take it out of the skill, and read it from the environment instead.",
	OWASP:    []string{"MCP01:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		return skillFindings(o, skillSecrets, "embedded_secret", "no credential, or one that is plainly an example")
	},
	Details: func(o *observe.Observation) map[string]any { return skillDetails(o, skillSecrets) },
}
