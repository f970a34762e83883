package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsDescriptionsInformative = rule.Rule{
	ID:       "tools_descriptions_informative",
	Title:    "Tool descriptions say something",
	Group:    rule.Tools,
	Order:    24,
	Severity: rule.Low,
	Catalog:  "tools",
	Needs: []rule.Need{rule.NeedItems(rule.PickTools),
		needDescriptions(1, "no tool has a description to read")},
	Basis: []spec.Citation{spec.Advice("a placeholder or the name again tells a model nothing"), spec.MCP(spec.Rev20251125, "Server › Tools › Tool")},
	Why:   "A description that only repeats the name, or was never written, leaves a model to guess like none at all.",
	Fix:   "Replace the placeholder or the echo of the name with what the tool does, returns and is for.",
	Judge: uninformativeDescriptions,
	Details: func(o *observe.Observation) map[string]any {
		list := []map[string]any{}
		for _, f := range uninformativeDescriptions(o) {
			if len(list) == 20 {
				break
			}
			item := o.Tools.Items[f.Index]
			list = append(list, map[string]any{"tool": item.Label(), "reason": uninformative(item)})
		}
		return map[string]any{"uninformative_descriptions": list}
	},
}
