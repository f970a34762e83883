package capture

import (
	"net/url"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// ResourceMetadataURLs are the places of a protected resource's metadata in the order in which a client tries them: where the challenge
// points, then the well-known place with the endpoint's path inserted, then at the root (MCP 2025-11-25, Basic › Authorization ›
// Protected Resource Metadata Discovery Requirements; RFC 9728 section 3.1).
func ResourceMetadataURLs(endpoint, hint string) []string {
	var urls []string
	if u, err := url.Parse(hint); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil {
		urls = append(urls, hint)
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return urls
	}
	root := u.Scheme + "://" + u.Host + "/.well-known/oauth-protected-resource"
	if path := strings.TrimRight(u.EscapedPath(), "/"); path != "" {
		urls = append(urls, root+path)
	}
	return unique(append(urls, root))
}

// AuthorizationServerURLs are the places of an authorization server's metadata in the order in which a client tries them (MCP 2025-11-25,
// Basic › Authorization › Authorization Server Metadata Discovery; RFC 8414 section 3.1; OpenID Connect Discovery 1.0 section 4).
func AuthorizationServerURLs(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil
	}
	root := u.Scheme + "://" + u.Host
	path := strings.TrimRight(u.EscapedPath(), "/")
	return unique([]string{
		root + "/.well-known/oauth-authorization-server" + path,
		root + "/.well-known/openid-configuration" + path,
		root + path + "/.well-known/openid-configuration",
	})
}

func unique(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// document reads the JSON object of a metadata answer, absent when it is none or the status is not 200.
func document(r wire.Reply) jsondoc.Value {
	if r.Status != 200 || r.Exchange.Response == nil || r.Exchange.Response.Body == nil {
		return jsondoc.Value{}
	}
	v, _, err := jsondoc.Parse(r.Exchange.Response.Body.Bytes)
	if err != nil || !v.IsObject() {
		return jsondoc.Value{}
	}
	return v
}

// sameIssuer compares issuers as RFC 8414 section 3.3 asks, but for one trailing slash, which a rule looks at.
func sameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }
