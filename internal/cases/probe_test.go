package cases

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// gated is a server that lets nobody in, with documents at paths of its own.
type gated struct {
	challenge []string                    // WWW-Authenticate lines; HOST stands for the server's URL
	status    int                         // of a refusal, 401 when 0
	documents map[string]http.HandlerFunc // by path; everything else is 404

	mu    sync.Mutex
	url   string
	asked []string // paths of GET requests, in order
}

func (g *gated) start(t testing.TB) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path != "/mcp" {
			g.mu.Lock()
			if r.Header.Get("X-Forwarded-Host") == "" {
				g.asked = append(g.asked, r.URL.Path)
			}
			g.mu.Unlock()
			if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" {
				t.Errorf("%s was asked with credentials", r.URL.Path)
			}
			if h := g.documents[r.URL.Path]; h != nil {
				h(w, r)
				return
			}
			http.NotFound(w, r)
			return
		}
		for _, line := range g.challenge {
			w.Header().Add("WWW-Authenticate", strings.ReplaceAll(line, "HOST", g.url))
		}
		code := g.status
		if code == 0 {
			code = http.StatusUnauthorized
		}
		http.Error(w, "no entry", code)
	}))
	t.Cleanup(srv.Close)
	g.url = srv.URL
	return srv.URL + "/mcp"
}

// document serves JSON; HOST stands for the server's URL.
func (g *gated) document(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, strings.ReplaceAll(text, "HOST", g.url))
	}
}

// page is what a single-page application answers to every path.
func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, "<!doctype html><div id=root></div>")
}

const (
	wellKnown = "/.well-known/oauth-protected-resource"
	resource  = `{"resource":"HOST/mcp","authorization_servers":["HOST/t1"],"scopes_supported":["read"]}`
	issuer    = `{"issuer":"HOST/t1","authorization_endpoint":"HOST/a","token_endpoint":"HOST/t","registration_endpoint":"https://idp.example/r","code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true}`
)

