package security

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

var authProtectedResourceMetadata = rule.Rule{
	ID:       "auth_protected_resource_metadata",
	Title:    "Protected resource metadata is published for this endpoint",
	Group:    rule.Security,
	Order:    5,
	Severity: rule.High,
	Since:    spec.Rev20250618,
	Needs:    []rule.Need{needGate, rule.NeedProbe(observe.ProbeAuthMetadata)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Protected Resource Metadata Discovery Requirements"),
		spec.RFC(9728, "3 Obtaining Protected Resource Metadata"), spec.RFC(9728, "3.3 Protected Resource Metadata Validation"),
	},
	Why:   "The document tells a client which authorization server to ask, and its resource value keeps a token from being sent to the wrong place.",
	Fix:   "Publish the RFC 9728 document without access control, with resource set to the URL of the endpoint.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeAuthMetadata)
		if p.Outcome != observe.Supported {
			return []rule.Finding{rule.AtProbe(p, "metadata_missing", fmt.Sprintf("none of %d places holds protected resource metadata", len(p.Strings("urls_tried"))),
				"a JSON object with a resource at one of them")}
		}
		if resource := p.Text("resource"); !resourceMatches(resource, o) {
			return []rule.Finding{atMetadata(o, "/resource", "resource_mismatch", "resource is "+textscan.Visible(clip(textscan.Mask(resource))), "the URL of the endpoint, "+o.Target.URL)}
		}
		return nil
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeAuthMetadata)
		m := map[string]any{}
		for name, v := range p.Facts {
			m[name] = bounded(v)
		}
		if p.Outcome == observe.Supported {
			m["resource_matches"] = resourceMatches(p.Text("resource"), o)
		}
		return m
	},
}

// resourceMatches compares the resource of the metadata with the endpoint as URLs are compared (RFC 3986 section 6.2.2.1 and 6.2.3; MCP wants
// upper-case schemes and hosts and a trailing slash tolerated). Metadata at the root of the host is about the host (RFC 9728 section 3.3).
func resourceMatches(resource string, o *observe.Observation) bool {
	got, err := url.Parse(resource)
	if err != nil || got.Fragment != "" {
		return false
	}
	want, err := url.Parse(recording.WithoutCredentialParams(o.Target.URL))
	if err != nil {
		return false
	}
	if canonical(got) == canonical(want) {
		return true
	}
	origin := &url.URL{Scheme: want.Scheme, Host: want.Host}
	return o.Probe(observe.ProbeAuthMetadata).Text("discovery") == "root" && canonical(got) == canonical(origin)
}

func canonical(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/") + "?" + u.RawQuery
}
