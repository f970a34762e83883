package testserver

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Web is an MCP server over Streamable HTTP that tests bend to their needs. The zero value serves nothing; set Legacy, Modern or both.
type Web struct {
	Legacy   bool     // answers initialize
	Modern   bool     // answers the stateless lifecycle of 2026-07-28
	Sessions bool     // issues session ids and insists on them
	Catalog  *Catalog // DefaultCatalog when nil
	Token    string   // bearer token that every request needs, none when empty
	// Events answers with event streams that begin with a priming event.
	Events bool
	// Delay is waited before every answer.
	Delay time.Duration
	// Intercept sees every request first and may answer it; it then returns true.
	Intercept func(w http.ResponseWriter, r *http.Request, body []byte) bool
	// StrictOrigin refuses foreign origins with 403, as the specification asks; StrictCursors unknown cursors with -32602.
	StrictOrigin, StrictCursors bool
	// PerSecond refuses requests beyond this rate, none when 0, with LimitStatus (429 when 0) and a Retry-After header, when one is given.
	PerSecond   int
	LimitStatus int
	RetryAfter  string

	mu       sync.Mutex
	log      []Seen
	running  int
	peak     int
	depth    int // of the deepest request that was answered
	deepest  int
	sessions map[string]bool
	issued   int
	window   []time.Time
	refused  int // for the rate
}

// Seen is a request that a Web server received.
type Seen struct {
	HTTP   string // method
	Path   string
	Header http.Header
	RPC    string // JSON-RPC method
	ID     string // as JSON
	Body   string
	Depth  int // 1 + depth of the deepest request that had been answered when this one came
}

// Start serves until the test ends and returns the endpoint's URL.
func (s *Web) Start(t testing.TB) string {
	t.Helper()
	if s.Catalog == nil {
		s.Catalog = DefaultCatalog()
	}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv.URL + "/mcp"
}

// StartTLS serves over TLS under the name example.com until the test ends. It returns the endpoint's URL, the roots that its certificate
// verifies under, and a way to dial it, for the name leads elsewhere.
func (s *Web) StartTLS(t testing.TB) (url string, roots *x509.CertPool, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.Helper()
	if s.Catalog == nil {
		s.Catalog = DefaultCatalog()
	}
	srv := httptest.NewTLSServer(s)
	t.Cleanup(srv.Close)
	roots = x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	return "https://example.com/mcp", roots, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
	}
}

// Requests returns what was received so far, in order of arrival.
func (s *Web) Requests() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Peak is the largest number of requests that were in flight at once; Steps the number of sequential round trips: the length of the
// longest chain in which each request came after an answer to the one before.
func (s *Web) Peak() int { s.mu.Lock(); defer s.mu.Unlock(); return s.peak }

// Steps is documented with Peak.
func (s *Web) Steps() int { s.mu.Lock(); defer s.mu.Unlock(); return s.deepest }

func (s *Web) arrive(r *http.Request, body []byte) Seen {
	var head struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(body, &head) // a malformed body has no method
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := Seen{HTTP: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), RPC: head.Method, ID: string(head.ID), Body: string(body), Depth: s.depth + 1}
	s.log = append(s.log, seen)
	s.running++
	s.peak = max(s.peak, s.running)
	s.deepest = max(s.deepest, seen.Depth)
	return seen
}

func (s *Web) leave(seen Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.depth = max(s.depth, seen.Depth)
}

func (s *Web) overRate() bool {
	if s.PerSecond == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.window) > 0 && now.Sub(s.window[0]) > time.Second {
		s.window = s.window[1:]
	}
	if len(s.window) >= s.PerSecond {
		s.refused++
		return true
	}
	s.window = append(s.window, now)
	return false
}

func (s *Web) limit(w http.ResponseWriter) {
	if s.RetryAfter != "" {
		w.Header().Set("Retry-After", s.RetryAfter)
	}
	status := s.LimitStatus
	if status == 0 {
		status = http.StatusTooManyRequests
	}
	http.Error(w, "slow down", status)
}

