package cases

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// Cases 1, 2, 5, 26, 34 and 79: how a process writes, and what else it says, changes no scored verdict; some of it is told beside them.
func TestProcessQuirksChangeNoVerdict(t *testing.T) {
	plain := overStdio(t, capture.Options{}, "server")
	plain.ran(t)
	tests := map[string][]string{
		"crlf":               nil,
		"bom":                {"experimental_stdout_messages_only"},
		"stderr-flood":       nil,
		"chatty":             {"experimental_stdout_messages_only"},
		"pretty-noise":       {"experimental_stdout_messages_only"},
		"string-ids":         {"experimental_response_ids_match"},
		"early-traffic":      nil,
		"speaks-first":       nil,
		"answers-twice":      nil,
		"batch":              nil,
		"exits-on-malformed": nil,
	}
	for behaviour, told := range tests {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			o := overStdio(t, capture.Options{}, behaviour)
			o.ran(t)
			if diff := cmp.Diff(scored(plain.all()), scored(o.all())); diff != "" {
				t.Errorf("verdicts (-plain +%s):\n%s", behaviour, diff)
			}
			if diff := cmp.Diff(told, o.failing()); diff != "" {
				t.Errorf("told besides (-want +got):\n%s", diff)
			}
		})
	}
}

// Case 4: an answer above the cap is unknown, and the rest of the server is judged.
func TestOversizedAnswer(t *testing.T) {
	o := overStdio(t, capture.Options{Budgets: patient}, "long-line", "17000000")
	o.ran(t)
	o.want(t, map[string]string{
		"tools_names_unique": "insufficient-data", "tools_name_present_in_all": "insufficient-data", "prompts_names_unique": "pass", "resources_uris_unique": "pass",
	})
	if why := o.why("tools_names_unique"); !strings.Contains(why, "bytes, more than") {
		t.Errorf("reason %s", why)
	}
	if e := o.ListingErrors["tools"]; e.Class != recording.FailTooLarge {
		t.Errorf("listing error %+v", e)
	}
}

// Case 8: installing takes as long as the start budget allows, whatever the handshake may take, and costs no point.
func TestSlowInstallation(t *testing.T) {
	var mu sync.Mutex
	var said []string
	opts := capture.Options{Budgets: capture.Budgets{Start: 20 * time.Second, Handshake: time.Millisecond}}
	opts.Progress = func(s string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, s)
	}
	slow := overStdio(t, opts, "slow-start", "500ms")
	slow.ran(t)
	plain := overStdio(t, capture.Options{}, "server")
	if diff := cmp.Diff(scored(plain.all()), scored(slow.all())); diff != "" {
		t.Errorf("verdicts (-plain +slow):\n%s", diff)
	}
	if !strings.Contains(strings.Join(said, "\n"), "installing") {
		t.Errorf("progress %q", said)
	}
}

// Case 10: words that only a shell understands end in an error that says so.
func TestShellWordsInCommand(t *testing.T) {
	tests := []struct {
		command []string
		says    string
	}{
		{[]string{"~/bin/start.sh", "--x"}, "shell"},
		{[]string{"$HOME/bin/start.sh"}, "shell"},
		{[]string{"no-such-program --stdio --verbose"}, "separate words"},
	}
	for _, tt := range tests {
		o := run(t, capture.Target{Command: tt.command}, capture.Options{})
		o.failed(t, recording.FailCommandNotFound, tt.says)
	}
}

// Case 13: parameters of content types are nobody's fault.
func TestContentTypeParametersAreNoFault(t *testing.T) {
	web := &testserver.Web{Modern: true} // answers application/json; charset=utf-8
	o := overHTTP(t, web, capture.Options{})
	o.ran(t)
	o.want(t, map[string]string{"readiness_2026_response_content_type": "pass"})
	for _, r := range web.Requests() {
		if got := r.Header.Get("Content-Type"); r.HTTP == http.MethodPost && got != "application/json" {
			t.Errorf("%s was sent as %q", r.RPC, got)
		}
	}
}

// Cases 14 and 32: priming events, heartbeats, other traffic and a stream that stays open change no verdict, and nobody is accused of
// missing authorization.
func TestEventStreamsChangeNoVerdict(t *testing.T) {
	plain := overHTTP(t, &testserver.Web{Legacy: true, Modern: true}, capture.Options{})
	plain.ran(t)
	streaming := &testserver.Web{Legacy: true, Modern: true}
	inner := &testserver.Web{Legacy: true, Modern: true, Catalog: testserver.DefaultCatalog()}
	streaming.Intercept = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if r.Method != http.MethodPost || parse(body).ID == nil {
			return false
		}
		answer := newCapture()
		inner.ServeHTTP(answer, withBody(r, body))
		if answer.status != http.StatusOK {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		fmt.Fprintf(w, ": hello\n\nid: 1\nretry: 3000\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\ndata: %s\n\n", answer.body.Bytes())
		w.(http.Flusher).Flush()
		<-r.Context().Done() // until the auditor hangs up
		return true
	}
	o := overHTTP(t, streaming, capture.Options{})
	o.ran(t)
	if diff := cmp.Diff(scored(plain.all()), scored(o.all())); diff != "" {
		t.Errorf("verdicts (-plain +streaming):\n%s", diff)
	}
	o.want(t, map[string]string{"auth_www_authenticate": "not-applicable", "auth_protected_resource_metadata": "not-applicable"})
}

