package pagination

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

var paginationResourcesInvalidCursor = rule.Rule{
	ID:       "pagination_resources_invalid_cursor",
	Title:    "resources/list refuses a cursor it never issued",
	Group:    rule.Pagination,
	Order:    2,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedCapability("resources"), rule.NeedProbe(observe.ProbeResourcesCursor)},
	Basis:    cursorBasis,
	Why:      cursorWhy,
	Fix:      "Check the cursor of resources/list before reading anything and answer error -32602 when the server never issued it, also where everything fits on one page.",
	Judge:    judgeCursor(observe.ProbeResourcesCursor, "resources/list"),
	Details:  cursorDetails(observe.ProbeResourcesCursor),
}
