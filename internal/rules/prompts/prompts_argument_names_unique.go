package prompts

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var promptsArgumentNamesUnique = rule.Rule{
	ID:       "prompts_argument_names_unique",
	Title:    "Argument names are unique within a prompt",
	Group:    rule.Prompts,
	Order:    1,
	Severity: rule.High,
	Catalog:  "prompts",
	Needs:    []rule.Need{rule.NeedItems(rule.PickPrompts)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › GetPromptRequestParams"), spec.MCP(spec.Rev20251125, "Server › Prompts › Getting a Prompt")},
	Why:      "Arguments are sent as an object with their names as keys, so of two arguments with one name only one can be given.",
	Fix:      "Give every argument of a prompt a name of its own.",
	Judge:    repeatedArguments,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"duplicate_arguments": duplicateArguments(o)}
	},
}
