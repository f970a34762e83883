package packaging

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var packageLicenseDeclared = rule.Rule{
	ID:       "package_license_declared",
	Title:    "The package says under which licence it may be used",
	Group:    rule.Packaging,
	Order:    5,
	Severity: rule.Medium,
	Needs:    []rule.Need{needDocument},
	Basis:    []spec.Citation{npmDocs("package.json › license"), pypa("core-metadata", "Core metadata › License-Expression, License, Classifier")},
	Why:      "Without a licence nobody may use, change or pass on the code, so organisations that check licences cannot adopt it.",
	Fix:      "Declare an SPDX expression as license in package.json or pyproject.toml, and publish a release.",
	Judge: func(o *observe.Observation) []rule.Finding {
		l := o.Package.License
		switch {
		case l.Text != "":
			return nil
		case l.Place.Missing():
			return []rule.Finding{at(o.Package, l.Place, "missing", "no licence is declared", "an SPDX licence expression")}
		}
		return []rule.Finding{at(o.Package, l.Place, "no_text", fmt.Sprintf("the licence is %.120s", l.Place.Raw()), "an SPDX licence expression")}
	},
	Details: func(o *observe.Observation) map[string]any {
		l := o.Package.License
		return map[string]any{"license": orNull(l.Text), "license_kind": orNull(l.Kind), "license_expression": orNull(l.Expression)}
	},
}
