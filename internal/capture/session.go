package capture

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Ids of the requests of a session; listings have theirs in surfaces.
const (
	idInitialize      = 1
	idInitializeAgain = 2
	idSessionPing     = 3
	idInvalidRequest  = 4
	idSessionPingLast = 5
	idDeletedPing     = 6
	idMadeUpSession   = 7
	idGetStreamAfter  = 8
	idSessionRenewed  = 9
	idCursorProbe     = 10
)

// session is a stateful lifecycle (MCP 2025-11-25, Basic › Lifecycle) on one link.
type session struct {
	channel
	http     bool
	revision spec.Revision
	caps     jsondoc.Value

	mu      sync.Mutex
	id      string // Mcp-Session-Id, never recorded
	renewed chan struct{}
	lost    bool // a second loss: no more renewals
}

// openSession shakes hands over a link, offering the newest stateful revision, and once more with another one when the server refuses
// that and says or suggests which one it knows. It returns nil when no session came about.
func (a *audit) openSession(ctx context.Context, link wire.Link, g *gate, isHTTP bool, timeout time.Duration) *session {
	s := &session{http: isHTTP}
	s.channel = channel{a: a, link: link, connection: "session", lifecycle: "session", prefix: "session", priority: urgent, gate: g, shape: s.shapeCall}
	call := wire.Call{Step: "session/initialize", Connection: "session", RPC: "initialize", ID: itoa(idInitialize), Timeout: timeout, Follow: true,
		Body: a.initialize(idInitialize, spec.LatestStateful, skillsCapability)}
	r := s.send(ctx, call)
	if offer := otherOffer(r); offer != "" {
		r.Exchange.Step = "session/initialize-refused"
		a.keep(r)
		call.ID, call.Body = itoa(idInitializeAgain), a.initialize(idInitializeAgain, offer, skillsCapability)
		r = s.send(ctx, call)
	}
	a.keep(r)
	if !s.accept(r) {
		return nil
	}
	if isHTTP {
		s.again = s.renew
	}
	return s
}

// accept takes over what an answer to initialize settled.
func (s *session) accept(r wire.Reply) bool {
	res := result(r.Answer)
	version, ok := res.Get("protocolVersion").Text()
	if !ok || version == "" {
		return false
	}
	s.revision, s.caps = spec.Revision(version), res.Get("capabilities")
	if r.Header != nil {
		s.id = r.Header.Get("Mcp-Session-Id")
		s.a.redact.Add(s.id)
	}
	return true
}

var revisionText = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

// otherOffer returns the revision to try after a refusal of the first offer, empty when the answer is no such refusal.
func otherOffer(r wire.Reply) spec.Revision {
	e := errorOf(r.Answer)
	body := string(e.Raw())
	if r.Exchange.Response != nil && r.Exchange.Response.Status == http.StatusBadRequest && r.Exchange.Response.Body != nil && body == "" {
		body = string(r.Exchange.Response.Body.Bytes)
	}
	if body == "" {
		return ""
	}
	var best spec.Revision
	for _, text := range revisionText.FindAllString(body, 50) {
		if v := spec.Revision(text); v.Stateful() && v != spec.LatestStateful && v > best {
			best = v
		}
	}
	if best == "" && strings.Contains(strings.ToLower(body), "version") && !strings.Contains(body, string(spec.Rev20260728)) {
		best = spec.Rev20250618
	}
	return best
}

// shapeCall adds the session's headers. Revisions before 2025-06-18 know no version header and ignore it.
func (s *session) shapeCall(call *wire.Call, method string, id int, params []param) {
	call.Body = request(id, method, params...)
	s.headers(call)
}

func (s *session) headers(call *wire.Call) {
	if !s.http {
		return
	}
	if call.Header == nil {
		call.Header = http.Header{}
	}
	call.Header.Set("MCP-Protocol-Version", string(s.revision))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		call.Header.Set("Mcp-Session-Id", s.id)
	}
}

