package pagination

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

var paginationToolsInvalidCursor = rule.Rule{
	ID:       "pagination_tools_invalid_cursor",
	Title:    "tools/list refuses a cursor it never issued",
	Group:    rule.Pagination,
	Order:    1,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedCapability("tools"), rule.NeedProbe(observe.ProbeToolsCursor)},
	Basis:    cursorBasis,
	Why:      cursorWhy,
	Fix:      "Check the cursor of tools/list before reading anything and answer error -32602 when the server never issued it, also where everything fits on one page.",
	Judge:    judgeCursor(observe.ProbeToolsCursor, "tools/list"),
	Details:  cursorDetails(observe.ProbeToolsCursor),
}
