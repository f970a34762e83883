package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var securityTlsEnabled = rule.Rule{
	ID:       "security_tls_enabled",
	Title:    "The endpoint is served over TLS",
	Group:    rule.Security,
	Order:    1,
	Severity: rule.Critical,
	Needs:    []rule.Need{needRemoteHTTP},
	Basis: []spec.Citation{
		spec.Advice("plain HTTP shows every message and every credential to the network"),
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Communication Security"),
		spec.RFC(6750, "5.3 Summary of Recommendations"),
	},
	Why:   "Whoever sits on the path of a plain HTTP connection reads and changes the tools, their results and the tokens that go with them.",
	Fix:   "Serve the endpoint over HTTPS with a certificate that clients trust and TLS 1.2 or newer.",
	OWASP: []string{"MCP01:2025", "MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		switch {
		case !o.TLS.HTTPS:
			return []rule.Finding{serverFinding("not_https", "the endpoint is reached over plain HTTP on a host that is not this machine", "an https URL")}
		case o.TLS.Verified != nil && !*o.TLS.Verified:
			return []rule.Finding{serverFinding("certificate_not_verified", "the certificate could not be verified", "a certificate that clients trust")}
		case outdatedTLS(o):
			return []rule.Finding{serverFinding("outdated_tls", "the connection used "+o.TLS.Version, "TLS 1.2 or newer")}
		}
		return nil
	},
	Details: func(o *observe.Observation) map[string]any {
		m := map[string]any{"url": o.Target.URL}
		switch {
		case !o.TLS.HTTPS:
			m["scheme"] = "http"
		case o.TLS.Version != "":
			m["tls_version"] = o.TLS.Version
		default:
			m["tls_version"] = nil
		}
		return m
	},
}

func outdatedTLS(o *observe.Observation) bool {
	return o.TLS.Version != "" && o.TLS.Version != "TLSv1.2" && o.TLS.Version != "TLSv1.3"
}

// needRemoteHTTP leaves out what no network sees: processes, and plain HTTP on this machine, for which no revision asks TLS.
func needRemoteHTTP(o *observe.Observation) *rule.Skip {
	switch {
	case overStdio(o):
		return rule.SkipFor(rule.NotApplicable, "the server runs over stdio, the rule is about HTTP")
	case o.Target.URL == "":
		return rule.SkipFor(rule.Insufficient, "the server's URL is not known")
	case !o.TLS.HTTPS && o.TLS.Loopback:
		return rule.SkipFor(rule.NotApplicable, "the server is reached over plain HTTP on this machine, where no network listens")
	case o.TLS.HTTPS && o.Target.Insecure:
		return rule.SkipFor(rule.Insufficient, "the verification of certificates was switched off for this audit")
	case o.TLS.HTTPS && o.TLS.Verified == nil:
		return rule.SkipFor(rule.Insufficient, "no TLS connection was seen")
	case o.TLS.HTTPS && o.TLS.Proxied && (!*o.TLS.Verified || o.TLS.PrivateRoot || outdatedTLS(o)):
		return rule.SkipFor(rule.Insufficient, "the connection went through a proxy, which may have put its own certificate in place of the server's")
	}
	return nil
}
