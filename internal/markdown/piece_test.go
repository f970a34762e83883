package markdown

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"
)

func TestPiece(t *testing.T) {
	list := strings.Repeat("- [a](b) *c* d_e\n", 3000)
	tests := []struct {
		name, text string
		max, want  int
	}{
		{"empty", "", 10, 0},
		{"short", "# a\n\n[b](c)\n", 100, 12},
		{"long, cut at a blank line", strings.Repeat("x", 60) + "\n\n" + strings.Repeat("y", 60), 100, 62},
		{"long without one", strings.Repeat("x", 120), 100, 100},
		{"many links in a list", list, len(list), len(list)},
		{"a rule of hyphens is no nesting", strings.Repeat("-", 80) + "\n", 100, 81},
		{"brackets in one block", "a\n\n" + strings.Repeat("[", 1000), 10000, 2},
		{"brackets at once", strings.Repeat("[", 1000), 10000, 400},
		{"nested quotations", "a\n" + strings.Repeat("> ", 100), 10000, 2},
		{"nested quotations at once", strings.Repeat("> ", 100) + "\nb", 10000, 80},
	}
	for _, tt := range tests {
		if got := Piece(tt.text, tt.max); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// Every piece must be short of what makes the parser slow; that the pieces make up the text follows from their lengths.
func FuzzPiece(f *testing.F) {
	for _, unit := range []string{"[", "![", "*a_ ", "> ", "- ", "[a](", "[](", "1. "} {
		f.Add(strings.Repeat(unit, 3000))
	}
	f.Fuzz(func(t *testing.T, s string) {
		for s != "" {
			n := Piece(s, 64<<10)
			if n < 1 || n > len(s) || n > 64<<10 {
				t.Fatalf("a piece of %d bytes of %d", n, len(s))
			}
			if b := strings.Count(s[:n], "\n\n"); b == 0 && !strings.ContainsAny(s[:n], "-+*") && strings.Count(s[:n], "[") > 2*maxBrackets && !strings.Contains(s[:n], "\n") {
				t.Fatalf("%d brackets in one line", strings.Count(s[:n], "["))
			}
			s = s[n:]
		}
	})
}

func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{"[", "![", "*a_ ", "> ", "[a](", "[a](b", "[](", "[a]: b\n"} {
		s := strings.Repeat(unit, 65536/len(unit))
		b.Run(unit, func(b *testing.B) {
			for b.Loop() {
				for rest := s; rest != ""; {
					n := Piece(rest, 64<<10)
					goldmark.DefaultParser().Parse(text.NewReader([]byte(rest[:n])))
					rest = rest[n:]
				}
			}
		})
	}
}
