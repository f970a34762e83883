package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
)

// A report that was read gives the same document again, and names its findings as the built one does.
func TestRead(t *testing.T) {
	for _, s := range reporttest.Samples() {
		built := s.Report()
		text, err := json.Marshal(built)
		if err != nil {
			t.Fatal(err)
		}
		read, err := report.Read(bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		again, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), string(again)); diff != "" {
			t.Errorf("%s: -built +read:\n%s", s.Name, diff)
		}
		for i := range built.Results {
			want, complete := built.Results[i].Fingerprints()
			if !complete {
				t.Errorf("%s: %s: a built report does not know its findings", s.Name, built.Results[i].RuleID)
			}
			got, all := read.Results[i].Fingerprints()
			if len(want) > 20 {
				want = want[:20]
				if all {
					t.Errorf("%s: %s: 20 of more findings count as all", s.Name, built.Results[i].RuleID)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s: -built +read:\n%s", s.Name, built.Results[i].RuleID, diff)
			}
		}
	}
}

func TestReadPeer(t *testing.T) {
	r, err := report.Read(strings.NewReader(`{"schema_version": 1, "mcpscore_version": "1.29.0", "target": "https://example.com/mcp", "score": 3,
		"results": [{"rule_id": "a", "severity": "HIGH", "severity_value": 3, "passed": false, "message": "no", "details": null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Engine != (report.Engine{Name: "mcpscore", Version: "1.29.0"}) || r.Score != 3 || len(r.Results) != 1 {
		t.Errorf("read %+v", r)
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "not a report: unexpected end of JSON input",
		"[]":                                   "not a report: json:",
		"{}":                                   "not a report: it lacks schema_version or target",
		`{"schema_version": 2, "target": "x"}`: "reports of schema version 2 are not supported, this program reads version 1",
		`{"schema_version": 1, "target": "x", "results": [{"rule_id": "a", "details": {"issues": 3}}]}`: "not a report: the details of a: ",
	} {
		_, err := report.Read(strings.NewReader(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
