package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/cli"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// Credentials that must be found in no output.
var oauthCanaries = []string{"canary-access-8f2b1c", "canary-refresh-77aa01", "canary-code-5d5d5d", "canary-secret-c0ffee"}

// gatedServer is an MCP server that is its own authorization server.
type gatedServer struct {
	web   testserver.Web
	url   string
	needs map[string]string // scope that a method needs

	mu     sync.Mutex
	asked  []url.Values
	tokens map[string][]string // scopes by token
}

func startGated(t *testing.T, needs map[string]string) *gatedServer {
	g := &gatedServer{needs: needs, tokens: map[string][]string{}}
	g.web = testserver.Web{Legacy: true, Modern: true, Sessions: true, Intercept: g.intercept}
	g.url = g.web.Start(t)
	return g
}

func (g *gatedServer) intercept(w http.ResponseWriter, r *http.Request, body []byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	base := "http://" + r.Host
	send := func(v any) { _ = json.NewEncoder(w).Encode(v) } // maps of texts encode
	form, _ := url.ParseQuery(string(body))
	switch r.URL.Path {
	case "/.well-known/oauth-protected-resource/mcp":
		send(map[string]any{"resource": base + "/mcp", "authorization_servers": []string{base}})
	case "/.well-known/oauth-authorization-server":
		send(map[string]any{"issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
			"code_challenge_methods_supported": []string{"S256"}})
	case "/register":
		w.WriteHeader(http.StatusCreated)
		send(map[string]any{"client_id": "c", "client_secret": oauthCanaries[3]})
	case "/authorize":
		q := r.URL.Query()
		g.asked = append(g.asked, q)
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {oauthCanaries[2]}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	case "/token":
		last := g.asked[len(g.asked)-1]
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != last.Get("code_challenge") {
			http.Error(w, "verifier", http.StatusBadRequest)
			return true
		}
		token := fmt.Sprint(oauthCanaries[0], "-", len(g.asked))
		g.tokens[token] = strings.Fields(last.Get("scope"))
		w.Header().Set("Content-Type", "application/json")
		send(map[string]any{"access_token": token, "token_type": "Bearer", "refresh_token": oauthCanaries[1]})
	case "/mcp":
		return g.gate(w, r, body)
	default:
		return false
	}
	return true
}

// gate refuses who has no token, or one that grants too little.
func (g *gatedServer) gate(w http.ResponseWriter, r *http.Request, body []byte) bool {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	scopes, known := g.tokens[token]
	var q struct{ Method any }
	_ = json.Unmarshal(body, &q) // what is no JSON has no method
	method, _ := q.Method.(string)
	need := g.needs[method]
	switch {
	case !known:
		w.Header().Set("WWW-Authenticate", `Bearer scope="read"`)
		http.Error(w, "who are you", http.StatusUnauthorized)
	case need != "" && !slices.Contains(scopes, need):
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+need+`"`)
		http.Error(w, "echo "+token+oauthCanaries[1], http.StatusForbidden)
	default:
		return false
	}
	return true
}

// TestActsAsBrowser is the browser of the other tests: it follows redirects.
func TestActsAsBrowser(t *testing.T) {
	if flag.NArg() != 1 || !strings.HasPrefix(flag.Arg(0), "http") {
		t.Skip("not started as a browser")
	}
	resp, err := http.Get(flag.Arg(0))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
}

func browser(t *testing.T) string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(self, ' ') {
		t.Skip("the test program's path has a blank in it")
	}
	return self + " -test.run=^TestActsAsBrowser$"
}

// audit runs the program and returns its exit code, standard output and standard error.
func audit(t *testing.T, environ map[string]string, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	var mu sync.Mutex
	code := cli.Main(t.Context(), append([]string{"audit"}, args...), cli.Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &locked{w: &errs, mu: &mu},
		Getenv: func(name string) string { return environ[name] }, Now: func() time.Time { return time.Unix(0, 0) }, Width: func(io.Writer) int { return 0 },
	})
	mu.Lock()
	defer mu.Unlock()
	return code, out.String(), errs.String()
}

