package packaging

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var packageVersionResolves = rule.Rule{
	ID:       "package_version_resolves",
	Title:    "The version that is asked for exists",
	Group:    rule.Packaging,
	Order:    2,
	Severity: rule.High,
	Needs:    []rule.Need{needPackage},
	Basis:    []spec.Citation{registryEntry("version"), npmDocs("npm install › tags and version ranges"), pypa("version-specifiers", "Version specifiers")},
	Why:      "Instructions and configurations that name a version which was never published, or is gone, fail on every machine.",
	Fix:      "Name a version that is published, or publish this one.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Package
		if p.Outcome != observe.PackageVersionNotFound {
			return nil
		}
		seen := fmt.Sprintf("none of the %d published versions is %s", p.Release.Available, p.Requested)
		if p.Release.Available == 0 {
			seen = fmt.Sprintf("the registry has no version %s", p.Requested)
		}
		return []rule.Finding{at(p, observe.Field{}, "version_not_found", seen, "a published version")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Package
		return map[string]any{
			"registry": p.Registry, "identifier": p.Identifier, "requested_version": orNull(p.Requested), "resolved_version": orNull(p.Release.Version),
			"resolution": orNull(p.Release.How), "available_versions": p.Release.Available,
		}
	},
}
