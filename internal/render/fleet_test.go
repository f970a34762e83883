package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/report"
)

// Names and reasons come from files and servers of others: in no form do they hold a control character, and lines keep to their width.
func TestFleetIsHarmless(t *testing.T) {
	hostile := "\x1b[31mred\r\nnext\u202eback\x00"
	percentage := 71
	f := &report.Fleet{SchemaVersion: 1, Targets: []report.Member{
		{Name: hostile, Target: hostile, Status: report.Audited, Score: 71, MaxScore: 100, Percentage: &percentage, Failed: 3, Critical: 1, High: 2, Partial: true},
		{Name: strings.Repeat("long", 50), Status: report.GateFailed},
		{Name: "b", Status: report.NotAudited, Reason: hostile},
		{Name: "c", Status: report.Skipped, Reason: hostile},
		{Name: "d", Status: report.Interrupted, Reason: "interrupted"},
	}}
	f.Count()
	if want := (report.FleetCounts{Targets: 5, Audited: 2, GatesFailed: 1, Failed: 2, Skipped: 1}); f.Summary != want {
		t.Errorf("counted %+v, want %+v", f.Summary, want)
	}
	var text, doc bytes.Buffer
	if err := Fleet(&text, f, Options{Width: 90}); err != nil {
		t.Fatal(err)
	}
	if err := FleetJSON(&doc, f); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), doc.String()} {
		if i := strings.IndexFunc(out, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' }); i >= 0 {
			t.Errorf("a control character at %d of\n%q", i, out)
		}
	}
	for line := range strings.Lines(text.String()) {
		if width(strings.TrimSuffix(line, "\n")) > 90 {
			t.Errorf("wider than 90 columns: %q", line)
		}
	}
	for _, want := range []string{"5 targets, 2 audited, 1 failed a gate, 2 could not be audited, 1 left out", "partial, 71 of 100 points", "gate failed, 0 of 0 points", "left out"} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
	var back report.Fleet
	if err := json.Unmarshal(doc.Bytes(), &back); err != nil || back.Targets[0].Name != hostile {
		t.Errorf("read back: %v, %q", err, back.Targets[0].Name)
	}
}
