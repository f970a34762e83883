// Package pagination judges how list methods treat cursors, whether the pages of a listing agree on who may cache them, and whether a
// catalog depends on the connection that asks.
package pagination

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var cursorBasis = []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Utilities › Pagination › Error Handling")}

const cursorWhy = "A cursor that was never issued is a fault of the client's. Answering it with a page hides the fault: a client that resumes from a stale cursor reads the wrong items and never learns of it."

// judgeCursor fails when a made-up cursor was answered with anything but "invalid params".
func judgeCursor(probe, method string) func(*observe.Observation) []rule.Finding {
	return func(o *observe.Observation) []rule.Finding {
		p := o.Probe(probe)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason, seen := "unexpected_response", "an answer that is neither a page nor an error"
		switch {
		case p.Code != nil:
			reason, seen = "other_error", fmt.Sprintf("error %d", *p.Code)
		case p.Text("response_kind") == "error":
			reason, seen = "other_error", "an error whose code is no integer"
		case p.Text("response_kind") == "page":
			reason, seen = "page_returned", "a page"
		}
		f := rule.AtProbe(p, reason, seen+" for a cursor that was never issued", "error -32602 (invalid params)")
		f.Name = method
		return []rule.Finding{f}
	}
}

func cursorDetails(probe string) func(*observe.Observation) map[string]any {
	return func(o *observe.Observation) map[string]any {
		revision := o.Negotiated
		if !revision.Known() {
			revision = spec.Latest
		}
		p := o.Probe(probe)
		details := map[string]any{
			"spec": "https://modelcontextprotocol.io/specification/" + string(revision) + "/server/utilities/pagination#error-handling",
		}
		for _, name := range []string{"response_kind", "error_code", "http_status"} {
			details[name] = p.Facts[name]
		}
		if p.Outcome == observe.Unsupported {
			details["expected"] = map[string]any{"error_code": spec.CodeInvalidParams}
		}
		return details
	}
}
