package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

var authChallengeReferencesMetadata = rule.Rule{
	ID:       "auth_challenge_references_metadata",
	Title:    "The challenge leads to the metadata",
	Group:    rule.Security,
	Order:    7,
	Severity: rule.Medium,
	Since:    spec.Rev20250618,
	Needs:    []rule.Need{needGate, needReference},
	Basis: []spec.Citation{
		spec.RFC(9728, "5.1 WWW-Authenticate Response"),
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Protected Resource Metadata Discovery Requirements"),
		spec.MCP(spec.Rev20250618, "Basic › Authorization › Authorization Server Location"),
	},
	Why:   "A client takes the address in the challenge before any other. One that leads nowhere ends the search for an authorization server.",
	Fix:   "Put the public https address of the metadata document into a quoted resource_metadata parameter of the challenge.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p, named := o.Probe(observe.ProbeAuthMetadata), ""
		param, ok := metadataParam(o)
		if !ok {
			return []rule.Finding{rule.AtProbe(o.Probe(observe.ProbeUnauthenticated), "no_resource_metadata", "the challenge has no resource_metadata parameter",
				"a resource_metadata parameter, which this revision requires")}
		}
		named = textscan.Visible(clip(textscan.Mask(param.Value)))
		switch {
		case !observe.WebURL(param.Value):
			return []rule.Finding{rule.AtProbe(o.Probe(observe.ProbeUnauthenticated), "not_a_url", "resource_metadata is "+named, "an absolute http or https URL")}
		case p.Has("challenge_metadata_blocked"):
			return []rule.Finding{rule.AtProbe(p, "private_address", "resource_metadata "+named+" leads to an address that is not public", "an address that clients can reach")}
		case !p.Has("challenge_metadata_resource"):
			status, _ := p.Int("challenge_metadata_http_status")
			return []rule.Finding{rule.AtProbe(p, "no_metadata_there", fmt.Sprintf("%s answered with HTTP status %d and no metadata", named, status), "a JSON object with a resource")}
		}
		return nil
	},
	Details: func(o *observe.Observation) map[string]any {
		m := map[string]any{"resource_metadata": nil, "http_status": o.Probe(observe.ProbeAuthMetadata).Facts["challenge_metadata_http_status"]}
		if param, ok := metadataParam(o); ok {
			m["resource_metadata"] = bounded(param.Value)
		}
		return m
	},
}

// needReference wants a parameter to judge, or a revision that requires it: it is one of two ways since 2025-11-25.
func needReference(o *observe.Observation) *rule.Skip {
	answer, p := o.Probe(observe.ProbeUnauthenticated), o.Probe(observe.ProbeAuthMetadata)
	if !challenged(answer) {
		return rule.SkipFor(rule.Insufficient, "the refusal carries no challenge")
	}
	param, ok := metadataParam(o)
	switch {
	case !ok && (answer.Status != 401 || !o.Negotiated.WellFormed() || o.Negotiated >= spec.Rev20251125):
		return rule.SkipFor(rule.NotApplicable, "the challenge names no metadata, which is only required of a 401 before revision 2025-11-25")
	case !ok || !observe.WebURL(param.Value):
		return nil
	case !p.Has("challenge_metadata_url"):
		return rule.SkipFor(rule.Insufficient, "the address in the challenge was not asked")
	case p.Has("challenge_metadata_blocked"):
		return nil
	}
	status, answered := p.Int("challenge_metadata_http_status")
	if !answered {
		return rule.SkipFor(rule.Insufficient, "the address in the challenge did not answer: %s", p.Text("challenge_metadata_error"))
	}
	if status == 408 || status == 429 || status >= 500 {
		return rule.SkipFor(rule.Insufficient, "the address in the challenge answered with HTTP status %d", status)
	}
	return nil
}
