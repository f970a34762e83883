package packaging

import (
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/rule/ruletest"
)

func TestRules(t *testing.T) { ruletest.Run(t, Rules()) }
