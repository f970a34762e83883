package signin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/signin"
)

func TestSignIn(t *testing.T) {
	const basic = "client_secret_basic"
	for _, c := range []struct {
		name   string
		bend   func(*world)
		opts   func(*signin.Options)
		client string   // expected client_id of the authorization request
		scopes []string // expected there
		check  func(*testing.T, *world)
	}{
		{name: "as specified"},
		{name: "metadata where the challenge says", bend: func(w *world) {
			w.metadataAt, w.challenge = "/elsewhere.json", `Basic realm="a, b", bearer RESOURCE_METADATA=%s/elsewhere.json`
		}},
		{name: "metadata at the endpoint's path", bend: func(w *world) { w.challenge = "Bearer" }},
		{name: "metadata at the root, behind a web application", bend: func(w *world) {
			w.challenge, w.metadataAt, w.resource, w.pages = `Bearer realm="x"`, "/.well-known/oauth-protected-resource", "%s/", true
		}},
		{name: "challenge leads nowhere", bend: func(w *world) { w.challenge = `Bearer resource_metadata="%s/gone"` }},
		{name: "OpenID metadata", bend: func(w *world) { w.serverAt = "/.well-known/openid-configuration" }},
		{name: "issuer with a path", bend: func(w *world) { w.path, w.serverAt = "/t1", "/.well-known/oauth-authorization-server/t1" }},
		{name: "issuer with a path, OpenID, inserted", bend: func(w *world) { w.path, w.serverAt, w.pages = "/t1", "/.well-known/openid-configuration/t1", true }},
		{name: "issuer with a path, OpenID, appended", bend: func(w *world) { w.path, w.serverAt = "/t1", "/t1/.well-known/openid-configuration" }},
		{name: "revision 2025-03-26, metadata", bend: func(w *world) { w.metadataAt, w.challenge, w.shared = "", "Bearer", true }},
		{name: "revision 2025-03-26, default addresses", bend: func(w *world) { w.metadataAt, w.challenge, w.serverAt, w.shared = "", "", "", true }},
		{name: "open server that publishes how to sign in", bend: func(w *world) { w.open = true }},
		{name: "scopes of the challenge", bend: func(w *world) {
			w.challenge, w.scopes = w.challenge+`, scope="read write read"`, []string{"everything"}
		}, scopes: []string{"read", "write"}},
		{name: "scopes of the metadata", bend: func(w *world) { w.scopes = []string{"a", "b\"", "c"} }, scopes: []string{"a", "c"}},
		{name: "iss promised and sent", bend: func(w *world) {
			w.change = func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = true }
			w.answer = func(q url.Values) { q.Set("iss", w.issuer()) }
		}},
		{name: "iss sent without a promise", bend: func(w *world) { w.answer = func(q url.Values) { q.Set("iss", w.issuer()) } }},
		{name: "registered by hand", opts: func(o *signin.Options) { o.ClientID = "by-hand" }, client: "by-hand", check: func(t *testing.T, w *world) {
			if len(w.made) != 0 {
				t.Errorf("a client was registered: %v", w.made)
			}
			if got := w.forms[0].Get("client_id"); got != "by-hand" {
				t.Errorf("client_id at the token endpoint %q", got)
			}
		}},
		{name: "registered by hand with a secret", opts: func(o *signin.Options) { o.ClientID, o.ClientSecret = "by-hand", canarySecret }, client: "by-hand", check: func(t *testing.T, w *world) {
			if got, want := w.forms[0].Get("basic"), "by-hand:"+canarySecret; got != want {
				t.Errorf("basic credentials %q, want %q", got, want)
			}
		}},
		{name: "metadata document", bend: func(w *world) {
			w.change = func(m map[string]any) { m["client_id_metadata_document_supported"] = true }
		}, opts: func(o *signin.Options) { o.ClientID = "https://example.com/client.json" }, client: "https://example.com/client.json", check: func(t *testing.T, w *world) {
			if len(w.made) != 0 {
				t.Errorf("a client was registered: %v", w.made)
			}
		}},
		{name: "registers clients with a secret, posted", bend: func(w *world) {
			w.secret = true
			w.change = func(m map[string]any) {
				m["token_endpoint_auth_methods_supported"] = []string{"private_key_jwt", "client_secret_post"}
			}
		}, check: func(t *testing.T, w *world) {
			if got := w.forms[0].Get("client_secret"); got != canarySecret {
				t.Errorf("client_secret %q", got)
			}
		}},
		{name: "registers clients with a secret, basic", bend: func(w *world) {
			w.secret = true
			w.change = func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{basic} }
		}, check: func(t *testing.T, w *world) {
			if got := w.forms[0].Get("basic"); got != "new-client:"+canarySecret {
				t.Errorf("basic %q", got)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := usual()
			if c.bend != nil {
				c.bend(w)
			}
			start(t, w)
			opts := options(w)
			if c.opts != nil {
				c.opts(&opts)
			}
			s, err := signin.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if got, want := s.Authorization(), "Bearer "+canaryToken; got != want {
				t.Errorf("authorization %q, want %q", got, want)
			}
			for _, secret := range []string{canaryToken, canaryRefresh, canaryID, canaryCode, w.forms[0].Get("code_verifier")} {
				if !slices.Contains(s.Secrets(), secret) {
					t.Errorf("%q is not among the secrets", secret)
				}
			}
			if len(w.asked) != 1 {
				t.Fatalf("%d authorization requests", len(w.asked))
			}
			q := w.asked[0]
			resource := w.endpoint()
			if w.resource != "" {
				resource = strings.ReplaceAll(w.resource, "%s", w.mcp.URL)
			}
			redirect, err := url.Parse(q.Get("redirect_uri"))
			if err != nil || redirect.Scheme != "http" || redirect.Hostname() != "127.0.0.1" || redirect.Path != "/callback" {
				t.Errorf("redirect_uri %q", q.Get("redirect_uri"))
			}
			client := c.client
			if client == "" {
				client = "new-client"
				if diff := cmp.Diff([]any{q.Get("redirect_uri")}, w.made[0]["redirect_uris"]); diff != "" || w.made[0]["application_type"] != "native" {
					t.Errorf("registration %v", w.made[0])
				}
			}
			got := map[string]string{}
			for _, name := range []string{"client_id", "response_type", "code_challenge_method", "resource", "scope"} {
				got[name] = q.Get(name)
			}
			want := map[string]string{"client_id": client, "response_type": "code", "code_challenge_method": "S256", "resource": resource, "scope": strings.Join(c.scopes, " ")}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("authorization request (-want +got)\n%s", diff)
			}
			if _, given := q["scope"]; given && c.scopes == nil {
				t.Error("an empty scope was sent")
			}
			if got := w.forms[0].Get("resource"); got != resource {
				t.Errorf("resource at the token endpoint %q", got)
			}
			if !w.shared && len(w.sentTo) > 0 {
				t.Errorf("the user's header went to the authorization server: %v", w.sentTo)
			}
			if c.check != nil {
				c.check(t, w)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for _, c := range []struct {
		name        string
		bend        func(*world)
		opts        func(*signin.Options)
		phase, says string
		noCode      bool // the code must not have been used
	}{
		{name: "wrong state", bend: func(w *world) { w.answer = func(q url.Values) { q.Set("state", "other") } }, phase: "answer of the authorization server", says: "its state is not ours", noCode: true},
		{name: "state twice", bend: func(w *world) { w.answer = func(q url.Values) { q.Add("state", q.Get("state")) } }, phase: "answer", says: "state twice", noCode: true},
		{name: "wrong iss", bend: func(w *world) { w.answer = func(q url.Values) { q.Set("iss", "https://evil.example") } }, phase: "answer", says: `"https://evil.example" instead of`, noCode: true},
		{name: "iss with a slash more", bend: func(w *world) { w.answer = func(q url.Values) { q.Set("iss", w.issuer()+"/") } }, phase: "answer", says: "instead of", noCode: true},
		{name: "iss promised and missing", bend: func(w *world) {
			w.change = func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = true }
		}, phase: "answer", says: "promises", noCode: true},
		{name: "error", bend: func(w *world) {
			w.answer = func(q url.Values) {
				q.Del("code")
				q.Set("error", "access_denied")
				q.Set("error_description", "user said no")
			}
		}, phase: "answer", says: "access_denied (user said no)"},
		{name: "error of another issuer", bend: func(w *world) {
			w.answer = func(q url.Values) {
				q.Del("code")
				q.Set("error", "access_denied")
				q.Set("iss", "https://evil.example")
			}
		}, phase: "answer", says: "names the issuer"},
		{name: "empty code", bend: func(w *world) { w.answer = func(q url.Values) { q.Set("code", "") } }, phase: "answer", says: "code is empty"},
		{name: "no S256", bend: func(w *world) {
			w.change = func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} }
		}, phase: "finding the authorization server", says: "PKCE with S256"},
		{name: "nothing about PKCE", bend: func(w *world) {
			w.change = func(m map[string]any) { delete(m, "code_challenge_methods_supported") }
		}, phase: "finding", says: "PKCE with S256"},
		{name: "other issuer in the metadata", bend: func(w *world) {
			w.change = func(m map[string]any) { m["issuer"] = "https://evil.example" }
		}, phase: "finding", says: "another issuer"},
		{name: "metadata of another resource", bend: func(w *world) { w.resource = "https://evil.example/mcp" }, phase: "finding", says: "is not this server"},
		{name: "metadata of a sibling path", bend: func(w *world) { w.resource = "%s/mcp2" }, phase: "finding", says: "is not this server"},
		{name: "authorization server without metadata", bend: func(w *world) { w.serverAt = "" }, phase: "finding", says: "answers 404"},
		{name: "authorization server that hangs", bend: func(w *world) { w.hang = true }, opts: func(o *signin.Options) { o.Request = 100 * time.Millisecond }, phase: "finding", says: "not finished within 200ms"},
		{name: "endpoint that is a script", bend: func(w *world) {
			w.change = func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" }
		}, phase: "finding", says: "not a usable URL"},
		{name: "endpoint without TLS", bend: func(w *world) {
			w.change = func(m map[string]any) { m["token_endpoint"] = "http://as.example/token" }
		}, phase: "finding", says: "reached by https"},
		{name: "cloud metadata as token endpoint", bend: func(w *world) {
			w.change = func(m map[string]any) { m["token_endpoint"] = "https://169.254.169.254/token" }
		}, phase: "exchanging", says: "not globally reachable"},
		{name: "no grant for us", bend: func(w *world) {
			w.change = func(m map[string]any) { m["grant_types_supported"] = []string{"client_credentials"} }
		}, phase: "finding", says: "does not offer authorization codes"},
		{name: "no registration", bend: func(w *world) {
			w.change = func(m map[string]any) { delete(m, "registration_endpoint") }
		}, phase: "registering", says: "registers no clients"},
		{name: "registration refused", bend: func(w *world) { w.refuseNew = 400 }, phase: "registering", says: "invalid_redirect_uri"},
		{name: "registration forbidden", bend: func(w *world) { w.refuseNew = 403 }, phase: "registering", says: "answers 403 Forbidden"},
		{name: "registration that is none", bend: func(w *world) { w.refuseNew = 201 }, phase: "registering", says: "no registration"},
		{name: "metadata documents not known", opts: func(o *signin.Options) { o.ClientID = "https://example.com/c.json" }, phase: "registering", says: "metadata document"},
		{name: "unknown client authentication", bend: func(w *world) {
			w.change = func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{"private_key_jwt"} }
		}, opts: func(o *signin.Options) { o.ClientID, o.ClientSecret = "x", canarySecret }, phase: "registering", says: "private_key_jwt"},
		{name: "token refused", bend: func(w *world) {
			w.tokenReply = func(rw http.ResponseWriter, _ url.Values) bool {
				reply(rw, 400, map[string]any{"error": "invalid_grant", "error_description": "expired"})
				return true
			}
		}, phase: "exchanging the code for a token", says: "invalid_grant (expired)"},
		{name: "token endpoint quotes the code", bend: func(w *world) {
			w.tokenReply = func(rw http.ResponseWriter, f url.Values) bool {
				rw.WriteHeader(500)
				fmt.Fprint(rw, f.Encode(), canarySecret)
				return true
			}
		}, phase: "exchanging", says: "answers 500 Internal Server Error"},
		{name: "token endpoint redirects", bend: func(w *world) {
			w.tokenReply = func(rw http.ResponseWriter, _ url.Values) bool {
				rw.Header().Set("Location", "/register")
				rw.WriteHeader(307)
				return true
			}
		}, phase: "exchanging", says: "answers 307"},
		{name: "endless token answer", bend: func(w *world) {
			w.tokenReply = func(rw http.ResponseWriter, _ url.Values) bool {
				rw.Header().Set("Content-Type", "application/json")
				fmt.Fprint(rw, `{"access_token":"`)
				for range 64 {
					fmt.Fprint(rw, strings.Repeat("x", 1<<16))
				}
				return true
			}
		}, phase: "exchanging", says: "without a token"},
		{name: "token bound to a key", bend: func(w *world) {
			w.tokenReply = func(rw http.ResponseWriter, _ url.Values) bool {
				reply(rw, 200, map[string]any{"access_token": canaryToken, "token_type": "DPoP"})
				return true
			}
		}, phase: "exchanging", says: `type "DPoP"`},
		{name: "token with a line break", bend: func(w *world) {
			w.tokenReply = func(rw http.ResponseWriter, _ url.Values) bool {
				reply(rw, 200, map[string]any{"access_token": canaryToken + "\r\nX: y", "token_type": "Bearer"})
				return true
			}
		}, phase: "exchanging", says: "no header may have"},
		{name: "too many scopes", bend: func(w *world) { w.challenge += `, scope="` + strings.TrimSpace(longScopes()) + `"` }, phase: "finding", says: "bytes of scopes"},
		{name: "callback port taken", opts: func(o *signin.Options) { o.Port = port }, phase: "waiting on this machine", says: "port " + strconv.Itoa(port)},
		{name: "browser fails", opts: func(o *signin.Options) {
			o.Open = func(context.Context, string) error { return errors.New("no display") }
		}, phase: "opening the browser", says: "no display"},
		{name: "nobody signs in", opts: func(o *signin.Options) {
			o.Wait, o.Open = 20*time.Millisecond, func(context.Context, string) error { return nil }
		}, phase: "answer", says: "nobody signed in within 20ms"},
		{name: "another kind of authentication", bend: func(w *world) { w.metadataAt, w.challenge = "", `Basic realm="x"` }, phase: "finding", says: "asks for Basic"},
		{name: "open server", bend: func(w *world) { w.metadataAt, w.open = "", true }, phase: "finding", says: "answers without credentials"},
		{name: "server not there", opts: func(o *signin.Options) { o.Target = "http://127.0.0.1:1/mcp" }, phase: "asking the server", says: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := usual()
			if c.bend != nil {
				c.bend(w)
			}
			start(t, w)
			opts := options(w)
			if c.opts != nil {
				c.opts(&opts)
			}
			s, err := signin.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			err = s.Run(t.Context())
			var why *signin.Error
			if !errors.As(err, &why) {
				t.Fatalf("error %v", err)
			}
			if !strings.HasPrefix(why.Phase, c.phase) || !strings.Contains(why.Problem, c.says) || why.Remedy == "" {
				t.Errorf("phase %q, problem %q, remedy %q", why.Phase, why.Problem, why.Remedy)
			}
			for _, secret := range canaries {
				if strings.Contains(why.Error()+why.Remedy, secret) {
					t.Errorf("the error holds %s: %v", secret, why)
				}
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if c.noCode && len(w.forms) > 0 {
				t.Error("the code was used all the same")
			}
			if strings.HasPrefix(c.name, "token endpoint redirects") && len(w.made) != 1 {
				t.Error("the redirect was followed")
			}
		})
	}
}

