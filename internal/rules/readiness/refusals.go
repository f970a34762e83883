package readiness

import "github.com/mcp-hallmark/hallmark/internal/spec"

// The requests that must be refused, and how.
var (
	malformedMeta  = refusal{spec.CodeInvalidParams, 400, "a request whose _meta lacks the client capabilities"}
	methodMismatch = headerMismatch("a request whose Mcp-Method names another method than its body")
	missingVersion = headerMismatch("a request without MCP-Protocol-Version")
	missingMethod  = headerMismatch("a request without Mcp-Method")
	resourceName   = headerMismatch("resources/read whose Mcp-Name is not its uri")
	promptName     = headerMismatch("prompts/get whose Mcp-Name is not its name")
	removedMethod  = refusal{spec.CodeMethodNotFound, 404, "ping, which this revision removed"}
	unknownMethod  = refusal{spec.CodeMethodNotFound, 404, "a method that does not exist"}
)
