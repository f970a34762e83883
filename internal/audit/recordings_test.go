package audit_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

var updateReports = flag.Bool("update-reports", false, "rewrite the reports beside testdata/recordings with what is said now")

// renderings are the reports kept beside each recording, by the ending of their names.
var renderings = map[string]func(io.Writer, *report.Report) error{
	".json": render.JSON,
	".txt": func(w io.Writer, r *report.Report) error {
		return render.Terminal(w, r, render.Options{Width: 80})
	},
	".verbose.txt": func(w io.Writer, r *report.Report) error {
		return render.Terminal(w, r, render.Options{Width: 80, Verbose: true})
	},
}

// Whole audits of real servers are judged and shown as they were when somebody last read the reports.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob("../../testdata/recordings/*.rec.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 3 {
		t.Fatalf("only %d recordings: %v", len(files), files)
	}
	roster, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".rec.json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := recording.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			judged := audit.Judge(rec, roster, rec.Engine)
			for ending, show := range renderings {
				var out bytes.Buffer
				if err := show(&out, judged); err != nil {
					t.Fatal(err)
				}
				if *updateReports {
					if err := os.WriteFile(name+ending, out.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
					continue
				}
				want, err := os.ReadFile(name + ending)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), out.String()); diff != "" {
					t.Errorf("%s%s (-golden +now; make update rewrites it):\n%s", name, ending, diff)
				}
			}
		})
	}
}
