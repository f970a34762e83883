package jsondoc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseKeepsWhatTheServerWrote(t *testing.T) {
	v, notes, err := Parse([]byte(`{"b":1,"a":{"big":12345678901234567890123,"x":[true,null,"q\"\u0041"]}}`))
	if err != nil || !notes.Empty() {
		t.Fatalf("Parse: %v, notes %+v", err, notes)
	}
	if got := string(v.Path("a", "big").Raw()); got != "12345678901234567890123" {
		t.Errorf("big integer = %s", got)
	}
	if got := string(v.Resolve("/a/x/2").Raw()); got != `"q\"\u0041"` {
		t.Errorf("raw string = %s", got)
	}
	if got, _ := v.Resolve("/a/x/2").Text(); got != `q"A` {
		t.Errorf("text = %q", got)
	}
	if v.Members()[0].Name != "b" {
		t.Error("members are not in document order")
	}
	if v.Get("B").Exists() {
		t.Error("names must be matched with their exact case")
	}
}

func TestParseNotes(t *testing.T) {
	tests := []struct {
		name, in string
		want     Notes
	}{
		{"duplicate, last wins", `{"name":"read","name":"delete_all"}`, Notes{Duplicates: []string{"/name"}}},
		{"escaped duplicate", `{"a/b":1,"a\/b":2}`, Notes{Duplicates: []string{"/a~1b"}}},
		{"half a surrogate pair", `{"d":"\ud83d"}`, Notes{InvalidText: []string{"/d"}}},
		{"bad byte", "{\"d\":\"a\xff\"}", Notes{InvalidText: []string{"/d"}}},
		{"honest replacement character", "{\"d\":\"\uFFFD\"}", Notes{}},
		{"raw control byte", "{\"d\":\"a\x15b\"}", Notes{ControlBytes: []int{7}}},
		{"byte-order mark", "\xef\xbb\xbf{}", Notes{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, notes, err := Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, notes); diff != "" {
				t.Error(diff)
			}
			if len(notes.Duplicates) > 0 && v.Len() != 1 {
				t.Errorf("a duplicate must not add a member, got %d", v.Len())
			}
		})
	}
	if got, _ := MustParse(`{"name":"read","name":"delete_all"}`).Get("name").Text(); got != "delete_all" {
		t.Errorf("the last duplicate counts, got %q", got)
	}
}

func TestParseRefusesWhatIsNotOneDocument(t *testing.T) {
	for _, in := range []string{"", "{", `{"a":1}{`, "nul", "<html>", `{"a":1,}`, "1 2"} {
		if _, _, err := Parse([]byte(in)); err == nil {
			t.Errorf("Parse(%q) succeeded", in)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	in := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	v, notes, err := Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if len(notes.Deep) != 1 {
		t.Errorf("Deep = %d entries", len(notes.Deep))
	}
	depth := 0
	for v.Len() > 0 {
		v, depth = v.At(0), depth+1
	}
	if depth != MaxDepth || !v.IsArray() || len(v.Raw()) != 2*(5000-MaxDepth) {
		t.Errorf("opened %d levels, the deepest keeps %d raw bytes", depth, len(v.Raw()))
	}
}

func TestManyMembersWithDuplicates(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 100 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k` + string(rune('a'+i%50)) + `":` + string(rune('0'+i/50)))
	}
	b.WriteByte('}')
	v, notes, err := Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != 50 || len(notes.Duplicates) != 50 {
		t.Errorf("%d members, %d duplicates", v.Len(), len(notes.Duplicates))
	}
	if n, _ := v.Get("ka").Int(); n != 1 {
		t.Errorf("ka = %d, want the last one", n)
	}
}

func TestEqual(t *testing.T) {
	same := [][2]string{{"1", "1.0"}, {"1e2", "100"}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`}, {`"\u0041"`, `"A"`}, {"[1,[2]]", "[1,[2]]"}}
	for _, p := range same {
		if !Equal(MustParse(p[0]), MustParse(p[1])) {
			t.Errorf("%s and %s differ", p[0], p[1])
		}
	}
	other := [][2]string{{"1", "true"}, {"0", "false"}, {"[1,2]", "[2,1]"}, {`{"a":1}`, `{"a":1,"b":1}`}, {"null", `"null"`}, {"12345678901234567890", "12345678901234567891"}}
	for _, p := range other {
		if Equal(MustParse(p[0]), MustParse(p[1])) {
			t.Errorf("%s and %s are equal", p[0], p[1])
		}
	}
}

func TestNumbers(t *testing.T) {
	if n, ok := MustParse("-32602").Int(); !ok || n != -32602 {
		t.Errorf("Int = %d, %v", n, ok)
	}
	for in, want := range map[string]bool{"1": true, "1.0": true, "1.5": false, "1e400000000": true, "1e-400000000": false, `"1"`: false} {
		if got := MustParse(in).IsInteger(); got != want {
			t.Errorf("IsInteger(%s) = %v", in, got)
		}
	}
}

func TestHollow(t *testing.T) {
	v := MustParse(`{"result":{"tools":[{"name":"a"}],"nextCursor":"\u0062"},"tools":[1]}`)
	h := v.Hollow("result", "tools")
	if tools := h.Path("result", "tools"); !tools.IsArray() || tools.Len() != 0 || string(tools.Raw()) != `[{"name":"a"}]` {
		t.Errorf("%d tools are left, written %s", tools.Len(), tools.Raw())
	}
	if h.Path("result", "nextCursor").TextOr("") != "b" || h.Get("tools").Len() != 1 || v.Path("result", "tools").Len() != 1 {
		t.Errorf("more than the container was emptied, or not in a copy: %s of %s", h.Raw(), v.Raw())
	}
	for _, names := range [][]string{{"absent"}, {"result", "nextCursor"}, {"result", "nextCursor", "x"}, {"result", "tools", "0"}} {
		if h := v.Hollow(names...); !Equal(h, v) {
			t.Errorf("Hollow(%q) emptied something", names)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\ud83d",{"a":1,"a":2}]}`))
	f.Add([]byte("{\"d\":\"a\x15b\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := Parse(data)
		if err != nil {
			return
		}
		again, _, err := Parse(v.Raw())
		if err != nil {
			t.Fatalf("the raw bytes of a value do not parse: %v", err)
		}
		if !Equal(v, again) {
			t.Fatal("the raw bytes of a value give another value")
		}
	})
}
