package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026DeprecatedFeatures = rule.Rule{
	ID:       "readiness_2026_deprecated_features",
	Title:    "No deprecated capability is declared",
	Group:    rule.Readiness,
	Order:    9,
	Severity: rule.Medium,
	Needs:    []rule.Need{modernCapabilitiesKnown},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Deprecated").WithSEP(2577),
		spec.MCP(spec.Rev20260728, "Changelog › Deprecated").WithSEP(2577),
	},
	Why: "Logging over the protocol is to be removed, from the first revision after 2027-07-28 at the earliest. What depends on it has to move until then.",
	Fix: "Write logs to stderr or send them by OpenTelemetry, and plan to drop the logging capability.",
	Judge: func(o *observe.Observation) []rule.Finding {
		c := modernCapabilities(o)
		if c.Get("logging").Missing() {
			return nil
		}
		return []rule.Finding{rule.AtField(c, jsondoc.Pointer("/capabilities/logging"), "/logging", "deprecated_capability", "the logging capability is declared", "no logging capability")}
	},
	Details: func(o *observe.Observation) map[string]any {
		declared := []string{}
		if !modernCapabilities(o).Get("logging").Missing() {
			declared = append(declared, "logging")
		}
		return map[string]any{"sep": "SEP-2577", "target_version": string(spec.Latest), "deprecated_features_declared": declared, "earliest_removal": "2027-07-28"}
	},
}

func modernCapabilitiesKnown(o *observe.Observation) *rule.Skip {
	if !modernCapabilities(o).IsObject() {
		return rule.SkipFor(rule.Insufficient, "the server's capabilities are not known")
	}
	return nil
}
