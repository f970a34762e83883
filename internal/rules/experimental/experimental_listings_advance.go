package experimental

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalListingsAdvance = rule.Rule{
	ID:       "experimental_listings_advance",
	Title:    "Pages lead to the end of a list",
	Group:    rule.Experimental,
	Order:    14,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedAccess, needPages},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Utilities › Pagination"), spec.MCP(spec.Rev20260728, "Server › Utilities › Pagination")},
	Why:      "A client that follows the cursors of such a list sees the same items again and again, and asks for as long as nobody stops it.",
	Fix:      "Let each nextCursor stand for the place after its page and be a string, and leave it out on the last page; an empty string is a cursor too.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, c := range o.Catalogs() {
			if seen := astray(c); seen != "" {
				found = append(found, rule.AtCatalog(c, strings.ReplaceAll(c.Error.Outcome, "-", "_"), seen, "a cursor for what comes next, or none"))
			}
		}
		return found
	},
}

// astray says how a listing went in a circle, empty when it did not.
func astray(c *observe.Catalog) string {
	if c.Error == nil {
		return ""
	}
	switch c.Error.Outcome {
	case "page-repeated", "cursor-repeated", "cursor-invalid":
		return c.Method + ": " + c.Error.Text
	}
	return ""
}

// needPages wants a page of any catalog.
func needPages(o *observe.Observation) *rule.Skip {
	asked := false
	for _, c := range o.Catalogs() {
		if c.Served {
			return nil
		}
		asked = asked || c.Attempted && !rule.OptionalAbsent(c)
	}
	if asked {
		return rule.SkipFor(rule.Insufficient, "no page of any list could be read")
	}
	return rule.SkipFor(rule.NotApplicable, "the server lists nothing")
}
