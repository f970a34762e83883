package fields

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// catalog builds a catalog from pages of items.
func catalog(complete bool, pages ...string) *observe.Catalog {
	c := &observe.Catalog{Name: "resources", Method: "resources/list", Attempted: true, Served: true, Complete: complete}
	for n, page := range pages {
		step := "session/resources/list/" + string(rune('1'+n))
		c.PageSteps = append(c.PageSteps, step)
		for _, el := range jsondoc.MustParse(page).Elements() {
			c.Items = append(c.Items, observe.Item{Index: len(c.Items), Value: el.Value, Step: step})
		}
	}
	return c
}

func TestRepeatedOverPages(t *testing.T) {
	pages := []string{`[{"uri":"a"},{"uri":"b"},{"uri":"b"}]`, `[{"uri":"a"},{"uri":5},{}]`}
	tests := []struct {
		complete bool
		lines    []string
		texts    []string
	}{
		{true, []string{"resource[0] /uri twice", "resource[1] /uri twice", "resource[2] /uri twice", "resource[3] /uri twice"}, []string{"a", "b"}},
		{false, []string{"resource[1] /uri twice", "resource[2] /uri twice"}, []string{"b"}},
	}
	for _, tt := range tests {
		c := catalog(tt.complete, pages...)
		var lines []string
		for _, f := range Repeated("resource", c, "uri", "twice", "once") {
			lines = append(lines, f.Line())
		}
		if diff := cmp.Diff(tt.lines, lines); diff != "" {
			t.Errorf("complete %v (-want +got):\n%s", tt.complete, diff)
		}
		if diff := cmp.Diff(tt.texts, RepeatedTexts(c, "uri")); diff != "" {
			t.Errorf("complete %v (-want +got):\n%s", tt.complete, diff)
		}
	}
}

func TestNeedComparable(t *testing.T) {
	need := NeedComparable(rule.PickResources, "uri")
	tests := []struct {
		name     string
		complete bool
		pages    []string
		want     rule.SkipReason
	}{
		{"whole", true, []string{`[{"uri":"a"}]`}, ""},
		{"partial", false, []string{`[{"uri":"a"}]`}, rule.Insufficient},
		{"partial with a repeat on one page", false, []string{`[{"uri":"a"},{"uri":"a"}]`}, ""},
		{"partial with a repeat on two pages", false, []string{`[{"uri":"a"}]`, `[{"uri":"a"}]`}, rule.Insufficient},
		{"empty", true, []string{`[]`}, rule.NotApplicable},
	}
	for _, tt := range tests {
		o := &observe.Observation{Kind: observe.Full, Resources: *catalog(tt.complete, tt.pages...)}
		var got rule.SkipReason
		if s := need(o); s != nil {
			got = s.Reason
		}
		if got != tt.want {
			t.Errorf("%s: skip %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDetails(t *testing.T) {
	c := catalog(true, `[{"uri":"a","name":"n","size":-1},{"uri":"b","size":"x"},5,{"uri":"c","icons":[{"src":"x","sizes":["y"]},{"src":"https://h/"},{"theme":"z"}]},{"uri":"d","icons":7}]`)
	found := []rule.Finding{{Index: 0}, {Index: 0}, {Index: 1}, {Index: 2}, {Index: -1}, {Index: 99}}
	if diff := cmp.Diff([]string{"a", "b", ""}, Values(c, found, "uri")); diff != "" {
		t.Error(diff)
	}
	pairs := []map[string]any{{"name": "n", "size": int64(-1)}, {"name": "", "size": "x"}, {"name": "", "size": nil}}
	if diff := cmp.Diff(pairs, Pairs(c, found, "size", "size")); diff != "" {
		t.Error(diff)
	}
	icons := []map[string]any{
		{"item": "c", "icon_index": 0, "invalid_fields": []string{"src", "sizes"}},
		{"item": "c", "icon_index": 2, "invalid_fields": []string{"src", "theme"}},
		{"item": "d", "icon_index": -1, "invalid_fields": []string{}},
	}
	if diff := cmp.Diff(icons, InvalidIcons(c, "uri")); diff != "" {
		t.Error(diff)
	}
}
