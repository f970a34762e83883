package experimental

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalMetadataHostFixed = rule.Rule{
	ID:       "experimental_metadata_host_fixed",
	Title:    "A caller cannot choose the host in the metadata",
	Group:    rule.Experimental,
	Order:    15,
	Severity: rule.High,
	Needs:    []rule.Need{rule.NeedHTTP, needOwnMetadata},
	Basis: []spec.Citation{
		spec.Advice("whoever chooses the host in metadata that others read chooses where they sign in"),
		spec.RFC(9728, "3.3 Protected Resource Metadata Validation"),
		spec.OWASP("MCP07:2025 Insufficient Authentication & Authorization"),
	},
	Why:   "Clients learn from this metadata where to sign in. If a header of the request decides what it says, one poisoned cache sends every later client to a stranger's authorization server.",
	Fix:   "Take host names in metadata and challenges from your own configuration, and heed X-Forwarded-Host only from your own proxy and from a list of your own names.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeForwardedHost)
		if p.Outcome != observe.Unsupported {
			return nil
		}
		seen := fmt.Sprintf("with X-Forwarded-Host: %s the metadata names that host; its resource was %s and became %s", observe.ForeignHost, p.Text("resource"), p.Text("forwarded_resource"))
		return []rule.Finding{rule.AtProbe(p, "forwarded_host_used", seen, "the same metadata as without the header")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeForwardedHost)
		return map[string]any{"metadata_url": p.Facts["metadata_url"], "resource": p.Facts["resource"], "forwarded_resource": p.Facts["forwarded_resource"]}
	},
}

// needOwnMetadata wants metadata on the server's own origin to have been asked for twice.
func needOwnMetadata(o *observe.Observation) *rule.Skip {
	if o.Probe(observe.ProbeForwardedHost).Outcome == observe.NotTried {
		return rule.SkipFor(rule.NotApplicable, "no metadata of the resource was found on the server's own origin")
	}
	return rule.NeedProbe(observe.ProbeForwardedHost)(o)
}
