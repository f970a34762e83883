package experimental

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalKeysUnique = rule.Rule{
	ID:       "experimental_keys_unique",
	Title:    "No object names a member twice",
	Group:    rule.Experimental,
	Order:    2,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedAccess},
	Basis:    []spec.Citation{spec.RFC(8259, "4 Objects"), spec.OWASP("MCP03:2025 Tool Poisoning")},
	Why:      "Of two members with one name some parsers take the first and others the last. What a reviewer or a scanner reads may then not be what the model is given.",
	Fix:      "Write each member of an object once. A JSON library does; text that is put together by hand may not.",
	OWASP:    []string{"MCP03:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		places := itemPlaces(o)
		for _, n := range notesOf(o, "duplicate-key") {
			found = append(found, atNote(places, n, "duplicate_key", "the member stands more than once; the last one was read", "one member of that name"))
		}
		return found
	},
}
