package ruletest

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
)

func skills(_ *observe.Observation, _ jsondoc.Value) error {
	return fmt.Errorf("input: skills are not read yet")
}
