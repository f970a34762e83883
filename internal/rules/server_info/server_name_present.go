package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverNamePresent = rule.Rule{
	ID:       "server_name_present",
	Title:    "The server has a name",
	Group:    rule.ServerInfo,
	Order:    1,
	Severity: rule.Critical,
	Needs:    []rule.Need{rule.NeedAccess},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › Implementation"), spec.MCP(spec.Rev20260728, "Basic › _meta")},
	Why:      "The name is how hosts, logs and people tell one server from another. Every revision with a handshake requires it, the stateless one asks for it.",
	Fix:      "Set serverInfo.name to a name that people can read.",
	OWASP:    []string{"MCP09:2025"},
	Judge:    judgeName,
	Details: func(o *observe.Observation) map[string]any {
		return detail(o, "name", "server_name")
	},
}
