package capture

import (
	"context"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// overSSE audits a server of the HTTP+SSE transport (MCP 2024-11-05, Basic › Transports). As over stdio, what belongs outside a session
// is asked on a stream of its own, whose message endpoint has seen no handshake. It reports whether a stream could be opened at all.
func (a *audit) overSSE(ctx context.Context, e *endpoint) bool {
	a.progress("trying the HTTP+SSE transport")
	link := a.openStream(ctx, e, "detect/sse", "session")
	if link == nil {
		return false
	}
	defer link.Close()
	for _, step := range []string{"initialize", "initialize-refused"} {
		a.rename("session/"+step, "detect/"+step)
	}
	a.rename("probe/discover", "detect/discover")
	a.rename("probe/stateless-list", "detect/stateless-list")
	a.same("probe/unauthenticated", "detect/sse")
	s := a.openSession(ctx, link, a.gate, false, a.budgets.Handshake)
	if s == nil && hopeless(a.rec.Find("session/initialize")) {
		return true
	}
	a.rec.Transport = recording.SSE
	a.progress("reading what the server offers")
	parallel(
		func() {
			if s == nil {
				return
			}
			s.initialized(ctx)
			s.catalogs(ctx)
			a.sessionSkills(ctx, s)
		},
		func() { a.sseProbes(ctx, e, s != nil) },
	)
	return true
}

func (a *audit) sseProbes(ctx context.Context, e *endpoint, haveSession bool) {
	link := a.openStream(ctx, e, "probe/sse", "probe")
	if link == nil {
		return
	}
	defer link.Close()
	c := a.statelessChannel(link, a.gate, "probe", "stateless", statelessBase)
	g := a.askGateways(ctx, c, a.budgets.Probe)
	g.read()
	if !g.modern {
		return
	}
	a.otherGateway(ctx, c, g)
	parallel(append(a.modernProbes(ctx, c, g, false), a.statelessCatalogs(ctx, c, g, !haveSession)...)...)
	a.statelessSkills(ctx, c, g)
}

// openStream opens an event stream and records how that went.
func (a *audit) openStream(ctx context.Context, e *endpoint, step, connection string) *wire.SSE {
	opts := e.options
	var link *wire.SSE
	ready := make(chan struct{})
	opts.OnMessage = func(in wire.Incoming) {
		<-ready
		if in.ID != "" && link != nil {
			link.Do(ctx, wire.Call{Connection: connection, Body: answerTo(in.Method, in.ID), Read: wire.ReadAck, Urgent: true, Timeout: a.budgets.Request})
		}
	}
	link, ex := wire.OpenSSE(ctx, a.target.URL, wire.Call{Step: step, Connection: connection, Timeout: a.sseWait()}, opts)
	close(ready)
	a.keep(wire.Reply{Exchange: ex})
	return link
}
