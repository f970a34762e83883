// Package spelling finds the word that somebody probably meant.
package spelling

import (
	"fmt"
	"strings"
)

// Nearest returns the candidate that is fewest edits away from word, the first in the alphabet among equals; empty when none is near.
func Nearest(word string, candidates []string) string {
	best, distance := "", len(word)/3+2
	for _, c := range candidates {
		if d := edits(strings.ToLower(word), strings.ToLower(c)); d < distance || d == distance && best != "" && c < best {
			best, distance = c, d
		}
	}
	return best
}

// DidYouMean returns ` (did you mean "…"?)`, to be put behind a message about word; empty when no candidate is near.
func DidYouMean(word string, candidates []string) string {
	best := Nearest(word, candidates)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
