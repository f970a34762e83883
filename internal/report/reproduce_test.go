package report_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// commandFor returns the commands that a report gives for a finding at the step.
func commandFor(t *testing.T, rec *recording.Recording, step string) string {
	t.Helper()
	s := reporttest.Legacy()
	r := reporttest.StandIn("server_title_present", rule.ServerInfo, rule.Medium, 0)
	s.Recording, s.Observed = rec, &observe.Observation{Kind: observe.Full}
	s.Verdicts = []rule.Verdict{{Rule: &r, Result: rule.Fail, Findings: []rule.Finding{{Entity: "response", Index: -1, Reason: "x", Step: step}}}}
	for _, p := range s.Report().Results[0].Reproduce {
		if p.Step == step {
			return p.Command
		}
	}
	return ""
}

// run has a shell run commands, with variables set.
func run(t *testing.T, commands string, env ...string) string {
	t.Helper()
	for _, tool := range []string{"sh", "curl", "awk"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs a POSIX shell, curl and awk: %v", err)
		}
	}
	cmd := exec.Command("sh", "-c", commands)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", commands, err, out)
	}
	return string(out)
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list        = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"it's ☃ $(id)"}}`
)

var (
	session = recording.Header{Name: "Mcp-Session-Id", Value: recording.Redacted}
	key     = recording.Header{Name: "X-Api-Key", Value: recording.Redacted}
)

// logged is a server that keeps a session and notes what it is sent.
type logged struct {
	mu   sync.Mutex
	seen []string
}

func (l *logged) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, fmt.Sprintf("%s %s session=%q key=%q type=%q accept=%q %s", r.Method, r.URL, r.Header.Get("Mcp-Session-Id"),
		r.Header.Get("X-Api-Key"), r.Header.Get("Content-Type"), r.Header.Get("Accept"), body))
	if strings.Contains(string(body), "initialize\"") {
		w.Header().Set("MCP-Session-Id", "s-42")
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
}

func TestReproduceInSession(t *testing.T) {
	t.Parallel()
	server := &logged{}
	ts := httptest.NewServer(server)
	defer ts.Close()
	url := ts.URL + "/mcp?token=[redacted]"
	rec := &recording.Recording{Target: recording.Target{URL: url, HeaderNames: []string{"X-Api-Key"}}, Exchanges: []recording.Exchange{
		reporttest.HTTP("session/initialize", url, "initialize", "1", initialize, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`, key),
		reporttest.HTTP("session/initialized", url, "notifications/initialized", "", initialized, 202, "", key, session),
		reporttest.HTTP("session/tools/list/1", url, "tools/list", "2", list, 200, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`, key, session),
	}}
	out := run(t, commandFor(t, rec, "session/tools/list/1"), "HEADER_X_API_KEY=k 'e' y", "SECRET=s3")
	if !strings.Contains(out, "200 OK") || !strings.HasSuffix(strings.TrimSpace(out), `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`) {
		t.Errorf("the commands print\n%s", out)
	}
	line := func(session, body string) string {
		return fmt.Sprintf("POST /mcp?token=s3 session=%q key=%q type=%q accept=%q %s", session, "k 'e' y", "application/json", "application/json, text/event-stream", body)
	}
	want := []string{line("", initialize), line("s-42", initialized), line("s-42", strings.ReplaceAll(list, "☃", `\u2603`))}
	if diff := cmp.Diff(want, server.seen); diff != "" {
		t.Errorf("what the server saw (-want +got):\n%s", diff)
	}
}

// Probes send odd requests: no content type, another method, a session that never was, text that is no JSON.
func TestReproduceProbes(t *testing.T) {
	t.Parallel()
	server := &logged{}
	ts := httptest.NewServer(server)
	defer ts.Close()
	url := ts.URL + "/mcp"
	malformed := reporttest.HTTP("probe/malformed-json", url, "", "", "{\"jsonrpc\": \x01é", 400, "")
	malformed.Request.Headers = nil
	get := reporttest.HTTP("probe/get-stream", url, "", "", "", 405, "")
	get.Request.Method, get.Request.Body, get.Request.Headers = "GET", nil, []recording.Header{{Name: "Accept", Value: "text/event-stream"}}
	del := reporttest.HTTP("probe/session-delete", url, "", "", "", 405, "", session)
	del.Request.Method, del.Request.Body = "DELETE", nil
	rec := &recording.Recording{Target: recording.Target{URL: url}, Exchanges: []recording.Exchange{malformed, get, del}}
	for _, step := range []string{"probe/malformed-json", "probe/get-stream", "probe/session-delete"} {
		if out := run(t, commandFor(t, rec, step)); !strings.Contains(out, "200 OK") {
			t.Errorf("%s prints\n%s", step, out)
		}
	}
	want := []string{
		"POST /mcp session=\"\" key=\"\" type=\"\" accept=\"\" {\"jsonrpc\": \x01é",
		`GET /mcp session="" key="" type="" accept="text/event-stream" `,
		`DELETE /mcp session="00000000-0000-4000-8000-000000000000" key="" type="application/json" accept="application/json, text/event-stream" `,
	}
	if diff := cmp.Diff(want, server.seen); diff != "" {
		t.Errorf("what the server saw (-want +got):\n%s", diff)
	}
}

func TestReproduceOverStdio(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "it's a server.sh")
	// It answers every request with what it read, and stops unanswered when its input ends: only an open pipe gets an answer.
	script := "#!/bin/sh\nread -r a; read -r b; read -r c; printf '%s\\n' \"$TOKEN|$1|$a|$b|$c\"\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	stdio := func(step, rpc, id, body, answer string) recording.Exchange {
		return reporttest.Stdio(step, "session", rpc, id, body, answer)
	}
	rec := &recording.Recording{
		Target: recording.Target{Command: []string{"sh", program, "$(exit 3) \n-[redacted]"}, EnvNames: []string{"TOKEN", "not-a-name"}},
		Exchanges: []recording.Exchange{
			stdio("session/initialize", "initialize", "1", initialize+"\n", `{"jsonrpc":"2.0","id":1,"result":{}}`),
			stdio("session/initialized", "notifications/initialized", "", initialized+"\n", ""),
			stdio("session/tools/list/1", "tools/list", "2", list+"\n", `{"jsonrpc":"2.0","id":2,"result":{}}`),
		},
	}
	command := strings.Replace(commandFor(t, rec, "session/tools/list/1"), "sleep 5", "sleep 1", 1)
	want := "t0ken|$(exit 3) \n-hush|" + initialize + "|" + initialized + "|" + strings.ReplaceAll(list, "☃", `\u2603`) + "\n"
	if got := run(t, command, "TOKEN=t0ken", "SECRET=hush"); got != want {
		t.Errorf("the server read\n%s\nwant\n%s", got, want)
	}
	if alone := commandFor(t, rec, "session/initialize"); strings.Contains(alone, "initialized") || !strings.Contains(alone, "initialize") {
		t.Errorf("initialize opens its session itself: %s", alone)
	}
}

func TestReproduceOverSSE(t *testing.T) {
	t.Parallel()
	events := make(chan string, 10)
	var mu sync.Mutex
	var posted []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\r\ndata: /messages?s=1\r\n\r\n")
		w.(http.Flusher).Flush()
		for {
			select {
			case e := <-events:
				fmt.Fprintf(w, "data: %s\n\n", e)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("POST /messages", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		posted = append(posted, r.Header.Get("X-Api-Key")+" "+string(body))
		mu.Unlock()
		if strings.Contains(string(body), "tools/list") {
			events <- `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`
		}
		w.WriteHeader(http.StatusAccepted)
	})
	ts := httptest.NewServer(mux)
	defer ts.Close()
	over := func(step, rpc, id, body, answer string) recording.Exchange {
		e := reporttest.HTTP(step, ts.URL+"/messages?s=[redacted]", rpc, id, body, 202, "", key)
		e.Via = "sse"
		if answer != "" {
			e.Answer = recording.NewBody([]byte(answer))
		}
		return e
	}
	rec := &recording.Recording{Target: recording.Target{URL: ts.URL + "/sse", HeaderNames: []string{"X-Api-Key"}}, Exchanges: []recording.Exchange{
		over("session/initialize", "initialize", "1", initialize, `{"jsonrpc":"2.0","id":1,"result":{}}`),
		over("session/initialized", "notifications/initialized", "", initialized, ""),
		over("session/tools/list/1", "tools/list", "2", list, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`),
	}}
	out := run(t, commandFor(t, rec, "session/tools/list/1"), "HEADER_X_API_KEY=k1")
	if !strings.Contains(out, `data: {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`) {
		t.Errorf("the commands print\n%s", out)
	}
	mu.Lock()
	defer mu.Unlock()
	want := []string{"k1 " + initialize, "k1 " + initialized, "k1 " + strings.ReplaceAll(list, "☃", `\u2603`)}
	if diff := cmp.Diff(want, posted); diff != "" {
		t.Errorf("what was posted (-want +got):\n%s", diff)
	}
}

