package signin_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/signin"
)

// Values that must be found nowhere but where they belong.
const (
	canaryToken   = "canary-access-8f2b1c"
	canaryRefresh = "canary-refresh-77aa01"
	canaryID      = "canary-id-token-09bd3e"
	canaryCode    = "canary-code-5d5d5d"
	canarySecret  = "canary-secret-c0ffee"
)

var canaries = []string{canaryToken, canaryRefresh, canaryID, canaryCode, canarySecret}

// world is an MCP server that wants a token, and the authorization server that issues it, bent by the fields.
type world struct {
	// The MCP server.
	metadataAt string // path of the resource's metadata, none when empty
	challenge  string // WWW-Authenticate of the 401; %s is the MCP server's origin
	scopes     []string
	resource   string   // what the metadata name, the endpoint when empty; %s as above
	needs      []string // scopes of tools/list
	pages      bool     // unknown paths answer 200 with a page
	open       bool     // answers everybody

	// The authorization server.
	path       string // of the issuer
	serverAt   string // path of its metadata, none when empty
	shared     bool   // its endpoints are at the MCP server's origin
	change     func(metadata map[string]any)
	answer     func(query url.Values) // changes what the browser carries back
	hang       bool                   // never answers
	secret     bool                   // registers clients with a secret
	refuseNew  int                    // status that refuses a registration
	tokenReply func(w http.ResponseWriter, form url.Values) bool

	mcp, as *httptest.Server

	mu       sync.Mutex
	asked    []url.Values     // authorization requests
	forms    []url.Values     // token requests, with the client's Basic credentials as basic
	made     []map[string]any // registrations
	granted  map[string][]string
	sentTo   map[string]bool // Authorization headers by path of the authorization server
	requests []string        // of the MCP server: method and path
}

func start(t *testing.T, w *world) *world {
	t.Helper()
	w.granted, w.sentTo = map[string][]string{}, map[string]bool{}
	w.mcp = httptest.NewServer(http.HandlerFunc(w.serveMCP))
	t.Cleanup(w.mcp.Close)
	w.as = w.mcp
	if !w.shared {
		w.as = httptest.NewServer(http.HandlerFunc(w.serveAS))
		t.Cleanup(w.as.Close)
	}
	return w
}

// usual is a server as the specification describes it.
func usual() *world {
	return &world{
		metadataAt: "/.well-known/oauth-protected-resource/mcp",
		challenge:  `Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`,
		serverAt:   "/.well-known/oauth-authorization-server",
	}
}

func (w *world) endpoint() string { return w.mcp.URL + "/mcp" }
func (w *world) issuer() string   { return w.as.URL + w.path }

func (w *world) serveMCP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r.Method+" "+r.URL.Path)
	switch {
	case r.URL.Path == "/mcp":
		w.rpc(rw, r)
	case r.URL.Path == w.metadataAt:
		resource := w.endpoint()
		if w.resource != "" {
			resource = strings.ReplaceAll(w.resource, "%s", w.mcp.URL)
		}
		reply(rw, 200, map[string]any{"resource": resource, "authorization_servers": []string{w.issuer()}, "scopes_supported": w.scopes})
	case w.shared:
		w.authorizationServer(rw, r)
	case w.pages:
		fmt.Fprint(rw, "<!doctype html><title>app</title>")
	default:
		http.NotFound(rw, r)
	}
}

func (w *world) rpc(rw http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     any
		Method string
	}
	_ = json.NewDecoder(r.Body).Decode(&q) // a GET has no body
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	scopes, known := w.granted[token]
	switch {
	case !known && !w.open:
		rw.Header().Set("WWW-Authenticate", strings.ReplaceAll(w.challenge, "%s", w.mcp.URL))
		rw.WriteHeader(http.StatusUnauthorized)
	case q.Method == "tools/list" && !w.open && slices.ContainsFunc(w.needs, func(s string) bool { return !slices.Contains(scopes, s) }):
		rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.Join(w.needs, " ")+`"`)
		rw.WriteHeader(http.StatusForbidden)
	case q.Method == "tools/list":
		reply(rw, 200, map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": map[string]any{"tools": []any{}}})
	default:
		rw.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (w *world) serveAS(rw http.ResponseWriter, r *http.Request) {
	if w.hang {
		<-r.Context().Done()
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.authorizationServer(rw, r)
}

func (w *world) authorizationServer(rw http.ResponseWriter, r *http.Request) {
	base := w.as.URL + w.path
	if r.Header.Get("X-Api-Key") != "" || r.Header.Get("Cookie") != "" {
		w.sentTo[r.URL.Path] = true
	}
	switch r.URL.Path {
	case w.serverAt:
		metadata := map[string]any{
			"issuer": w.issuer(), "authorization_endpoint": base + "/authorize?tenant=1", "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
			"code_challenge_methods_supported": []string{"plain", "S256"}, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"},
			"jwks_uri": 7, // of no concern, and wrong
		}
		if w.change != nil {
			w.change(metadata)
		}
		reply(rw, 200, metadata)
	case w.path + "/register":
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body) // what is no object is no registration
		w.made = append(w.made, body)
		switch {
		case w.refuseNew == 400:
			reply(rw, 400, map[string]any{"error": "invalid_redirect_uri", "error_description": "no \x1b[31mloopback"})
		case w.refuseNew != 0:
			rw.WriteHeader(w.refuseNew)
			fmt.Fprint(rw, "debug: "+canarySecret)
		case w.secret:
			reply(rw, 201, map[string]any{"client_id": "new-client", "client_secret": canarySecret, "token_endpoint_auth_method": body["token_endpoint_auth_method"]})
		default:
			reply(rw, 201, map[string]any{"client_id": "new-client"})
		}
	case w.path + "/authorize":
		q := r.URL.Query()
		w.asked = append(w.asked, q)
		back := url.Values{"code": {canaryCode}, "state": {q.Get("state")}}
		if w.answer != nil {
			w.answer(back)
		}
		to, _ := url.Parse(q.Get("redirect_uri"))
		to.RawQuery = back.Encode()
		http.Redirect(rw, r, to.String(), http.StatusFound)
	case w.path + "/token":
		w.token(rw, r)
	default:
		if w.pages {
			fmt.Fprint(rw, "<!doctype html><title>app</title>")
			return
		}
		http.NotFound(rw, r)
	}
}

func (w *world) token(rw http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm() // an unreadable form lacks everything
	form := r.PostForm
	if user, password, ok := r.BasicAuth(); ok {
		form.Set("basic", user+":"+password)
	}
	w.forms = append(w.forms, form)
	if w.tokenReply != nil && w.tokenReply(rw, form) {
		return
	}
	last := w.asked[len(w.asked)-1]
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	if form.Get("code") != canaryCode || base64.RawURLEncoding.EncodeToString(sum[:]) != last.Get("code_challenge") || form.Get("redirect_uri") != last.Get("redirect_uri") {
		reply(rw, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	token := canaryToken
	if n := len(w.forms); n > 1 {
		token += fmt.Sprint("-", n)
	}
	w.granted[token] = strings.Fields(last.Get("scope"))
	reply(rw, 200, map[string]any{"access_token": token, "token_type": "bearer", "expires_in": 60, "refresh_token": canaryRefresh, "id_token": canaryID, "scope": last.Get("scope")})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // maps of texts encode
}

// browse stands for a user who consents.
func browse(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func options(w *world) signin.Options {
	return signin.Options{
		Target: w.endpoint(), Header: http.Header{"X-Api-Key": {"user-key-123456"}}, Engine: recording.Engine{Name: "hallmark", Version: "1"},
		Open: browse,
	}
}
