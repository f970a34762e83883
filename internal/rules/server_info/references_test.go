package server_info

import (
	"strings"
	"testing"
)

// TestReferencesOfHostileText builds the longest texts that are accepted from pieces that make a parser nest or look back. Those that
// would take it long are refused before it sees them.
func TestReferencesOfHostileText(t *testing.T) {
	tests := []struct {
		unit    string
		tangled bool
	}{
		{"[", true}, {"![", true}, {"[a](<b", true}, {"<", true}, {"> ", true}, {">", true}, {"- ", true}, {"1. ", true},
		{"](", false}, {"`", false}, {"`` ` ", false}, {"*_", false}, {"&", false}, {"\\", false}, {"\u200b", false}, {"> a\n\n", false}, {"* a\n", false},
	}
	for _, tt := range tests {
		text := strings.Repeat(tt.unit, maxInstructions/len(tt.unit))
		if got := tangled(text); got != tt.tangled {
			t.Errorf("%q: tangled %v", tt.unit, got)
		}
		if tt.tangled {
			continue
		}
		if found := references(text); len(found) > 0 {
			t.Errorf("%q: %d references, first %q", tt.unit, len(found), found[0].name)
		}
	}
	if tangled(strings.Repeat("> 1. [a](b) <c>\n", 1000)) {
		t.Error("a long list in a quotation was refused")
	}
}