// Case 16: a stream that ends after its priming event and cannot be resumed leaves the list unknown.
func TestStreamThatCannotBeResumed(t *testing.T) {
	web := &testserver.Web{Legacy: true}
	web.Intercept = on("tools/list", func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "id: 7\nretry: 1\ndata:\n\n")
	})
	o := overHTTP(t, web, capture.Options{Budgets: patient})
	o.ran(t)
	o.want(t, map[string]string{"tools_names_unique": "insufficient-data", "prompts_names_unique": "pass"})
	if n := received(web, func(r testserver.Seen) bool { return r.Header.Get("Last-Event-Id") != "" }); n == 0 || n > 5 {
		t.Errorf("%d attempts to resume", n)
	}
}

// Case 17: answers to notifications cost at most the points of their own rule.
func TestAnswersToNotifications(t *testing.T) {
	tests := []struct {
		name, typ, body string
		status          int
		want            string
	}{
		{"202", "", "", 202, "pass"},
		{"202 of type event-stream", "text/event-stream", "", 202, "pass"},
		{"204", "", "", 204, "fail"},
		{"200 with a text", "text/plain", "No response", 200, "fail"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			web := &testserver.Web{Legacy: true}
			web.Intercept = on("notifications/initialized", func(w http.ResponseWriter, _ *http.Request, _ message) {
				w.Header()["Content-Type"] = nil
				if tt.typ != "" {
					w.Header().Set("Content-Type", tt.typ)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			o := overHTTP(t, web, capture.Options{})
			o.ran(t)
			o.want(t, map[string]string{"transport_notification_accepted": tt.want, "tools_names_unique": "pass"})
		})
	}
}

// Cases 19 and 20: the GET of a stream is asked once whatever comes back, and decides nothing else.
func TestGetOfAStream(t *testing.T) {
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"405", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }, "pass"},
		{"404", http.NotFound, "fail"},
		{"400", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }, "fail"},
		{"501", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotImplemented) }, "fail"},
		{"a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!doctype html><title>Hello</title>")
		}, "fail"},
		{"JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"status":"ok"}`)
		}, "fail"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			web := &testserver.Web{Legacy: true}
			web.Intercept = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
				if r.Method != http.MethodGet {
					return false
				}
				tt.answer(w, r)
				return true
			}
			o := overHTTP(t, web, capture.Options{})
			o.ran(t)
			o.want(t, map[string]string{"transport_get_stream_contract": tt.want, "transport_streamable_http": "pass", "tools_names_unique": "pass"})
			if n := received(web, func(r testserver.Seen) bool { return r.HTTP == http.MethodGet }); n != 1 {
				t.Errorf("%d GET requests, want one", n)
			}
			if tt.name == "a page" {
				if why := o.why("transport_get_stream_contract"); !strings.Contains(why, "200") || !strings.Contains(why, "text/html") {
					t.Errorf("status and type are missing from %s", why)
				}
			}
		})
	}
}

// Case 22: a session that is lost again leaves unknown what came after, and keeps what came before.
func TestSessionLostTwice(t *testing.T) {
	for _, code := range []int{http.StatusNotFound, http.StatusBadRequest} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			web := &testserver.Web{Legacy: true, Sessions: true}
			web.Intercept = on("prompts/list", status(code, "session not found"))
			o := overHTTP(t, web, capture.Options{InFlight: 1})
			o.ran(t)
			o.want(t, map[string]string{"tools_names_unique": "pass", "resources_uris_unique": "pass", "prompts_names_unique": "insufficient-data"})
			if n := received(web, func(r testserver.Seen) bool {
				return r.RPC == "initialize" && r.Header.Get("Origin") == "" && r.Header.Get("Host") == ""
			}); n > 4 {
				t.Errorf("%d handshakes", n)
			}
			if e, ok := o.ListingErrors["prompts"]; !ok || e.Text == "" {
				t.Errorf("listing errors %+v", o.ListingErrors)
			}
		})
	}
}

