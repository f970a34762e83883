package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

var authAuthorizationServersHttps = rule.Rule{
	ID:       "auth_authorization_servers_https",
	Title:    "The metadata names authorization servers over HTTPS",
	Group:    rule.Security,
	Order:    6,
	Severity: rule.High,
	Since:    spec.Rev20250618,
	Needs:    documented,
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Authorization Server Location"),
		spec.RFC(8414, "2 Authorization Server Metadata"),
	},
	Why:   "Without an issuer a client has nowhere to get a token; over plain HTTP anybody on the way can hand out the answer.",
	Fix:   "List at least one issuer identifier in authorization_servers, each an https URL.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		list, isList := o.Probe(observe.ProbeAuthMetadata).Facts["authorization_servers"].([]any)
		if !isList || len(list) == 0 {
			return []rule.Finding{atMetadata(o, "/authorization_servers", "no_authorization_servers", "authorization_servers is missing, empty or no array", "an array with at least one issuer")}
		}
		var found []rule.Finding
		for i, entry := range list {
			if len(found) == 20 {
				break
			}
			if s, ok := entry.(string); !ok || !isHTTPS(s) || !observe.WebURL(s) {
				seen := "an entry is no string"
				if ok {
					seen = "an entry is " + textscan.Visible(clip(textscan.Mask(s)))
				}
				found = append(found, atMetadata(o, fmt.Sprintf("/authorization_servers/%d", i), "not_https", seen, "an https URL"))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		list, _ := o.Probe(observe.ProbeAuthMetadata).Facts["authorization_servers"].([]any)
		invalid := []any{}
		for _, entry := range list {
			if s, ok := entry.(string); !ok || !isHTTPS(s) || !observe.WebURL(s) {
				invalid = append(invalid, entry)
			}
		}
		if list == nil {
			list = []any{}
		}
		return map[string]any{"authorization_servers": bounded(list), "invalid": bounded(invalid)}
	},
}