// Refused counts the requests that were refused for the rate.
func (s *Web) Refused() int { s.mu.Lock(); defer s.mu.Unlock(); return s.refused }

// ServeHTTP implements http.Handler.
func (s *Web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	seen := s.arrive(r, body)
	defer s.leave(seen)
	if s.Delay > 0 {
		time.Sleep(s.Delay)
	}
	switch {
	case s.overRate():
		s.limit(w)
	case s.Intercept != nil && s.Intercept(w, r, body):
	case s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token:
		w.Header().Set("WWW-Authenticate", `Bearer realm="test"`)
		http.Error(w, "credentials needed", http.StatusUnauthorized)
	case s.StrictOrigin && r.Header.Get("Origin") != "":
		http.Error(w, "foreign origin", http.StatusForbidden)
	case r.Method == http.MethodDelete && s.Sessions:
		s.mu.Lock()
		delete(s.sessions, r.Header.Get("Mcp-Session-Id"))
		s.mu.Unlock()
		w.WriteHeader(http.StatusOK)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
	default:
		s.post(w, r, body)
	}
}

type rpcRequest struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  any             `json:"method"`
	Params  map[string]any  `json:"params"`
}

func (s *Web) post(w http.ResponseWriter, r *http.Request, body []byte) {
	var req rpcRequest
	if err := json.Unmarshal(body, &req); err != nil {
		s.fail(w, nil, http.StatusBadRequest, -32700, "parse error", nil)
		return
	}
	method, ok := req.Method.(string)
	if !ok {
		s.fail(w, req.ID, http.StatusBadRequest, -32600, "method must be a string", nil)
		return
	}
	if req.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	meta, _ := req.Params["_meta"].(map[string]any)
	if _, stateless := meta["io.modelcontextprotocol/protocolVersion"]; stateless || r.Header.Get("Mcp-Method") != "" {
		if s.Modern {
			s.stateless(w, r, req, method, meta)
			return
		}
		if s.Sessions && r.Header.Get("Mcp-Session-Id") == "" {
			http.Error(w, "Bad Request: no valid session id", http.StatusBadRequest)
			return
		}
	}
	s.stateful(w, r, req, method)
}

func (s *Web) stateful(w http.ResponseWriter, r *http.Request, req rpcRequest, method string) {
	if !s.Legacy {
		s.fail(w, req.ID, http.StatusBadRequest, -32022, "unsupported protocol version", map[string]any{"supported": []string{"2026-07-28"}, "requested": "2025-11-25"})
		return
	}
	if method == "initialize" {
		if s.Sessions {
			s.mu.Lock()
			s.issued++
			id := fmt.Sprintf("session-%d-0123456789abcdef", s.issued)
			if s.sessions == nil {
				s.sessions = map[string]bool{}
			}
			s.sessions[id] = true
			s.mu.Unlock()
			w.Header().Set("Mcp-Session-Id", id)
		}
		result := map[string]any{"protocolVersion": s.Catalog.Revisions[0], "capabilities": s.Catalog.Capabilities, "serverInfo": s.Catalog.ServerInfo}
		if s.Catalog.Instructions != "" {
			result["instructions"] = s.Catalog.Instructions
		}
		s.succeed(w, req.ID, result)
		return
	}
	if s.Sessions {
		s.mu.Lock()
		known := s.sessions[r.Header.Get("Mcp-Session-Id")]
		s.mu.Unlock()
		if !known {
			http.Error(w, "unknown session", http.StatusNotFound)
			return
		}
	}
	if method == "ping" {
		s.succeed(w, req.ID, map[string]any{})
		return
	}
	s.lists(w, req, method, nil)
}

