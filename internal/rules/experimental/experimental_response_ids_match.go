package experimental

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalResponseIdsMatch = rule.Rule{
	ID:       "experimental_response_ids_match",
	Title:    "Answers carry the id of their request",
	Group:    rule.Experimental,
	Order:    12,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedAccess},
	Basis:    []spec.Citation{spec.JSONRPC("5 Response object"), spec.MCP(spec.Rev20251125, "Basic › Messages › Responses")},
	Why:      "A client finds the request that an answer belongs to by its id, type included. A strict one that asked with 4 waits for ever when the answer says \"4\".",
	Fix:      "Copy the id of the request into the answer as it came: a number stays a number, a string a string.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, n := range notesOf(o, "id-type", "other-id") {
			reason := "other_id"
			if n.Kind == "id-type" {
				reason = "other_id_type"
			}
			found = append(found, rule.Finding{Entity: "response", Index: -1, Path: n.Pointer, Step: n.Step, Pointer: n.Pointer, Reason: reason, Seen: n.Detail, Want: "the id that was sent"})
		}
		return found
	},
}