// Case 23: a redirect from https to http is neither followed nor given the credentials, and is told with its address.
func TestDowngradeRedirect(t *testing.T) {
	web := &testserver.Web{Legacy: true}
	web.Intercept = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		w.Header().Set("Location", "http://example.com/mcp/")
		w.WriteHeader(http.StatusTemporaryRedirect)
		return true
	}
	url, roots, dial := web.StartTLS(t)
	o := run(t, capture.Target{URL: url}, capture.Options{RootCAs: roots, Dial: dial, Header: http.Header{"Authorization": {"Bearer canary-redirect"}}})
	o.failed(t, recording.FailRedirected, "http://example.com/mcp/")
	if !strings.Contains(o.Failure.Detail, "downgrade") {
		t.Errorf("detail %q", o.Failure.Detail)
	}
	if n := received(web, func(r testserver.Seen) bool { return r.Path == "/mcp/" }); n != 0 {
		t.Errorf("%d requests followed the redirect", n)
	}
}

// Case 25: a coding that nobody offered leaves the list unknown, with the header as evidence.
func TestUnknownContentCoding(t *testing.T) {
	web := &testserver.Web{Legacy: true}
	web.Intercept = on("tools/list", func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "br")
		io.WriteString(w, "\x0b\x02\x80{}\x03")
	})
	o := overHTTP(t, web, capture.Options{Budgets: patient})
	o.ran(t)
	o.want(t, map[string]string{"tools_names_unique": "insufficient-data", "prompts_names_unique": "pass"})
	if e := o.ListingErrors["tools"]; e.Class != recording.FailEncoded || !strings.Contains(e.Text, "br") {
		t.Errorf("listing error %+v", e)
	}
}

// Case 29: a refusal of our revision is answered with the one that the server names, and the rest is audited under that.
func TestVersionRefused(t *testing.T) {
	catalog := testserver.DefaultCatalog()
	catalog.Revisions = []string{"2025-06-18"}
	web := &testserver.Web{Legacy: true, Catalog: catalog}
	web.Intercept = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		m := parse(body)
		if m.Method != "initialize" || m.Params.ProtocolVersion == "2025-06-18" {
			return false
		}
		http.Error(w, "unsupported protocol version, known: 2025-06-18", http.StatusBadRequest)
		return true
	}
	o := overHTTP(t, web, capture.Options{})
	o.ran(t)
	if o.Spec.NegotiatedVersion == nil || *o.Spec.NegotiatedVersion != "2025-06-18" {
		t.Errorf("negotiated %v", o.Spec.NegotiatedVersion)
	}
	o.want(t, map[string]string{"tools_names_unique": "pass", "experimental_version_negotiated": "fail"})
}

// Case 31: whatever a legacy server says to the stateless lifecycle, it is found to be one.
func TestEraOfALegacyServer(t *testing.T) {
	rpc := func(code int, id string) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, _ *http.Request, m message) {
			own := id
			if own == "" {
				own = string(m.ID)
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, own, code)
		}
	}
	tests := map[string]func(http.ResponseWriter, *http.Request, message){
		"method not found": rpc(-32601, ""), "invalid params": rpc(-32602, ""), "invalid request without an id": rpc(-32600, "null"),
		"400": status(400, "Bad Request: Mcp-Session-Id header is required"), "405": status(405, ""), "404": status(404, ""), "500": status(500, "oops"),
		"401":     status(401, "who are you"),
		"silence": func(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() },
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := &testserver.Web{Legacy: true}
			web.Intercept = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
				if r.Header.Get("Mcp-Method") == "" {
					return false
				}
				answer(w, r, parse(body))
				return true
			}
			o := overHTTP(t, web, capture.Options{Budgets: patient})
			o.ran(t)
			if o.Spec.Era == nil || *o.Spec.Era != "legacy" || o.Partial {
				t.Errorf("era %v, partial %v", deref(o.Spec.Era), o.Partial)
			}
			o.want(t, map[string]string{"tools_names_unique": "pass"})
		})
	}
	t.Run("stdio, silence before initialize", func(t *testing.T) {
		t.Parallel()
		o := overStdio(t, capture.Options{Budgets: patient}, "ignores-early")
		o.ran(t)
		if deref(o.Spec.Era) != "legacy" {
			t.Errorf("era %v", deref(o.Spec.Era))
		}
	})
	t.Run("refused everywhere", func(t *testing.T) {
		t.Parallel()
		o := overHTTP(t, &testserver.Web{Legacy: true, Token: "right"}, capture.Options{})
		if !o.Partial || o.Spec.Era != nil {
			t.Errorf("partial %v, era %v", o.Partial, deref(o.Spec.Era))
		}
	})
	t.Run("an unsupported version means modern", func(t *testing.T) {
		t.Parallel()
		o := overHTTP(t, &testserver.Web{Modern: true}, capture.Options{})
		o.ran(t)
		if deref(o.Spec.Era) != "modern" || o.Spec.SessionProtocolVersion != nil {
			t.Errorf("era %v, session %v", deref(o.Spec.Era), o.Spec.SessionProtocolVersion)
		}
	})
}

