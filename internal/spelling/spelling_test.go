package spelling

import "testing"

func TestDidYouMean(t *testing.T) {
	words := []string{"critical", "high", "medium", "low", "off"}
	for word, want := range map[string]string{
		"hihg":     ` (did you mean "high"?)`,
		"Critcal":  ` (did you mean "critical"?)`,
		"of":       ` (did you mean "off"?)`,
		"lof":      ` (did you mean "low"?)`, // one edit from low and from off: the first in the alphabet of those found
		"severe":   "",
		"":         "",
		"mediums!": ` (did you mean "medium"?)`,
	} {
		if got := DidYouMean(word, words); got != want {
			t.Errorf("%q:%s, want%s", word, got, want)
		}
	}
}
