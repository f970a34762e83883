package audit_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// neglected is a server that works and does not care. What it lacks can be mended one by one, and of each kind of thing that has rules of
// its own something is there: a first annotation or a first pair of descriptions would bring rules into the score that no plan foresees.
func neglected() *testserver.Web {
	c := testserver.DefaultCatalog()
	c.ServerInfo = json.RawMessage(`{"name":"weather-desk"}`)
	c.Instructions = ""
	c.Tools = []json.RawMessage{
		json.RawMessage(`{"name":"get forecast","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`),
		json.RawMessage(`{"name":"list_cities","description":"Lists the cities that a forecast can be had for.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"openWorldHint":true}}`),
		json.RawMessage(`{"name":"list_alerts","description":"Lists the weather alerts that are in force for a region.","inputSchema":{"type":"object","properties":{"region":{"type":"string"}}}}`),
	}
	c.Resources = []json.RawMessage{json.RawMessage(`{"uri":"weather://stations","name":"stations"}`)}
	return &testserver.Web{Legacy: true, Modern: true, Catalog: c}
}

// mend changes members of a JSON object.
func mend(t *testing.T, object *json.RawMessage, change func(map[string]any)) {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(*object, &members); err != nil {
		t.Fatal(err)
	}
	change(members)
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	*object = text
}

func mendAll(t *testing.T, items []json.RawMessage, change func(map[string]any)) {
	for i := range items {
		mend(t, &items[i], change)
	}
}

// set returns a change that gives a member a value where it has none.
func set(member string, value any) func(map[string]any) {
	return func(object map[string]any) {
		if _, there := object[member]; !there {
			object[member] = value
		}
	}
}

func describeProperties(tool map[string]any) {
	properties, _ := tool["inputSchema"].(map[string]any)["properties"].(map[string]any)
	for name := range properties {
		properties[name].(map[string]any)["description"] = "The name of the " + name
	}
}

// repairs are what the owner of the server does about each rule.
func repairs(t *testing.T, web *testserver.Web) map[string]func() {
	c := web.Catalog
	info := func(change func(map[string]any)) func() { return func() { mend(t, &c.ServerInfo, change) } }
	tools := func(change func(map[string]any)) func() { return func() { mendAll(t, c.Tools, change) } }
	resources := func(change func(map[string]any)) func() { return func() { mendAll(t, c.Resources, change) } }
	local := func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if strings.HasPrefix(r.Host, "127.0.0.1:") {
			return false
		}
		http.Error(w, "no server of this name", http.StatusMisdirectedRequest)
		return true
	}
	cursors := func() { web.StrictCursors = true }
	listChanged := func(list string) func() {
		return func() {
			mend(t, &c.Capabilities, func(of map[string]any) { of[list].(map[string]any)["listChanged"] = true })
		}
	}
	return map[string]func(){
		"server_version_present":                       info(set("version", "2.3.1")),
		"server_title_present":                         info(set("title", "Weather desk")),
		"server_websiteurl_present":                    info(set("websiteUrl", "https://weather.example/")),
		"server_icons_present":                         info(set("icons", []any{map[string]any{"src": "https://weather.example/icon.png", "mimeType": "image/png", "sizes": []string{"48x48"}}})),
		"server_instructions_present":                  func() { c.Instructions = "Ask for a forecast by city, then read the station list for details." },
		"tools_names_valid_format":                     tools(func(tool map[string]any) { tool["name"] = strings.ReplaceAll(tool["name"].(string), " ", "_") }),
		"tools_description_present_in_all":             tools(set("description", "Returns the forecast of the next days for one city.")),
		"tools_title_present_in_all":                   tools(func(tool map[string]any) { tool["title"] = "Weather: " + tool["name"].(string) }),
		"tools_annotations_present":                    tools(set("annotations", map[string]any{"readOnlyHint": true, "openWorldHint": true})),
		"tools_annotations_read_only_declared":         tools(set("annotations", map[string]any{"readOnlyHint": true, "openWorldHint": true})),
		"tools_annotations_destructive_declared":       tools(set("annotations", map[string]any{"readOnlyHint": true, "openWorldHint": true})),
		"tools_input_properties_documented":            tools(describeProperties),
		"resources_description_present":                resources(set("description", "All measuring stations with their places.")),
		"resources_mime_types_present":                 resources(set("mimeType", "application/json")),
		"resources_titles_present":                     resources(set("title", "Stations")),
		"security_origin_validation":                   func() { web.StrictOrigin = true },
		"security_host_header_validation":              func() { web.Intercept = local },
		"pagination_tools_invalid_cursor":              cursors,
		"pagination_resources_invalid_cursor":          cursors,
		"pagination_resource_templates_invalid_cursor": cursors,
		"pagination_prompts_invalid_cursor":            cursors,
		"capability_tools_list_changed":                listChanged("tools"),
		"capability_resources_list_changed":            listChanged("resources"),
		"capability_prompts_list_changed":              listChanged("prompts"),
	}
}

func live(t *testing.T, url string) *report.Report {
	t.Helper()
	rec, err := capture.Run(t.Context(), capture.Target{URL: url}, capture.Options{Engine: engine, AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	roster, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Judge(rec, roster, engine)
	if r.Failure != nil || r.Percentage == nil {
		t.Fatalf("no score: %+v", r.Failure)
	}
	return r
}

// Whoever does what the plan says, step by step, gets the scores that it predicts.
func TestFixPlanComesTrue(t *testing.T) {
	web := neglected()
	url := web.Start(t)
	before := live(t, url)
	if len(before.FixPlan) < 5 {
		t.Fatalf("a plan of %d steps for a neglected server", len(before.FixPlan))
	}
	if !slices.ContainsFunc(before.FixPlan, func(s report.FixStep) bool { return len(s.Rules) > 1 }) {
		t.Error("no step repairs several rules")
	}
	can := repairs(t, web)
	for i, step := range before.FixPlan {
		for _, rule := range step.Rules {
			repair := can[rule]
			if repair == nil {
				t.Fatalf("step %d: nobody knows how to repair %s: %s", i+1, rule, step.Change)
			}
			repair()
		}
		after := live(t, url)
		if after.Score != step.ScoreAfter || after.MaxScore != step.MaxScore || *after.Percentage != step.PercentageAfter {
			t.Errorf("step %d %v: %d/%d, %d %%, the plan says %d/%d, %d %%", i+1, step.Rules,
				after.Score, after.MaxScore, *after.Percentage, step.ScoreAfter, step.MaxScore, step.PercentageAfter)
		}
		for _, rule := range step.Rules {
			if !slices.ContainsFunc(slices.Concat(after.Results, after.Readiness.Results), func(r report.Result) bool { return r.RuleID == rule && r.Passed }) {
				t.Errorf("step %d: %s does not pass afterwards", i+1, rule)
			}
		}
	}
	if after := live(t, url); len(after.FixPlan) > 0 || after.Score != after.MaxScore {
		t.Errorf("%d/%d after the whole plan, %d steps left", after.Score, after.MaxScore, len(after.FixPlan))
	}
}
