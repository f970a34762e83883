package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// lifecycles are the kinds of servers that are measured: a dual-era server's catalogs are read in both lifecycles, and compared.
var lifecycles = []struct {
	name           string
	legacy, modern bool
}{{"stateful", true, false}, {"stateless", false, true}, {"dual-era", true, true}}

// largeCatalog is 10,000 tools on 100 pages, as many as a listing may have.
func largeCatalog() *testserver.Catalog {
	c := testserver.DefaultCatalog()
	c.Tools, c.PageSize = testserver.VariedTools(10_000), 100
	return c
}

func auditOf(tb testing.TB, target string) *recording.Recording {
	tb.Helper()
	rec, err := capture.Run(context.Background(), capture.Target{URL: target}, capture.Options{
		Engine: engine, AsOf: time.Unix(1_800_000_000, 0), InFlight: 6, Budgets: capture.DefaultBudgets,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return rec
}

func rosterOf(tb testing.TB) *policy.Policy {
	tb.Helper()
	p, err := policy.Load("")
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Every tool of a very large catalog is read and judged, whichever lifecycle the server speaks.
func TestTenThousandTools(t *testing.T) {
	catalog := largeCatalog()
	p := rosterOf(t)
	for _, l := range lifecycles {
		if l.legacy && l.modern {
			continue // both have been shown by then
		}
		t.Run(l.name, func(t *testing.T) {
			s := &testserver.Web{Legacy: l.legacy, Modern: l.modern, Catalog: catalog}
			r := audit.Judge(auditOf(t, s.Start(t)), p, engine)
			if len(r.Catalogs) == 0 || r.Failure != nil {
				t.Fatalf("%d catalogs, failure %+v", len(r.Catalogs), r.Failure)
			}
			if c := r.Catalogs[0]; c.Name != "tools" || c.Items != 10_000 || c.Pages != 100 || !c.Complete {
				t.Errorf("%d %s on %d pages were read, complete: %t", c.Items, c.Name, c.Pages, c.Complete)
			}
		})
	}
}

// BenchmarkTenThousandTools is an audit from the first request to the report, the server's own work included.
func BenchmarkTenThousandTools(b *testing.B) {
	catalog := largeCatalog()
	p := rosterOf(b)
	for _, l := range lifecycles {
		b.Run(l.name, func(b *testing.B) {
			s := &testserver.Web{Legacy: l.legacy, Modern: l.modern, Catalog: catalog}
			target := s.Start(b)
			b.ReportAllocs()
			for b.Loop() {
				rec := auditOf(b, target)
				if err := render.JSON(io.Discard, audit.Judge(rec, p, engine)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplay is the cost of judging alone: from the bytes of a recording to those of the report.
func BenchmarkReplay(b *testing.B) {
	p := rosterOf(b)
	for _, size := range []struct {
		name  string
		tools int
	}{{"13-tools", 13}, {"150-tools", 150}, {"10000-tools", 10_000}} {
		c := testserver.DefaultCatalog()
		c.Tools, c.PageSize = testserver.VariedTools(size.tools), 100
		var file bytes.Buffer
		if err := recording.Write(&file, auditOf(b, (&testserver.Web{Legacy: true, Modern: true, Catalog: c}).Start(b))); err != nil {
			b.Fatal(err)
		}
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(file.Len()))
			for b.Loop() {
				rec, err := recording.Read(bytes.NewReader(file.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				if err := render.JSON(io.Discard, audit.Judge(rec, p, engine)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecode is the cost of decoding a recording into an observation.
func BenchmarkDecode(b *testing.B) {
	c := testserver.DefaultCatalog()
	c.Tools = testserver.VariedTools(150)
	rec := auditOf(b, (&testserver.Web{Legacy: true, Modern: true, Catalog: c}).Start(b))
	b.ReportAllocs()
	for b.Loop() {
		if o := observe.Decode(rec); len(o.Tools.Items) != 150 {
			b.Fatalf("%d tools", len(o.Tools.Items))
		}
	}
}

// The tools that are measured are what a server could send.
func TestVariedTools(t *testing.T) {
	names := map[string]bool{}
	total := 0
	for _, raw := range testserver.VariedTools(2000) {
		var tool struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		if names[tool.Name] || tool.InputSchema == nil {
			t.Errorf("%s is there twice or has no schema", tool.Name)
		}
		names[tool.Name] = true
		total += len(raw)
	}
	if mean := total / 2000; mean < 1100 || mean > 1600 {
		t.Errorf("a tool has %d bytes on average", mean)
	}
}
