package rules

import (
	"slices"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// TestOWASP checks that rules name risks that exist, in order and once, and that a rule which cites a risk also bears on it.
func TestOWASP(t *testing.T) {
	risks := map[string]string{}
	for _, r := range spec.OWASPRisks() {
		risks[r.ID+" "+r.Title] = r.ID
	}
	for _, r := range All() {
		if !slices.IsSorted(r.OWASP) || len(slices.Compact(slices.Clone(r.OWASP))) != len(r.OWASP) {
			t.Errorf("%s: the risks %v are not sorted or not distinct", r.ID, r.OWASP)
		}
		for _, id := range r.OWASP {
			if !slices.ContainsFunc(spec.OWASPRisks(), func(k spec.Risk) bool { return k.ID == id }) {
				t.Errorf("%s: there is no risk %q", r.ID, id)
			}
		}
		for _, c := range r.Basis {
			if c.Document != "OWASP MCP Top 10" {
				continue
			}
			if id, ok := risks[c.Section]; !ok || !slices.Contains(r.OWASP, id) {
				t.Errorf("%s cites %q and does not name the risk", r.ID, c.Section)
			}
		}
	}
}
