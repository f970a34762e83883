package skills

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nameProblems lists what is wrong with a skill's name (Agent Skills specification, name field). The name is looked at in its compatibility form.
func nameProblems(name string) []string {
	name = norm.NFKC.String(name)
	var found []string
	if n := len([]rune(name)); n < 1 || n > 64 {
		found = append(found, "length")
	}
	if name != strings.ToLower(name) {
		found = append(found, "uppercase")
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		found = append(found, "hyphens")
	}
	if strings.IndexFunc(name, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }) >= 0 {
		found = append(found, "characters")
	}
	return found
}