// initialized tells the server that the handshake is complete.
func (s *session) initialized(ctx context.Context) wire.Reply {
	call := wire.Call{Step: "session/initialized", Connection: "session", RPC: "notifications/initialized", Read: wire.ReadAck,
		Timeout: s.a.budgets.Request, Follow: true, Body: request(-1, "notifications/initialized")}
	s.headers(&call)
	return s.a.keep(s.send(ctx, call))
}

// catalogs reads every declared catalog and, beside it, asks each once with a cursor that the server never issued.
func (s *session) catalogs(ctx context.Context) {
	var tasks []func()
	for i, f := range surfaces {
		if s.caps.Get(f.capability).Missing() {
			continue
		}
		tasks = append(tasks,
			func() { s.list(ctx, f, nil) },
			func() {
				s.do(ctx, "session/"+f.method+"/invalid-cursor", idCursorProbe+i, f.method, s.a.budgets.Probe, param{"cursor", s.a.invented("invalid-cursor")})
			})
	}
	parallel(tasks...)
}

// renew decides whether an answer means that the server lost the session, and if so opens a new one, once in an audit, however many
// requests notice at the same time. It reports whether the request should be sent again.
func (s *session) renew(ctx context.Context, r wire.Reply) bool {
	if !s.sessionLost(r) {
		return false
	}
	s.mu.Lock()
	if s.lost {
		wait := s.renewed
		s.mu.Unlock()
		if wait == nil {
			return false
		}
		select {
		case <-wait:
			return s.currentID() != ""
		case <-ctx.Done():
			return false
		}
	}
	s.lost = true
	s.renewed = make(chan struct{})
	s.id = ""
	s.mu.Unlock()
	defer close(s.renewed)
	call := wire.Call{Step: "session/initialize-renewed", Connection: "session", RPC: "initialize", ID: itoa(idSessionRenewed), Timeout: s.a.budgets.Handshake, Follow: true,
		Body: s.a.initialize(idSessionRenewed, s.revision, skillsCapability)}
	fresh := s.a.keep(s.link.Do(ctx, call))
	id := ""
	if fresh.Header != nil {
		id = fresh.Header.Get("Mcp-Session-Id")
		s.a.redact.Add(id)
	}
	if id == "" || result(fresh.Answer).Get("protocolVersion").Missing() {
		return false
	}
	s.mu.Lock()
	s.id = id
	s.mu.Unlock()
	note := wire.Call{Step: "session/initialized-renewed", Connection: "session", RPC: "notifications/initialized", Read: wire.ReadAck,
		Timeout: s.a.budgets.Request, Body: request(-1, "notifications/initialized")}
	s.headers(&note)
	s.a.keep(s.link.Do(ctx, note))
	return true
}

func (s *session) currentID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// sessionLost tells a lost session: 404 as the specification says (Basic › Transports › Session Management), or the 400 that many
// servers send, if it speaks of the session.
func (s *session) sessionLost(r wire.Reply) bool {
	if s.currentID() == "" && s.renewed == nil {
		return false
	}
	switch r.Status {
	case http.StatusNotFound:
		return r.Answer == nil || !hasCode(r.Answer, spec.CodeMethodNotFound)
	case http.StatusBadRequest:
		var body string
		if b := r.Exchange.Response.Body; b != nil {
			body = strings.ToLower(string(b.Bytes))
		}
		return strings.Contains(body, "session") && !hasCode(r.Answer, spec.CodeInvalidParams)
	}
	return false
}

func hasCode(answer []byte, code int64) bool {
	n, ok := errorOf(answer).Get("code").Int()
	return ok && n == code
}

// declares reports whether an extension stands among capabilities.
func declaresExtension(caps jsondoc.Value, name string) bool {
	return caps.Get("extensions").Get(name).Exists()
}

// noSession reports whether nothing but silence or a dead process answered, so that no further question makes sense.
func hopeless(e *recording.Exchange) bool {
	if e == nil || e.Failure == nil {
		return false
	}
	switch e.Failure.Class {
	case recording.FailExited, recording.FailSilent, recording.FailNotReading, recording.FailDeadline, recording.FailInterrupted:
		return true
	}
	return false
}
