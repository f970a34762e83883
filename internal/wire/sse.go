package wire

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// postGrace is how long the POST may still take when its answer has already come on the stream.
const postGrace = time.Second

// SSE is a Link over the HTTP+SSE transport of revision 2024-11-05: one GET opens an event stream, which names the URL that messages
// are posted to; answers come on the stream.
type SSE struct {
	http    *HTTP
	message *url.URL
	ended   chan struct{} // the reader of the stream is done
	slots   chan struct{} // taken by calls that wait for an answer, at most MaxInFlight

	mu      sync.Mutex
	waiting []*streamWaiter // oldest first
	lost    *recording.Failure
	gone    chan struct{} // closed when lost is set
}

// streamWaiter is a call that waits for its answer on the stream.
type streamWaiter struct {
	id     string
	others []recording.Body
	answer chan []byte
}

// OpenSSE opens the event stream and waits for its endpoint event, as long as the call's time-out allows. Of the call, Step,
// Connection, Header, Anonymous and Timeout count. The exchange is the GET; when it has a Failure there is no link. The stream lives
// until Close or the end of ctx.
func OpenSSE(ctx context.Context, endpoint string, call Call, opts HTTPOptions) (*SSE, recording.Exchange) {
	h, err := NewHTTP(endpoint, opts)
	if err != nil {
		return nil, recording.Exchange{Step: call.Step, Via: "sse", Connection: call.Connection, Failure: &recording.Failure{Class: recording.FailInvalidTarget, Phase: "connect", Detail: err.Error()}}
	}
	h.via = "sse"
	header := http.Header{"Accept": {"text/event-stream"}, "Cache-Control": {"no-cache"}}
	for name, values := range call.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	call.Header, call.Method, call.Read, call.Follow, call.Body, call.ID, call.URL = header, http.MethodGet, ReadAnswer, true, nil, "", ""
	a := h.attempt(call)
	if fail := a.prepare(); fail != nil {
		h.Close()
		return nil, a.end(fail).Exchange
	}
	s := &SSE{http: h, gone: make(chan struct{}), ended: make(chan struct{}), slots: make(chan struct{}, MaxInFlight)}
	reply := h.patiently(ctx, a, func(ctx context.Context) Reply { return s.open(ctx, a) })
	if reply.Exchange.Failure != nil {
		h.Close()
		return nil, reply.Exchange
	}
	return s, reply.Exchange
}

// open sends the GET and reads up to the endpoint event. When that comes, reading goes on until the stream ends.
func (s *SSE) open(parent context.Context, a *attempt) Reply {
	h := s.http
	ctx, cancel := context.WithTimeoutCause(parent, a.timeout, errTimeout)
	defer cancel()
	o, err := a.send(ctx)
	if err != nil {
		return a.end(a.sendFailure(parent, ctx, err))
	}
	a.reply.Status, a.reply.Header = o.resp.StatusCode, o.resp.Header
	r := &reading{media: mediaType(o.resp.Header), kept: true, stream: true}
	body, unreadable := io.Reader(o.resp.Body), error(nil)
	if r.encoding = contentCoding(o.resp.Header); r.encoding != "" {
		body, unreadable = decoder(r.encoding, body)
	}
	if o.resp.StatusCode != http.StatusOK || r.media != "text/event-stream" || unreadable != nil {
		r = a.read(ctx, o, a.maxBody)
		a.reply.Exchange.Response = h.response(o.resp, r)
		if a.reply.Status == http.StatusTooManyRequests || a.reply.Status == http.StatusServiceUnavailable {
			return a.end(a.rateLimited(a.reply.Status))
		}
		fail := a.readFailure(parent, r, r)
		if fail == nil {
			fail = h.failure(recording.FailNotMCP, "the answer to the GET is no event stream (Content-Type %q)", r.media)
			fail.Status = a.reply.Status
		}
		return a.end(fail)
	}
	events := &eventReader{body: body, take: func(piece []byte) bool { return r.take(piece, a.maxBody) }}
	fail := s.awaitEndpoint(parent, ctx, a, events, r)
	a.reply.Exchange.Response = h.response(o.resp, r)
	if fail != nil {
		h.finish(o, false)
		fail.Status = a.reply.Status
		return a.end(fail)
	}
	o.unhook()
	end := func() { o.cancel(errEnough) }
	unhook, unhookClose := context.AfterFunc(parent, end), context.AfterFunc(h.closing, end)
	go func() {
		defer close(s.ended)
		defer unhookClose()
		defer unhook()
		s.listen(events)
		h.finish(o, false)
	}()
	return a.end(nil)
}

