package tools

import (
	"strconv"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rule/ruletest"
)

func TestRules(t *testing.T) { ruletest.Run(t, Rules()) }

// The published audit of a server with three tools and nothing else has 38 points available for the rules about tools of its edition, of
// which it lost 2 for annotations and 1 for titles. That holds only where rules about members that no tool uses pass.
func TestPointsOfThePublishedExample(t *testing.T) {
	edition := map[string]bool{}
	for _, id := range []string{
		"tools_annotations_present", "tools_at_least_one", "tools_description_present_in_all", "tools_execution_consistent", "tools_icons_valid",
		"tools_input_properties_documented", "tools_input_schema_valid", "tools_mcp_headers_not_sensitive", "tools_mcp_headers_primitive_types",
		"tools_mcp_headers_statically_reachable", "tools_mcp_headers_unique", "tools_mcp_headers_valid_names", "tools_name_present_in_all",
		"tools_names_unique", "tools_names_valid_format", "tools_output_schema_root_object", "tools_output_schema_valid", "tools_title_present_in_all",
	} {
		edition[id] = true
	}
	points := map[rule.Severity]int{rule.Critical: 5, rule.High: 3, rule.Medium: 2, rule.Low: 1}
	o, err := ruletest.Observation(Rules()[0], rule.Case{Input: `{"tools":[{"name":"a","description":"One"},{"name":"b","description":"Two"},{"name":"c","description":"Three"}]}`})
	if err != nil {
		t.Fatal(err)
	}
	earned, available := 0, 0
	for _, v := range rule.Judge(Rules(), o) {
		if !edition[v.Rule.ID] || v.Result == rule.Skipped {
			continue
		}
		available += points[v.Rule.Severity]
		if v.Result == rule.Pass {
			earned += points[v.Rule.Severity]
		}
	}
	if earned != 35 || available != 38 {
		t.Errorf("%d of %d points, the published example has 35 of 38", earned, available)
	}
}

// No rule may panic on what a server sends, whatever it is; the engine would hide it as a verdict without data.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{
		`null`, `{"name":5,"title":{},"description":[],"annotations":[],"execution":1,"icons":{},"inputSchema":5,"outputSchema":[]}`,
		`{"name":"delete_x","annotations":{"readOnlyHint":"yes","destructiveHint":{}}}`,
		`{"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/b","default":1,"x-mcp-header":"T"}},"$defs":{"b":{"type":["string"],"pattern":"^a$"}}}}`,
		`{"outputSchema":{"$ref":"#","properties":{"":{"description":""}}},"description":"TODO:","icons":[{"src":"data:,","sizes":["1x1"],"theme":5}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, _, err := jsondoc.Parse([]byte(text))
		if err != nil {
			return
		}
		o := &observe.Observation{Kind: observe.Full, Negotiated: "2025-11-25", Tools: observe.Catalog{Name: "tools", Served: true, Attempted: true, Complete: true}}
		o.Tools.Items = []observe.Item{{Value: v}, {Index: 1, Value: v}}
		for _, r := range Rules() {
			found := r.Judge(o)
			if r.Details != nil {
				r.Details(o)
			}
			for _, finding := range found {
				if finding.Reason == "" || finding.Seen == "" || finding.Want == "" {
					t.Errorf("%s: %+v says too little", r.ID, finding)
				}
			}
			for _, need := range r.Needs {
				need(o)
			}
		}
	})
}

// BenchmarkJudge judges a catalog of 10,000 tools, no two schemas alike.
func BenchmarkJudge(b *testing.B) {
	o := &observe.Observation{Kind: observe.Full, Negotiated: "2025-11-25", Tools: observe.Catalog{Name: "tools", Served: true, Attempted: true, Complete: true}}
	for i := range 10000 {
		n := strconv.Itoa(i)
		o.Tools.Items = append(o.Tools.Items, observe.Item{Index: i, Value: jsondoc.MustParse(`{"name":"get_` + n + `","description":"Reads record ` + n + `","annotations":{"readOnlyHint":true},` +
			`"inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for in ` + n + `"},"limit":{"type":"integer","minimum":1,"maximum":` + n + `,"default":1},` +
			`"filter":{"anyOf":[{"$ref":"#/$defs/f"},{"type":"null"}],"default":null},"tags":{"type":"array","items":{"type":"string"}}},"required":["query"],"additionalProperties":false,` +
			`"$defs":{"f":{"type":"object","properties":{"by":{"type":"string","enum":["a","b"]}}}}},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`)})
	}
	for b.Loop() {
		rule.Judge(Rules(), o)
	}
}
