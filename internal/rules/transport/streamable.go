// Package transport judges the HTTP transport that a server offers and the envelope rules of Streamable HTTP.
package transport

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// needStreamable wants a server that is not known to use another transport.
func needStreamable(o *observe.Observation) *rule.Skip {
	switch o.Transport {
	case recording.Stdio:
		return rule.SkipFor(rule.NotApplicable, "the server runs over stdio, the rule is about Streamable HTTP")
	case recording.SSE:
		return rule.SkipFor(rule.NotApplicable, "the server uses the HTTP+SSE transport, the rule is about Streamable HTTP")
	}
	return nil
}

// pick copies facts of a probe; those it does not have are nil.
func pick(p observe.Probe, names ...string) map[string]any {
	details := map[string]any{}
	for _, n := range names {
		details[n] = p.Facts[n]
	}
	return details
}

// page is the address of the transports page for the revision that a server is judged under; newest bounds it.
func page(o *observe.Observation, newest spec.Revision, anchor string) string {
	r := o.Negotiated
	if !r.Known() || r > newest {
		r = newest
	}
	name := "transports"
	if r.Stateless() {
		name = "transports/streamable-http"
	}
	return "https://modelcontextprotocol.io/specification/" + string(r) + "/basic/" + name + anchor
}

func httpStatus(p observe.Probe) string {
	if p.Status == 0 {
		return "no HTTP status"
	}
	return fmt.Sprintf("HTTP status %d", p.Status)
}
