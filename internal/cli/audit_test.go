package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// An audit that is interrupted before anything answered says so, and so does one over HTTP in the middle of a listing.
func TestInterruptedReports(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	web := &testserver.Web{Legacy: true}
	web.Intercept = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if strings.Contains(string(body), `"tools/list"`) && r.Header.Get("Mcp-Method") == "" {
			cancel()
			<-r.Context().Done()
			return true
		}
		return false
	}
	got := runWith(t, ctx, nil, "audit", "--json", web.Start(t))
	got.want(t, ExitInterrupted)
	if r := got.report(t); r.Failure == nil || r.Failure.Class != recording.FailInterrupted || r.Failure.Phase != "listing" || r.ServerInfo == nil {
		t.Errorf("failure %+v, server %+v", r.Failure, r.ServerInfo)
	}

	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	got = runWith(t, ctx, nil, "audit", "--json", "http://"+mute(t)+"/mcp")
	got.want(t, ExitInterrupted)
	if r := got.report(t); r.Failure == nil || r.Failure.Class != recording.FailInterrupted || r.ServerInfo != nil {
		t.Errorf("failure %+v, server %+v", r.Failure, r.ServerInfo)
	}
}

var times = regexp.MustCompile(`"(generated_at|elapsed_ms|first_answer_ms|as_of|started_us|first_byte_us|duration_us|elapsed_us)": ("[^"]*"|[0-9.]+)`)

// Two audits of one server differ in nothing but times; so do their recordings, but for what the server itself varies (the Date header).
func TestTwoAuditsDifferInTimesOnly(t *testing.T) {
	date := regexp.MustCompile(`(?s)"name": "Date",\s*"value": "[^"]*"`)
	web := &testserver.Web{Legacy: true, Modern: true, Sessions: true, StrictOrigin: true}
	u := web.Start(t)
	for name, target := range map[string][]string{"HTTP": {u}, "stdio": append([]string{"--stdio"}, testserver.Command(t, "server")...), "nobody": {"http://" + closedPort(t)}} {
		t.Run(name, func(t *testing.T) {
			var reports, recordings [2]string
			for i := range 2 {
				file := filepath.Join(t.TempDir(), "rec.json")
				reports[i] = times.ReplaceAllString(run(t, append([]string{"audit", "--json", "--record", file}, target...)...).stdout, "$1")
				recordings[i] = date.ReplaceAllString(times.ReplaceAllString(read(t, file), "$1"), "Date")
			}
			if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
				t.Errorf("reports differ:\n%s", diff)
			}
			if diff := cmp.Diff(recordings[0], recordings[1]); diff != "" {
				t.Errorf("recordings differ:\n%s", diff)
			}
		})
	}
}

// A server that prints its environment sees nothing of ours but a short list.
func TestEnvironmentOfTheServer(t *testing.T) {
	secrets := map[string]string{"AWS_SECRET_ACCESS_KEY": "aws-Xk29fQ", "GITHUB_TOKEN": "gh-Wm38vR", "HALLMARK_TOKEN": "hm-Lt47bS", "SSH_AUTH_SOCK": "/sock-Dn56"}
	for name, value := range secrets {
		t.Setenv(name, value)
	}
	file := filepath.Join(t.TempDir(), "rec.json")
	run(t, slices.Concat([]string{"audit", "--record", file, "--stdio"}, testserver.Command(t, "environment"))...)
	text := read(t, file)
	if !strings.Contains(text, `\"PATH=`) {
		t.Fatal("the server's environment is not in the recording, so this test proves nothing")
	}
	for name, value := range secrets {
		if strings.Contains(text, name) || strings.Contains(text, value) {
			t.Errorf("the server saw %s", name)
		}
	}
}

// listener takes note of who connects.
type listener struct {
	address string
	mu      sync.Mutex
	seen    []string
}

func (l *listener) requests() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

// watch listens and notes the first line of every connection, which it then closes.
func watch(t *testing.T) *listener {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	l := &listener{address: socket.Addr().String()}
	go func() {
		for {
			c, err := socket.Accept()
			if err != nil {
				return
			}
			c.SetReadDeadline(time.Now().Add(time.Second))
			line, _ := bufio.NewReader(c).ReadString('\n')
			c.Close()
			l.mu.Lock()
			l.seen = append(l.seen, line)
			l.mu.Unlock()
		}
	}()
	return l
}

