package toolschema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

func TestLookup(t *testing.T) {
	root := jsondoc.MustParse(`{"title":"root","$defs":{"a":{"title":"a","$ref":"#/$defs/b~1c"},"b/c":{"title":"b/c","$ref":"#/x/0"},"loop":{"title":"loop","$ref":"#/$defs/loop"}},"x":[{"title":"x"}]}`)
	for ref, want := range map[string][]string{
		"#":             {"root"},
		"#/$defs/a":     {"a", "b/c", "x"},
		"#/$defs/b~1c":  {"b/c", "x"},
		"#/%24defs/a":   {"a", "b/c", "x"},
		"#/$defs/none":  nil,
		"#anchor":       nil,
		"other#/$defs":  nil,
		"https://x/y#/": nil,
	} {
		var got []string
		for _, v := range NewLookup(root).Follow(jsondoc.MustParse(`{"$ref":"` + ref + `"}`)) {
			got = append(got, v.Get("title").TextOr(""))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
	}
	if n := len(NewLookup(root).Follow(root.Path("$defs", "loop"))); n != maxHops {
		t.Errorf("a loop was followed %d times, want %d", n, maxHops)
	}
}
