// Package security holds the rules about what a server exposes: transport security, hygiene of errors, defences against DNS rebinding,
// discovery of authorization, and text scans over its catalogs and skills.
package security

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/challenge"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// serverFinding places a finding at the server as a whole.
func serverFinding(reason, seen, want string) rule.Finding {
	return rule.Finding{Entity: "server", Index: -1, Reason: reason, Seen: seen, Want: want}
}

// challenged reports whether a refusal carries a challenge that says anything.
func challenged(p observe.Probe) bool { return strings.TrimSpace(p.Text("www_authenticate")) != "" }

func overStdio(o *observe.Observation) bool {
	return o.Transport == recording.Stdio || !o.OverHTTP() && o.Transport == ""
}

// needGate wants a server that refuses a request without credentials for lack of them: with 401, or with a challenge at another client
// error. A 403 alone may as well come from a filter of addresses or host names; published metadata settles it.
func needGate(o *observe.Observation) *rule.Skip {
	if overStdio(o) {
		return rule.SkipFor(rule.NotApplicable, "the server runs over stdio, where MCP's authorization does not apply")
	}
	if s := rule.NeedProbe(observe.ProbeUnauthenticated)(o); s != nil {
		return s
	}
	p := o.Probe(observe.ProbeUnauthenticated)
	switch {
	case p.Status == 401:
		return nil
	case p.Status == 408 || p.Status == 429 || p.Status >= 500:
		return rule.SkipFor(rule.Insufficient, "HTTP status %d tells nothing about access without credentials", p.Status)
	case p.Status >= 400 && challenged(p):
		return nil
	case p.Status == 402:
		return rule.SkipFor(rule.NotApplicable, "the server asks for payment, not for authorization")
	case p.Status == 403 && o.Probe(observe.ProbeAuthMetadata).Outcome == observe.Supported:
		return nil
	case p.Status == 403:
		return rule.SkipFor(rule.Insufficient, "HTTP status 403 without a challenge does not tell whether credentials would help")
	}
	return rule.SkipFor(rule.NotApplicable, "the server does not refuse requests without credentials (HTTP status %d)", p.Status)
}

// needDocument wants the server's protected resource metadata.
func needDocument(o *observe.Observation) *rule.Skip {
	if s := rule.NeedProbe(observe.ProbeAuthMetadata)(o); s != nil {
		return rule.SkipFor(rule.Insufficient, "%s", s.Text)
	}
	if o.Probe(observe.ProbeAuthMetadata).Outcome != observe.Supported {
		return rule.SkipFor(rule.Insufficient, "the server publishes no protected resource metadata")
	}
	return nil
}

// needAuthServer wants the metadata document of an authorization server.
func needAuthServer(o *observe.Observation) *rule.Skip {
	p := o.Probe(observe.ProbeAuthMetadata)
	if present, _ := p.Bool("auth_server_metadata_present"); present {
		return nil
	}
	if why := p.Text("auth_server_metadata_error"); why != "" {
		return rule.SkipFor(rule.Insufficient, "the authorization server's metadata could not be read: %s", why)
	}
	return rule.SkipFor(rule.Insufficient, "no metadata of an authorization server was found")
}

// documented are the needs of rules about the metadata of the resource, served those about the metadata of the authorization server.
var (
	documented = []rule.Need{needGate, needDocument}
	served     = []rule.Need{needGate, needDocument, needAuthServer}
)

// metadataParam is the place of the metadata that the challenge names.
func metadataParam(o *observe.Observation) (challenge.Param, bool) {
	return challenge.Find(challenge.Parse(o.Probe(observe.ProbeUnauthenticated).Text("www_authenticate")), "resource_metadata")
}

// atMetadata places a finding at the answer that held the metadata, with a pointer into the document.
func atMetadata(o *observe.Observation, path, reason, seen, want string) rule.Finding {
	f := rule.AtProbe(o.Probe(observe.ProbeAuthMetadata), reason, seen, want)
	f.Path = path
	return f
}

// probeDetails copies facts of a probe to details; a missing fact is null.
func probeDetails(p observe.Probe, names ...string) map[string]any {
	m := make(map[string]any, len(names))
	for _, n := range names {
		m[n] = bounded(p.Facts[n])
	}
	return m
}

// bounded keeps what a stranger published from filling a report or from putting a credential into it: at most 20 entries and 255 characters
// of each, nothing nested deeper than the facts of a probe are.
func bounded(v any) any {
	switch v := v.(type) {
	case string:
		return clip(textscan.Mask(v))
	case []string:
		out := make([]string, 0, min(len(v), 20))
		for _, s := range v[:min(len(v), 20)] {
			out = append(out, clip(textscan.Mask(s)))
		}
		return out
	case []any:
		out := make([]any, 0, min(len(v), 20))
		for _, e := range v[:min(len(v), 20)] {
			switch e.(type) {
			case []any, map[string]any:
				e = "…"
			}
			out = append(out, bounded(e))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			if s, ok := e.(string); ok {
				out[name] = bounded(s)
			}
		}
		return out
	}
	return v
}

func clip(s string) string {
	r := []rune(s)
	if len(r) <= 255 {
		return s
	}
	return string(r[:255]) + "…"
}

// isHTTPS reports whether s begins with the https scheme, in any case.
func isHTTPS(s string) bool { return len(s) >= 8 && strings.EqualFold(s[:8], "https://") }