type locked struct {
	w  io.Writer
	mu *sync.Mutex
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func TestAuditSignsIn(t *testing.T) {
	for _, c := range []struct {
		name   string
		needs  map[string]string
		scopes []string // asked for, in turn
	}{
		{"one scope", nil, []string{"read"}},
		{"more scopes for the first list", map[string]string{"tools/list": "tools"}, []string{"read", "read tools"}},
		{"more scopes in the middle of the audit", map[string]string{"resources/list": "files"}, []string{"read", "read files"}},
		{"never enough", map[string]string{"tools/list": "a", "resources/list": "b"}, []string{"read", "read a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := startGated(t, c.needs)
			record := filepath.Join(t.TempDir(), "rec.json")
			code, out, errs := audit(t, nil, "--oauth", "--browser", browser(t), "--json", "--record", record, g.url)
			if code != cli.ExitOK {
				t.Fatalf("exit %d\n%s", code, errs)
			}
			var scopes []string
			g.mu.Lock()
			for _, q := range g.asked {
				scopes = append(scopes, q.Get("scope"))
			}
			g.mu.Unlock()
			if diff := cmp.Diff(c.scopes, scopes); diff != "" {
				t.Errorf("scopes asked for (-want +got)\n%s", diff)
			}
			kept, err := os.ReadFile(record)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range oauthCanaries {
				for where, text := range map[string]string{"the report": out, "standard error": errs, "the recording": string(kept)} {
					if strings.Contains(text, secret) {
						t.Errorf("%s holds %s", where, secret)
					}
				}
			}
			rec, err := recording.Read(bytes.NewReader(kept))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range rec.Exchanges {
				if e.Request != nil && (strings.HasSuffix(e.Request.URL, "/token") || strings.HasSuffix(e.Request.URL, "/register")) {
					t.Errorf("the sign-in is in the recording: %s", e.Step)
				}
			}
			if !rec.Target.Authenticated || rec.Find("session/tools/list") == nil && rec.Find("session/tools/list/1") == nil {
				t.Errorf("not audited with the token: authenticated %v", rec.Target.Authenticated)
			}
			if !strings.Contains(errs, "/authorize?") {
				t.Errorf("the address is not printed:\n%s", errs)
			}
		})
	}
}

func TestSignInFails(t *testing.T) {
	g := startGated(t, nil)
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"port taken", []string{"--callback-port", port, g.url}, "cannot sign in to " + g.url + ": waiting on this machine for the answer: cannot listen on port " + port},
		{"no such browser", []string{"--browser", "hallmark-no-such-browser", g.url}, "opening the browser: hallmark-no-such-browser cannot be started"},
		{"no answer in time", []string{"--browser", browser(t) + " extra", "--oauth-timeout", "1ms", g.url}, "nobody signed in within 1ms"},
	} {
		code, _, errs := audit(t, nil, append([]string{"--oauth"}, c.args...)...)
		if code != cli.ExitUsage || !strings.Contains(errs, c.says) || !strings.Contains(errs, "hallmark: hint: ") {
			t.Errorf("%s: exit %d\n%s", c.name, code, errs)
		}
	}
}

func TestOAuthFlags(t *testing.T) {
	const target = "http://127.0.0.1:1/mcp" // nothing listens there, and nothing is asked
	for _, c := range []struct {
		name    string
		environ map[string]string
		args    []string
		says    string
	}{
		{"token", nil, []string{"--oauth", "--token", "abcdef", target}, "another credential"},
		{"token in the environment", map[string]string{"MCPSCORE_TOKEN": "abcdef"}, []string{"--oauth", target}, "another credential"},
		{"header", nil, []string{"--oauth", "--header", "authorization: Basic abcdef", target}, "another credential"},
		{"user in the URL", nil, []string{"--oauth", "http://user:secret@127.0.0.1:1/mcp"}, "another credential"},
		{"client id alone", nil, []string{"--client-id", "x", target}, "--client-id is for signing in"},
		{"port alone", nil, []string{"--callback-port", "8080", target}, "--callback-port is for signing in"},
		{"browser alone", nil, []string{"--browser", "x", target}, "--browser is for signing in"},
		{"empty client id", nil, []string{"--oauth", "--client-id", " ", target}, "--client-id is empty"},
		{"empty browser", nil, []string{"--oauth", "--browser", "", target}, "--browser is empty"},
		{"port out of range", nil, []string{"--oauth", "--callback-port", "70000", target}, "70000 is no port"},
		{"port 0", nil, []string{"--oauth", "--callback-port", "0", target}, "0 is no port"},
		{"time-out", nil, []string{"--oauth", "--oauth-timeout", "0s", target}, "--oauth-timeout"},
		{"secret without id", map[string]string{"HALLMARK_CLIENT_SECRET": "abcdef"}, []string{"--oauth", target}, "HALLMARK_CLIENT_SECRET"},
		{"command", nil, []string{"--oauth", "--stdio", "true"}, "--oauth is for servers at a URL"},
	} {
		code, _, errs := audit(t, c.environ, c.args...)
		if code != cli.ExitUsage || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit %d\n%s", c.name, code, errs)
		}
		if strings.Contains(errs, "abcdef") || strings.Contains(errs, "secret@") {
			t.Errorf("%s: the credential is repeated\n%s", c.name, errs)
		}
	}
}
