package packaging

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var packageNotWithdrawn = rule.Rule{
	ID:       "package_not_withdrawn",
	Title:    "The release was not taken back",
	Group:    rule.Packaging,
	Order:    3,
	Severity: rule.High,
	Needs:    []rule.Need{needRelease, needAnyRelease},
	Basis:    []spec.Citation{pypa("file-yanking", "File yanking (PEP 592)"), npmDocs("npm deprecate")},
	Why:      "A publisher deprecates or yanks a release that is broken, unsafe or abandoned. Who installs it anyway gets no repairs, and often a warning that hides others.",
	Fix:      "Move to a release that its publisher stands by; as the publisher, remove the cause and lift the withdrawal.",
	OWASP:    []string{"MCP04:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		w := o.Package.Withdrawn
		if !w.Yes {
			return nil
		}
		seen := "the release is " + w.Kind
		if w.Kind == "unpublished" {
			seen = "all releases were unpublished"
		}
		if w.Reason != "" {
			seen += ": " + w.Reason
		}
		return []rule.Finding{at(o.Package, w.Place, w.Kind, seen, "a release that is offered without reserve")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Package
		details := map[string]any{"yanked": p.Withdrawn.Yes, "resolved_version": orNull(p.Release.Version), "registry": p.Registry}
		if p.Withdrawn.Reason != "" {
			details["withdrawal_reason"] = p.Withdrawn.Reason
		}
		return details
	},
}

// needAnyRelease wants something that could have been withdrawn.
func needAnyRelease(o *observe.Observation) *rule.Skip {
	if p := o.Package; !p.Document.Exists() && p.Release.Version == "" && !p.Withdrawn.Yes {
		return rule.SkipFor(rule.Insufficient, "the registry shows no release of the package")
	}
	return nil
}
