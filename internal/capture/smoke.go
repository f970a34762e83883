package capture

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Smoke asks for calls of tools after the audit. They go over a connection of their own, one at a time, and into a part of the recording
// that judging does not read.
type Smoke struct {
	CallAll bool // for the record: the plan calls tools that are not declared read-only too
	DryRun  bool // make no call
	// Plan chooses the calls from what the audit recorded. stateless says that they belong to the stateless lifecycle.
	Plan    func(*recording.Recording) (calls []ToolCall, stateless bool)
	Timeout time.Duration // of one call, 30 s when 0
	Total   time.Duration // of all calls, 10 min when 0; those that are left then are not made
}

// ToolCall is one call of a tool.
type ToolCall struct {
	Step      string // begins with smoke/
	Tool      string
	Arguments []byte // a JSON object
	// Params are arguments that the tool's schema wants mirrored in headers Mcp-Param-NAME (MCP 2026-07-28, Basic › Transports), by NAME.
	Params map[string]string
}

// idSmokeCall is where the ids of the calls begin.
const idSmokeCall = 100

// maxRestarts is how often a server that a call has ended is started again.
const maxRestarts = 3

// smoke makes the calls. Whatever goes wrong with them says nothing about the audit before.
func (a *audit) smoke(ctx context.Context) {
	o := a.opts.Smoke
	if o == nil || ctx.Err() != nil {
		return
	}
	a.rec.Smoke = &recording.Smoke{CallAll: o.CallAll, DryRun: o.DryRun, Exchanges: []recording.Exchange{}}
	calls, stateless := o.Plan(&a.rec)
	if o.DryRun || len(calls) == 0 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, orSpan(o.Total, 10*time.Minute))
	defer cancel()
	own, err := newAudit(a.target, a.opts) // with a recording of its own
	if err != nil {
		return
	}
	own.redact = a.redact
	s := &smoker{a: own, transport: a.rec.Transport, stateless: stateless, timeout: orSpan(o.Timeout, 30*time.Second)}
	s.run(limited, calls)
	own.rec.Sort()
	for _, e := range own.rec.Exchanges {
		if rest, ok := strings.CutPrefix(e.Step, "session/"); ok {
			e.Step = "smoke/" + rest
		}
		e.Connection = "smoke"
		a.rec.Smoke.Exchanges = append(a.rec.Smoke.Exchanges, e)
	}
	slices.SortStableFunc(a.rec.Smoke.Exchanges, func(x, y recording.Exchange) int { return recording.CompareSteps(x.Step, y.Step) })
	a.rec.Smoke.Processes = own.rec.Processes
	if ctx.Err() != nil {
		a.rec.Failure = &recording.Failure{Class: recording.FailInterrupted, Phase: "smoke", Detail: "the calls of tools were interrupted"}
	}
}

// smoker calls tools over one connection.
type smoker struct {
	a         *audit
	transport recording.Transport
	stateless bool
	timeout   time.Duration

	session *session
	channel *channel
	close   func()
	fresh   bool // nothing was asked yet
}

func (s *smoker) run(ctx context.Context, calls []ToolCall) {
	if !s.open(ctx) {
		return
	}
	defer func() { s.close() }()
	restarts := 0
	for i, call := range calls {
		if ctx.Err() != nil {
			return
		}
		s.a.progress("calling " + call.Tool)
		if s.ended(s.call(ctx, idSmokeCall+i, call)) {
			s.close()
			s.close = func() {}
			if restarts++; restarts > maxRestarts || !s.open(ctx) {
				return
			}
		}
	}
}

// ended reports whether an exchange shows that the connection is gone. Over Streamable HTTP there is none to lose.
func (s *smoker) ended(r wire.Reply) bool {
	if s.transport == recording.StreamableHTTP || r.Exchange.Failure == nil {
		return false
	}
	switch r.Exchange.Failure.Class {
	case recording.FailExited, recording.FailNotReading, recording.FailReset, recording.FailNoAnswer:
		return true
	}
	return false
}

