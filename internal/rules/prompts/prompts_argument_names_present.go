package prompts

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var promptsArgumentNamesPresent = rule.Rule{
	ID:       "prompts_argument_names_present",
	Title:    "Every prompt argument has a name",
	Group:    rule.Prompts,
	Order:    2,
	Severity: rule.Medium,
	Catalog:  "prompts",
	Needs:    []rule.Need{rule.NeedItems(rule.PickPrompts)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › PromptArgument"), spec.MCP(spec.Rev20251125, "Server › Prompts › Prompt")},
	Why:      "An argument is passed under its name. Without one it cannot be filled in, and a client that checks types refuses the whole list.",
	Fix:      "Send arguments as an array of objects and give each a name that can be read.",
	Judge:    unnamedArguments,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"prompts_with_unnamed_arguments": fields.Values(&o.Prompts, unnamedArguments(o), "name")}
	},
}