func (s *Web) stateless(w http.ResponseWriter, r *http.Request, req rpcRequest, method string, meta map[string]any) {
	version, _ := meta["io.modelcontextprotocol/protocolVersion"].(string)
	switch {
	case r.Header.Get("Mcp-Protocol-Version") == "" || r.Header.Get("Mcp-Method") == "" || r.Header.Get("Mcp-Method") != method:
		s.fail(w, req.ID, http.StatusBadRequest, -32020, "headers and body disagree", nil)
		return
	case version != "2026-07-28":
		s.fail(w, req.ID, http.StatusBadRequest, -32022, "unsupported protocol version", map[string]any{"supported": []string{"2026-07-28"}, "requested": version})
		return
	case meta["io.modelcontextprotocol/clientCapabilities"] == nil:
		s.fail(w, req.ID, http.StatusBadRequest, -32602, "clientCapabilities is missing", nil)
		return
	}
	name, _ := req.Params["uri"].(string)
	if name == "" {
		name, _ = req.Params["name"].(string)
	}
	if got := r.Header.Get("Mcp-Name"); got != "" && got != name {
		s.fail(w, req.ID, http.StatusBadRequest, -32020, "Mcp-Name and body disagree", nil)
		return
	}
	extra := map[string]any{"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
	switch method {
	case "server/discover":
		versions := []string{"2026-07-28"}
		if s.Legacy {
			versions = append(slices.Clone(s.Catalog.Revisions), versions...)
		}
		result := map[string]any{"supportedVersions": versions, "capabilities": s.Catalog.Capabilities,
			"_meta": map[string]any{"io.modelcontextprotocol/serverInfo": s.Catalog.ServerInfo}}
		if s.Catalog.Instructions != "" {
			result["instructions"] = s.Catalog.Instructions
		}
		for k, v := range extra {
			result[k] = v
		}
		s.succeed(w, req.ID, result)
	case "resources/read", "prompts/get":
		s.fail(w, req.ID, http.StatusOK, -32602, "there is no such thing", nil)
	default:
		s.lists(w, req, method, extra)
	}
}

func (s *Web) lists(w http.ResponseWriter, req rpcRequest, method string, extra map[string]any) {
	member, items := "", []json.RawMessage(nil)
	switch method {
	case "tools/list":
		member, items = "tools", s.Catalog.Tools
	case "resources/list":
		member, items = "resources", s.Catalog.Resources
	case "resources/templates/list":
		member, items = "resourceTemplates", s.Catalog.ResourceTemplates
	case "prompts/list":
		member, items = "prompts", s.Catalog.Prompts
	default:
		status := http.StatusOK
		if extra != nil {
			status = http.StatusNotFound
		}
		s.fail(w, req.ID, status, -32601, "no such method", nil)
		return
	}
	start := 0
	if cursor, ok := req.Params["cursor"].(string); ok {
		n, err := fmt.Sscanf(cursor, "from-%d", &start)
		if s.StrictCursors && (n != 1 || err != nil || start > len(items)) {
			s.fail(w, req.ID, http.StatusOK, -32602, "unknown cursor", nil)
			return
		}
	}
	end := len(items)
	if s.Catalog.PageSize > 0 {
		end = min(end, start+s.Catalog.PageSize)
	}
	result := map[string]any{member: append([]json.RawMessage{}, items[min(start, len(items)):end]...)}
	if end < len(items) {
		result["nextCursor"] = fmt.Sprintf("from-%d", end)
	}
	for k, v := range extra {
		result[k] = v
	}
	s.succeed(w, req.ID, result)
}

func (s *Web) succeed(w http.ResponseWriter, id json.RawMessage, result map[string]any) {
	s.write(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (s *Web) fail(w http.ResponseWriter, id json.RawMessage, status, code int, text string, data any) {
	e := map[string]any{"code": code, "message": text}
	if data != nil {
		e["data"] = data
	}
	s.write(w, status, map[string]any{"jsonrpc": "2.0", "id": id, "error": e})
}

func (s *Web) write(w http.ResponseWriter, status int, message map[string]any) {
	body, err := json.Marshal(message)
	if err != nil {
		panic(err) // a test gave a catalog that is no JSON
	}
	if s.Events && status == http.StatusOK {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "id: 1\nretry: 100\ndata:\n\n: hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n")
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", body)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
