package experimental

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalKeyCase = rule.Rule{
	ID:       "experimental_key_case",
	Title:    "Members are spelled as the schema spells them",
	Group:    rule.Experimental,
	Order:    3,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedAccess},
	Basis:    []spec.Citation{spec.RFC(8259, "4 Objects"), spec.MCP(spec.Rev20251125, "Schema"), spec.OWASP("MCP03:2025 Tool Poisoning")},
	Why:      "Most clients compare names exactly and see no \"Name\"; some ignore case and do. Where both spellings stand side by side, two clients read two different items.",
	Fix:      "Write the names of members exactly as the schema has them, such as inputSchema and mimeType, and each of them once.",
	OWASP:    []string{"MCP03:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, field := range []struct {
			observe.Field
			at jsondoc.Pointer
			shape
		}{
			{o.ServerInfo, "/serverInfo", implementationShape},
			{o.Capabilities, "/capabilities", capabilitiesShape},
			{otherPlace(o.Discovered, o.Capabilities), "", discoverShape},
		} {
			for _, p := range field.misspellings(field.Value, "") {
				found = append(found, rule.AtField(field.Field, field.at+p.Pointer, p.Pointer, p.Reason, p.Seen, p.Want))
			}
		}
		for _, c := range o.Catalogs() {
			for _, item := range c.Items {
				found = append(found, atProblems(entities[c.Name], item, shapes[c.Name].misspellings(item.Value, ""))...)
			}
		}
		return found
	},
}

// otherPlace is the field unless the other one was taken from it: then only its own members are left to look at elsewhere.
func otherPlace(f, taken observe.Field) observe.Field {
	if f.Step == taken.Step {
		return observe.Field{}
	}
	return f
}

func atProblems(entity string, item observe.Item, problems []lexical.Problem) []rule.Finding {
	var found []rule.Finding
	for _, p := range problems {
		found = append(found, rule.AtItem(entity, item, p.Pointer, p.Reason, p.Seen, p.Want))
	}
	return found
}
