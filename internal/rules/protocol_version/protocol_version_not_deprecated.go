package protocol_version

import (
	"slices"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var protocolVersionNotDeprecated = rule.Rule{
	ID:       "protocol_version_not_deprecated",
	Title:    "The revision has not been withdrawn",
	Group:    rule.ProtocolVersion,
	Order:    2,
	Severity: rule.High,
	Needs:    []rule.Need{rule.NeedRevision},
	Basis:    []spec.Citation{{Document: "MCP Versioning", Section: "Revisions", URL: "https://modelcontextprotocol.io/docs/learn/versioning"}},
	Why:      "A withdrawn revision has a reason to be withdrawn, and clients stop speaking it.",
	Fix:      "Move to a revision that still stands.",
	Judge: func(o *observe.Observation) []rule.Finding {
		if o.Negotiated != "" && !slices.Contains(spec.Deprecated(), o.Negotiated) {
			return nil
		}
		return atRevision(o, "deprecated_revision", seenRevision(o), "a revision that is current or final")
	},
	Details: func(o *observe.Observation) map[string]any {
		if o.Negotiated == "" {
			return map[string]any{"protocol_version": nil}
		}
		withdrawn := []string{}
		for _, r := range spec.Deprecated() {
			withdrawn = append(withdrawn, string(r))
		}
		return map[string]any{"version": string(o.Negotiated), "deprecated_versions": withdrawn}
	},
}
