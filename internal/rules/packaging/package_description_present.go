package packaging

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var packageDescriptionPresent = rule.Rule{
	ID:       "package_description_present",
	Title:    "The package says in a line what it is",
	Group:    rule.Packaging,
	Order:    6,
	Severity: rule.Low,
	Needs:    []rule.Need{needDocument},
	Basis:    []spec.Citation{npmDocs("package.json › description"), pypa("core-metadata", "Core metadata › Summary")},
	Why:      "The line is what people see in search results when they choose between packages of similar names.",
	Fix:      "Write one line as description in package.json or pyproject.toml, and publish a release.",
	Judge: func(o *observe.Observation) []rule.Finding {
		d := o.Package.Description
		switch {
		case d.Text != "":
			return nil
		case d.Place.Missing():
			return []rule.Finding{at(o.Package, d.Place, "missing", "there is no description", "one line of text")}
		}
		return []rule.Finding{at(o.Package, d.Place, "blank", fmt.Sprintf("the description is %.60s", d.Place.Raw()), "one line of text")}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"description": orNull(o.Package.Description.Text)}
	},
}
