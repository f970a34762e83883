package packaging

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var packageRepositoryDeclared = rule.Rule{
	ID:       "package_repository_declared",
	Title:    "The package says where its source is",
	Group:    rule.Packaging,
	Order:    4,
	Severity: rule.Medium,
	Needs:    []rule.Need{needDocument},
	Basis:    []spec.Citation{npmDocs("package.json › repository"), pypa("well-known-project-urls", "Well-known project URLs (PEP 753)")},
	Why:      "Without the source nobody can review what a server does with the data and permissions it is given, or report what is wrong with it.",
	Fix:      "Name the repository's URL in package.json (repository) or pyproject.toml ([project.urls] Source), and publish a release.",
	OWASP:    []string{"MCP04:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		r := o.Package.Repository
		switch {
		case r.Text != "":
			return nil
		case r.Place.Missing():
			return []rule.Finding{at(o.Package, r.Place, "missing", "no repository is named", "the URL of the source")}
		}
		return []rule.Finding{at(o.Package, r.Place, "no_url", fmt.Sprintf("no URL of a repository can be read from %.120s", r.Place.Raw()), "the URL of the source")}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"repository_url": orNull(o.Package.Repository.Text)}
	},
}
