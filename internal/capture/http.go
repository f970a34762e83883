package capture

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/challenge"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// endpoint is everything that an audit over HTTP talks through.
type endpoint struct {
	a       *audit
	main    *wire.HTTP // with the user's headers
	second  *wire.HTTP // the same in every way but for its connections and cookies
	options wire.HTTPOptions
	probe   *channel // stateless requests on main
	given   bool     // the user gave a credential or another header
}

// overHTTP audits a URL. Two questions are asked first, side by side: does the server shake hands, and does it speak the stateless
// lifecycle. What they show decides what else is worth asking: a host that is no MCP server gets a handful of requests.
func (a *audit) overHTTP(ctx context.Context) error {
	e, err := a.dial()
	if err != nil {
		return err
	}
	defer e.main.Close()
	defer e.second.Close()
	a.progress("connecting to " + a.rec.Target.Display)
	var s *session
	g := &gateways{}
	if a.target.Force != recording.SSE {
		parallel(
			func() { s = a.openSession(ctx, e.main, a.gate, true, a.budgets.Handshake) },
			func() { g = a.askGateways(ctx, e.probe, a.budgets.Probe) },
		)
		g.read()
	}
	first := a.rec.Find("session/initialize")
	gated := refuses(first) || refuses(&g.discover.Exchange) && !g.modern
	if s == nil && !g.modern && !gated && a.target.Force != recording.StreamableHTTP && worthSSE(first) {
		if a.overSSE(ctx, e) {
			return nil
		}
	}
	if s == nil && !g.modern && !gated {
		return nil
	}
	if s != nil || g.modern {
		a.rec.Transport = recording.StreamableHTTP
		a.progress("reading what the server offers")
	} else {
		a.progress("the server asks for credentials: auditing what can be seen without")
	}
	a.otherGateway(ctx, e.probe, g)
	var tasks []func()
	if s != nil {
		tasks = append(tasks, func() {
			s.initialized(ctx)
			a.same("probe/notification-initialize", "session/initialize")
			a.same("probe/notification", "session/initialized")
			pinged := false
			parallel(
				func() {
					s.catalogs(ctx)
					a.sessionSkills(ctx, s)
				},
				func() { pinged = e.ping(ctx, s, "probe/invalid-request-control", idSessionPing) },
				func() { e.madeUpSession(ctx, s) },
			)
			e.lastProbes(ctx, s, pinged)
		})
	}
	if g.modern {
		tasks = append(tasks, a.modernProbes(ctx, e.probe, g, true)...)
		second := a.statelessChannel(e.second, a.gate, "second", "second", secondBase)
		tasks = append(tasks, a.statelessCatalogs(ctx, e.probe, second, g, s == nil)...)
		tasks = append(tasks, a.secondClient(ctx, second, g)...)
		tasks = append(tasks, func() { a.statelessSkills(ctx, e.probe, g) })
		if s == nil {
			tasks = append(tasks, e.notification(ctx), e.invalidRequest(ctx))
		}
	}
	tasks = append(tasks, e.defences(ctx, s, g)...)
	tasks = append(tasks, func() { e.authorization(ctx, g, first) })
	parallel(tasks...)
	return nil
}

func (a *audit) dial() (*endpoint, error) {
	e := &endpoint{a: a, given: len(a.opts.Header) > 0 || a.opts.Cert != nil}
	e.options = wire.HTTPOptions{
		Header: a.opts.Header, Version: a.opts.Engine.Version, Redactor: a.redact, Began: a.began, Limiter: wire.NewLimiter(),
		RootCAs: a.opts.RootCAs, Insecure: a.opts.Insecure, Proxy: wire.EnvironmentProxy(), Dial: a.opts.Dial, Timeout: a.budgets.Request,
	}
	if a.opts.Cert != nil {
		e.options.Certificates = []tls.Certificate{*a.opts.Cert}
	}
	for _, link := range []**wire.HTTP{&e.main, &e.second} {
		opts := e.options
		var made *wire.HTTP
		opts.OnMessage = func(in wire.Incoming) { e.answer(made, in) }
		var err error
		if made, err = wire.NewHTTP(a.target.URL, opts); err != nil {
			return nil, err
		}
		*link = made
	}
	a.rec.Target.Authenticated = e.main.Authenticated()
	a.rec.Target.Proxied = e.main.Proxied()
	e.probe = a.statelessChannel(e.main, a.gate, "probe", "stateless", statelessBase)
	return e, nil
}

