package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverVersionPresent = rule.Rule{
	ID:       "server_version_present",
	Title:    "The server has a version",
	Group:    rule.ServerInfo,
	Order:    2,
	Severity: rule.High,
	Needs:    []rule.Need{needIdentity},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › Implementation"), spec.MCP(spec.Rev20250326, "Schema › Implementation")},
	Why:      "Without a version nobody can say which build showed a fault, or whether a fix has arrived.",
	Fix:      "Report the version of the implementation in serverInfo.version, best set by the build.",
	OWASP:    []string{"MCP09:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		return missing(o, "version", "a version that can be read")
	},
	Details: func(o *observe.Observation) map[string]any {
		return detail(o, "version", "server_version")
	},
}
