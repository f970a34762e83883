// Package improve holds the servers that docs/improve.md quotes, and the tests that keep page and servers true.
package improve

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

var engine = recording.Engine{Name: "hallmark", Version: "test"}

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../improve.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// row is a line of the page's table.
type row struct {
	rule           string
	failed, judged int
	passes         map[string]string // SDK: yes, no or n/a
}

var tableLine = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\d+) of (\\d+) \\| (yes|no|n/a) \\| (yes|no|n/a) \\| (yes|no|n/a) \\|$")

func table(t *testing.T) []row {
	t.Helper()
	text := page(t)
	var rows []row
	for _, m := range tableLine.FindAllStringSubmatch(text, -1) {
		r := row{rule: m[1], passes: map[string]string{"go": m[4], "python": m[5], "typescript": m[6]}}
		fmt.Sscan(m[2], &r.failed)
		fmt.Sscan(m[3], &r.judged)
		rows = append(rows, r)
	}
	if lines := strings.Count(text, "\n| `"); lines != len(rows) || len(rows) < 10 {
		t.Fatalf("%d lines of the table are understood, of %d", len(rows), lines)
	}
	return rows
}

// What the page quotes stands in a server, and each server is quoted.
func TestSnippets(t *testing.T) {
	sources := map[string]string{}
	quoted := map[string]int{}
	for ending, files := range map[string][]string{"go": {"go/main.go"}, "python": {"python/server.py"}, "js": {"typescript/server.mjs", "typescript/modern.mjs"}} {
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sources[ending] += string(text)
		}
	}
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(page(t), -1) {
		language, snippet := m[1], m[2]
		quoted[language]++
		if !strings.Contains(sources[language], snippet) {
			t.Errorf("this is in no server of language %q:\n%s", language, snippet)
		}
	}
	for language := range sources {
		if quoted[language] < 3 {
			t.Errorf("%d snippets in %s", quoted[language], language)
		}
	}
}

// The page's numbers are those of the corpus, and no commoner failure is left out.
func TestCounts(t *testing.T) {
	files, err := filepath.Glob("../../../shared/oracle/*/verdicts.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("../shared/oracle, where the verdicts are, is not beside this repository")
	}
	passed, failed := map[string]int{}, map[string]int{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var of struct{ Verdicts map[string]string }
		if err := json.Unmarshal(text, &of); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for rule, verdict := range of.Verdicts {
			switch verdict {
			case "pass":
				passed[rule]++
			case "fail":
				failed[rule]++
			}
		}
	}
	if want := fmt.Sprintf("%d configurations", len(files)); !strings.Contains(page(t), want) {
		t.Errorf("the page does not say %q", want)
	}
	rows := table(t)
	for i, r := range rows {
		if failed[r.rule] != r.failed || failed[r.rule]+passed[r.rule] != r.judged {
			t.Errorf("%s: the page says %d of %d, the corpus %d of %d", r.rule, r.failed, r.judged, failed[r.rule], failed[r.rule]+passed[r.rule])
		}
		if i > 0 && rows[i-1].failed < r.failed {
			t.Errorf("%s stands below a rarer failure", r.rule)
		}
	}
	least := rows[len(rows)-1].failed
	for rule, n := range failed {
		if n > least && !slices.ContainsFunc(rows, func(r row) bool { return r.rule == rule }) {
			t.Errorf("%s failed %d times and is not in the table", rule, n)
		}
	}
}

// judge audits a server.
func judge(t *testing.T, target capture.Target) *report.Report {
	t.Helper()
	rec, err := capture.Run(t.Context(), target, capture.Options{Engine: engine, AsOf: time.Now(), Budgets: capture.DefaultBudgets, InFlight: 6})
	if err != nil {
		t.Fatal(err)
	}
	roster, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Judge(rec, roster, engine)
	if r.Failure != nil {
		t.Fatalf("no audit: %s: %s", r.Failure.Class, r.Failure.Detail)
	}
	return r
}

