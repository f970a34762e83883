package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

var authMetadataHttps = rule.Rule{
	ID:       "auth_metadata_https",
	Title:    "The metadata and its resource use HTTPS",
	Group:    rule.Security,
	Order:    8,
	Severity: rule.Medium,
	Since:    spec.Rev20250618,
	Needs:    documented,
	Basis: []spec.Citation{
		spec.RFC(9728, "1.2 Terminology"), spec.RFC(9728, "3 Obtaining Protected Resource Metadata"),
	},
	Why:   "Whoever can change the document on its way decides where the user's token is asked for and sent.",
	Fix:   "Serve the document over HTTPS and name an https URL as resource.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeAuthMetadata)
		var found []rule.Finding
		if at := p.Text("metadata_url"); !isHTTPS(at) {
			found = append(found, atMetadata(o, "", "metadata_not_https", "the document stands at "+textscan.Visible(clip(textscan.Mask(at))), "an https URL"))
		}
		if resource := p.Text("resource"); !isHTTPS(resource) {
			found = append(found, atMetadata(o, "/resource", "resource_not_https", "resource is "+textscan.Visible(clip(textscan.Mask(resource))), "an https URL"))
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		return probeDetails(o.Probe(observe.ProbeAuthMetadata), "metadata_url", "resource")
	},
}
