package protocol_version

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var protocolVersionLatest = rule.Rule{
	ID:       "protocol_version_latest",
	Title:    "The newest revision can be reached",
	Group:    rule.ProtocolVersion,
	Order:    3,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedRevision, newestObservable},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Basic › Versioning › Backward Compatibility with Initialization-Based Versions"),
		spec.MCP(spec.Rev20251125, "Basic › Lifecycle › Version Negotiation"),
	},
	Why: "Clients move on to the newest revision and its stateless lifecycle; a server that only knows the handshake is reached by fewer of them every month.",
	Fix: "Answer the stateless lifecycle of the newest revision, beside the handshake for older clients where they matter.",
	Judge: func(o *observe.Observation) []rule.Finding {
		if o.Negotiated.AtLeast(spec.Latest) || o.ModernSupport() {
			return nil
		}
		return atRevision(o, "older_revision", seenRevision(o), fmt.Sprintf("revision %s, negotiated or answered without a handshake", spec.Latest))
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"version": string(o.Negotiated), "latest_version": string(spec.Latest), "modern_lifecycle_support": o.ModernSupport()}
	},
}

// newestObservable wants it to be known whether the server answers the newest revision.
func newestObservable(o *observe.Observation) *rule.Skip {
	if o.Negotiated == "" {
		return rule.SkipFor(rule.Insufficient, "no protocol revision was settled")
	}
	if o.Negotiated.AtLeast(spec.Latest) {
		return nil
	}
	for _, id := range []string{observe.ProbeDiscover, observe.ProbeStatelessList} {
		if p := o.Probe(id); p.Outcome == observe.Supported || p.Outcome == observe.Unsupported {
			return nil
		}
	}
	return rule.SkipFor(rule.Insufficient, "whether the server speaks the stateless lifecycle could not be observed")
}
