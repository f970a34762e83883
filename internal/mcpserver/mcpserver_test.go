package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// own is the argument with which the test binary is the server itself, over standard input and output.
const own = "serve-hallmark"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == own {
		srv, err := New(Options{Version: "1.0.0", Audit: auditLive})
		if err == nil {
			err = srv.Run(context.Background(), &mcp.StdioTransport{})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var engine = recording.Engine{Name: "hallmark", Version: "test"}

// auditLive audits as the command line does.
func auditLive(ctx context.Context, target Target, progress func(string)) (*report.Report, error) {
	rec, err := capture.Run(ctx, capture.Target{URL: target.URL, Command: target.Command}, capture.Options{
		Engine: engine, AsOf: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	roster, err := policy.Load("")
	if err != nil {
		return nil, err
	}
	return audit.Judge(rec, roster, engine), nil
}

// Whoever judges others should stand up to it: every rule that applies passes, the ones that never count included.
func TestOwnAudit(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	srv, err := New(Options{Version: "1.0.0", Audit: auditLive})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", Handler(srv))
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	for _, tt := range []struct {
		name   string
		target Target
	}{
		{"stdio", Target{Command: []string{exe, own}}},
		{"streamable-http", Target{URL: web.URL + "/mcp"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := auditLive(t.Context(), tt.target, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			if r.Failure != nil || r.Transport == nil || string(*r.Transport) != tt.name {
				t.Fatalf("the audit failed: %+v over %v", r.Failure, r.Transport)
			}
			for _, f := range summarized(r).Failed {
				t.Errorf("%s fails: %s", f.RuleID, f.Message)
			}
			if r.Score != r.MaxScore || r.MaxScore < 150 {
				t.Errorf("score %d of %d", r.Score, r.MaxScore)
			}
			if r.Readiness.Score != r.Readiness.MaxScore || r.Readiness.MaxScore < 30 || !r.Readiness.CountedInMain {
				t.Errorf("readiness %d of %d, counted: %v", r.Readiness.Score, r.Readiness.MaxScore, r.Readiness.CountedInMain)
			}
		})
	}
}

// connect opens a session with a server that has these options.
func connect(t *testing.T, opts Options, client *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	opts.Version = "1.0.0"
	if opts.Audit == nil {
		opts.Audit = auditLive
	}
	srv, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool and returns the text of its answer, and its structured content in into, if that is not nil.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any, into any) (text string, failed bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Content {
		if part, ok := c.(*mcp.TextContent); ok {
			text += part.Text
		}
	}
	if into != nil {
		raw, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatalf("structured content %s: %v", raw, err)
		}
	}
	return text, r.IsError
}

// The round that the instructions describe: audit, explain, repair, audit again, compare.
func TestRound(t *testing.T) {
	web := &testserver.Web{Legacy: true}
	url := web.Start(t)
	session := connect(t, Options{}, nil)

	var before, after auditOutput
	text, failed := call(t, session, "audit_server", map[string]any{"url": url}, &before)
	if failed || before.Server != "weather-desk 2.3.1" || before.Percentage == nil || len(before.Failed) == 0 || before.Report != nil {
		t.Fatalf("audit: %v %+v\n%s", failed, before, text)
	}
	if !strings.Contains(text, "security_origin_validation") || !strings.Contains(text, before.ReportID) {
		t.Errorf("text of the audit:\n%s", text)
	}

	var e explanation
	if text, failed := call(t, session, "explain_rule", map[string]any{"rule_id": "security_origin_validation"}, &e); failed || e.Fix == "" || len(e.Examples) < 2 || !strings.Contains(text, e.Why) {
		t.Errorf("explanation: %v %+v\n%s", failed, e, text)
	}

	web.StrictOrigin = true
	call(t, session, "audit_server", map[string]any{"url": url, "full_report": true}, &after)
	var whole report.Report
	if err := json.Unmarshal(after.Report, &whole); err != nil || whole.Score != after.Score || len(whole.Results) == 0 {
		t.Errorf("full report: %v, score %d, summary says %d", err, whole.Score, after.Score)
	}

	var d report.Diff
	text, failed = call(t, session, "compare_reports", map[string]any{"before": before.ReportID, "after": string(after.Report)}, &d)
	if failed || len(d.Rules) != 1 || d.Rules[0].RuleID != "security_origin_validation" || d.Rules[0].Cause != report.ByAnswers {
		t.Errorf("comparison: %v %+v\n%s", failed, d, text)
	}

	r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: after.ReportURI})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := report.Read(strings.NewReader(r.Contents[0].Text))
	if err != nil {
		t.Fatal(err)
	}
	returned, err := report.Read(bytes.NewReader(after.Report))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(returned, kept); diff != "" {
		t.Errorf("the report as a resource is another one (-returned +kept):\n%s", diff)
	}
}

// What a hostile server says reaches the model without a character that it could not see.
func TestHostileText(t *testing.T) {
	session := connect(t, Options{Audit: func(context.Context, Target, func(string)) (*report.Report, error) {
		return reporttest.Hostile().Report(), nil
	}}, nil)
	var out auditOutput
	text, failed := call(t, session, "audit_server", map[string]any{"url": "https://example.com/", "full_report": true}, &out)
	if failed || len(out.Failed) == 0 {
		t.Fatalf("failed: %v\n%s", failed, text)
	}
	structured, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{strings.ReplaceAll(text, "\n", " "), string(structured)} {
		for _, r := range shown {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%U is shown", r)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	audited := 0
	counting := func(context.Context, Target, func(string)) (*report.Report, error) {
		audited++
		return nil, errors.New("the line\nis \x1b[31mdead")
	}
	session := connect(t, Options{Audit: counting}, nil)
	for _, tt := range []struct {
		name, tool string
		arguments  map[string]any
		want       string
	}{
		{"a command that nobody allowed", "audit_server", map[string]any{"url": "https://example.com/", "command": []string{"touch", "x"}}, "command"},
		{"no target", "audit_server", map[string]any{}, "url"},
		{"a file", "audit_server", map[string]any{"url": "file:///etc/passwd"}, "absolute http or https URL"},
		{"an address without a host", "audit_server", map[string]any{"url": "http:foo"}, "absolute http or https URL"},
		{"a rule that is none", "explain_rule", map[string]any{"rule_id": "tools_names_uniqe"}, "tools_names_unique"},
		{"an id that is no rule's at all", "explain_rule", map[string]any{"rule_id": "../../etc"}, "rule_id"},
		{"a report that nobody has", "compare_reports", map[string]any{"before": "0", "after": "0"}, "before: no report has this id"},
		{"something else than a report", "compare_reports", map[string]any{"before": "{}", "after": "{}"}, "before: not a report"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, failed := call(t, session, tt.tool, tt.arguments, nil)
			if !failed || !strings.Contains(text, tt.want) {
				t.Errorf("failed: %v, text %q, want %q in it", failed, text, tt.want)
			}
		})
	}
	if audited != 0 {
		t.Errorf("%d audits began", audited)
	}
	text, failed := call(t, session, "audit_server", map[string]any{"url": "https://example.com/"}, nil)
	if !failed || strings.ContainsAny(text, "\x1b") {
		t.Errorf("failed: %v, text %q", failed, text)
	}
	for _, uri := range []string{"hallmark://rules/nonsense", "hallmark://reports/nonsense", "hallmark://other"} {
		if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s can be read", uri)
		}
	}
	if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "improve_server"}); err == nil {
		t.Error("a prompt without its argument can be had")
	}
}

