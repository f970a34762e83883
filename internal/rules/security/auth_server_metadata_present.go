package security

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

var authServerMetadataPresent = rule.Rule{
	ID:       "auth_server_metadata_present",
	Title:    "The authorization server publishes its metadata",
	Group:    rule.Security,
	Order:    10,
	Severity: rule.High,
	Since:    spec.Rev20250618,
	Needs:    append(documented[:len(documented):len(documented)], needIssuer),
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Authorization Server Metadata Discovery"),
		spec.RFC(8414, "3.3 Authorization Server Metadata Validation"), spec.RFC(8414, "2 Authorization Server Metadata"),
	},
	Why:   "Clients learn from it where the user signs in and where tokens are issued; its issuer value shows that the answer comes from the right server.",
	Fix:   "Publish RFC 8414 or OpenID Connect metadata whose issuer is exactly the listed one, with authorization_endpoint and token_endpoint.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeAuthMetadata)
		issuer := textscan.Visible(clip(textscan.Mask(p.Text("auth_server_issuer"))))
		present, _ := p.Bool("auth_server_metadata_present")
		complete, _ := p.Bool("auth_server_has_endpoints")
		mismatch, _ := p.Facts["auth_server_issuer_mismatch"].(map[string]any)
		switch {
		case p.Has("auth_server_invalid"):
			return []rule.Finding{atMetadata(o, "/authorization_servers", "not_a_url", "no entry of authorization_servers is an http or https URL", "an https URL")}
		case present && complete:
			return nil
		case present:
			missing := p.Strings("auth_server_missing_endpoints")
			return []rule.Finding{rule.AtProbe(p, "endpoints_missing", "the metadata of "+issuer+" lacks "+strings.Join(missing, " and "), "the endpoints that its grants use")}
		case mismatch != nil:
			other, _ := mismatch["issuer"].(string)
			return []rule.Finding{rule.AtProbe(p, "issuer_mismatch", "the metadata of "+issuer+" names the issuer "+textscan.Visible(clip(textscan.Mask(other))), "the issuer under which it is listed")}
		case p.Has("auth_server_metadata_blocked"):
			return []rule.Finding{rule.AtProbe(p, "private_address", issuer+" leads to an address that is not public", "an address that clients can reach")}
		}
		return []rule.Finding{rule.AtProbe(p, "metadata_missing", issuer+" publishes no metadata where clients look", "RFC 8414 or OpenID Connect metadata")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeAuthMetadata)
		present, _ := p.Bool("auth_server_metadata_present")
		complete, _ := p.Bool("auth_server_has_endpoints")
		return map[string]any{
			"issuer": bounded(p.Facts["auth_server_issuer"]), "present": present, "has_endpoints": complete,
			"issuer_mismatch": bounded(p.Facts["auth_server_issuer_mismatch"]), "declared_issuer": bounded(p.Facts["auth_server_issuer_declared"]),
		}
	},
}

// needIssuer wants an authorization server whose places could be asked. A list whose entries are no URLs is the server's own fault.
func needIssuer(o *observe.Observation) *rule.Skip {
	p := o.Probe(observe.ProbeAuthMetadata)
	present, _ := p.Bool("auth_server_metadata_present")
	switch {
	case p.Has("auth_server_invalid") || present:
		return nil
	case !p.Has("auth_server_issuer"):
		return rule.SkipFor(rule.Insufficient, "the metadata lists no authorization server")
	case p.Text("auth_server_metadata_error") != "":
		return rule.SkipFor(rule.Insufficient, "the authorization server could not be asked: %s", p.Text("auth_server_metadata_error"))
	}
	return nil
}
