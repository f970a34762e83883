package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

const (
	maxResumes    = 10
	resumeDelay   = time.Second     // when the stream named no retry
	resumeCeiling = 5 * time.Second // however long the retry that it named

	drainTime  = time.Second           // how long a connection is kept for the end of its response
	drainBytes = 64 << 10              // and how much of it is read
	drainPause = 10 * time.Millisecond // how long a call waits for that, so that the next one finds the connection free
)

var (
	errTimeout = errors.New("the call's time-out ended")
	errEnough  = errors.New("enough was read")
)

// run sends the call once, redirects and resumes included, and reads the answer. One time-out covers all of it.
func (a *attempt) run(parent context.Context) Reply {
	h := a.link
	ctx, cancel := context.WithTimeoutCause(parent, a.timeout, errTimeout)
	defer cancel()
	o, err := a.send(ctx)
	if err != nil {
		return a.end(a.sendFailure(parent, ctx, err))
	}
	e := &a.reply.Exchange
	a.reply.Status, a.reply.Header = o.resp.StatusCode, o.resp.Header
	first := a.read(ctx, o, a.maxBody)
	e.Response = h.response(o.resp, first)
	last := first
	left := a.maxBody - first.size
	for n := 0; n < maxResumes && left > 0 && last.resumable(); n++ {
		o, err := a.resume(ctx, last)
		if err != nil {
			last.broke(ctx)
			break
		}
		next := a.read(ctx, o, left)
		e.Resumed = append(e.Resumed, *h.response(o.resp, next))
		if !next.stream || o.resp.StatusCode != http.StatusOK {
			last.resumeStatus = o.resp.StatusCode
			break
		}
		if !next.sawID {
			next.lastID = last.lastID
		}
		if next.retry == 0 {
			next.retry = last.retry
		}
		left -= next.size
		last = next
	}
	if status := a.reply.Status; status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		return a.end(a.rateLimited(status))
	}
	a.reply.Answer = last.answer
	return a.end(a.readFailure(parent, first, last))
}

// end completes the record.
func (a *attempt) end(fail *recording.Failure) Reply {
	e := &a.reply.Exchange
	e.Failure = fail
	e.Duration = recording.Micros(time.Since(a.trace.began))
	if first, _, _, _ := a.trace.state(); !first.IsZero() {
		e.First = recording.Micros(first.Sub(a.trace.began))
	}
	return a.reply
}

// send sends the request and follows redirects as far as the call and the policy allow. A redirect that is not followed is the
// response.
func (a *attempt) send(ctx context.Context) (*opened, error) {
	h := a.link
	hops := &a.reply.Exchange.Hops
	u := a.url
	for {
		o, err := a.open(ctx, a.method, u, a.call.Body, nil)
		if err != nil {
			return nil, err
		}
		a.reply.URL = u.String()
		if !isRedirect(o.resp.StatusCode, o.resp.Header) {
			return o, nil
		}
		location := o.resp.Header.Get("Location")
		hop := recording.Hop{Status: o.resp.StatusCode, Location: h.mask(location)}
		next, err := u.Parse(location)
		switch {
		case err != nil:
			hop.Refused = refusedOrigin
		default:
			hop.Refused = refusal(u, next, a.method, hop.Status)
			if hop.Refused == "" && a.call.Follow && len(*hops) == maxHops {
				hop.Refused = refusedTooMany
			}
		}
		hop.Followed = hop.Refused == "" && a.call.Follow
		*hops = append(*hops, hop)
		if !hop.Followed {
			return o, nil
		}
		h.finish(o, true)
		u = next
	}
}

// opened is a response whose body is still to be read.
type opened struct {
	resp   *http.Response
	ctx    context.Context
	cancel context.CancelCauseFunc
	unhook func() bool // ends the tie between the call's time-out and the request
}

