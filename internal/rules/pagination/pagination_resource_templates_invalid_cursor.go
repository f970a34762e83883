package pagination

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

var paginationResourceTemplatesInvalidCursor = rule.Rule{
	ID:       "pagination_resource_templates_invalid_cursor",
	Title:    "resources/templates/list refuses a cursor it never issued",
	Group:    rule.Pagination,
	Order:    3,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedCapability("resources"), rule.NeedProbe(observe.ProbeTemplatesCursor)},
	Basis:    cursorBasis,
	Why:      cursorWhy,
	Fix:      "Check the cursor of resources/templates/list before reading anything and answer error -32602 when the server never issued it, also where everything fits on one page.",
	Judge:    judgeCursor(observe.ProbeTemplatesCursor, "resources/templates/list"),
	Details:  cursorDetails(observe.ProbeTemplatesCursor),
}
