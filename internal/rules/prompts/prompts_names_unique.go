package prompts

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var promptsNamesUnique = rule.Rule{
	ID:       "prompts_names_unique",
	Title:    "Prompt names are unique",
	Group:    rule.Prompts,
	Order:    5,
	Severity: rule.High,
	Catalog:  "prompts",
	Needs:    []rule.Need{fields.NeedComparable(rule.PickPrompts, "name")},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Prompts › Prompt"), spec.MCP(spec.Rev20251125, "Schema › Prompt")},
	Why:      "A client gets a prompt by its name alone. Of two prompts with one name only one can be reached, and a prompt without a name cannot be.",
	Fix:      "Give every prompt a name of its own, as a string.",
	OWASP:    []string{"MCP03:2025"},
	Judge:    nameFaults,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"duplicate_names": fields.RepeatedTexts(&o.Prompts, "name")}
	},
}
