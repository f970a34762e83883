package protocol_version

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var protocolVersionSupportedVersionsIncludeNegotiated = rule.Rule{
	ID:         "protocol_version_supported_versions_include_negotiated",
	Title:      "Discovery lists the revision of the handshake",
	Group:      rule.ProtocolVersion,
	Order:      4,
	Severity:   rule.Low,
	Since:      spec.Rev20260728,
	ByEvidence: true,
	Needs:      []rule.Need{needSession, rule.NeedProbe(observe.ProbeDiscover), needDiscovery},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Server › Discovery › DiscoverResult"),
		spec.MCP(spec.Rev20260728, "Basic › Versioning › Protocol Version Negotiation"),
	},
	Why: "supportedVersions is where a client learns what the server speaks. A revision that works and is not listed will not be used.",
	Fix: "List the revision of the handshake in supportedVersions for as long as the handshake serves it.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeDiscover)
		if slices.Contains(listed(p), string(o.Session)) {
			return nil
		}
		seen := "an empty list"
		if versions := listed(p); len(versions) > 0 {
			seen = "only " + strings.Join(versions[:min(len(versions), 10)], ", ")
		}
		f := rule.AtProbe(p, "revision_not_listed", seen, fmt.Sprintf("%s among the versions, which the handshake settled on", o.Session))
		f.Path, f.Pointer = "/supportedVersions", "/result/supportedVersions"
		return []rule.Finding{f}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"session_protocol_version": string(o.Session), "supported_versions": o.Probe(observe.ProbeDiscover).Facts["supported_versions"]}
	},
}

// listed are the strings among the versions that server/discover returned.
func listed(p observe.Probe) []string {
	all, _ := p.Facts["supported_versions"].([]any)
	var versions []string
	for _, v := range all {
		if s, ok := v.(string); ok {
			versions = append(versions, s)
		}
	}
	return versions
}

func needSession(o *observe.Observation) *rule.Skip {
	if o.Session == "" {
		return rule.SkipFor(rule.NotApplicable, "there was no handshake whose revision could be listed")
	}
	if o.Probe(observe.ProbeDiscover).Outcome == observe.NotTried {
		return rule.SkipFor(rule.NotApplicable, "server/discover was not asked")
	}
	return nil
}

func needDiscovery(o *observe.Observation) *rule.Skip {
	if o.Probe(observe.ProbeDiscover).Outcome == observe.Unsupported {
		return rule.SkipFor(rule.NotApplicable, "the server does not answer server/discover")
	}
	return nil
}
