// Package protocol_version judges which revision a server settled on and whether the newest one can be reached.
package protocol_version

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// atRevision places a finding where the server named its revision: in the handshake, or in what server/discover offers.
func atRevision(o *observe.Observation, reason, seen, want string) []rule.Finding {
	f := rule.Finding{Entity: "server", Index: -1, Path: "/protocolVersion", Step: "session/initialize", Pointer: "/result/protocolVersion",
		Reason: reason, Seen: seen, Want: want}
	if o.Session == "" {
		f.Path, f.Step, f.Pointer = "/supportedVersions", "probe/discover", "/result/supportedVersions"
	}
	return []rule.Finding{f}
}

func seenRevision(o *observe.Observation) string {
	if o.Negotiated == "" {
		return "no revision was named"
	}
	return "revision " + string(o.Negotiated)
}
