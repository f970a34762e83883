package lexical

import (
	"strings"
	"testing"
)

func TestToolName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "get_user.by-ID9": true, strings.Repeat("x", 128): true,
		"": false, strings.Repeat("x", 129): false, "a b": false, "a/b": false, "a\n": false, "é": false, "a\x00": false,
	} {
		if got := ToolName(name); got != want {
			t.Errorf("ToolName(%q) = %t", name, got)
		}
	}
}