// open connects anew and, in the stateful lifecycle, shakes hands. It reports whether tools can be called; if not, everything is closed.
func (s *smoker) open(ctx context.Context) bool {
	a := s.a
	s.session, s.channel, s.fresh, s.close = nil, nil, true, func() {}
	var link wire.Link
	wait, isHTTP := a.budgets.Handshake, false
	switch s.transport {
	case recording.Stdio:
		process, failure := a.start(ctx, "smoke")
		if failure != nil {
			a.keep(wire.Reply{Exchange: recording.Exchange{Step: "smoke/start", Via: "stdio", Failure: failure}})
			return false
		}
		link, wait = process, wait+a.budgets.Start
		s.close = func() { a.end(process) }
		if s.stateless {
			s.channel = a.statelessChannel(link, newGate(1), "smoke", "smoke", 0)
		}
	default:
		e, err := a.dial()
		if err != nil {
			return false
		}
		link, isHTTP = e.main, s.transport != recording.SSE
		s.close = func() { e.main.Close(); e.second.Close() }
		if s.stateless {
			s.channel = e.probe
		}
		if s.transport == recording.SSE {
			stream := a.openStream(ctx, e, "smoke/sse", "smoke")
			if stream == nil {
				s.close()
				return false
			}
			link = stream
			s.close = func() { stream.Close(); e.main.Close(); e.second.Close() }
		}
	}
	if s.stateless {
		return true
	}
	s.session = a.openSession(ctx, link, newGate(1), isHTTP, wait)
	if s.session == nil {
		s.close()
		return false
	}
	s.session.initialized(ctx)
	s.channel = &s.session.channel
	closeLink := s.close
	s.close = func() {
		if s.session.currentID() != "" {
			call := wire.Call{Step: "smoke/session-delete", Method: http.MethodDelete, Read: wire.ReadAck, Timeout: a.budgets.Probe, Header: http.Header{"Content-Type": nil}}
			s.session.headers(&call)
			a.keep(link.Do(context.WithoutCancel(ctx), call))
		}
		closeLink()
	}
	return true
}

// call calls a tool. One that does not answer in time is told that nobody waits any more.
func (s *smoker) call(ctx context.Context, id int, call ToolCall) wire.Reply {
	params := []param{{"name", call.Tool}, {"arguments", raw(call.Arguments)}}
	timeout := s.timeout
	if s.fresh && s.stateless && s.transport == recording.Stdio {
		timeout += s.a.budgets.Start
	}
	s.fresh = false
	var r wire.Reply
	if s.stateless {
		request := wire.Call{Step: call.Step, RPC: "tools/call", ID: itoa(id), Timeout: timeout, Follow: true,
			Body: s.a.statelessMessage(id, "tools/call", nil, params...), Header: statelessHeaders("tools/call", headerText(call.Tool))}
		for name, value := range call.Params {
			request.Header.Set("Mcp-Param-"+name, headerText(value))
		}
		r = s.a.keep(s.channel.send(ctx, request))
	} else {
		r = s.channel.do(ctx, call.Step, id, "tools/call", timeout, params...)
	}
	if f := r.Exchange.Failure; f != nil && (f.Class == recording.FailTimeout || f.Class == recording.FailSilent) && (s.session != nil || s.transport == recording.Stdio) {
		s.cancel(ctx, call.Step, id)
	}
	return r
}

// cancel says that nobody waits for an answer any more (Basic › Utilities › Cancellation). Over Streamable HTTP of the stateless lifecycle the end
// of the request says that.
func (s *smoker) cancel(ctx context.Context, step string, id int) {
	params := []param{{"requestId", raw(itoa(id))}, {"reason", "the call took too long"}}
	if s.stateless {
		params = append(params, s.a.meta(spec.Latest, nil))
	}
	call := wire.Call{Step: step + "/cancelled", RPC: "notifications/cancelled", Read: wire.ReadAck, Timeout: s.a.budgets.Probe, Body: request(-1, "notifications/cancelled", params...)}
	if s.session != nil {
		s.session.headers(&call)
	}
	s.a.keep(s.channel.send(ctx, call))
}

// headerText writes a value as a header can hold it (MCP 2026-07-28, Basic › Transports): as it is where it consists of visible ASCII, else in
// Base64.
func headerText(value string) string {
	plain := value != "" && strings.TrimSpace(value) == value && !strings.HasPrefix(value, "=?base64?")
	for i := 0; i < len(value) && plain; i++ {
		plain = value[i] >= ' ' && value[i] <= '~'
	}
	if plain {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}
