package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

var updateRecording = flag.Bool("update-recording", false, "record the worked example anew")

const exampleFile = "../../testdata/recordings/worked-example.rec.json"

var engine = recording.Engine{Name: "hallmark", Version: "test"}

var asOf = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	testserver.Main()
	os.Exit(m.Run())
}

// exampleServer is a look-alike of the server whose audit the methodology publishes: the stateful lifecycle with sessions only, over TLS,
// three tools and nothing else. It ignores cursors and does not look at Origin; its tools have neither titles nor annotations.
func exampleServer() *testserver.Web {
	tool := func(name, description, properties string) json.RawMessage {
		return json.RawMessage(`{"name":"` + name + `","description":"` + description + `","inputSchema":{"type":"object","properties":` + properties + `}}`)
	}
	return &testserver.Web{Legacy: true, Sessions: true, Catalog: &testserver.Catalog{
		ServerInfo:   json.RawMessage(`{"name":"almanac","version":"4.2.0"}`),
		Capabilities: json.RawMessage(`{"tools":{"listChanged":true},"resources":{"subscribe":false,"listChanged":true},"prompts":{"listChanged":true}}`),
		Instructions: "Look up a place first, then ask for its tides or for its moon phases.",
		Revisions:    []string{"2025-11-25"},
		Tools: []json.RawMessage{
			tool("find_place", "Returns the places whose names begin with some letters.", `{"letters":{"type":"string","description":"First letters of the name"}}`),
			tool("list_tides", "Returns high and low waters at a place on one day.",
				`{"place":{"type":"string","description":"Key of the place"},"day":{"type":"string","description":"The day, written as YYYY-MM-DD"}}`),
			tool("list_moon_phases", "Returns the phases of the moon in one month.", `{"month":{"type":"string","description":"The month, written as YYYY-MM"}}`),
		},
	}}
}

// points are earned and available points.
type points struct{ Earned, Available int }

// summary is what the methodology publishes of an audit, the failed rules with their points.
type summary struct {
	Total, Readiness        points
	Failed, Passed, Skipped int
	Assessed, Rules         int
	Counted                 bool
	Categories              map[string]points
	FailedRules             map[string]int
	FailedReadiness         map[string]int
}

var published = summary{
	Total: points{87, 103}, Failed: 11, Passed: 28, Skipped: 43,
	Readiness: points{3, 13}, Assessed: 4, Rules: 20,
	Categories: map[string]points{"protocol": {36, 42}, "primitives": {35, 42}, "security_auth": {16, 19}},
	FailedRules: map[string]int{
		"protocol_version_latest": 2, "server_title_present": 2, "server_websiteurl_present": 1, "server_icons_present": 1,
		"tools_annotations_present": 2, "tools_title_present_in_all": 1, "pagination_tools_invalid_cursor": 1, "pagination_resources_invalid_cursor": 1,
		"pagination_resource_templates_invalid_cursor": 1, "pagination_prompts_invalid_cursor": 1,
		"security_origin_validation": 3,
	},
	FailedReadiness: map[string]int{"readiness_2026_server_discover": 5, "readiness_2026_stateless_request": 5},
}

func summarize(r *report.Report) summary {
	s := summary{
		Total: points{r.Score, r.MaxScore}, Failed: r.Summary.Failed, Passed: r.Summary.Passed, Skipped: r.Summary.Skipped,
		Readiness: points{r.Readiness.Score, r.Readiness.MaxScore}, Assessed: r.Readiness.Assessed, Rules: r.Readiness.Total, Counted: r.Readiness.CountedInMain,
		Categories: map[string]points{}, FailedRules: failedRules(r.Results), FailedReadiness: failedRules(r.Readiness.Results),
	}
	for _, c := range r.Categories {
		s.Categories[c.Name] = points{c.Earned, c.Available}
	}
	return s
}

func failedRules(results []report.Result) map[string]int {
	failed := map[string]int{}
	for _, r := range results {
		if !r.Passed {
			failed[r.RuleID] = r.SeverityValue
		}
	}
	return failed
}

func roster(t *testing.T, name string) *policy.Policy {
	t.Helper()
	p, err := policy.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func record(t *testing.T, target capture.Target, opts capture.Options) *recording.Recording {
	t.Helper()
	opts.Engine, opts.AsOf = engine, asOf
	rec, err := capture.Run(context.Background(), target, opts)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// The audit that the methodology publishes, on a server that fails the same rules.
func TestWorkedExample(t *testing.T) {
	url, roots, dial := exampleServer().StartTLS(t)
	rec := record(t, capture.Target{URL: url}, capture.Options{RootCAs: roots, Dial: dial})
	if diff := cmp.Diff(published, summarize(audit.Judge(rec, roster(t, "roster_102"), engine))); diff != "" {
		t.Errorf("(-published +ours):\n%s", diff)
	}
	if *updateRecording {
		var b bytes.Buffer
		if err := recording.Write(&b, rec); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(exampleFile, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The same from the recording of such an audit. When this fails and the test above does not, a rule changed its verdict on old recordings.
func TestWorkedExampleReplayed(t *testing.T) {
	file, err := os.Open(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rec, err := recording.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(published, summarize(audit.Judge(rec, roster(t, "roster_102"), engine))); diff != "" {
		t.Errorf("(-published +ours):\n%s", diff)
	}
}