// A command goes to the auditor only where the user allowed it, and the tool then no longer claims that it only reads.
func TestCommands(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		var got []string
		session := connect(t, Options{Commands: allowed, Audit: func(_ context.Context, target Target, _ func(string)) (*report.Report, error) {
			got = target.Command
			return reporttest.Perfect().Report(), nil
		}}, nil)
		_, failed := call(t, session, "audit_server", map[string]any{"command": []string{"server", "--flag"}}, nil)
		want := []string{"server", "--flag"}
		if !allowed {
			want = nil
		}
		if diff := cmp.Diff(want, got); diff != "" || failed == allowed {
			t.Errorf("allowed %v: failed %v, command (-want +got):\n%s", allowed, failed, diff)
		}
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			if tool.Name == "audit_server" && tool.Annotations.ReadOnlyHint == allowed {
				t.Errorf("allowed %v, read-only %v", allowed, tool.Annotations.ReadOnlyHint)
			}
		}
	}
}

func TestProgress(t *testing.T) {
	told := make(chan string, 100)
	session := connect(t, Options{Audit: func(_ context.Context, _ Target, progress func(string)) (*report.Report, error) {
		progress("reading\x07")
		return reporttest.Perfect().Report(), nil
	}}, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { told <- req.Params.Message }})
	params := &mcp.CallToolParams{Name: "audit_server", Arguments: map[string]any{"url": "https://example.com/"}}
	params.SetProgressToken("p")
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if got := <-told; !strings.HasPrefix(got, "reading") || strings.Contains(got, "\x07") {
		t.Errorf("told %q", got)
	}
}

