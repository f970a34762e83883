package experimental

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalItemsTyped = rule.Rule{
	ID:       "experimental_items_typed",
	Title:    "Every item has the types of the schema",
	Group:    rule.Experimental,
	Order:    5,
	Severity: rule.High,
	Needs:    []rule.Need{needItems},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Schema › Tool"), spec.MCP(spec.Rev20251125, "Schema › Resource"),
		spec.MCP(spec.Rev20251125, "Schema › ResourceTemplate"), spec.MCP(spec.Rev20251125, "Schema › Prompt"),
	},
	Why: "Many clients read a page of a list into typed values. One member of another type, null for an absent one included, makes them drop the whole page: every tool" +
		" beside the faulty one is gone as well. The rules about single fields say what is wrong there; this one says which clients may see nothing.",
	Fix:   "Give each member the JSON type of the schema, leave optional members out instead of sending null, and check the lists against the schema in a test.",
	Judge: illTyped,
	Details: func(o *observe.Observation) map[string]any {
		pages := map[string]bool{}
		items := 0
		last := ""
		for _, f := range illTyped(o) {
			pages[f.Step] = true
			if place := f.Step + " " + f.Entity + " " + jsondocIndex(f.Index); place != last {
				items, last = items+1, place
			}
		}
		return map[string]any{"ill_typed_items": items, "pages_at_risk": len(pages)}
	},
}

func jsondocIndex(i int) string { return string(jsondoc.Pointer("").Index(i)) }

func illTyped(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, c := range o.Catalogs() {
		for _, item := range c.Items {
			if !item.IsObject() {
				found = append(found, rule.AtItem(entities[c.Name], item, "", "wrong_type", "the item is "+lexical.Excerpt(item.Value), "an object"))
				continue
			}
			found = append(found, atProblems(entities[c.Name], item, shapes[c.Name].misfits(item.Value, c.Revision, ""))...)
		}
	}
	return found
}