// Cases 70, 71 and 74: where a server says its metadata is, however the challenge is written, and where else it may be.
func TestPlacesOfResourceMetadata(t *testing.T) {
	tests := []struct {
		name      string
		challenge []string
		at        string // where the document is
		page      string // where a page is
		want      []string
		verdicts  map[string]string
	}{
		{"the challenge names it", []string{`Bearer realm="a, b", resource_metadata="HOST/meta.json"`}, "/meta.json", "", []string{"/meta.json"}, nil},
		{"a bare address behind another challenge", []string{`Basic realm="a, b", bearer RESOURCE_METADATA=HOST/meta.json`}, "/meta.json", "", []string{"/meta.json"}, nil},
		{"two header lines", []string{"Negotiate dG9rZW4=", `Bearer resource_metadata="HOST/meta.json"`}, "/meta.json", "", []string{"/meta.json"}, nil},
		{"a name that only ends alike", []string{`Bearer xresource_metadata="HOST/evil"`}, wellKnown + "/mcp", "", []string{wellKnown + "/mcp"}, nil},
		{"at the root alone", []string{"Bearer realm=x"}, wellKnown, "", []string{wellKnown + "/mcp", wellKnown}, nil},
		{"the challenge is wrong, the path is right", []string{`Bearer resource_metadata="HOST/meta.json"`}, wellKnown + "/mcp", "", []string{"/meta.json", wellKnown + "/mcp"}, nil},
		{"a page at the path, the document at the root", []string{"Bearer realm=x"}, wellKnown, wellKnown + "/mcp", []string{wellKnown + "/mcp", wellKnown}, nil},
		{"a page everywhere", []string{"Bearer realm=x"}, "", wellKnown, []string{wellKnown + "/mcp", wellKnown},
			map[string]string{"auth_protected_resource_metadata": "fail", "auth_server_metadata_present": "insufficient-data"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := &gated{challenge: tt.challenge, documents: map[string]http.HandlerFunc{}}
			if tt.page != "" {
				g.documents[tt.page] = page
			}
			if tt.at != "" {
				g.documents[tt.at] = g.document(resource)
			}
			o := run(t, capture.Target{URL: g.start(t)}, capture.Options{})
			if !o.Partial {
				t.Fatalf("not partial: %+v", o.Failure)
			}
			var asked []string
			for _, path := range g.asked {
				if !strings.Contains(path, "t1") {
					asked = append(asked, path)
				}
			}
			if diff := cmp.Diff(tt.want, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if tt.verdicts == nil {
				tt.verdicts = map[string]string{"auth_protected_resource_metadata": "pass", "auth_www_authenticate": "pass"}
			}
			o.want(t, tt.verdicts)
		})
	}
}

// Case 73: an issuer with a path is looked for in three places, in order; what names another issuer is none of its metadata.
func TestIssuerWithAPath(t *testing.T) {
	places := []string{"/.well-known/oauth-authorization-server/t1", "/.well-known/openid-configuration/t1", "/t1/.well-known/openid-configuration"}
	for i, place := range places {
		t.Run(place, func(t *testing.T) {
			g := &gated{challenge: []string{"Bearer realm=x"}}
			g.documents = map[string]http.HandlerFunc{wellKnown + "/mcp": g.document(resource), place: g.document(issuer)}
			o := run(t, capture.Target{URL: g.start(t)}, capture.Options{})
			o.want(t, map[string]string{"auth_server_metadata_present": "pass", "auth_server_metadata_pkce": "pass"})
			var asked []string
			for _, path := range g.asked {
				if strings.Contains(path, "t1") {
					asked = append(asked, path)
				}
			}
			if diff := cmp.Diff(places[:i+1], asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
	for name, text := range map[string]string{"another issuer": strings.Replace(issuer, "HOST/t1", "https://other.example", 1), "an empty object": "{}", "a page": "<!doctype html>"} {
		t.Run(name, func(t *testing.T) {
			g := &gated{challenge: []string{"Bearer realm=x"}}
			g.documents = map[string]http.HandlerFunc{wellKnown + "/mcp": g.document(resource)}
			for _, place := range places {
				g.documents[place] = g.document(text)
			}
			o := run(t, capture.Target{URL: g.start(t)}, capture.Options{})
			o.want(t, map[string]string{"auth_server_metadata_present": "fail"})
		})
	}
}

// Case 76: a bad authorization server never makes a server better than a good one does.
func TestBadAuthorizationServer(t *testing.T) {
	audit := func(t *testing.T, document string, server http.HandlerFunc) outcome {
		g := &gated{challenge: []string{`Bearer resource_metadata="HOST` + wellKnown + `/mcp"`}}
		g.documents = map[string]http.HandlerFunc{wellKnown + "/mcp": g.document(document)}
		for _, place := range []string{"/.well-known/oauth-authorization-server/t1", "/.well-known/openid-configuration/t1", "/t1/.well-known/openid-configuration"} {
			g.documents[place] = server
			if server == nil {
				g.documents[place] = g.document(issuer)
			}
		}
		return run(t, capture.Target{URL: g.start(t)}, capture.Options{Budgets: patient})
	}
	right := audit(t, resource, nil)
	right.want(t, map[string]string{"auth_server_metadata_present": "pass", "auth_server_metadata_pkce": "pass", "auth_client_registration_advertised": "pass"})
	tests := []struct {
		name, document string
		server         http.HandlerFunc
		want           string
	}{
		{"malformed", strings.Replace(resource, "HOST/t1", "https://[bad", 1), nil, "fail"},
		{"silent", resource, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "insufficient-data"},
		{"failing", resource, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", http.StatusBadGateway) }, "insufficient-data"},
		{"missing", resource, http.NotFound, "fail"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := audit(t, tt.document, tt.server)
			o.want(t, map[string]string{"auth_server_metadata_present": tt.want})
			if o.Score > right.Score || *o.Percentage > *right.Percentage {
				t.Errorf("%d of %d points (%d %%), with a right one %d of %d (%d %%)", o.Score, o.MaxScore, *o.Percentage, right.Score, right.MaxScore, *right.Percentage)
			}
			if o.MaxScoreLost <= right.MaxScoreLost {
				t.Error("the report does not tell that less could be observed")
			}
		})
	}
}

// Case 77: refusals that are no 401.
func TestRefusalsOfOtherKinds(t *testing.T) {
	t.Run("403 with a challenge", func(t *testing.T) {
		g := &gated{status: http.StatusForbidden, challenge: []string{`Bearer resource_metadata="HOST/meta.json"`}}
		g.documents = map[string]http.HandlerFunc{"/meta.json": g.document(resource)}
		o := run(t, capture.Target{URL: g.start(t)}, capture.Options{})
		if !o.Partial {
			t.Fatalf("not partial: %+v", o.Failure)
		}
		o.want(t, map[string]string{"auth_protected_resource_metadata": "pass"})
	})
	t.Run("400 with a challenge", func(t *testing.T) {
		g := &gated{status: http.StatusBadRequest, challenge: []string{`Bearer resource_metadata="HOST/meta.json"`}}
		g.documents = map[string]http.HandlerFunc{"/meta.json": g.document(resource)}
		if o := run(t, capture.Target{URL: g.start(t)}, capture.Options{}); !o.Partial {
			t.Errorf("not partial: %+v", o.Failure)
		}
	})
	t.Run("402", func(t *testing.T) {
		o := run(t, capture.Target{URL: (&gated{status: http.StatusPaymentRequired}).start(t)}, capture.Options{})
		if !o.Partial || o.PartialReason == nil || !strings.Contains(*o.PartialReason, "payment") {
			t.Errorf("partial %v, reason %s", o.Partial, deref(o.PartialReason))
		}
		o.want(t, map[string]string{"auth_www_authenticate": "not-applicable"})
	})
	t.Run("500", func(t *testing.T) {
		o := run(t, capture.Target{URL: (&gated{status: http.StatusInternalServerError}).start(t)}, capture.Options{})
		o.failed(t, recording.FailServerError, "500")
	})
	t.Run("200 with an error", func(t *testing.T) {
		web := &testserver.Web{Legacy: true}
		web.Intercept = func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"sign in first"}}`, orNull(parse(body).ID))
			return true
		}
		o := overHTTP(t, web, capture.Options{})
		o.failed(t, recording.FailRPC, "sign in first")
	})
}

func orNull(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

// Case 79: a server that breaks off at a malformed request fails the rule about that and no other.
func TestServerBreaksOffAtAMalformedRequest(t *testing.T) {
	plain := overHTTP(t, &testserver.Web{Legacy: true}, capture.Options{})
	web := &testserver.Web{Legacy: true}
	web.Intercept = func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if !strings.Contains(string(body), `"method":4`) {
			return false
		}
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
		return true
	}
	o := overHTTP(t, web, capture.Options{})
	o.ran(t)
	got, want := scored(o.all()), scored(plain.all())
	for _, id := range []string{"transport_invalid_request_rejected", "transport_invalid_request_error_code"} {
		delete(got, id)
		delete(want, id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-plain +broken):\n%s", diff)
	}
	last := 0
	for i, r := range web.Requests() {
		if strings.HasSuffix(r.RPC, "/list") && r.Header.Get("Mcp-Method") == "" && !strings.Contains(r.Body, "cursor") {
			last = i
		}
	}
	for i, r := range web.Requests() {
		if strings.Contains(r.Body, `"method":4`) && i < last {
			t.Error("the malformed request came before the lists")
		}
	}
}

// Case 80: metadata that a caller's header decides is told, after a control without it, from one request that no cache keeps for others.
func TestMetadataBuiltFromAHeader(t *testing.T) {
	for name, trusting := range map[string]bool{"configured": false, "trusting": true} {
		t.Run(name, func(t *testing.T) {
			g := &gated{challenge: []string{"Bearer realm=x"}, documents: map[string]http.HandlerFunc{}}
			var asked []string
			g.documents[wellKnown+"/mcp"] = func(w http.ResponseWriter, r *http.Request) {
				host := g.url
				forwarded := r.Header.Get("X-Forwarded-Host")
				if trusting && forwarded != "" {
					host = "https://" + forwarded
				}
				g.mu.Lock()
				asked = append(asked, forwarded+" "+strconv.FormatBool(r.URL.RawQuery != ""))
				g.mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, strings.ReplaceAll(resource, "HOST", host))
			}
			o := run(t, capture.Target{URL: g.start(t)}, capture.Options{})
			want := "pass"
			if trusting {
				want = "fail"
			}
			o.want(t, map[string]string{"experimental_metadata_host_fixed": want, "auth_protected_resource_metadata": "pass"})
			if diff := cmp.Diff([]string{" false", "hallmark-audit.invalid true"}, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// Case 82: long waits end what they concern as unknown at once, short ones are waited for, in either form of the header.
func TestRetryAfter(t *testing.T) {
	plain := overHTTP(t, &testserver.Web{Legacy: true}, capture.Options{}).all()
	for name, value := range map[string]func() string{
		"seconds": func() string { return "3600" },
		"a date":  func() string { return time.Now().Add(time.Hour).UTC().Format(http.TimeFormat) },
	} {
		t.Run("an hour, as "+name, func(t *testing.T) {
			web := &testserver.Web{Legacy: true}
			web.Intercept = on("prompts/list", func(w http.ResponseWriter, _ *http.Request, _ message) {
				w.Header().Set("Retry-After", value())
				http.Error(w, "slow down", http.StatusTooManyRequests)
			})
			o := overHTTP(t, web, capture.Options{})
			o.ran(t)
			o.want(t, map[string]string{"prompts_names_unique": "insufficient-data"})
			if e := o.ListingErrors["prompts"]; e.Class != recording.FailRateLimited {
				t.Errorf("listing error %+v", e)
			}
			for id, verdict := range o.all() {
				if verdict == "fail" && plain[id] != "fail" {
					t.Errorf("%s fails %s", id, o.why(id))
				}
			}
		})
	}
	t.Run("a second", func(t *testing.T) {
		var mu sync.Mutex
		refused := false
		web := &testserver.Web{Legacy: true}
		web.Intercept = on("tools/list", func(w http.ResponseWriter, r *http.Request, m message) {
			mu.Lock()
			first := !refused
			refused = true
			mu.Unlock()
			if first {
				w.Header().Set("Retry-After", "1")
				http.Error(w, "slow down", http.StatusTooManyRequests)
				return
			}
			result(w, m, `{"tools":[`+good("a")+`]}`)
		})
		o := overHTTP(t, web, capture.Options{})
		o.ran(t)
		o.want(t, map[string]string{"tools_names_unique": "pass"})
	})
}

// The same server behind a limit of requests per second gets the same verdicts and the same score, however it refuses.
func TestRateLimitedServerGetsTheSameScore(t *testing.T) {
	server := func() *testserver.Web {
		return &testserver.Web{Legacy: true, Modern: true, StrictCursors: true, StrictOrigin: true}
	}
	free := overHTTP(t, server(), capture.Options{})
	free.ran(t)
	if deref(free.Spec.Era) != "dual-era" {
		t.Fatalf("era %s", deref(free.Spec.Era))
	}
	for name, change := range map[string]func(*testserver.Web){
		"429":                  func(w *testserver.Web) {},
		"429 with Retry-After": func(w *testserver.Web) { w.RetryAfter = "1" },
		"503":                  func(w *testserver.Web) { w.LimitStatus = http.StatusServiceUnavailable },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := server()
			web.PerSecond = 15
			change(web)
			o := overHTTP(t, web, capture.Options{})
			o.ran(t)
			if diff := cmp.Diff(free.all(), o.all()); diff != "" {
				t.Errorf("verdicts (-free +limited):\n%s", diff)
			}
			type numbers struct{ Score, Max, Readiness, ReadinessMax, Lost int }
			of := func(r *report.Report) numbers {
				return numbers{r.Score, r.MaxScore, r.Readiness.Score, r.Readiness.MaxScore, r.MaxScoreLost}
			}
			if diff := cmp.Diff(of(free.Report), of(o.Report)); diff != "" {
				t.Errorf("score (-free +limited):\n%s", diff)
			}
			if web.Refused() == 0 {
				t.Error("the limit was never reached")
			}
		})
	}
}
