package capture

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Ids of the requests of the stateless lifecycle; listings have theirs in surfaces.
const (
	idDiscover = 20 + iota
	idStatelessList
	idStatelessListOther
	idMalformedMeta
	idHeaderMismatch
	idMissingVersion
	idMissingMethod
	idUnknownVersion
	idMissingResource
	idResourceNameMismatch
	idPromptNameControl
	idPromptNameMismatch
	idSessionEcho
	idRemovedMethod
	idUnknownMethod
	idForeignOrigin
	idForeignHost
	idHostControl
	idUnauthenticated
	idInvalidToken
	idInvalidTokenInitialize
	idInvalidTokenControl
	idQueryGiven
	idQueryStripped
	idQueryGivenInitialize
	idQueryStrippedInitialize
	idBind
	idSecondDiscover
	idMalformedJSON
	idStatelessCursor = 60
)

const (
	statelessBase = 4000  // ids of stateless listings begin at 5000
	secondBase    = 8000  // those of the second client at 9000
	againBase     = 12000 // added to those of a second reading
	skillsBase    = 40000 // those of skills
)

// statelessMessage writes a request of the stateless lifecycle.
func (a *audit) statelessMessage(id int, method string, capabilities []param, params ...param) []byte {
	return request(id, method, append(slices.Clip(params), a.meta(spec.Latest, capabilities))...)
}

// statelessHeaders are the headers that a request of the stateless lifecycle must carry over HTTP (MCP 2026-07-28, Basic › Transports).
// Name goes into Mcp-Name for methods that have one.
func statelessHeaders(method, name string) http.Header {
	h := http.Header{"Mcp-Protocol-Version": {string(spec.Latest)}, "Mcp-Method": {method}}
	if name != "" {
		h.Set("Mcp-Name", name)
	}
	return h
}

// statelessChannel sends list requests of the stateless lifecycle.
func (a *audit) statelessChannel(link wire.Link, g *gate, connection, prefix string, base int) *channel {
	c := &channel{a: a, link: link, connection: connection, lifecycle: "stateless", prefix: prefix, base: base, priority: normal, gate: g}
	c.shape = func(call *wire.Call, method string, id int, params []param) {
		call.Body = a.statelessMessage(id, method, nil, params...)
		call.Header = statelessHeaders(method, "")
	}
	return c
}

// gateways are the two requests that show whether a server speaks the stateless lifecycle.
type gateways struct {
	discover, list wire.Reply
	caps           jsondoc.Value
	listMethod     string // the list method that later probes use: one that the server declares
	modern         bool
}

// askGateways sends both.
func (a *audit) askGateways(ctx context.Context, c *channel, timeout time.Duration) *gateways {
	g := &gateways{listMethod: "tools/list"}
	parallel(
		func() { g.discover = a.discover(ctx, c, "probe/discover", idDiscover, timeout) },
		func() { g.list = c.do(ctx, "probe/stateless-list", idStatelessList, "tools/list", timeout) },
	)
	return g
}

func (a *audit) discover(ctx context.Context, c *channel, step string, id int, timeout time.Duration) wire.Reply {
	call := wire.Call{Step: step, Connection: c.connection, RPC: "server/discover", ID: itoa(id), Timeout: timeout + c.slack, Follow: true,
		Body: a.statelessMessage(id, "server/discover", skillsCapability), Header: statelessHeaders("server/discover", "")}
	return a.keep(c.send(ctx, call))
}

// read works out what the gateways show.
func (g *gateways) read() {
	d := result(g.discover.Answer)
	if d.Get("supportedVersions").IsArray() {
		g.modern = true
		g.caps = d.Get("capabilities")
	}
	if l := result(g.list.Answer); l.Get("tools").IsArray() {
		for _, m := range []string{"resultType", "ttlMs", "cacheScope"} {
			g.modern = g.modern || !l.Get(m).Missing()
		}
	}
	for _, r := range []wire.Reply{g.discover, g.list} {
		e := errorOf(r.Answer)
		if code, ok := e.Get("code").Int(); ok && code == spec.CodeUnsupportedVersion && e.Path("data", "supported").IsArray() {
			g.modern = true
		}
	}
	if g.caps.IsObject() && g.caps.Get("tools").Missing() {
		g.listMethod = "server/discover"
		for _, s := range surfaces {
			if !g.caps.Get(s.capability).Missing() {
				g.listMethod = s.method
				break
			}
		}
	}
}

