package capture

import (
	"context"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// overSSE audits a server of the HTTP+SSE transport (MCP 2024-11-05, Basic › Transports). Everything in the session goes to the message
// endpoint that the stream names. The stateless lifecycle is defined for Streamable HTTP and stdio only, so what was asked at the URL
// itself before is all there is to ask about it. It reports whether a stream could be opened at all.
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
	if s != nil {
		s.initialized(ctx)
		s.catalogs(ctx)
		a.sessionSkills(ctx, s)
		e.malformed(ctx, link.MessageURL())
	}
	return true
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