// open sends one request. Its life is bounded by ctx until finish takes over. The map changes headers that the call would send; a
// nil slice removes one.
func (a *attempt) open(ctx context.Context, method string, u *url.URL, body []byte, change http.Header) (*opened, error) {
	h := a.link
	r, err := a.route(ctx, u)
	if err != nil {
		return nil, err
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	req, err := a.request(httptrace.WithClientTrace(own, a.trace.hooks()), method, u, body)
	if err != nil {
		unhook()
		cancel(errEnough)
		return nil, err
	}
	for name, values := range change {
		if values == nil {
			req.Header.Del(name)
		} else {
			req.Header[name] = values
		}
	}
	h.limiter.sent.Add(1)
	resp, err := h.transport(r).RoundTrip(req)
	if err != nil {
		unhook()
		cancel(errEnough)
		return nil, err
	}
	h.learn(u, resp, a.call.Anonymous)
	return &opened{resp: resp, ctx: own, cancel: cancel, unhook: unhook}, nil
}

// route chooses the kind of connection for a URL.
func (a *attempt) route(ctx context.Context, u *url.URL) (route, error) {
	h := a.link
	own := h.own(u)
	r := route{direct: a.call.Direct, bare: len(h.opts.Certificates) > 0 && (a.call.Anonymous || !own)}
	if !a.call.Discovered || own {
		return r, nil
	}
	proxy, err := h.proxyFor(u)
	if err != nil {
		return r, err
	}
	if proxy != nil && !r.direct {
		return r, h.screen.checkHost(ctx, u)
	}
	r.direct, r.screened = true, true
	return r, nil
}

// learn takes cookies and hides them and the session id from now on.
func (h *HTTP) learn(u *url.URL, resp *http.Response, anonymous bool) {
	cookies := resp.Cookies()
	for _, c := range cookies {
		h.redact.Learn(c.Value)
	}
	for _, id := range resp.Header.Values("Mcp-Session-Id") {
		h.redact.Learn(id)
	}
	if len(cookies) > 0 && !anonymous && h.own(u) {
		h.jar.SetCookies(u, cookies)
	}
}

// finish lets go of a response. With reuse it reads on for a moment, so that the connection can carry the next request; a stream that
// stays open is closed.
func (h *HTTP) finish(o *opened, reuse bool) {
	o.unhook()
	done := make(chan struct{})
	if !reuse || !h.drain(o, done) {
		o.cancel(errEnough)
		o.resp.Body.Close()
		return
	}
	timer := time.NewTimer(drainPause)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// drain reads the end of a response in the background and closes done. It does nothing when the link is closed.
func (h *HTTP) drain(o *opened, done chan<- struct{}) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.draining.Go(func() {
		defer close(done)
		defer o.cancel(errEnough)
		defer context.AfterFunc(h.closing, func() { o.cancel(errEnough) })()
		defer time.AfterFunc(drainTime, func() { o.cancel(errEnough) }).Stop()
		io.CopyN(io.Discard, o.resp.Body, drainBytes)
		o.resp.Body.Close()
	})
	return true
}

// resume asks for the rest of a stream that ended after an event with an id (Streamable HTTP, "Resumability and Redelivery").
func (a *attempt) resume(ctx context.Context, after *reading) (*opened, error) {
	delay := resumeDelay
	if after.retry > 0 {
		delay = min(after.retry, resumeCeiling)
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	u, err := url.Parse(a.reply.URL)
	if err != nil {
		return nil, err
	}
	return a.open(ctx, http.MethodGet, u, nil, http.Header{
		"Accept":        {"text/event-stream"},
		"Last-Event-Id": {after.lastID},
		"Content-Type":  nil,
		"Mcp-Method":    nil,
		"Mcp-Name":      nil,
	})
}

// response records a response.
func (h *HTTP) response(resp *http.Response, got *reading) *recording.Response {
	r := &recording.Response{
		Status:   resp.StatusCode,
		Proto:    resp.Proto,
		Headers:  h.headers(resp.Header),
		Encoding: got.encoding,
		TLS:      h.tlsFacts(resp.TLS, resp.Request.URL.Hostname()),
		EndedBy:  got.endedBy,
	}
	if got.kept {
		r.Body = h.redact.Body(got.body, got.size, got.cut)
	}
	if ids := resp.Header.Values("Mcp-Session-Id"); len(ids) > 0 {
		r.Session = sessionShape(ids[0])
	}
	return r
}

// sessionShape tells of a session id what rules ask: whether it is visible ASCII (Streamable HTTP, "Session Management") and how
// long it is.
func sessionShape(id string) string {
	shape := "visible-ascii"
	for i := range len(id) {
		if id[i] < 0x21 || id[i] > 0x7e {
			shape = "other"
		}
	}
	return shape + ":" + strconv.Itoa(len(id))
}
