package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsOutputSchemaRootObject = rule.Rule{
	ID:       "tools_output_schema_root_object",
	Title:    "Output schemas have an object at the root",
	Group:    rule.Tools,
	Order:    17,
	Severity: rule.High,
	Since:    spec.Rev20250618,
	Until:    spec.Rev20251125,
	Needs:    []rule.Need{rule.NeedAccess, needSessionListing, rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › Tool"), spec.MCP(spec.Rev20250618, "Schema › Tool")},
	Why:      "Until revision 2026-07-28 structured results are objects. Clients of those revisions refuse a list of tools that declares anything else.",
	Fix:      "Wrap the structured result in an object and set type to object at the root of the outputSchema.",
	Judge:    otherRoots,
	Details: func(o *observe.Observation) map[string]any {
		roots := map[string]any{}
		for _, f := range otherRoots(o) {
			root := o.Tools.Items[f.Index].Path("outputSchema", "type")
			roots[f.Name] = observe.Plain(root)
			if !root.Exists() {
				roots[f.Name] = "<absent>"
			}
		}
		return map[string]any{"tools_with_non_object_root": roots}
	},
}