// answer posts our answer to a request of the server, so that a server that pings before it goes on does go on.
func (e *endpoint) answer(link wire.Link, in wire.Incoming) {
	if in.ID == "" || link == nil {
		return
	}
	link.Do(context.Background(), wire.Call{Step: "session/answer", Connection: "session", Body: answerTo(in.Method, in.ID), Read: wire.ReadAck, Urgent: true, Timeout: e.a.budgets.Request})
}

// refuses reports whether an exchange ended in a refusal for lack of credentials.
func refuses(e *recording.Exchange) bool {
	if e == nil || e.Response == nil {
		return false
	}
	switch s := e.Response.Status; {
	case s == 401 || s == 402 || s == 403:
		return true
	case s >= 400 && s < 500:
		_, challenged := e.Response.Get("WWW-Authenticate")
		return challenged
	}
	return false
}

// worthSSE reports whether the failure of a POST leaves room for the transport of 2024-11-05: something answers, and not with a redirect
// that must not be followed.
func worthSSE(e *recording.Exchange) bool {
	if e == nil || e.Failure == nil {
		return true
	}
	switch e.Failure.Class {
	case recording.FailDNS, recording.FailRefused, recording.FailUnreachable, recording.FailTLS, recording.FailDeadline, recording.FailInterrupted, recording.FailRateLimited:
		return false
	case recording.FailRedirected: // a GET may follow what a POST must not
		return len(e.Hops) > 0 && e.Hops[len(e.Hops)-1].Refused == "method"
	}
	return true
}

// inSession sends a probe in the session. Listings go first where there is no place for both.
func (e *endpoint) inSession(ctx context.Context, s *session, call wire.Call) wire.Reply {
	call.Connection, call.Timeout = "session", e.a.budgets.Probe
	s.headers(&call)
	return e.a.keep(through(ctx, s.gate, normal, s.link, call))
}

// ping reports whether the session answers a ping with a success.
func (e *endpoint) ping(ctx context.Context, s *session, step string, id int) bool {
	r := e.inSession(ctx, s, wire.Call{Step: step, RPC: "ping", ID: itoa(id), Body: request(id, "ping")})
	return r.Status >= 200 && r.Status < 300
}

// lastProbes asks what may cost the session, in the order of the harm it may do: nobody needs the session any more. Pinged says whether
// the session answered the ping that is the control of one of them.
func (e *endpoint) lastProbes(ctx context.Context, s *session, pinged bool) {
	parallel(
		func() {
			r := e.inSession(ctx, s, wire.Call{Step: "probe/get-stream", Method: http.MethodGet, Read: wire.ReadHeaders,
				Header: http.Header{"Accept": {"text/event-stream"}, "Content-Type": nil}})
			if r.Status == http.StatusNotFound { // is it the stream that is missing, or the session?
				e.ping(ctx, s, "probe/get-stream-after", idGetStreamAfter)
			}
		},
		func() {
			if !pinged {
				return
			}
			r := e.inSession(ctx, s, wire.Call{Step: "probe/invalid-request", ID: itoa(idInvalidRequest), Body: []byte(`{"jsonrpc":"2.0","id":` + itoa(idInvalidRequest) + `,"method":4}`)})
			if r.Exchange.Failure != nil && r.Status == 0 {
				e.ping(ctx, s, "probe/invalid-request-after", idSessionPingLast)
			}
		},
	)
	if s.currentID() == "" {
		return
	}
	e.inSession(ctx, s, wire.Call{Step: "probe/session-delete", Method: http.MethodDelete, Read: wire.ReadAck, Header: http.Header{"Content-Type": nil}})
	e.ping(ctx, s, "probe/session-delete-ping", idDeletedPing)
}

// madeUpSession asks with a session id that nobody issued. It is not sent through the session, which would take the right answer for the
// loss of its own id.
func (e *endpoint) madeUpSession(ctx context.Context, s *session) {
	if s.currentID() == "" {
		return
	}
	e.a.keep(e.probe.send(ctx, wire.Call{Step: "probe/made-up-session", Connection: "probe", RPC: "ping", ID: itoa(idMadeUpSession), Timeout: e.a.budgets.Probe,
		Body:   request(idMadeUpSession, "ping"),
		Header: http.Header{"Mcp-Protocol-Version": {string(s.revision)}, "Mcp-Session-Id": {e.a.invented("made-up-session")}}}))
}

