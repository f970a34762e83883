// Package cases audits servers that behave like those people had trouble with, from the first byte to the report. The numbers in the
// comments are those of docs/cases.md, which names the test of every case. Whatever a test of the code itself shows stands there.
package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

func TestMain(m *testing.M) {
	testserver.Main()
	os.Exit(m.Run())
}

// outcome is what came of an audit.
type outcome struct {
	*report.Report
	rec *recording.Recording
}

// run audits a target under the default roster.
func run(t testing.TB, target capture.Target, opts capture.Options) outcome {
	t.Helper()
	p, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	opts.Engine = recording.Engine{Name: "hallmark", Version: "test"}
	opts.AsOf = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	rec, err := capture.Run(context.Background(), target, opts)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{audit.Judge(rec, p, opts.Engine), rec}
}

// overStdio audits one of the stdio servers of package testserver.
func overStdio(t testing.TB, opts capture.Options, behaviour string, args ...string) outcome {
	t.Helper()
	return run(t, capture.Target{Command: testserver.Command(t, behaviour, args...)}, opts)
}

// overHTTP audits a web server until the test ends.
func overHTTP(t testing.TB, web *testserver.Web, opts capture.Options) outcome {
	t.Helper()
	return run(t, capture.Target{URL: web.Start(t)}, opts)
}

// handler serves a page of its own and returns the URL.
func handler(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL + "/mcp"
}

// patient are budgets that end a hopeless audit soon and a slow one not at all.
var patient = capture.Budgets{Probe: 400 * time.Millisecond}

// all lists every verdict: scored, readiness and experimental.
func (o outcome) all() map[string]string {
	m := map[string]string{}
	for _, list := range [][]report.Result{o.Results, o.Readiness.Results, o.Experimental.Results} {
		for _, r := range list {
			m[r.RuleID] = "fail"
			if r.Passed {
				m[r.RuleID] = "pass"
			}
		}
	}
	for _, list := range [][]report.SkippedRule{o.SkippedRules, o.Experimental.SkippedRules} {
		for _, s := range list {
			m[s.RuleID] = string(s.Reason)
		}
	}
	return m
}

// scored leaves the experimental rules out.
func scored(m map[string]string) map[string]string {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(id, _ string) bool { return strings.HasPrefix(id, "experimental_") })
	return m
}

// failing lists the experimental rules that fail.
func (o outcome) failing() []string {
	var ids []string
	for _, r := range o.Experimental.Results {
		if !r.Passed {
			ids = append(ids, r.RuleID)
		}
	}
	slices.Sort(ids)
	return ids
}

// want checks verdicts: "pass", "fail" or the reason of a skip.
func (o outcome) want(t *testing.T, verdicts map[string]string) {
	t.Helper()
	got := o.all()
	for _, id := range slices.Sorted(maps.Keys(verdicts)) {
		if got[id] != verdicts[id] {
			t.Errorf("%s: %q, want %q %s", id, got[id], verdicts[id], o.why(id))
		}
	}
}

// why is what the report says of a rule, for messages.
func (o outcome) why(id string) string {
	for _, list := range [][]report.Result{o.Results, o.Readiness.Results, o.Experimental.Results} {
		for _, r := range list {
			if r.RuleID == id {
				return "(" + r.Message + ")"
			}
		}
	}
	for _, list := range [][]report.SkippedRule{o.SkippedRules, o.Experimental.SkippedRules} {
		for _, s := range list {
			if s.RuleID == id {
				return "(" + s.ReasonText + ")"
			}
		}
	}
	return ""
}

// ran fails the test unless a server was audited to the end.
func (o outcome) ran(t *testing.T) {
	t.Helper()
	if o.Failure != nil || !o.Ran() {
		t.Fatalf("failure %+v", o.Failure)
	}
}

// failed fails the test unless nothing could be audited, for this reason.
func (o outcome) failed(t *testing.T, class recording.Class, detail string) {
	t.Helper()
	f := o.Failure
	if o.Ran() || f == nil || f.Class != class || !strings.Contains(f.Detail, detail) {
		t.Errorf("ran %v, failure %+v; want %s with %q", o.Ran(), f, class, detail)
		return
	}
	if f.Phase == "" || f.Remedy == "" || o.Target == "" {
		t.Errorf("target %q, phase %q, remedy %q: none may be empty", o.Target, f.Phase, f.Remedy)
	}
}

// message is the part of a JSON-RPC message that tests look at.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor          *string `json:"cursor"`
		ProtocolVersion string  `json:"protocolVersion"`
	} `json:"params"`
}

func parse(body []byte) message {
	var m message
	_ = json.Unmarshal(body, &m) // a body that is no message has no method
	return m
}

// intercept is the hook of a Web server.
type intercept = func(http.ResponseWriter, *http.Request, []byte) bool

// on answers one method.
func on(method string, answer func(w http.ResponseWriter, r *http.Request, m message)) intercept {
	return func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		m := parse(body)
		if m.Method != method {
			return false
		}
		answer(w, r, m)
		return true
	}
}

// result writes a result as given, byte for byte.
func result(w http.ResponseWriter, m message, raw string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, raw)
}

// status answers with a status and a text.
func status(code int, text string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, text, code) }
}

// received counts the requests that a condition holds for.
func received(web *testserver.Web, holds func(testserver.Seen) bool) int {
	n := 0
	for _, r := range web.Requests() {
		if holds(r) {
			n++
		}
	}
	return n
}

// response is a ResponseWriter that keeps everything.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newCapture() *response { return &response{header: http.Header{}, status: http.StatusOK} }

func (r *response) Header() http.Header         { return r.header }
func (r *response) WriteHeader(code int)        { r.status = code }
func (r *response) Write(p []byte) (int, error) { return r.body.Write(p) }

// withBody gives a request its body back.
func withBody(r *http.Request, body []byte) *http.Request {
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return again
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
