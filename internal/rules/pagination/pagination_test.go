package pagination

import (
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/rule/ruletest"
)

func TestRules(t *testing.T) { ruletest.Run(t, Rules()) }

func TestHostileAnswers(t *testing.T) {
	ruletest.RunHostile(t, Rules(), []string{
		"probe/discover",
		"second/server/discover",
		"session/tools/list/invalid-cursor",
		"session/resources/list/invalid-cursor",
		"session/resources/templates/list/invalid-cursor",
		"session/prompts/list/invalid-cursor",
		"stateless/tools/list/1",
		"stateless/resources/list/1",
		"stateless/resources/templates/list/1",
		"stateless/prompts/list/1",
		"stateless/tools/list/2",
		"stateless/resources/list/2",
		"stateless/resources/templates/list/2",
		"stateless/prompts/list/2",
		"second/tools/list/1",
		"second/resources/list/1",
		"second/resources/templates/list/1",
		"second/prompts/list/1",
	})
}