func (g *gateways) declares(s surface) bool {
	return g.caps.IsObject() && !g.caps.Get(s.capability).Missing()
}

// modernProbes asks everything that only a server of the stateless lifecycle can answer. HTTP-only probes are left out over stdio.
func (a *audit) modernProbes(ctx context.Context, c *channel, g *gateways, overHTTP bool) []func() {
	probe := func(call wire.Call) func() {
		call.Connection, call.Timeout = c.connection, a.budgets.Probe
		return func() { a.keep(c.send(ctx, call)) }
	}
	simple := func(step string, id int, method, name string, follow bool, params ...param) func() {
		return probe(wire.Call{Step: step, RPC: method, ID: itoa(id), Follow: follow,
			Body: a.statelessMessage(id, method, nil, params...), Header: statelessHeaders(method, name)})
	}
	method := g.listMethod
	badMeta := param{"_meta", []param{{spec.MetaProtocolVersion, string(spec.Latest)}, {spec.MetaClientInfo, a.clientInfo()}}}
	future := spec.Revision("2099-01-01")
	futureHeaders := statelessHeaders(method, "")
	futureHeaders.Set("Mcp-Protocol-Version", string(future))
	missing := "resource://hallmark/does-not-exist"
	tasks := []func(){
		probe(wire.Call{Step: "probe/malformed-meta", RPC: method, ID: itoa(idMalformedMeta), Follow: true,
			Body: request(idMalformedMeta, method, badMeta), Header: statelessHeaders(method, "")}),
		probe(wire.Call{Step: "probe/unknown-version", RPC: method, ID: itoa(idUnknownVersion), Follow: true,
			Body: request(idUnknownVersion, method, a.meta(future, nil)), Header: futureHeaders}),
		simple("probe/missing-resource", idMissingResource, "resources/read", missing, true, param{"uri", missing}),
		simple("probe/removed-method", idRemovedMethod, "ping", "", true),
		simple("probe/unknown-method", idUnknownMethod, "hallmark/"+a.invented("unknown-method")[9:], "", true),
	}
	if !overHTTP {
		return tasks
	}
	mismatch := "prompts/list"
	if method == mismatch {
		mismatch = "tools/list"
	}
	mismatched := statelessHeaders(mismatch, "")
	without := func(name string) http.Header {
		h := statelessHeaders("server/discover", "")
		h[name] = nil
		return h
	}
	echo := statelessHeaders(method, "")
	echo.Set("Mcp-Session-Id", a.invented("spurious-session"))
	noPrompt := "hallmark-does-not-exist"
	a.same("probe/resource-name-control", "probe/missing-resource")
	return append(tasks,
		probe(wire.Call{Step: "probe/header-mismatch", RPC: method, ID: itoa(idHeaderMismatch), Follow: true,
			Body: a.statelessMessage(idHeaderMismatch, method, nil), Header: mismatched}),
		probe(wire.Call{Step: "probe/missing-protocol-version", RPC: "server/discover", ID: itoa(idMissingVersion), Follow: true,
			Body: a.statelessMessage(idMissingVersion, "server/discover", nil), Header: without("Mcp-Protocol-Version")}),
		probe(wire.Call{Step: "probe/missing-method-header", RPC: "server/discover", ID: itoa(idMissingMethod), Follow: true,
			Body: a.statelessMessage(idMissingMethod, "server/discover", nil), Header: without("Mcp-Method")}),
		simple("probe/resource-name-mismatch", idResourceNameMismatch, "resources/read", missing+"-mismatch", true, param{"uri", missing}),
		simple("probe/prompt-name-control", idPromptNameControl, "prompts/get", noPrompt, true, param{"name", noPrompt}),
		simple("probe/prompt-name-mismatch", idPromptNameMismatch, "prompts/get", noPrompt+"-mismatch", true, param{"name", noPrompt}),
		probe(wire.Call{Step: "probe/session-id-echo", RPC: method, ID: itoa(idSessionEcho), Follow: true,
			Body: a.statelessMessage(idSessionEcho, method, nil), Header: echo}),
		probe(wire.Call{Step: "probe/get-stream-removed", Method: http.MethodGet, Read: wire.ReadHeaders,
			Header: http.Header{"Accept": {"text/event-stream"}, "Content-Type": nil}}),
	)
}