// Case 34: requests of the server in the middle of a handshake are answered: a ping with a result, anything else with -32601.
func TestServerAsksBeforeItAnswers(t *testing.T) {
	answers := make(chan string, 2)
	web := &testserver.Web{Legacy: true}
	web.Intercept = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		m := parse(body)
		if m.Method == "" && (string(m.ID) == `"s1"` || string(m.ID) == `"s2"`) {
			answers <- string(body)
			w.WriteHeader(http.StatusAccepted)
			return true
		}
		if m.Method != "initialize" || r.Header.Get("Origin") != "" || !strings.Contains(string(body), `"id":1,`) {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`+"\n\n")
		io.WriteString(w, `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n\n"+`data: {"jsonrpc":"2.0","id":"s2","method":"sampling/createMessage","params":{}}`+"\n\n")
		w.(http.Flusher).Flush()
		for range 2 { // the handshake goes on only when both were answered
			select {
			case a := <-answers:
				ping := strings.Contains(a, `"s1"`)
				if ping != strings.Contains(a, `"result":{}`) || ping == strings.Contains(a, `"code":-32601`) {
					t.Errorf("answered %s", a)
				}
			case <-r.Context().Done():
				t.Error("a request of the server was not answered")
				return true
			}
		}
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}}\n\n", m.ID)
		return true
	}
	o := overHTTP(t, web, capture.Options{})
	o.ran(t)
	o.want(t, map[string]string{"tools_names_unique": "pass"})
}

// Redirects without end cost a handful of requests.
func TestRedirectsWithoutEnd(t *testing.T) {
	url := handler(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusPermanentRedirect)
	})
	o := run(t, capture.Target{URL: url}, capture.Options{})
	o.failed(t, recording.FailRedirected, "too-many")
	if o.Measurements.Requests > 18 {
		t.Errorf("%d requests", o.Measurements.Requests)
	}
}

// Whatever a server does to keep us waiting, the audit ends by its total deadline and says so. How each phase ends by its own is tested at
// the command line.
func TestServersThatKeepUsWaiting(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nobody answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	stream := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
	}
	drip := func(w http.ResponseWriter, r *http.Request, piece string) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}
	posts := func(f http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			f(w, r)
		}
	}
	tests := []struct{ name, url string }{
		{"a port that accepts and says nothing", "http://" + silent.Addr().String() + "/mcp"},
		{"the same over TLS", "https://" + silent.Addr().String() + "/mcp"},
		{"heartbeats for ever", handler(t, posts(func(w http.ResponseWriter, r *http.Request) { stream(w); drip(w, r, ": beat\n\n") }))},
		{"a body that drips", handler(t, posts(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"a":"`)
			drip(w, r, "x")
		}))},
		{"an event stream without an endpoint event", handler(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			stream(w)
			drip(w, r, ": beat\n\n")
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := run(t, capture.Target{URL: tt.url}, capture.Options{Budgets: capture.Budgets{Total: 300 * time.Millisecond}})
			o.failed(t, recording.FailDeadline, "300ms")
			if o.Measurements.Requests > 12 {
				t.Errorf("%d requests", o.Measurements.Requests)
			}
		})
	}
}

// Case 28: what a proxy may have put in the server's place is not judged, and the report says that there was one.
func TestProxiedAudit(t *testing.T) {
	web := &testserver.Web{Legacy: true}
	url, roots, dial := web.StartTLS(t)
	proxy := handler(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
			return
		}
		there, err := dial(r.Context(), "tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusOK)
		here, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		go func() { io.Copy(there, here); there.Close() }()
		go func() { io.Copy(here, there); here.Close() }()
	})
	t.Setenv("HTTPS_PROXY", strings.TrimSuffix(proxy, "/mcp"))
	t.Setenv("NO_PROXY", "")
	o := run(t, capture.Target{URL: url}, capture.Options{RootCAs: roots})
	o.ran(t)
	o.want(t, map[string]string{"security_tls_enabled": "insufficient-data", "tools_names_unique": "pass"})
	if !o.Proxied {
		t.Error("the report does not tell of the proxy")
	}
	t.Setenv("NO_PROXY", "example.com")
	direct := run(t, capture.Target{URL: url}, capture.Options{RootCAs: roots, Dial: dial})
	direct.want(t, map[string]string{"security_tls_enabled": "pass"})
	if direct.Proxied || direct.Insecure {
		t.Error("NO_PROXY was not heeded")
	}
	insecure := run(t, capture.Target{URL: url}, capture.Options{Insecure: true, Dial: dial})
	insecure.want(t, map[string]string{"security_tls_enabled": "insufficient-data"})
	if !insecure.Insecure {
		t.Error("the report does not tell that certificates were not verified")
	}
}

func deref(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
