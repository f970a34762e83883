package packaging

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var packageResolves = rule.Rule{
	ID:       "package_resolves",
	Title:    "The package is in its registry",
	Group:    rule.Packaging,
	Order:    1,
	Severity: rule.Critical,
	Needs:    []rule.Need{needLookup},
	Basis:    []spec.Citation{registryEntry("identifier")},
	Why:      "Nobody can install a name that is not registered, and whoever registers it next decides what everyone who follows the instructions will run.",
	Fix:      "Correct the spelling or the registry, or publish the package under this name.",
	OWASP:    []string{"MCP04:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		if o.Package.Outcome != observe.PackageNotFound {
			return nil
		}
		return []rule.Finding{at(o.Package, observe.Field{}, "not_found", fmt.Sprintf("the %s registry knows no package %q", o.Package.Registry, o.Package.Identifier), "a published package")}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"registry": o.Package.Registry, "identifier": o.Package.Identifier, "outcome": o.Package.Outcome}
	},
}
