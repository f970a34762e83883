package rules

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// Cases returns the worked examples of a rule, nil when it has none.
func Cases(id string) ([]rule.Case, error) {
	for _, fs := range goldens() {
		text, err := fs.ReadFile("testdata/" + id + ".txt")
		if err != nil {
			continue
		}
		return rule.ParseCases(string(text))
	}
	return nil, nil
}