// notification sends a notification in the stateless lifecycle, for a server without sessions.
func (e *endpoint) notification(ctx context.Context) func() {
	h := statelessHeaders("notifications/cancelled", "")
	return func() {
		e.a.keep(e.probe.send(ctx, wire.Call{Step: "probe/notification", Connection: "probe", RPC: "notifications/cancelled", Read: wire.ReadAck,
			Timeout: e.a.budgets.Probe, Header: h,
			Body: request(-1, "notifications/cancelled", param{"requestId", "hallmark-probe"}, e.a.meta(spec.Latest, nil))}))
	}
}

// invalidRequest sends a request whose method is a number, for a server without sessions; server/discover is its control.
func (e *endpoint) invalidRequest(ctx context.Context) func() {
	e.a.same("probe/invalid-request-control", "probe/discover")
	body := object([]param{{"jsonrpc", "2.0"}, {"id", raw(itoa(idInvalidRequest))}, {"method", raw("4")}, {"params", []param{e.a.meta(spec.Latest, nil)}}})
	return func() {
		e.a.keep(e.probe.send(ctx, wire.Call{Step: "probe/invalid-request", Connection: "probe", ID: itoa(idInvalidRequest), Timeout: e.a.budgets.Probe,
			Body: body, Header: statelessHeaders("server/discover", "")}))
	}
}

// defences asks how the server meets requests that a browser, a broken client or a leaked link would send: a foreign Origin, a foreign
// Host, text that is no JSON, a URL with a credential in it, and whether a local server listens beyond this machine. Each of them needs a
// control that the server serves.
func (e *endpoint) defences(ctx context.Context, s *session, g *gateways) []func() {
	a := e.a
	call := wire.Call{Connection: "probe", Timeout: a.budgets.Probe}
	control := "probe/discover"
	spoof := func(id int) (wire.Call, bool) {
		c := call
		c.ID = itoa(id)
		switch {
		case result(g.discover.Answer).Get("supportedVersions").IsArray():
			c.RPC, c.Body, c.Header = "server/discover", a.statelessMessage(id, "server/discover", nil), statelessHeaders("server/discover", "")
		case s != nil:
			c.RPC, c.Body = "initialize", a.initialize(id, spec.LatestStateful, nil)
		default:
			return c, false
		}
		return c, true
	}
	var tasks []func()
	foreign, ok := spoof(idForeignOrigin)
	if ok {
		if foreign.RPC == "initialize" {
			control = "session/initialize"
		}
		a.same("probe/origin-control", control)
		foreign.Step = "probe/foreign-origin"
		if foreign.Header == nil {
			foreign.Header = http.Header{}
		}
		foreign.Header.Set("Origin", "https://"+observe.ForeignHost)
		tasks = append(tasks, func() { e.closeSession(ctx, a.keep(e.probe.send(ctx, foreign))) })
	}
	u, err := url.Parse(a.target.URL)
	if err == nil && observe.LoopbackHost(u.Hostname()) {
		if host, ok := spoof(idForeignHost); ok {
			a.same("probe/host-control", control)
			host.Step, host.Direct, host.Host = "probe/foreign-host", true, observe.ForeignHost
			if p := u.Port(); p != "" {
				host.Host += ":" + p
			}
			tasks = append(tasks, func() { e.closeSession(ctx, a.keep(e.probe.send(ctx, host))) })
		}
		if u.Scheme == "http" && len(a.rec.Target.CredentialParams) == 0 {
			if bind, ok := spoof(idBind); ok {
				tasks = append(tasks, func() { e.localBind(ctx, u, bind) })
			}
		}
	}
	if len(g.discover.Answer) > 0 {
		a.same("probe/malformed-control", "probe/discover")
	}
	if g.discover.Status != 0 {
		tasks = append(tasks, func() { e.malformed(ctx, "") })
	}
	if len(a.rec.Target.CredentialParams) > 0 {
		tasks = append(tasks, func() { e.queryCredential(ctx) })
	}
	return tasks
}

