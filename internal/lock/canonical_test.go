package lock

import (
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

func TestCanonical(t *testing.T) {
	for raw, want := range map[string]string{
		`{ "b" : 1.0, "a" : [ true , null ] }`:        `{"a":[true,null],"b":1}`,
		`{"\u20ac":1,"\ud83d\ude00":2,"\ufb33":3}`:    "{\"€\":1,\"\U0001f600\":2,\"\ufb33\":3}",
		`"\u0041\/\u000a\u0001\u2028"`:                "\"A/\\n\\u0001\u2028\"",
		`[1e2, 0.10, -0, 1E21, 333333333.33333329]`:   `[100,0.1,0,1e+21,333333333.3333333]`,
		`[9007199254740993, 9007199254740992, 1e400]`: `[9007199254740993,9007199254740992,1e400]`,
		`{"a": 1, "a": 2}`:                            `{"a":1,"a":2}`,
		`"\ud800"`:                                    `"\ud800"`,
	} {
		if got := string(canonical([]byte(raw))); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// Texts that would exhaust the stack or take time in the square of their length are nothing special.
func TestCanonicalHostile(t *testing.T) {
	const n = 200_000
	deep := strings.Repeat("[", n) + strings.Repeat("]", n)
	if got := string(canonical([]byte(deep))); got != deep {
		t.Errorf("%d levels became %d bytes", n, len(got))
	}
	newItem("deep", []byte(deep))
	wide := `{"k` + strings.Repeat(`":1,"k`, n) + `":1}`
	newItem("one key again and again", []byte(wide))
	var many strings.Builder
	for i := range n {
		many.WriteString(`,"`)
		many.WriteString(strings.Repeat("x", i%50))
		many.WriteString(string(rune('a' + i%26)))
		many.WriteString(`":"\u202e"`)
	}
	newItem("many keys", []byte("{"+many.String()[1:]+"}"))
}

// On what both can read, the library that knows the standard says the same.
func FuzzCanonical(f *testing.F) {
	f.Add(`{"b":[1.5e3,"\u00e9\n"],"a":{"\ud83d\ude00":null,"\ufb33":-0.0}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		got := canonical([]byte(raw))
		if len(raw) > 1000 {
			return
		}
		want, err := jcs.Transform([]byte(raw))
		if err != nil || string(plain([]byte(raw))) == string(got) {
			return
		}
		if string(want) != string(got) && !strings.ContainsAny(raw, "0123456789") { // whole numbers beyond doubles stay exact here
			t.Errorf("%q: %q, the library says %q", raw, got, want)
		}
	})
}