// awaitEndpoint reads up to the endpoint event and keeps its URL, which must stay on the stream's origin.
func (s *SSE) awaitEndpoint(parent, ctx context.Context, a *attempt, events *eventReader, r *reading) *recording.Failure {
	h := s.http
	for {
		ev, ok := events.next()
		switch {
		case ok && ev.Type != "endpoint":
			continue
		case ok:
			r.endedBy = endedAnswer
			base, err := url.Parse(a.reply.URL)
			if err != nil {
				return h.failure(recording.FailInternal, "no base for the message endpoint")
			}
			u, err := base.Parse(strings.TrimSpace(string(ev.Data)))
			switch {
			case err != nil || u.Host == "":
				return h.failure(recording.FailNotMCP, "the endpoint event names no URL")
			case !sameOrigin(base, u) || u.User != nil:
				return h.failure(recording.FailNotMCP, "the endpoint event names a message endpoint on another origin (%s), where nothing is sent", originOf(u))
			}
			u.Fragment, u.RawFragment = "", ""
			s.message = u
			h.learnURL(u)
			return nil
		case r.cut:
			return h.failure(recording.FailTooLarge, "the event stream named no message endpoint within %d bytes", a.maxBody)
		case events.err == io.EOF:
			r.endedBy = endedEnd
			return h.failure(recording.FailNoAnswer, "the event stream ended before it named a message endpoint")
		case parent.Err() != nil:
			r.endedBy = endedTimeout
			return contextFailure(parent, "")
		case ctx.Err() != nil:
			r.endedBy = endedTimeout
			return h.failure(recording.FailTimeout, "the event stream named no message endpoint within %v", a.timeout)
		}
		r.endedBy = endedReset
		return h.failure(recording.FailReset, "the event stream broke before it named a message endpoint")
	}
}

// learnURL hides the session id that the message endpoint carries in its query or path.
func (h *HTTP) learnURL(u *url.URL) {
	for _, values := range u.Query() {
		for _, v := range values {
			h.redact.Learn(v)
		}
	}
	for _, part := range strings.Split(u.Path, "/") {
		if len(part) >= 16 && strings.ContainsAny(part, "0123456789") {
			h.redact.Learn(part)
		}
	}
}