// An audit talks to its target and to nobody else, whatever addresses the target mentions: every connection that is not to this machine
// would go through the proxy that the environment names, and every name would be asked of the resolver. Both belong to this test.
func TestNobodyElseIsDialled(t *testing.T) {
	proxy, elsewhere := watch(t), watch(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://"+proxy.address)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	var mu sync.Mutex
	var lookups []string
	resolver := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		lookups = append(lookups, network+" "+address)
		return nil, fmt.Errorf("no look-ups in this test")
	}}
	t.Cleanup(func() { net.DefaultResolver = resolver })

	catalog := testserver.DefaultCatalog()
	there := "http://" + elsewhere.address
	catalog.ServerInfo = json.RawMessage(fmt.Sprintf(`{"name":"far-reaching","version":"1.0.0","websiteUrl":"%s/site","icons":[{"src":"%[1]s/icon.png"},{"src":"https://icons.example/x.png"}]}`, there))
	catalog.Instructions = "See " + there + "/docs and https://docs.example/."
	catalog.Tools = append(catalog.Tools, json.RawMessage(fmt.Sprintf(`{"name":"far","description":"See %s/far and https://far.example/.","icons":[{"src":"%[1]s/i.png"}],"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"$ref":"%[1]s/schema.json"},"b":{"$ref":"https://schemas.example/b.json"}}}}`, there)))
	catalog.Resources = append(catalog.Resources, json.RawMessage(fmt.Sprintf(`{"uri":"%s/resource","name":"far"}`, there)))
	web := &testserver.Web{Legacy: true, Modern: true, Sessions: true, Catalog: catalog}
	u := web.Start(t)
	if got := run(t, "audit", "--json", u).report(t); got.MaxScore == 0 || got.Failure != nil {
		t.Fatalf("the audit did not run: %+v", got.Failure)
	}
	stdio := filepath.Join(t.TempDir(), "catalog.json")
	if err := os.WriteFile(stdio, []byte(fmt.Sprintf(`{"instructions":%q,"tools":[%s]}`, catalog.Instructions, catalog.Tools[2])), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, slices.Concat([]string{"audit", "--json", "--stdio"}, testserver.Command(t, "server", stdio))...).report(t); got.MaxScore == 0 {
		t.Fatalf("the audit did not run: %+v", got.Failure)
	}
	if got := proxy.requests(); len(got) > 0 {
		t.Errorf("somebody out there was dialled: %q", got)
	}
	if got := elsewhere.requests(); len(got) > 0 {
		t.Errorf("addresses that the server mentions were dialled: %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(lookups) > 0 {
		t.Errorf("names were looked up: %q", lookups)
	}
	// The trap works: a target out there does go through the proxy.
	run(t, "audit", "--timeout", "5s", "http://192.0.2.1/mcp")
	if got := proxy.requests(); len(got) == 0 {
		t.Error("the proxy of this test was not used, so it proves nothing")
	}
}

// A server that wants credentials names a metadata document and through it an authorization server. Those two are asked, without the
// user's headers, and nobody else.
func TestChallengesLeadToMetadataOnly(t *testing.T) {
	var issuer, resource seen
	secret := []string{"--header", "X-Api-Key: key:with:colons", "--header", "X-Team: one", "--header", "X-Team: two", "--header", "Cookie: a=b"}
	authorization := httptest.NewServer(issuer.handler(func(w http.ResponseWriter, r *http.Request) {
		base := "http://" + r.Host
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"registration_endpoint":%q,"jwks_uri":%q,"code_challenge_methods_supported":["S256"],"response_types_supported":["code"]}`,
			base, base+"/authorize", base+"/token", base+"/register", base+"/keys")
	}))
	t.Cleanup(authorization.Close)
	var metadata *httptest.Server
	target := ""
	metadata = httptest.NewServer(resource.handler(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q,"https://second.example"],"resource_documentation":%q}`, target, authorization.URL, metadata.URL+"/docs")
	}))
	t.Cleanup(metadata.Close)
	web := &testserver.Web{Legacy: true, Intercept: func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/metadata"`, metadata.URL))
		http.Error(w, "no", http.StatusUnauthorized)
		return true
	}}
	target = web.Start(t)
	got := run(t, slices.Concat([]string{"audit", "--json"}, secret, []string{target})...)
	got.want(t, ExitOK)
	if r := got.report(t); !r.Partial || r.Failure == nil || r.Failure.Class != recording.FailUnauthorized || r.Failure.Remedy == "" {
		t.Errorf("partial %v, failure %+v", r.Partial, r.Failure)
	}
	if diff := cmp.Diff([]string{"GET /metadata"}, resource.lines()); diff != "" {
		t.Errorf("requests for the resource's metadata (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GET /.well-known/oauth-authorization-server"}, issuer.lines()); diff != "" {
		t.Errorf("requests to the authorization server (-want +got):\n%s", diff)
	}
	wantNoUserHeaders(t, append(resource.all(), issuer.all()...))
}