// verdicts are "pass" and "fail" by rule over some audits of one server; a failure anywhere counts.
func verdicts(reports ...*report.Report) map[string]string {
	of := map[string]string{}
	for _, r := range reports {
		for _, result := range slices.Concat(r.Results, r.Readiness.Results) {
			if !result.Passed {
				of[result.RuleID] = "fail"
			} else if of[result.RuleID] == "" {
				of[result.RuleID] = "pass"
			}
		}
	}
	return of
}

// check compares the verdicts on an SDK's server with its column of the table.
func check(t *testing.T, sdk string, reports ...*report.Report) {
	t.Helper()
	got := verdicts(reports...)
	listed := []string{}
	for _, r := range table(t) {
		want := map[string]string{"yes": "pass", "no": "fail", "n/a": ""}[r.passes[sdk]]
		if got[r.rule] != want {
			t.Errorf("%s: the verdict is %q, the page says %s", r.rule, got[r.rule], r.passes[sdk])
		}
		listed = append(listed, r.rule)
	}
	for _, r := range reports {
		if r.Percentage == nil || *r.Percentage < 95 {
			t.Errorf("%s: %d of %d points", r.Target, r.Score, r.MaxScore)
		}
	}
	for rule, verdict := range got {
		sister := strings.HasPrefix(rule, "capability_")
		if verdict == "fail" && !sister && !slices.Contains(listed, rule) && !(sdk == "typescript" && strings.HasPrefix(rule, "readiness_")) {
			t.Errorf("%s fails and is not in the table", rule)
		}
	}
}

// serve starts a server over HTTP and waits until its port accepts.
func serve(t *testing.T, port string, words ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the error says that we killed it, or the port never opens and the log says why
		close(ended)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	for {
		select {
		case <-ended:
			t.Fatalf("%v ended: %s", words, log.String())
		case <-time.After(20 * time.Millisecond):
		}
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			conn.Close()
			return
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func TestGo(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "server.exe")
	if out, err := exec.Command("go", "build", "-o", binary, "./go").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	port := freePort(t)
	serve(t, port, binary, "-http", "127.0.0.1:"+port)
	check(t, "go", judge(t, capture.Target{Command: []string{binary}}), judge(t, capture.Target{URL: "http://127.0.0.1:" + port + "/"}))
	if answer, err := http.Get("http://127.0.0.1:" + port + "/"); err != nil || answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a GET without a session: %v, %v", answer, err)
	}
}

// corpus is the folder with the SDKs of other languages.
func corpus(t *testing.T) string {
	t.Helper()
	if os.Getenv("HALLMARK_INTEGRATION") == "" {
		t.Skip("HALLMARK_INTEGRATION is not set: servers of other languages are audited by make integration")
	}
	work := os.Getenv("ORACLE_WORK")
	if work == "" {
		t.Fatal("ORACLE_WORK does not name the folder of the corpus")
	}
	return work
}

func TestPython(t *testing.T) {
	python := filepath.Join(corpus(t), "py/mcp2/bin/python")
	port := freePort(t)
	serve(t, port, python, "python/server.py", port)
	check(t, "python", judge(t, capture.Target{Command: []string{python, "python/server.py"}}), judge(t, capture.Target{URL: "http://127.0.0.1:" + port + "/mcp"}))
}

// script copies a program to where node finds the packages that it imports.
func script(t *testing.T, name, modules string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("typescript", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

func TestTypeScript(t *testing.T) {
	server := script(t, "server.mjs", filepath.Join(corpus(t), "node/node_modules"))
	port := freePort(t)
	serve(t, port, "node", server, port)
	check(t, "typescript", judge(t, capture.Target{Command: []string{"node", server}}), judge(t, capture.Target{URL: "http://127.0.0.1:" + port + "/mcp"}))
}

// Version 2 passes what version 1 cannot.
func TestTypeScript2(t *testing.T) {
	server := script(t, "modern.mjs", filepath.Join(corpus(t), "ts2/node_modules"))
	got := verdicts(judge(t, capture.Target{Command: []string{"node", server}}))
	for _, rule := range []string{"protocol_version_latest", "readiness_2026_server_discover", "readiness_2026_stateless_request", "readiness_2026_deprecated_features"} {
		if got[rule] != "pass" {
			t.Errorf("%s: the verdict is %q", rule, got[rule])
		}
	}
}
