package cli

import (
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

func TestFaultOfOurs(t *testing.T) {
	p, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	rec := &recording.Recording{Format: recording.Format, Version: recording.Version, AsOf: now, Target: recording.Target{Display: "https://h/mcp"}}
	r, err := guarded(rec, p, func() (*report.Report, error) {
		var nothing *report.Report
		return &report.Report{Target: nothing.Target}, nil
	})
	if err != nil || r == nil || r.Failure == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if f := r.Failure; f.Class != recording.FailInternal || f.Detail == "" || f.Remedy == "" || r.Target != "https://h/mcp" || r.Ran() {
		t.Errorf("target %q, failure %+v", r.Target, f)
	}
}
