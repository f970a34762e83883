package prompts

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var promptsArgumentsDocumented = rule.Rule{
	ID:       "prompts_arguments_documented",
	Title:    "Every prompt argument is described",
	Group:    rule.Prompts,
	Order:    4,
	Severity: rule.Low,
	Catalog:  "prompts",
	Needs:    []rule.Need{rule.NeedItems(rule.PickPrompts)},
	Basis:    []spec.Citation{spec.Advice("a description is optional, and whoever fills in the argument needs one"), spec.MCP(spec.Rev20251125, "Schema › PromptArgument")},
	Why:      "Clients build a form from the arguments. Without a description a person has to guess what to enter and in which form.",
	Fix:      "Describe what each argument means and the form it is expected in.",
	Judge:    undocumentedArguments,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"undocumented_arguments": undocumented(o)}
	},
}
