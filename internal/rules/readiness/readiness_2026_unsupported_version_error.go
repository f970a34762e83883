package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var unsupportedVersion = refusal{spec.CodeUnsupportedVersion, 400, "a revision that does not exist"}

var readiness2026UnsupportedVersionError = rule.Rule{
	ID:       "readiness_2026_unsupported_version_error",
	Title:    "An unknown revision is refused with what is supported",
	Group:    rule.Readiness,
	Order:    6,
	Severity: rule.Medium,
	Needs:    detail(observe.ProbeUnknownVersion),
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Basic › Versioning › Protocol Version Negotiation").WithSEP(2575),
		streamable("Protocol Version Header", 2575),
	},
	Why: "This refusal is how a client negotiates: it reads the list and asks again with a revision that both know. Without the list it can only give up.",
	Fix: "Answer error -32022 with data.supported (your revisions) and data.requested (the one asked for), over HTTP with status 400.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeUnknownVersion)
		if !p.HasCode(spec.CodeUnsupportedVersion) {
			return unsupportedVersion.judge(observe.ProbeUnknownVersion)(o)
		}
		var found []rule.Finding
		fail := func(path, reason, seen, want string) {
			f := rule.AtProbe(p, reason, seen, want)
			f.Path, f.Pointer = path, "/error"+path
			found = append(found, f)
		}
		formed, _ := p.Bool("data_well_formed")
		sent := p.Text("version_sent")
		switch {
		case !formed:
			fail("/data", "malformed_data", "error -32022 whose data does not tell what is supported and what was requested",
				"data.supported, at least one string, and data.requested, a string")
		case sent != "" && p.Text("requested") != sent:
			fail("/data/requested", "wrong_requested", "data.requested is "+shown(p.Facts["requested"]), "the revision that was asked for, "+sent)
		}
		if p.Status != 0 && p.Status != 400 {
			fail("", "other_status", seen(p), unsupportedVersion.want(p))
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		d := unsupportedVersion.details(observe.ProbeUnknownVersion, "sep", "SEP-2575", "supported", "requested", "data_well_formed")(o)
		p := o.Probe(observe.ProbeUnknownVersion)
		if formed, _ := p.Bool("data_well_formed"); !formed || p.Status != 0 && p.Status != 400 {
			e := unsupportedVersion.expected(p)
			e["data"] = map[string]any{"supported": "non-empty array of strings", "requested": "string"}
			d["expected"] = e
		}
		return d
	},
}
