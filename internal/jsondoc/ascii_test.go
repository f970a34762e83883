package jsondoc

import "testing"

func TestASCII(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "b"}` + "\n":         `{"a": "b"}` + "\n",
		`"` + "é\u202e\u007f" + `"`: `"\u00e9\u202e\u007f"`,
		`"` + "\U0001f389" + `"`:    `"\ud83c\udf89"`,
	} {
		if got := string(ASCII([]byte(text))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