// seen notes requests.
type seen struct {
	mu   sync.Mutex
	list []*http.Request
}

func (s *seen) handler(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.list = append(s.list, r)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		next(w, r)
	})
}

func (s *seen) all() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

func (s *seen) lines() []string {
	var lines []string
	for _, r := range s.all() {
		lines = append(lines, r.Method+" "+r.URL.Path)
	}
	return lines
}

func wantNoUserHeaders(t *testing.T, requests []*http.Request) {
	t.Helper()
	for _, r := range requests {
		for _, name := range []string{"X-Api-Key", "X-Team", "Cookie", "Authorization"} {
			if values := r.Header.Values(name); len(values) > 0 {
				t.Errorf("%s %s carried %s: %q", r.Method, r.URL, name, values)
			}
		}
	}
}

// A header that the user gives goes with every request to the server's origin, in whichever lifecycle, and with none to another. What asks
// how the server meets strangers goes without it on purpose.
func TestHeadersGoToTheTargetOnly(t *testing.T) {
	var stranger seen
	far := httptest.NewServer(stranger.handler(http.NotFound))
	t.Cleanup(far.Close)
	web := &testserver.Web{Legacy: true, Modern: true, Sessions: true}
	web.Intercept = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method == http.MethodGet { // the stream is said to be elsewhere
			http.Redirect(w, r, far.URL+"/stream", http.StatusTemporaryRedirect)
			return true
		}
		if r.Header.Get("X-Api-Key") == "" {
			http.Error(w, "key needed", http.StatusUnauthorized)
			return true
		}
		return false
	}
	file := filepath.Join(t.TempDir(), "rec.json")
	got := run(t, "audit", "--json", "--record", file, "--header", "X-Api-Key: key:with:colons ", "--header", "X-Team: one", "--header", "x-team:two", web.Start(t))
	got.want(t, ExitOK)
	if r := got.report(t); r.Partial || !r.Authenticated && r.MaxScore == 0 {
		t.Errorf("partial %v, %d points", r.Partial, r.MaxScore)
	}
	anonymous := anonymousRequests(t, file)
	methods := map[string]int{}
	without := 0
	for _, r := range web.Requests() {
		if r.Header.Get("X-Api-Key") == "" && r.Header.Get("X-Team") == "" {
			without++
			continue
		}
		methods[r.HTTP]++
		if diff := cmp.Diff([]string{"key:with:colons"}, r.Header.Values("X-Api-Key")); diff != "" {
			t.Errorf("%s %s: X-Api-Key (-want +got):\n%s", r.HTTP, r.RPC, diff)
		}
		if diff := cmp.Diff([]string{"one", "two"}, r.Header.Values("X-Team")); diff != "" {
			t.Errorf("%s %s: X-Team (-want +got):\n%s", r.HTTP, r.RPC, diff)
		}
	}
	if without != anonymous {
		t.Errorf("%d requests came without the headers, the recording knows of %d that had to", without, anonymous)
	}
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if methods[method] == 0 {
			t.Errorf("no %s carried the headers", method)
		}
	}
	if got := stranger.lines(); len(got) > 0 {
		t.Errorf("the redirect to another origin was followed: %q", got)
	}
}