func TestResources(t *testing.T) {
	session := connect(t, Options{}, nil)
	for uri, want := range map[string]string{
		"hallmark://rules":                    "[tools_names_unique](hallmark://rules/tools_names_unique)",
		"hallmark://rules/tools_names_unique": "## How to fix",
	} {
		r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Contents[0].Text; !strings.Contains(text, want) {
			t.Errorf("%s:\n%s\nlacks %q", uri, text, want)
		}
	}
}

func TestStoreIsBounded(t *testing.T) {
	var s store
	var ids []string
	for i := range maxReports + 8 {
		ids = append(ids, s.add(fmt.Appendf(nil, "report %d", i)))
	}
	if again := s.add([]byte("report 39")); again != ids[39] || len(s.order) != maxReports {
		t.Errorf("the same report has ids %s and %s, %d are kept", ids[39], again, len(s.order))
	}
	if _, ok := s.get(ids[7]); ok {
		t.Error("an old report is still there")
	}
	if text, ok := s.get(ids[8]); !ok || string(text) != "report 8" {
		t.Errorf("a younger report is %q", text)
	}
	s.add(make([]byte, maxReportBytes))
	s.add(make([]byte, 1))
	if s.bytes > maxReportBytes || len(s.order) != 1 {
		t.Errorf("%d bytes of %d reports are kept", s.bytes, len(s.order))
	}
}

// What the SDK would answer in plain text, or serve.
func TestHandlerRefuses(t *testing.T) {
	srv, err := New(Options{Version: "1.0.0", Audit: auditLive})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(Handler(srv))
	t.Cleanup(web.Close)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, tt := range []struct {
		name, body, origin, host string
		status                   int
		want                     string
	}{
		{name: "broken JSON", body: `{"jsonrpc":`, status: 400, want: `"code":-32700`},
		{name: "a method that is a number", body: `{"jsonrpc":"2.0","id":1,"method":4}`, status: 400, want: `"code":-32600`},
		{name: "a page of another origin", body: list, origin: "https://evil.example", status: 403},
		{name: "another host", body: list, host: "evil.example", status: 403},
		{name: "too large", body: `"` + strings.Repeat("x", maxBody) + `"`, status: 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			if tt.origin != "" {
				req.Header.Set("Origin", tt.origin)
			}
			req.Host = tt.host
			resp, err := web.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text := make([]byte, 1000)
			n, _ := resp.Body.Read(text)
			if resp.StatusCode != tt.status || !strings.Contains(string(text[:n]), tt.want) {
				t.Errorf("status %d, %q; want %d and %q", resp.StatusCode, text[:n], tt.status, tt.want)
			}
		})
	}
}
