package readiness

import (
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/rule/ruletest"
)

func TestRules(t *testing.T) { ruletest.Run(t, Rules()) }

func TestHostileAnswers(t *testing.T) {
	ruletest.RunHostile(t, Rules(), []string{
		"probe/discover",
		"probe/stateless-list",
		"probe/malformed-meta",
		"probe/header-mismatch",
		"probe/missing-protocol-version",
		"probe/missing-method-header",
		"probe/resource-name-control",
		"probe/resource-name-mismatch",
		"probe/prompt-name-control",
		"probe/prompt-name-mismatch",
		"probe/get-stream-removed",
		"probe/unknown-version",
		"probe/missing-resource",
		"probe/session-id-echo",
		"probe/removed-method",
		"probe/unknown-method",
		"skills/stateless-list",
	})
}