// anonymousRequests counts the requests that the recording says were sent without the user's headers.
func anonymousRequests(t *testing.T, file string) int {
	t.Helper()
	rec, err := recording.Read(strings.NewReader(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range rec.Exchanges {
		if e.Connection == "anonymous" && e.SameAs == "" {
			n++
		}
	}
	return n
}

func TestHeadersThatCannotBeSent(t *testing.T) {
	for _, tt := range []struct{ header, says string }{
		{"X-Api-Key: secret-1\r\nX-Evil: 1", "--header number 1, X-Api-Key, has a value with a line break"},
		{"X-Api-Key: secret-1\nX-Evil: 1", "line break"},
		{"X-Api-Key: secret-1\x00", "control character"},
		{"Bearer secret-1: x", "--header number 1 has a name"},
		{"secret-1", "is not of the form"},
		{": secret-1", "is not of the form"},
		{"Content-Length: 7", "describes the connection"},
	} {
		got := run(t, "audit", "--json", "--header", tt.header, "http://"+closedPort(t)+"/mcp")
		got.want(t, ExitUsage)
		if !strings.Contains(got.stderr, tt.says) {
			t.Errorf("%q: standard error does not say %q:\n%s", tt.header, tt.says, got.stderr)
		}
		if strings.Contains(got.stdout+got.stderr, "secret-1") {
			t.Errorf("%q: the message repeats a secret:\n%s%s", tt.header, got.stdout, got.stderr)
		}
		if got.report(t).Failure == nil {
			t.Errorf("%q: no failure in the report", tt.header)
		}
	}
	t.Run("token", func(t *testing.T) {
		got := runWith(t, context.Background(), map[string]string{"HALLMARK_TOKEN": "secret-1\nX: y"}, "audit", "http://"+closedPort(t)+"/mcp")
		got.want(t, ExitUsage)
		if strings.Contains(got.stderr, "secret-1") || !strings.Contains(got.stderr, "the token has a line break") {
			t.Error(got.stderr)
		}
	})
}

// Trust in a certificate comes from --cacert; --insecure does without and says so.
func TestTrust(t *testing.T) {
	srv := httptest.NewTLSServer(&testserver.Web{Legacy: true, Catalog: testserver.DefaultCatalog()})
	t.Cleanup(srv.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	trusted := run(t, "audit", "--json", "--cacert", ca, srv.URL)
	trusted.want(t, ExitOK)
	if r := trusted.report(t); result(r, "security_tls_enabled") == nil || !result(r, "security_tls_enabled").Passed || trusted.stderr != "" {
		t.Errorf("security_tls_enabled is %+v; standard error %q", result(r, "security_tls_enabled"), trusted.stderr)
	}
	insecure := run(t, "audit", "--json", "--insecure", srv.URL)
	insecure.want(t, ExitOK)
	r := insecure.report(t)
	if !strings.Contains(insecure.stderr, "warning: --insecure") || !strings.Contains(insecure.stdout, "verification of certificates was switched off") {
		t.Errorf("--insecure is not shown; standard error %q", insecure.stderr)
	}
	if r.MaxScoreLost == 0 {
		t.Error("what could not be verified does not count as lost")
	}
}

// The limits of what is read hold, and below them everything is read.
func TestLargeAnswers(t *testing.T) {
	t.Run("5 MB on one line", func(t *testing.T) {
		t.Parallel()
		got := run(t, slices.Concat([]string{"audit", "--json", "--stdio"}, testserver.Command(t, "long-line", "5000000"))...)
		got.want(t, ExitOK)
		for _, c := range got.report(t).Catalogs {
			if !c.Complete {
				t.Errorf("%s is not complete: %s", c.Name, c.Reason)
			}
		}
	})
	t.Run("10000 tools", func(t *testing.T) {
		t.Parallel()
		catalog := testserver.DefaultCatalog()
		catalog.Tools, catalog.PageSize = testserver.ManyTools(10000), 100
		web := &testserver.Web{Legacy: true, Catalog: catalog}
		got := run(t, "audit", "--json", web.Start(t))
		got.want(t, ExitOK)
		r := got.report(t)
		for _, c := range r.Catalogs {
			if c.Name == "tools" && (c.Items != 10000 || c.Pages != 100 || !c.Complete) {
				t.Errorf("%d tools on %d pages, complete %v (%s)", c.Items, c.Pages, c.Complete, c.Reason)
			}
		}
		if len(got.stdout) > 1<<20 {
			t.Errorf("the report has %d bytes", len(got.stdout))
		}
	})
	t.Run("schema without a bottom", func(t *testing.T) {
		t.Parallel()
		deep := strings.Repeat(`{"type":"object","properties":{"a":`, 5000) + `{}` + strings.Repeat(`}}`, 5000)
		got := run(t, "audit", "--json", answering("tools/list", `{"tools":[{"name":"deep","description":"Goes down.","inputSchema":`+deep+`}]}`).Start(t))
		got.want(t, ExitOK)
		if r := got.report(t); r.MaxScore == 0 || r.Failure != nil {
			t.Errorf("nothing was judged: %+v", r.Failure)
		}
	})
	t.Run("list that never ends", func(t *testing.T) {
		t.Parallel()
		got := run(t, "audit", "--json", answering("tools/list", `{"tools":[{"name":"again","inputSchema":{"type":"object"}}],"nextCursor":""}`).Start(t))
		got.want(t, ExitOK)
		if r := got.report(t); !slices.Contains(r.IncompleteListings, "tools") {
			t.Error("the listing passes for complete")
		}
	})
}

// Whatever a server calls itself, no output has a control character in it or a line that a build log would take for a command.
func TestHostileNames(t *testing.T) {
	names := "x\x1b[2J\x1b]0;pwn\x07\u009b31m\u202e\r\n::add-mask::b\r\n| y\r\n# h1"
	raw, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	catalog := testserver.DefaultCatalog()
	catalog.ServerInfo = json.RawMessage(`{"name":` + string(raw) + `,"version":` + string(raw) + `}`)
	catalog.Instructions = names
	catalog.Tools = []json.RawMessage{json.RawMessage(`{"name":` + string(raw) + `,"inputSchema":{"type":"null"}}`)}
	u := (&testserver.Web{Legacy: true, Catalog: catalog}).Start(t)
	refusing := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":%s}}`, raw)
	})
	loud := append([]string{"--stdio"}, testserver.Command(t, "exits", "3", names)...)
	dir := t.TempDir()
	for _, target := range [][]string{{u}, {refusing}, loud, {"http://" + closedPort(t) + "/" + "\u202ex\u009b"}} {
		args := []string{"audit", "--verbose"}
		var files []string
		for format := range formats {
			files = append(files, filepath.Join(dir, format))
			args = append(args, "--output", format+":"+files[len(files)-1])
		}
		got := run(t, append(args, target...)...)
		texts := map[string]string{"standard output": got.stdout, "standard error": got.stderr}
		for _, file := range files {
			texts[filepath.Base(file)] = read(t, file)
		}
		for where, text := range texts {
			for i, c := range text {
				if c < 0x20 && c != '\n' && c != '\t' || 0x7f <= c && c < 0xa0 || c == '\u202e' {
					t.Errorf("%v: %s holds U+%04X: …%.40q", target[0], where, c, text[max(0, i-20):])
					break
				}
			}
			if where != "html" && strings.Contains("\n"+text, "\n::") {
				t.Errorf("%v: %s begins a line with ::", target[0], where)
			}
		}
	}
}

// The exit codes are a contract.
func TestExitCodes(t *testing.T) {
	want := map[string]int{"ok": 0, "usage": 1, "target": 2, "gate": 3, "smoke": 4, "interrupted": 130}
	got := map[string]int{"ok": ExitOK, "usage": ExitUsage, "target": ExitTarget, "gate": ExitGate, "smoke": ExitSmoke, "interrupted": ExitInterrupted}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"audit", "replay", "rules", "explain", "version"}
	for _, tt := range []struct{ typed, want string }{
		{"audti", "audit"}, {"Rules", "rules"}, {"rule", "rules"}, {"vers", "version"}, {"xyzzy", ""}, {"", ""}, {"a", ""},
	} {
		if got := nearest(tt.typed, names); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.typed, got, tt.want)
		}
	}
}
