package transport

import (
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/rule/ruletest"
)

func TestRules(t *testing.T) { ruletest.Run(t, Rules()) }

func TestHostileAnswers(t *testing.T) {
	ruletest.RunHostile(t, Rules(), []string{
		"probe/invalid-request-control",
		"probe/notification-initialize",
		"probe/notification",
		"probe/invalid-request",
		"probe/invalid-request-after",
		"probe/get-stream",
		"probe/session-delete",
		"probe/session-delete-ping",
	})
}
