package experimental

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalVersionNegotiated = rule.Rule{
	ID:       "experimental_version_negotiated",
	Title:    "An unknown revision is met with an offer",
	Group:    rule.Experimental,
	Order:    13,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedAccess, needHandshake},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › Lifecycle › Version Negotiation")},
	Why:      "A client asks for the newest revision it knows. A server that refuses the handshake instead of naming one of its own is lost to every client that is newer than it.",
	Fix:      "Answer initialize with the newest revision that the server speaks whenever the one asked for is not among them; the client decides whether to go on.",
	Judge: func(o *observe.Observation) []rule.Finding {
		if o.Refused == "" {
			return nil
		}
		return []rule.Finding{{Entity: "server", Index: -1, Step: "session/initialize-refused", Reason: "handshake_refused",
			Seen: fmt.Sprintf("initialize was refused for revision %s and accepted for %s", o.Refused, o.Offered), Want: "an answer that names a revision of the server's own"}}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"refused": string(o.Refused), "accepted": string(o.Session)}
	},
}

// needHandshake wants the stateful lifecycle, where revisions are negotiated.
func needHandshake(o *observe.Observation) *rule.Skip {
	if o.Session == "" {
		return rule.SkipFor(rule.NotApplicable, "the server has no handshake")
	}
	return nil
}
