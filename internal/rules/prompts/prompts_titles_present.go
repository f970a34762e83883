package prompts

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var promptsTitlesPresent = rule.Rule{
	ID:       "prompts_titles_present",
	Title:    "Every prompt has a title",
	Group:    rule.Prompts,
	Order:    6,
	Severity: rule.Low,
	Since:    spec.Rev20250618,
	Catalog:  "prompts",
	Needs:    []rule.Need{rule.NeedItems(rule.PickPrompts)},
	Basis:    []spec.Citation{spec.Advice("a title is optional, and people read it better than an identifier"), spec.MCP(spec.Rev20251125, "Server › Prompts › Prompt")},
	Why:      "Prompts are chosen by people. Clients show them the title and fall back to the name, which is written for programs.",
	Fix:      "Add a short title for display to each prompt.",
	Judge:    untitled,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"prompts_without_title": fields.Values(&o.Prompts, untitled(o), "name")}
	},
}
