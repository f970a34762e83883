package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var securityLocalBindLoopback = rule.Rule{
	ID:       "security_local_bind_loopback",
	Title:    "A local server listens on loopback only",
	Group:    rule.Security,
	Order:    16,
	Severity: rule.Medium,
	Since:    spec.Rev20250326,
	Needs:    []rule.Need{rule.NeedHTTP, rule.NeedProbe(observe.ProbeLocalBind)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Transports › Streamable HTTP › Security Warning"),
		spec.MCP(spec.Rev20260728, "Basic › Transports › Streamable HTTP › Security & Endpoint"),
	},
	Why:   "A server that is meant for this machine and listens on every interface is open to everybody on the same network.",
	Fix:   "Bind to 127.0.0.1 or ::1. In a container that has to listen on all interfaces, publish the port on the host's loopback address only.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeLocalBind)
		if p.Outcome == observe.Supported {
			return nil
		}
		serving, _ := p.Int("interfaces_serving")
		return []rule.Finding{rule.AtProbe(p, "listens_on_network", fmt.Sprintf("the server answers under %d other addresses of this machine", serving), "a server that answers on loopback only")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeLocalBind)
		m := probeDetails(p, "port", "interfaces_checked", "interfaces_listening", "interfaces_serving")
		m["spec"] = originSection(o).URL
		if p.Outcome == observe.Unsupported {
			m["expected"] = map[string]any{"interfaces_serving": 0}
		}
		return m
	},
}
