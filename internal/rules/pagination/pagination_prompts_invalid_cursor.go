package pagination

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

var paginationPromptsInvalidCursor = rule.Rule{
	ID:       "pagination_prompts_invalid_cursor",
	Title:    "prompts/list refuses a cursor it never issued",
	Group:    rule.Pagination,
	Order:    4,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedCapability("prompts"), rule.NeedProbe(observe.ProbePromptsCursor)},
	Basis:    cursorBasis,
	Why:      cursorWhy,
	Fix:      "Check the cursor of prompts/list before reading anything and answer error -32602 when the server never issued it, also where everything fits on one page.",
	Judge:    judgeCursor(observe.ProbePromptsCursor, "prompts/list"),
	Details:  cursorDetails(observe.ProbePromptsCursor),
}
