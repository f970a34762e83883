package experimental

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalTextValid = rule.Rule{
	ID:       "experimental_text_valid",
	Title:    "Messages are well-formed text",
	Group:    rule.Experimental,
	Order:    4,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedAccess},
	Basis:    []spec.Citation{spec.RFC(8259, "7 Strings"), spec.RFC(8259, "8.1 Character Encoding"), spec.MCP(spec.Rev20251125, "Basic › Transports")},
	Why:      "A broken character or a raw control byte makes a strict parser refuse the whole message, and a lenient one change the text without a word.",
	Fix:      "Encode messages as UTF-8 with a JSON library, cut texts at whole characters, and escape control characters inside strings.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		places := itemPlaces(o)
		for _, n := range notesOf(o, "invalid-text", "control-byte") {
			if n.Kind == "control-byte" {
				found = append(found, atNote(places, n, "control_byte", "there is a raw control character inside a string, at "+n.Pointer, "an escape such as \\u0007"))
				continue
			}
			found = append(found, atNote(places, n, "invalid_text", "the text holds bytes that are no UTF-8, or half a surrogate pair", "whole characters"))
		}
		return found
	},
}