// statelessCatalogs reads the catalogs over the stateless lifecycle, each with an invalid cursor beside it where no session asks that.
// Page 1 of the list that served as gateway is not asked for twice. Two is another connection, whose catalogs are compared with those of
// c; it may be nil.
func (a *audit) statelessCatalogs(ctx context.Context, c, two *channel, g *gateways, cursors bool) []func() {
	var tasks []func()
	for i, s := range surfaces {
		if !g.declares(s) && !(s.method == "tools/list" && !g.caps.IsObject()) {
			continue
		}
		var first *wire.Reply
		if asked := g.list.Exchange.Request; asked != nil && s.method == asked.RPC {
			first = &g.list
			a.same(c.prefix+"/"+s.method+"/1", g.list.Exchange.Step)
		}
		tasks = append(tasks, func() {
			if two != nil && slices.Contains(g.compared(), s) {
				a.readTwice(ctx, c, two, s, first)
			} else {
				c.list(ctx, s, first)
			}
		})
		if cursors {
			tasks = append(tasks, func() {
				c.do(ctx, c.prefix+"/"+s.method+"/invalid-cursor", idStatelessCursor+i, s.method, a.budgets.Probe, param{"cursor", a.invented("invalid-cursor")})
			})
		}
	}
	return tasks
}

// otherGateway asks a list method that the server declares, when it declares no tools: a refused tools/list then says nothing about the
// lifecycle. The first answer stays in the recording beside it.
func (a *audit) otherGateway(ctx context.Context, c *channel, g *gateways) {
	if !g.modern || g.listMethod == "tools/list" || result(g.list.Answer).Get("tools").IsArray() {
		return
	}
	a.rename("probe/stateless-list", "probe/stateless-list-tools")
	if g.listMethod == "server/discover" {
		g.list = g.discover
		a.same("probe/stateless-list", "probe/discover")
		return
	}
	g.list = c.do(ctx, "probe/stateless-list", idStatelessListOther, g.listMethod, a.budgets.Probe)
}

// secondClient reads discovery and catalogs over a second, separate connection, to see whether they are the same.
func (a *audit) secondClient(ctx context.Context, c *channel, g *gateways) []func() {
	return []func(){func() { a.discover(ctx, c, "second/server/discover", idSecondDiscover, a.budgets.Probe) }}
}

// compared are the surfaces whose catalogs two connections are compared by.
func (g *gateways) compared() []surface {
	var list []surface
	for _, s := range surfaces {
		if g.declares(s) && !strings.Contains(s.method, "templates") {
			list = append(list, s)
		}
	}
	return list
}

// readTwice reads a catalog over two connections, and over both once more when they differ: a catalog may have changed meanwhile. First
// holds page 1 of the first reading where it was asked for before.
func (a *audit) readTwice(ctx context.Context, one, two *channel, s surface, first *wire.Reply) {
	var here, there map[string]bool
	parallel(func() { here = one.list(ctx, s, first) }, func() { there = two.list(ctx, s, nil) })
	if maps.Equal(here, there) || len(here) == 0 || len(there) == 0 {
		return
	}
	again := func(c *channel) *channel {
		fresh := *c
		fresh.prefix, fresh.base = c.prefix+"/again", c.base+againBase
		return &fresh
	}
	parallel(func() { again(one).list(ctx, s, nil) }, func() { again(two).list(ctx, s, nil) })
}

// rename gives a recorded exchange another step name.
func (a *audit) rename(from, to string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.rec.Exchanges {
		if a.rec.Exchanges[i].Step == from {
			a.rec.Exchanges[i].Step = to
		}
	}
}