// malformed sends text that breaks off in the middle, to the endpoint or to another URL. What the answer gives away is looked at whether or
// not the server lets us in.
func (e *endpoint) malformed(ctx context.Context, target string) {
	e.a.keep(e.probe.send(ctx, wire.Call{Step: "probe/malformed-json", Connection: "probe", RPC: "server/discover", URL: target, Read: wire.ReadBody,
		MaxBody: 16 << 10, Timeout: e.a.budgets.Probe, Header: statelessHeaders("server/discover", ""),
		Body: []byte(`{"jsonrpc":"2.0","id":` + itoa(idMalformedJSON) + `,"method":"server/discover",`)}))
}

// closeSession ends a session that a probe opened by accident.
func (e *endpoint) closeSession(ctx context.Context, r wire.Reply) {
	id := ""
	if r.Header != nil {
		id = r.Header.Get("Mcp-Session-Id")
	}
	if id == "" || r.Exchange.Request == nil || r.Exchange.Request.RPC != "initialize" {
		return
	}
	e.a.redact.Add(id)
	version := result(r.Answer).Get("protocolVersion").TextOr(string(spec.LatestStateful))
	e.a.keep(e.probe.send(ctx, wire.Call{Step: r.Exchange.Step + "-close", Connection: "probe", Method: http.MethodDelete, Read: wire.ReadAck,
		Timeout: e.a.budgets.Probe, Header: http.Header{"Mcp-Session-Id": {id}, "Mcp-Protocol-Version": {version}, "Content-Type": nil}}))
}

// queryCredential asks without any other credential, once with the URL as given and once without what looks like a credential in it.
func (e *endpoint) queryCredential(ctx context.Context) {
	a := e.a
	ask := func(step, target string, id, again int) {
		r := a.keep(e.probe.send(ctx, wire.Call{Step: step, Connection: "anonymous", RPC: "tools/list", ID: itoa(id), URL: target, Anonymous: true,
			Timeout: a.budgets.Probe, Body: a.statelessMessage(id, "tools/list", nil), Header: statelessHeaders("tools/list", "")}))
		if result(r.Answer).Exists() || r.Status == 0 {
			return
		}
		e.closeSession(ctx, a.keep(e.probe.send(ctx, wire.Call{Step: step + "-initialize", Connection: "anonymous", RPC: "initialize", ID: itoa(again), URL: target,
			Anonymous: true, Timeout: a.budgets.Probe, Body: a.initialize(again, spec.LatestStateful, nil)})))
	}
	parallel(
		func() { ask("probe/query-given", e.main.Endpoint(), idQueryGiven, idQueryGivenInitialize) },
		func() {
			ask("probe/query-stripped", recording.WithoutCredentialParams(e.main.Endpoint()), idQueryStripped, idQueryStrippedInitialize)
		},
	)
}

// authorization follows what a server says about how to be let in: the challenge, the metadata of the resource (RFC 9728), that of its
// first authorization server (RFC 8414, OpenID Connect Discovery), and how it meets a made-up token. A server that lets everybody in is
// asked nothing more.
func (e *endpoint) authorization(ctx context.Context, g *gateways, first *recording.Exchange) {
	a := e.a
	var anonymous *recording.Exchange
	var lines []string
	if e.given {
		r := a.keep(e.probe.send(ctx, wire.Call{Step: "probe/unauthenticated", Connection: "anonymous", RPC: "tools/list", ID: itoa(idUnauthenticated), Anonymous: true, Follow: true,
			Timeout: a.budgets.Probe, Body: a.statelessMessage(idUnauthenticated, "tools/list", nil), Header: statelessHeaders("tools/list", "")}))
		anonymous, lines = &r.Exchange, r.Header.Values("WWW-Authenticate")
	} else {
		step := "probe/stateless-list"
		anonymous = &g.list.Exchange
		if !refuses(anonymous) && refuses(first) {
			step, anonymous = "session/initialize", first
		}
		a.same("probe/unauthenticated", step)
		lines = anonymous.Response.Values("WWW-Authenticate")
	}
	if !refuses(anonymous) {
		return
	}
	parallel(
		func() { e.discoverAuthorization(ctx, lines) },
		func() { e.invalidToken(ctx) },
	)
}

