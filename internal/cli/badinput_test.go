package cli

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// quick are budgets for targets that never answer.
var quick = []string{"--handshake-timeout", "1s", "--start-timeout", "1s", "--request-timeout", "1s", "--probe-timeout", "1s", "--listing-timeout", "1s"}

// patient are budgets for targets that end the matter themselves, only not at once on a busy machine.
var patient = []string{"--handshake-timeout", "20s", "--probe-timeout", "20s", "--request-timeout", "20s"}

// Whatever is wrong with a target, one clear error names the target, the phase and what to do, and the report says the same to programs.
func TestTargetsThatCannotBeAudited(t *testing.T) {
	dir := t.TempDir()
	notExecutable := filepath.Join(dir, "server")
	if err := os.WriteFile(notExecutable, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	selfSigned := httptest.NewUnstartedServer(always(200, "text/plain", "hello"))
	selfSigned.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of us
	selfSigned.StartTLS()
	t.Cleanup(selfSigned.Close)
	stdio := func(behaviour string, args ...string) []string {
		budgets := patient
		if behaviour == "silent" || behaviour == "never-reads" { // a time-out is what there is to see
			budgets = []string{"--handshake-timeout", "2s"}
		}
		return slices.Concat(budgets, []string{"--stdio"}, testserver.Command(t, behaviour, args...))
	}
	target := func(u string, flags ...string) []string { return append(flags, u) }
	bomb := gzipped(`{"jsonrpc":"2.0","id":1,"result":{"filler":"`, 256<<20)
	far := strings.Replace(serve(t, always(200, "text/plain", "elsewhere")), "127.0.0.1", "localhost", 1)

	tests := []struct {
		name   string
		target []string
		class  recording.Class
		phase  string
		says   string // in the message
		status int
	}{
		{"name without an address", target("http://no-such-host.invalid/mcp"), recording.FailDNS, "connect", "no-such-host.invalid", 0},
		{"refused connection", target("http://" + closedPort(t) + "/mcp"), recording.FailRefused, "connect", "refused the connection", 0},
		{"self-signed certificate", target(selfSigned.URL), recording.FailTLS, "connect", "authority that is not trusted", 0},
		{"TLS to a port without it", target(strings.Replace(serve(t, always(200, "text/plain", "")), "http:", "https:", 1)), recording.FailTLS, "connect", "does not speak TLS", 0},
		{"not MCP", target(serve(t, always(200, "application/json", `{"hello":"world"}`))), recording.FailNotMCP, "handshake", "no JSON-RPC message", 200},
		{"web page", target(serve(t, always(200, "text/html; charset=utf-8", "<!doctype html><title>Welcome</title>"))), recording.FailHTML, "handshake", "web page", 200},
		{"page for 404", target(serve(t, http.NotFound)), recording.FailHTTP, "handshake", "404", 404},
		{"server error", target(serve(t, always(500, "text/plain", "out of order"))), recording.FailServerError, "handshake", "500", 500},
		{"empty answer", target(serve(t, always(200, "application/json", ""))), recording.FailNoAnswer, "handshake", "no body", 200},
		{"redirects without end", target(serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"/x", http.StatusTemporaryRedirect)
		}), patient...), recording.FailRedirected, "handshake", "too-many", 307},
		{"redirect to another origin", target(serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, far, http.StatusTemporaryRedirect)
		})), recording.FailRedirected, "handshake", "off-origin", 307},
		{"gzip bomb", target(serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				w.WriteHeader(http.StatusNotImplemented)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "application/json")
			w.Write(bomb)
		}), patient...), recording.FailTooLarge, "handshake", "larger than", 200},
		{"JSON without a bottom", target(serve(t, always(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+strings.Repeat("[", 1<<20)))), recording.FailNotMCP, "handshake", "no JSON-RPC message", 200},
		{"port that accepts and never answers", target("http://" + mute(t) + "/mcp"), recording.FailTimeout, "handshake", "no response", 0},
		{"TLS handshake that never ends", target("https://" + mute(t) + "/mcp"), recording.FailTimeout, "connect", "TLS handshake", 0},
		{"heartbeats for ever", target(serve(t, trickle("text/event-stream", ": still here\n\n"))), recording.FailTimeout, "handshake", "event stream", 200},
		{"dripping body", target(serve(t, trickle("application/json", " "))), recording.FailTimeout, "handshake", "did not end", 200},
		{"event stream without an endpoint", target(serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				trickle("text/event-stream", "event: hello\ndata: there\n\n")(w, r)
				return
			}
			http.Error(w, "only GET", http.StatusMethodNotAllowed)
		})), recording.FailTimeout, "handshake", "no message endpoint", 200},

		{"command that does not exist", []string{"--stdio", "no-such-program-anywhere"}, recording.FailCommandNotFound, "start", "no-such-program-anywhere", 0},
		{"path that does not exist", []string{"--stdio", filepath.Join(dir, "nothing")}, recording.FailCommandNotFound, "start", "does not exist", 0},
		{"file that is not executable", []string{"--stdio", notExecutable}, recording.FailNotExecutable, "start", "not executable", 0},
		{"command that dies at once", stdio("exits", "7", "DATABASE_URL is not set"), recording.FailExited, "handshake", "DATABASE_URL is not set", 0},
		{"command that prints nothing", stdio("silent"), recording.FailSilent, "handshake", "printed nothing", 0},
		{"command that never reads", stdio("never-reads"), recording.FailNotReading, "handshake", "read its standard input", 0},
		{"command that closes its output", stdio("closes-stdout"), recording.FailNoAnswer, "handshake", "standard output", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, append(append([]string{"audit", "--json"}, quick...), tt.target...)...)
			got.want(t, ExitTarget)
			r := got.report(t)
			f := r.Failure
			if f == nil {
				t.Fatal("the report names no failure")
			}
			if f.Class != tt.class || f.Phase != tt.phase || f.Status != tt.status {
				t.Errorf("class %q, phase %q, status %d; want %q, %q, %d", f.Class, f.Phase, f.Status, tt.class, tt.phase, tt.status)
			}
			if !strings.Contains(f.Detail, tt.says) {
				t.Errorf("the detail does not say %q: %s", tt.says, f.Detail)
			}
			for what, text := range map[string]string{"target": r.Target, "phase": f.Phase, "detail": f.Detail, "remedy": f.Remedy} {
				if text == "" || !strings.Contains(got.stderr, text) {
					t.Errorf("standard error does not name the %s %q:\n%s", what, text, got.stderr)
				}
			}
			if lines := strings.Count(got.stderr, "\n"); lines != 2 {
				t.Errorf("%d lines on standard error, want an error and a hint:\n%s", lines, got.stderr)
			}
			if len(r.Results) > 0 || r.MaxScore > 0 {
				t.Error("something was judged although nothing was seen")
			}
		})
	}
}
