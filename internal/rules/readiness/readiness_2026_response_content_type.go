package readiness

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026ResponseContentType = rule.Rule{
	ID:       "readiness_2026_response_content_type",
	Title:    "Answers are typed as JSON or event streams",
	Group:    rule.Readiness,
	Order:    16,
	Severity: rule.High,
	Needs:    []rule.Need{rule.NeedHTTP, rule.NeedModern},
	Basis:    []spec.Citation{streamable("Sending Messages", 2575), spec.RFC(9110, "8.3 Content-Type")},
	Why:      "Clients decide by the content type whether they read one message or a stream. With another type most of them refuse the answer.",
	Fix:      "Send Content-Type application/json or text/event-stream, and look at what proxies in front of the server make of it.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, p := range supportedGateways(o) {
			value := p.Text("content_type")
			media, _, _ := strings.Cut(value, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "application/json", "text/event-stream":
			case "":
				found = append(found, rule.AtProbe(p, "missing_content_type", "an answer without a content type", "application/json or text/event-stream"))
			default:
				found = append(found, rule.AtProbe(p, "other_content_type", "content type "+shown(value), "application/json or text/event-stream"))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"spec": streamableURL("Sending Messages"), "target_version": string(spec.Latest), "observed": observed(o, "content_type")}
	},
}
