package cli

import "strings"

// nearest returns the name that a person who typed something else most likely meant, empty when none is near: the one that takes the
// fewest changes of letters, of which there may be as many as a third of what was typed. Where there is none, a name that contains what
// was typed, or all of its words.
func nearest(typed string, names []string) string {
	typed = strings.ToLower(typed)
	best, fewest := "", (len(typed)+2)/3+1
	for _, name := range names {
		if n := changes(typed, strings.ToLower(name)); n < fewest {
			best, fewest = name, n
		}
	}
	if best != "" || len(typed) < 3 {
		return best
	}
	for _, name := range names {
		if containsWords(name, typed) && (best == "" || len(name) < len(best)) {
			best = name
		}
	}
	return best
}

// containsWords reports whether the words of part, separated by anything but letters, stand in name in this order.
func containsWords(name, part string) bool {
	for _, word := range strings.FieldsFunc(part, func(r rune) bool { return r < 'a' || r > 'z' }) {
		i := strings.Index(name, word)
		if i < 0 {
			return false
		}
		name = name[i+len(word):]
	}
	return true
}

// changes counts how many bytes must be put in, left out or replaced to turn a into b (Levenshtein's distance).
func changes(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
