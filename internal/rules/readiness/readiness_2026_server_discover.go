package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026ServerDiscover = rule.Rule{
	ID:       "readiness_2026_server_discover",
	Title:    "server/discover is answered",
	Group:    rule.Readiness,
	Order:    1,
	Severity: rule.Critical,
	Needs:    []rule.Need{rule.NeedProbe(observe.ProbeDiscover)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Server › Discovery").WithSEP(2575),
		spec.MCP(spec.Rev20260728, "Basic › Versioning › Protocol Version Negotiation").WithSEP(2575),
	},
	Why: "Without a handshake this is how a client learns which revisions and capabilities a server has. Clients that get no answer fall back to older revisions, or give up.",
	Fix: "Implement server/discover with supportedVersions and capabilities, beside initialize while older clients matter.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeDiscover)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason, what := "not_answered", seen(p)
		if p.Result.Exists() {
			reason, what = "no_versions", "a result whose supportedVersions is no array"
		}
		return []rule.Finding{rule.AtProbe(p, reason, what+" for server/discover", "a result with an array supportedVersions")}
	},
	Details: func(o *observe.Observation) map[string]any {
		d := facts(o.Probe(observe.ProbeDiscover), "http_status", "error_code", "error_message", "content_type", "supported_versions", "ttl_ms", "cache_scope", "result_type")
		d["sep"], d["target_version"] = "SEP-2575", string(spec.Latest)
		return d
	},
}