// A server that names a foreign message endpoint does not get the user's headers.
func TestReproduceOverSSEStaysOnTheOrigin(t *testing.T) {
	t.Parallel()
	foreign := &logged{}
	other := httptest.NewServer(foreign)
	defer other.Close()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprintf(w, "event: endpoint\ndata: %s/steal\n\n", other.URL)
		}
	}))
	defer ts.Close()
	e := reporttest.HTTP("probe/x", ts.URL+"/messages", "ping", "1", `{}`, 202, "", key)
	e.Via = "sse"
	rec := &recording.Recording{Target: recording.Target{URL: ts.URL + "/sse"}, Exchanges: []recording.Exchange{e}}
	run(t, commandFor(t, rec, "probe/x"), "HEADER_X_API_KEY=k1")
	if len(foreign.seen) > 0 {
		t.Errorf("a foreign server saw %q", foreign.seen)
	}
}

func TestNoCommandWhereThereIsNone(t *testing.T) {
	rec := &recording.Recording{Target: recording.Target{URL: "https://h.example/mcp"}, Exchanges: []recording.Exchange{
		{Step: "tcp/loopback", Via: "tcp"}, {Step: "tls/connection", Via: "tls"}, {Step: "probe/stdio", Via: "stdio"},
	}}
	for step, want := range map[string]string{"tcp/loopback": "", "probe/stdio": "", "nowhere": "", "tls/connection": "curl -sSv -o /dev/null -m 30 https://h.example/mcp"} {
		if got := commandFor(t, rec, step); got != want {
			t.Errorf("%s: %q, want %q", step, got, want)
		}
	}
}
