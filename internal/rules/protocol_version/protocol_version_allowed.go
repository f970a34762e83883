package protocol_version

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var protocolVersionAllowed = rule.Rule{
	ID:       "protocol_version_allowed",
	Title:    "The server speaks a published revision",
	Group:    rule.ProtocolVersion,
	Order:    1,
	Severity: rule.Critical,
	Needs:    []rule.Need{rule.NeedRevision},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Lifecycle › Version Negotiation"),
		spec.MCP(spec.Rev20260728, "Basic › Versioning › Protocol Version Negotiation"),
	},
	Why: "A client can only rely on what a published revision says. With an identifier that nobody published, both sides guess.",
	Fix: "Answer with a published revision that the server really implements.",
	Judge: func(o *observe.Observation) []rule.Finding {
		if o.Negotiated.Known() || offersPublished(o) {
			return nil
		}
		return atRevision(o, "unknown_revision", seenRevision(o), "a published revision")
	},
	Details: func(o *observe.Observation) map[string]any {
		if o.Negotiated == "" {
			return map[string]any{"protocol_version": nil}
		}
		var allowed []string
		for _, r := range spec.Published() {
			allowed = append(allowed, string(r))
		}
		return map[string]any{"version": string(o.Negotiated), "allowed_versions": allowed}
	},
}

// offersPublished reports whether server/discover lists a published revision, which a client can then choose whatever else is listed.
func offersPublished(o *observe.Observation) bool {
	for _, e := range o.Discovered.Get("supportedVersions").Elements() {
		if spec.Revision(e.Value.TextOr("")).Known() {
			return true
		}
	}
	return false
}
