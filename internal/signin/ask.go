package signin

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/challenge"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// refusal is how the server met a request.
type refusal struct {
	refused bool
	status  int
	lines   []string // WWW-Authenticate
}

// scopes returns what the server says is needed, in its order.
func (r refusal) scopes() []string {
	for _, c := range challenge.Parse(r.lines...) {
		if p, ok := c.Param("scope"); ok && oauthScheme(c) {
			return scopeTokens(strings.Fields(p.Value))
		}
	}
	return nil
}

// insufficient reports whether a token was accepted and grants too little.
func (r refusal) insufficient() bool {
	if r.status != http.StatusForbidden {
		return false
	}
	for _, c := range challenge.Parse(r.lines...) {
		if p, ok := c.Param("error"); ok && oauthScheme(c) && p.Value == "insufficient_scope" {
			return true
		}
	}
	return false
}

// foreign names the schemes of challenges when none of them is one that an OAuth token answers.
func (r refusal) foreign() string {
	var names []string
	for _, c := range challenge.Parse(r.lines...) {
		if oauthScheme(c) || c.Scheme == "" {
			return ""
		}
		names = append(names, c.Scheme)
	}
	return strings.Join(names, ", ")
}

func oauthScheme(c challenge.Challenge) bool { return c.Is("Bearer") || c.Is("DPoP") }

// scopeTokens leaves out what is no scope token (RFC 6749 section 3.3).
func scopeTokens(list []string) []string {
	var tokens []string
	for _, s := range list {
		bad := strings.IndexFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e || r == '"' || r == '\\' }) >= 0
		if s != "" && !bad {
			tokens = append(tokens, s)
		}
	}
	return union(tokens)
}

// ask sends requests that a server with something to protect refuses, until one is refused. The first opens no session, and most servers
// refuse it: they look for a token before anything else. Some let everybody shake hands and protect the rest; some speak only the older
// transport, whose requests need a stream first.
func (s *SignIn) ask(ctx context.Context) (refusal, error) {
	var session http.Header
	var last wire.Reply
	for _, q := range []struct {
		method, rpc string
		legacy      bool
	}{
		{http.MethodPost, "tools/list", false},
		{http.MethodPost, "initialize", true},
		{http.MethodPost, "tools/list", true},
		{http.MethodGet, "", true},
	} {
		if q.rpc == "tools/list" && q.legacy && session == nil {
			continue
		}
		call := wire.Call{Step: "signin", Method: q.method, RPC: q.rpc, ID: "1", Follow: true, Timeout: s.opts.Request, Read: wire.ReadAnswer, Header: http.Header{}}
		switch {
		case q.method == http.MethodGet:
			call.ID, call.Read = "", wire.ReadHeaders
			call.Header = http.Header{"Accept": {"text/event-stream"}, "Content-Type": nil}
		default:
			call.Body = s.message(q.rpc, q.legacy)
		}
		if q.method == http.MethodPost && !q.legacy {
			call.Header = http.Header{"Mcp-Protocol-Version": {string(spec.Latest)}, "Mcp-Method": {q.rpc}}
		}
		if q.legacy && q.rpc == "tools/list" {
			call.Header = session
		}
		if s.token != nil {
			call.Header.Set("Authorization", s.Authorization())
		}
		last = s.link.Do(ctx, call)
		if ctx.Err() != nil {
			return refusal{}, ctx.Err()
		}
		if last.Status == 0 {
			break
		}
		r := refusal{status: last.Status, lines: last.Header.Values("WWW-Authenticate")}
		// A challenge counts at any status: some gateways answer 403 or 400 with it.
		r.refused = r.status == http.StatusUnauthorized || r.status >= 400 && r.status < 500 && len(r.lines) > 0
		if r.refused {
			return r, nil
		}
		answer, _, _ := jsondoc.Parse(last.Answer)
		switch {
		case !answer.Get("result").Exists():
		case q.rpc == "tools/list":
			return r, nil // open to everybody, or to our token
		default:
			session = http.Header{"Mcp-Protocol-Version": {string(spec.LatestStateful)}}
			if id := last.Header.Get("Mcp-Session-Id"); id != "" {
				session.Set("Mcp-Session-Id", id)
				defer s.leave(session)
			}
		}
	}
	if last.Status == 0 {
		detail := "no answer"
		if f := last.Exchange.Failure; f != nil && f.Detail != "" {
			detail = f.Detail
		}
		return refusal{}, fail(phaseAsk, "check that the server is up and that the URL is its endpoint", "%s", detail)
	}
	return refusal{status: last.Status}, nil
}

// leave ends a session that was opened to ask.
func (s *SignIn) leave(session http.Header) {
	header := session.Clone()
	header["Content-Type"] = nil
	if s.token != nil {
		header.Set("Authorization", s.Authorization())
	}
	s.link.Do(context.Background(), wire.Call{Step: "signin", Method: http.MethodDelete, Read: wire.ReadAck, Timeout: min(s.opts.Request, leaveLimit), Header: header})
}

func (s *SignIn) message(method string, legacy bool) []byte {
	info := map[string]any{"name": s.opts.Engine.Name, "version": s.opts.Engine.Version}
	params := map[string]any{}
	switch {
	case method == "initialize":
		params = map[string]any{"protocolVersion": spec.LatestStateful, "capabilities": map[string]any{}, "clientInfo": info}
	case !legacy:
		params["_meta"] = map[string]any{spec.MetaProtocolVersion: spec.Latest, spec.MetaClientInfo: info, spec.MetaClientCapabilities: map[string]any{}}
	}
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) // plain maps always encode
	return b
}
