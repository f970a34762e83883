package policy_test

import (
	"slices"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
)

// unwritten are the groups whose rules do not exist yet. A group leaves this list with its last rule.
var unwritten = []rule.Group{}

// TestRostersNameTheRulesThatExist checks both ways: every entry of a roster has a rule of its group, and every rule that is not
// experimental stands in some roster.
func TestRostersNameTheRulesThatExist(t *testing.T) {
	var ids []string
	group := map[string]rule.Group{}
	for _, r := range rules.All() {
		group[r.ID] = r.Group
		if r.Group != rule.Experimental {
			ids = append(ids, r.ID)
		}
	}
	scored := map[string]bool{}
	for _, name := range policy.Names() {
		p, err := policy.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		groups := map[string]rule.Group{}
		for _, c := range p.Categories {
			for _, e := range c.Rules {
				groups[e.ID], scored[e.ID] = e.Group, true
				if g, ok := group[e.ID]; ok && g != e.Group {
					t.Errorf("%s, line %d: %s is a rule of group %s, not %s", name, e.Line, e.ID, g, e.Group)
				}
				if group[e.ID] == rule.Experimental {
					t.Errorf("%s, line %d: %s is experimental and must not count", name, e.Line, e.ID)
				}
			}
		}
		for _, m := range policy.Check(p, ids) {
			if g, ok := groups[m.Rule]; ok && !slices.Contains(unwritten, g) {
				t.Errorf("%s", m)
			}
		}
	}
	for _, id := range ids {
		if !scored[id] {
			t.Errorf("%s stands in no roster", id)
		}
		if slices.Contains(unwritten, group[id]) {
			t.Errorf("group %s has rules now: take it off the list of unwritten ones", group[id])
		}
	}
}
