package prompts

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var promptsDescriptionPresent = rule.Rule{
	ID:       "prompts_description_present",
	Title:    "Every prompt has a description",
	Group:    rule.Prompts,
	Order:    3,
	Severity: rule.Medium,
	Catalog:  "prompts",
	Needs:    []rule.Need{rule.NeedItems(rule.PickPrompts)},
	Basis:    []spec.Citation{spec.Advice("a description is optional, and a person who must choose needs one"), spec.MCP(spec.Rev20251125, "Server › Prompts › Prompt")},
	Why:      "People pick prompts from a menu. The description tells them what will be sent to the model in their name.",
	Fix:      "Describe in a sentence what each prompt does and when to use it.",
	Judge:    undescribed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"prompts_without_description": fields.Values(&o.Prompts, undescribed(o), "name")}
	},
}
