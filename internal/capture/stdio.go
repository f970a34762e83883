package capture

import (
	"context"
	"strconv"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

func itoa(n int) string { return strconv.Itoa(n) }

// pipelined is how many requests may wait for an answer on one process. A legacy server that ignores whatever comes before initialize
// then costs one time-out in all.
const pipelined = 16

// stopGrace is how long a process may take to end after its standard input was closed, and again after it was told to. Many servers do not
// notice the end of their input, so waiting longer only makes every audit longer.
const stopGrace = 500 * time.Millisecond

// overStdio audits a command. The session has a process of its own. Questions that belong outside a session go to a sibling, started when
// the first process has answered: by then whatever a launcher installs is installed, and two installations cannot collide.
func (a *audit) overStdio(ctx context.Context) {
	a.rec.Transport = recording.Stdio
	a.progress("starting " + a.rec.Target.Display)
	began := time.Now()
	link, failure := a.start(ctx, "session")
	if failure != nil {
		a.rec.Failure = failure
		return
	}
	s := a.openSession(ctx, link, newGate(pipelined), false, a.budgets.Start+a.budgets.Handshake)
	warm := time.Since(began)
	if s == nil && hopeless(a.rec.Find("session/initialize")) {
		a.end(link)
		return
	}
	parallel(
		func() {
			defer a.end(link)
			if s == nil {
				return
			}
			a.progress("listing what the server offers")
			s.initialized(ctx)
			s.catalogs(ctx)
			a.sessionSkills(ctx, s)
		},
		func() { a.siblings(ctx, s != nil, warm) },
	)
}

// siblings asks what belongs outside a session: first whether the server speaks the stateless lifecycle, then, if so, everything about
// it, with a second sibling to compare catalogs. Warm is how long the first process took to answer.
func (a *audit) siblings(ctx context.Context, haveSession bool, warm time.Duration) {
	link, failure := a.start(ctx, "probe")
	if failure != nil {
		return
	}
	var other *wire.Stdio
	defer func() { // side by side: a server may take its time to end
		parallel(func() { a.end(link) }, func() {
			if other != nil {
				a.end(other)
			}
		})
	}()
	c := a.statelessChannel(link, newGate(pipelined), "probe", "stateless", statelessBase)
	c.slack = min(2*warm, a.budgets.Start)
	g := a.askGateways(ctx, c, a.budgets.Probe)
	c.slack = 0
	g.read()
	if !g.modern {
		return
	}
	a.progress("asking in the stateless lifecycle")
	a.otherGateway(ctx, c, g)
	other, _ = a.start(ctx, "second")
	var second *channel
	if other != nil {
		second = a.statelessChannel(other, newGate(pipelined), "second", "second", secondBase)
		second.slack = min(2*warm, a.budgets.Start)
	}
	tasks := append(a.modernProbes(ctx, c, g, false), a.statelessCatalogs(ctx, c, second, g, !haveSession)...)
	if second != nil {
		tasks = append(tasks, a.secondClient(ctx, second, g)...)
	}
	parallel(tasks...)
	a.statelessSkills(ctx, c, g)
}

func (a *audit) start(ctx context.Context, connection string) (*wire.Stdio, *recording.Failure) {
	var link *wire.Stdio
	ready := make(chan struct{})
	opts := wire.StdioOptions{
		Command: a.target.Command, Dir: a.target.Dir, Env: a.target.Env, Connection: connection, Redact: a.redact, Began: a.began,
		Timeout: a.budgets.Request, Grace: stopGrace,
		OnMessage: func(in wire.Incoming) {
			<-ready
			if in.ID != "" {
				link.Do(ctx, wire.Call{Body: answerTo(in.Method, in.ID), Read: wire.ReadAck, Timeout: a.budgets.Request})
			}
		},
	}
	if connection == "session" {
		opts.OnStderr = func(line string) { a.progress("server: " + line) }
	}
	link, failure := wire.StartStdio(ctx, opts)
	close(ready)
	return link, failure
}

// end stops a process and records it.
func (a *audit) end(link *wire.Stdio) {
	link.Close()
	a.process(link.Record())
}