func longScopes() string {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "s%d ", i)
	}
	return b.String()
}

func TestInterrupted(t *testing.T) {
	w := start(t, usual())
	ctx, cancel := context.WithCancel(t.Context())
	opts := options(w)
	opts.Open = func(context.Context, string) error { cancel(); return nil }
	s, err := signin.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestStepUp(t *testing.T) {
	w := usual()
	w.challenge += `, scope="read"`
	w.needs = []string{"write"}
	start(t, w)
	s, err := signin.New(options(w))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var scopes []string
	for _, q := range w.asked {
		scopes = append(scopes, q.Get("scope"))
	}
	if diff := cmp.Diff([]string{"read", "read write"}, scopes); diff != "" {
		t.Errorf("scopes asked for (-want +got)\n%s", diff)
	}
	if len(w.made) != 1 {
		t.Errorf("%d registrations", len(w.made))
	}
	if got := s.Authorization(); got != "Bearer "+canaryToken+"-2" || !s.Stepped() {
		t.Errorf("authorization %q, stepped %v", got, s.Stepped())
	}
}

func TestInsufficientScope(t *testing.T) {
	with := func(connection string, status int, challenge string) recording.Exchange {
		return recording.Exchange{Connection: connection, Response: &recording.Response{Status: status, Headers: []recording.Header{{Name: "Www-Authenticate", Value: challenge}}}}
	}
	const little = `Bearer error="insufficient_scope", scope="a"`
	for _, c := range []struct {
		name      string
		exchanges []recording.Exchange
		want      []string
	}{
		{"none", []recording.Exchange{{SameAs: "x"}, with("session", 200, "")}, nil},
		{"refused without our token", []recording.Exchange{with("anonymous", 403, little)}, nil},
		{"another status", []recording.Exchange{with("session", 401, little)}, nil},
		{"another reason", []recording.Exchange{with("session", 403, `Bearer error="invalid_token"`)}, nil},
		{"yes", []recording.Exchange{with("session", 200, ""), with("session", 403, little)}, []string{little}},
	} {
		if diff := cmp.Diff(c.want, signin.InsufficientScope(&recording.Recording{Exchanges: c.exchanges})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

// TestCallback shows what a browser gets to see, and that nothing but an answer counts.
func TestCallback(t *testing.T) {
	w := usual()
	w.answer = func(q url.Values) {
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("error_description", `<script>alert("x")</script>`)
	}
	start(t, w)
	opts := options(w)
	get := func(method, address string) (*http.Response, string) {
		req, err := http.NewRequest(method, address, nil)
		if err != nil {
			t.Error(err)
			return &http.Response{}, ""
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return &http.Response{}, ""
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return resp, string(b)
	}
	late := make(chan string, 1)
	opts.Open = func(_ context.Context, address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		callback := u.Query().Get("redirect_uri")
		for _, c := range []struct {
			method, address string
			status          int
		}{
			{"GET", strings.TrimSuffix(callback, "/callback") + "/favicon.ico", 404},
			{"GET", strings.TrimSuffix(callback, "/callback") + "/?code=x&state=y", 404},
			{"GET", callback, 400},
			{"GET", callback + "?state=" + u.Query().Get("state"), 400},
			{"POST", callback + "?code=x", 405},
		} {
			if resp, _ := get(c.method, c.address); resp.StatusCode != c.status {
				t.Errorf("%s %s: %d, want %d", c.method, c.address, resp.StatusCode, c.status)
			}
		}
		resp, body := get("GET", address)
		if strings.Contains(body, "<script") || !strings.Contains(body, "&lt;script&gt;") || resp.StatusCode != 400 {
			t.Errorf("page %d %s", resp.StatusCode, body)
		}
		if got := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'") {
			t.Errorf("policy %q", got)
		}
		late <- callback + "?code=late&state=" + u.Query().Get("state")
		return nil
	}
	s, err := signin.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var why *signin.Error
	if err := s.Run(t.Context()); !errors.As(err, &why) || !strings.Contains(why.Problem, "access_denied") {
		t.Errorf("error %v", err)
	}
	if resp, _ := get("GET", <-late); resp.StatusCode != 409 {
		t.Errorf("second answer: %d", resp.StatusCode)
	}
}