func (e *endpoint) discoverAuthorization(ctx context.Context, lines []string) {
	hint, _ := challenge.Find(challenge.Parse(lines...), "resource_metadata")
	var metadata wire.Reply
	at := ""
	for i, target := range ResourceMetadataURLs(e.main.Endpoint(), hint.Value) {
		metadata = e.get(ctx, "auth/resource-metadata/"+itoa(i+1), target)
		if doc := document(metadata); doc.Get("resource").IsString() {
			at = target
			break
		}
	}
	if at == "" {
		return
	}
	parallel(
		func() { e.authorizationServer(ctx, metadata) },
		func() { e.forwardedHost(ctx, at) },
	)
}

// forwardedHost asks for the metadata again as if a proxy had been asked for another host, to see whether the server writes that host into
// it. The query keeps the answer from any cache that others read from. Metadata on another origin is somebody else's.
func (e *endpoint) forwardedHost(ctx context.Context, at string) {
	u, err := url.Parse(at)
	own, _ := url.Parse(e.main.Endpoint())
	if err != nil || own == nil || u.Scheme != own.Scheme || u.Host != own.Host {
		return
	}
	q := u.Query()
	q.Set("hallmark", strings.TrimPrefix(e.a.invented("forwarded-host"), "hallmark-forwarded-host-"))
	u.RawQuery = q.Encode()
	e.a.keep(e.probe.send(ctx, wire.Call{Step: "probe/forwarded-host", Connection: "anonymous", Method: http.MethodGet, URL: u.String(), Anonymous: true, Discovered: true,
		Read: wire.ReadBody, Timeout: e.a.budgets.Probe, MaxBody: 1 << 20,
		Header: http.Header{"Accept": {"application/json"}, "Content-Type": nil, "X-Forwarded-Host": {observe.ForeignHost}}}))
}

// authorizationServer looks for the metadata of the first authorization server that can be asked, as a client would.
func (e *endpoint) authorizationServer(ctx context.Context, metadata wire.Reply) {
	for _, server := range document(metadata).Get("authorization_servers").Elements() {
		issuer, ok := server.Value.Text()
		if !ok {
			continue
		}
		for i, target := range AuthorizationServerURLs(issuer) {
			r := e.get(ctx, "auth/authorization-server/"+itoa(i+1), target)
			if got, ok := document(r).Get("issuer").Text(); ok && sameIssuer(got, issuer) {
				break
			}
		}
		return
	}
}

func (e *endpoint) get(ctx context.Context, step, target string) wire.Reply {
	call := wire.Call{Step: step, Connection: "anonymous", Method: http.MethodGet, URL: target, Anonymous: true, Follow: true, Discovered: true,
		Read: wire.ReadBody, Timeout: e.a.budgets.Probe, MaxBody: 1 << 20, Header: http.Header{"Accept": {"application/json"}, "Content-Type": nil}}
	return e.a.keep(e.probe.send(ctx, call))
}

// invalidToken shows the server a token that nobody issued, and where it refuses the request for another reason, the same with the older
// handshake and its twin without a token.
func (e *endpoint) invalidToken(ctx context.Context) {
	a := e.a
	bearer := func(h http.Header) http.Header {
		h.Set("Authorization", "Bearer "+a.invented("invalid-token"))
		return h
	}
	ask := func(step, method string, id int, body []byte, h http.Header) wire.Reply {
		r := a.keep(e.probe.send(ctx, wire.Call{Step: step, Connection: "anonymous", RPC: method, ID: itoa(id), Anonymous: true, Timeout: a.budgets.Probe, Body: body, Header: h}))
		e.closeSession(ctx, r)
		return r
	}
	r := ask("probe/invalid-token", "tools/list", idInvalidToken, a.statelessMessage(idInvalidToken, "tools/list", nil), bearer(statelessHeaders("tools/list", "")))
	if r.Status < 400 || r.Status >= 500 || refuses(&r.Exchange) || r.Status == 408 || r.Status == 429 {
		return
	}
	r = ask("probe/invalid-token-initialize", "initialize", idInvalidTokenInitialize, a.initialize(idInvalidTokenInitialize, spec.LatestStateful, nil), bearer(http.Header{}))
	if r.Status >= 200 && r.Status < 300 {
		ask("probe/invalid-token-control", "initialize", idInvalidTokenControl, a.initialize(idInvalidTokenControl, spec.LatestStateful, nil), nil)
	}
}

// sseWait bounds how long to wait for the endpoint event of an HTTP+SSE server.
func (a *audit) sseWait() time.Duration { return min(a.budgets.Handshake, 10*time.Second) }