// listen hands the messages of the stream to the calls that wait for them, until the stream ends.
func (s *SSE) listen(events *eventReader) {
	h := s.http
	var pending int64 // bytes of the unfinished event
	tooLarge := false
	events.take = func(piece []byte) bool {
		pending += int64(len(piece))
		tooLarge = pending > h.opts.MaxBody
		return !tooLarge
	}
	for {
		ev, ok := events.next()
		if !ok {
			break
		}
		pending = 0
		text := bytes.TrimSpace(ev.Data)
		if len(text) == 0 {
			continue
		}
		for _, m := range messagesIn(text) {
			if m.incoming() {
				s.incoming(m)
			} else {
				s.deliver(m)
			}
		}
	}
	lost := h.failure(recording.FailNoAnswer, "the event stream ended")
	switch {
	case tooLarge:
		lost = h.failure(recording.FailTooLarge, "a message on the event stream is larger than %d bytes", h.opts.MaxBody)
	case events.err != io.EOF:
		lost = h.failure(recording.FailReset, "the event stream broke")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = lost
	close(s.gone)
}

func (s *SSE) incoming(m message) {
	s.mu.Lock()
	if len(s.waiting) > 0 {
		if others := &s.waiting[0].others; len(*others) < recording.MaxOthers {
			*others = append(*others, *s.http.excerpt(m.raw, maxIncoming))
		}
	}
	s.mu.Unlock()
	s.http.tell(m)
}

// deliver gives an answer to the call with its id. One without an id belongs to a call that has none itself, or else to the oldest.
func (s *SSE) deliver(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var to *streamWaiter
	for _, w := range s.waiting {
		if !recording.Answers(m.head, w.id) {
			continue
		}
		if to == nil || w.id == "" {
			to = w
		}
	}
	if to == nil {
		return
	}
	select {
	case to.answer <- bytes.Clone(m.raw):
	default: // answered twice
	}
}

// MessageURL returns the URL that messages are posted to. It may hold a session id.
func (s *SSE) MessageURL() string { return s.message.String() }

// HTTP returns the link that carries the requests, for probes that are no messages.
func (s *SSE) HTTP() *HTTP { return s.http }

// Lost says why the event stream is over, nil while it lives.
func (s *SSE) Lost() *recording.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// Close ends the stream and all connections.
func (s *SSE) Close() {
	s.http.close()
	<-s.ended
	s.http.Close()
}

// Do posts the call to the message endpoint, unless it names another URL, and waits for the answer on the stream. An answer in the
// response to the POST counts too.
func (s *SSE) Do(ctx context.Context, call Call) Reply {
	if call.URL != "" || call.Method != "" && call.Method != http.MethodPost || call.Read == ReadHeaders || call.Read == ReadAck {
		if call.URL == "" {
			call.URL = s.MessageURL()
		}
		return s.http.Do(ctx, call)
	}
	call.URL = s.MessageURL()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return s.unsent(call, contextFailure(ctx, ""))
	}
	if lost := s.Lost(); lost != nil {
		return s.unsent(call, lost)
	}
	w := &streamWaiter{id: call.ID, answer: make(chan []byte, 1)}
	s.mu.Lock()
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()

	postCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	posted := make(chan Reply, 1)
	began := time.Now()
	go func() { posted <- s.http.Do(postCtx, call) }()
	var answer []byte
	var reply Reply
	select {
	case reply = <-posted:
		answer = s.await(ctx, w, &reply, call)
	case answer = <-w.answer:
		timer := time.AfterFunc(postGrace, cancel)
		reply = <-posted
		timer.Stop()
	}

	s.mu.Lock()
	for i, other := range s.waiting {
		if other == w {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			break
		}
	}
	others := w.others
	s.mu.Unlock()
	e := &reply.Exchange
	e.Others = append(e.Others, others...)
	e.Others = e.Others[:min(len(e.Others), recording.MaxOthers)]
	if answer != nil {
		s.record(&reply, answer, call, began)
	}
	return reply
}

// unsent records a call that was not sent.
func (s *SSE) unsent(call Call, why *recording.Failure) Reply {
	a := s.http.attempt(call)
	if fail := a.prepare(); fail != nil {
		return a.end(fail)
	}
	return a.end(why)
}

// await waits for the answer after the POST is done. It returns none when the POST itself was answered or failed.
func (s *SSE) await(ctx context.Context, w *streamWaiter, reply *Reply, call Call) []byte {
	h := s.http
	if reply.Answer != nil || reply.Status < 200 || reply.Status >= 300 {
		select {
		case answer := <-w.answer: // the stream was faster
			return answer
		default:
			return nil
		}
	}
	limit := h.attempt(call).timeout
	timer := time.NewTimer(limit - reply.Exchange.Duration.Span())
	defer timer.Stop()
	fail := h.failure(recording.FailTimeout, "no answer on the event stream within %v", limit)
	select {
	case answer := <-w.answer:
		return answer
	case <-s.gone:
		select {
		case answer := <-w.answer:
			return answer
		default:
		}
		lost := *s.Lost()
		fail = &lost
	case <-timer.C:
	case <-ctx.Done():
		fail = contextFailure(ctx, "")
	}
	fail.Status = reply.Status
	reply.Exchange.Failure = fail
	return nil
}

// record puts the answer from the stream into the reply.
func (s *SSE) record(reply *Reply, answer []byte, call Call, began time.Time) {
	e := &reply.Exchange
	limit := call.MaxBody
	if limit == 0 {
		limit = s.http.opts.MaxBody
	}
	e.Failure = nil
	e.Duration = recording.Micros(time.Since(began))
	if int64(len(answer)) > limit {
		e.Answer = s.http.redact.Body(answer[:limit], int64(len(answer)), true)
		e.Failure = s.http.failure(recording.FailTooLarge, "the answer is larger than %d bytes", limit)
		return
	}
	e.Answer = s.http.redact.Body(answer, int64(len(answer)), false)
	reply.Answer = answer
}
