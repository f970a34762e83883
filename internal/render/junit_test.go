package render

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

func checkXML(t failer, what string, out []byte) {
	d := xml.NewDecoder(bytes.NewReader(out))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("%s is not well-formed: %v", what, err)
			return
		}
	}
}

// The counts agree with the report, and the times are of the schema's form. (The schema itself is applied in internal/integration.)
func TestJUnitCounts(t *testing.T) {
	everyReport(t, func(name string, r *report.Report, rec *recording.Recording) {
		out := rendered(t, fileFormats[2].write, r, rec)
		checkXML(t, name, out)
		var doc junitSuites
		if err := xml.Unmarshal(out, &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tests, failed, broken, skipped := 0, 0, 0, 0
		for _, s := range doc.Suites {
			own := [4]int{len(s.Cases)}
			for _, c := range s.Cases {
				if c.Failure != nil {
					own[1]++
				}
				if c.Error != nil {
					own[2]++
				}
				if c.Skipped != nil {
					own[3]++
				}
			}
			if own != [4]int{s.Tests, s.Failures, s.Errors, s.Skipped} {
				t.Errorf("%s: suite %s says %d, %d, %d, %d and has %v", name, s.Name, s.Tests, s.Failures, s.Errors, s.Skipped, own)
			}
			if !regexp.MustCompile(`^\d+(\.\d+)?$`).MatchString(s.Time) || !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`).MatchString(s.Timestamp) {
				t.Errorf("%s: suite %s has time %q, timestamp %q", name, s.Name, s.Time, s.Timestamp)
			}
			tests, failed, broken, skipped = tests+own[0], failed+own[1], broken+own[2], skipped+own[3]
		}
		if doc.Tests != tests || doc.Failures != failed || doc.Errors != broken {
			t.Errorf("%s: totals %d, %d, %d; the suites have %d, %d, %d", name, doc.Tests, doc.Failures, doc.Errors, tests, failed, broken)
		}
		gates := 0
		for _, g := range r.Gates {
			if !g.Passed {
				gates++
			}
		}
		want, _ := failuresThatCount(r)
		if failed != len(want)+gates {
			t.Errorf("%s: %d failures for %d failed rules and %d failed gates", name, failed, len(want), gates)
		}
		if all := len(r.Results) + len(r.Readiness.Results) + len(r.SkippedRules) + len(r.Gates); r.Failure == nil && tests != all {
			t.Errorf("%s: %d cases for %d rules and gates", name, tests, all)
		}
	})
}

func TestJUnitOfReadinessThatDoesNotCount(t *testing.T) {
	var doc junitSuites
	if err := xml.Unmarshal(rendered(t, fileFormats[2].write, reporttest.Legacy().Report(), nil), &doc); err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, s := range doc.Suites {
		for _, c := range s.Cases {
			if c.ClassName == "hallmark."+string(rule.Readiness) && c.Failure != nil {
				t.Errorf("%s fails the build", c.Name)
			}
			if c.Name == "readiness_2026_server_discover" {
				seen = c.Skipped != nil && strings.HasPrefix(c.Skipped.Message, "not counted: ")
			}
		}
	}
	if !seen {
		t.Error("a failed readiness rule is not told of")
	}
}

func TestJUnitOfAnAuditThatDidNotRun(t *testing.T) {
	var doc junitSuites
	if err := xml.Unmarshal(rendered(t, fileFormats[2].write, reporttest.Failed().Report(), nil), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Tests != 1 || doc.Errors != 1 || doc.Suites[0].Cases[0].Error.Type != "connection-refused" {
		t.Errorf("%+v", doc)
	}
}
