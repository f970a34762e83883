package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/sse"
)

const (
	// trailGrace is how long a body may stay open behind a complete JSON document.
	trailGrace = time.Second
	// ackGrace is how long to wait for the body that an acknowledgement should not have.
	ackGrace = 250 * time.Millisecond
	// maxPage bounds what is kept of an answer that is no message (a web page).
	maxPage = 64 << 10
	// maxIncoming bounds what is kept of one request or notification of the server.
	maxIncoming = 64 << 10
)

// Why reading a body stopped, as recorded in recording.Response.
const (
	endedAnswer  = "answer"
	endedEnd     = "end"
	endedLimit   = "limit"
	endedTimeout = "timeout"
	endedReset   = "reset"
)

// reading is what was read of one response body.
type reading struct {
	body      []byte
	size      int64 // bytes received, after decoding
	cut, kept bool
	endedBy   string
	encoding  string // content coding that was removed
	coding    string // content coding that could not be
	media     string
	stream    bool
	answer    []byte

	lastID       string // of an event stream
	sawID        bool   // an event named an id, perhaps the empty one
	retry        time.Duration
	resumeStatus int // status of a resume that gave no stream
}

// resumable reports whether the rest of the stream can be asked for.
func (r *reading) resumable() bool {
	return r.stream && r.answer == nil && r.coding == "" && (r.endedBy == endedEnd || r.endedBy == endedReset) &&
		r.lastID != "" && httpguts.ValidHeaderFieldValue(r.lastID)
}

// broke notes that waiting for the rest of a stream failed.
func (r *reading) broke(ctx context.Context) {
	if ctx.Err() != nil {
		r.endedBy = endedTimeout
	}
}

// read reads the body as the call says, at most limit bytes of it, and lets go of the response.
func (a *attempt) read(ctx context.Context, o *opened, limit int64) *reading {
	r := &reading{media: mediaType(o.resp.Header)}
	r.stream = r.media == "text/event-stream"
	if a.call.Read == ReadHeaders {
		r.endedBy = endedAnswer
		a.link.finish(o, false)
		return r
	}
	var body io.Reader = o.resp.Body
	if coding := contentCoding(o.resp.Header); coding != "" {
		decoded, err := decoder(coding, body)
		if err != nil {
			r.coding = coding
			a.link.finish(o, false)
			return r
		}
		body, r.encoding = decoded, coding
	}
	r.kept = true
	if a.call.Read == ReadAck {
		r.ack(o, body)
		a.link.finish(o, true)
		return r
	}
	if a.call.Read == ReadAnswer && o.resp.StatusCode >= http.StatusInternalServerError {
		limit = min(limit, 1<<20)
	}
	reuse := false
	if r.stream {
		reuse = r.events(a, body, limit)
	} else {
		reuse = r.whole(a, o, body, limit)
	}
	if r.endedBy == "" {
		r.endedBy = endedReset
		if ctx.Err() != nil {
			r.endedBy = endedTimeout
		}
	}
	a.link.finish(o, reuse)
	return r
}

// ack reads at most one byte, to tell a body from none.
func (r *reading) ack(o *opened, body io.Reader) {
	r.endedBy = endedEnd
	if o.resp.ContentLength == 0 {
		return
	}
	defer time.AfterFunc(ackGrace, func() { o.cancel(errEnough) }).Stop()
	var one [1]byte
	n, _ := io.ReadFull(body, one[:])
	if n > 0 {
		r.body, r.size, r.endedBy = one[:1], 1, endedLimit
		r.cut = o.resp.ContentLength != 1
	} else if o.ctx.Err() != nil {
		r.endedBy = endedTimeout
	}
}

// events reads an event stream until the answer. What is kept ends with the event that holds it, however the stream was chunked.
func (r *reading) events(a *attempt, body io.Reader, limit int64) (reuse bool) {
	stream := eventReader{body: body, take: func(piece []byte) bool { return r.take(piece, limit) }}
	for {
		ev, ok := stream.next()
		switch {
		case ok && r.event(a, ev):
			r.endedBy = endedAnswer
			return true
		case ok:
			continue
		case r.cut:
			return false
		case stream.err == io.EOF:
			r.endedBy = endedEnd
			return true
		}
		return false
	}
}

// take keeps a piece of the body up to the limit and reports whether there is room for more.
func (r *reading) take(piece []byte, limit int64) bool {
	fits := min(int64(len(piece)), limit-r.size)
	r.body = append(r.body, piece[:fits]...)
	if r.size += int64(len(piece)); r.size > limit {
		r.cut, r.endedBy = true, endedLimit
	}
	return !r.cut
}

// eventReader reads an event stream one event at a time.
type eventReader struct {
	body io.Reader
	take func(piece []byte) bool // sees every byte before it is parsed; false ends reading

	parser sse.Parser
	buf    []byte
	chunk  []byte // of buf, not parsed yet
	err    error  // why the stream ended, nil when take ended it
	ended  bool
}

// next returns the next event, not ok when there is none any more. An unfinished event with data at the end of a stream counts, as it
// does for package sse.
func (r *eventReader) next() (sse.Event, bool) {
	if r.buf == nil {
		r.buf = make([]byte, 32<<10)
	}
	for {
		for len(r.chunk) > 0 {
			end := bytes.IndexAny(r.chunk, "\r\n") + 1
			if end == 0 {
				end = len(r.chunk)
			}
			piece := r.chunk[:end]
			r.chunk = r.chunk[end:]
			if !r.take(piece) {
				r.ended, r.chunk = true, nil
				return sse.Event{}, false
			}
			if events := r.parser.Feed(piece); len(events) > 0 { // a piece has one line end, so it completes one event at most
				return events[0], true
			}
		}
		if r.ended {
			return sse.Event{}, false
		}
		if r.err != nil {
			r.ended = true
			return r.parser.Rest()
		}
		var n int
		n, r.err = r.body.Read(r.buf)
		r.chunk = r.buf[:n]
	}
}

// event takes note of one event and reports whether it holds the answer.
func (r *reading) event(a *attempt, ev sse.Event) bool {
	r.lastID, r.sawID = ev.ID, r.sawID || ev.HasID
	if ev.Retry > 0 {
		r.retry = ev.Retry
	}
	text := bytes.TrimSpace(ev.Data)
	if len(text) == 0 {
		return false // a priming event
	}
	for _, m := range messagesIn(text) {
		if m.incoming() {
			a.incoming(m)
		} else if r.answer == nil && a.awaits(m) {
			r.answer = bytes.Clone(m.raw)
		}
	}
	return r.answer != nil
}

// awaits reports whether a message answers the call. Text that is no JSON-RPC request is answered by any response.
func (a *attempt) awaits(m message) bool {
	if a.call.Read == ReadBody && a.call.ID == "" {
		return m.rpc()
	}
	return recording.Answers(m.head, a.call.ID)
}

// incoming records a request or notification of the server and passes it on.
func (a *attempt) incoming(m message) {
	h := a.link
	if others := &a.reply.Exchange.Others; len(*others) < recording.MaxOthers {
		*others = append(*others, *h.excerpt(m.raw, maxIncoming))
	}
	h.tell(m)
}

// tell passes a request or notification on to OnMessage.
func (h *HTTP) tell(m message) {
	if h.opts.OnMessage == nil {
		return
	}
	in := Incoming{Method: m.head.Get("method").TextOr(""), Body: *h.excerpt(m.raw, maxIncoming)}
	if id := m.head.Get("id"); id.Exists() {
		in.ID = string(id.Raw())
	}
	h.relay.post(func() { h.opts.OnMessage(in) })
}

// excerpt records the beginning of a message.
func (h *HTTP) excerpt(raw []byte, keep int) *recording.Body {
	if len(raw) <= keep {
		return h.redact.Body(bytes.Clone(raw), int64(len(raw)), false)
	}
	return h.redact.Body(bytes.Clone(raw[:keep]), int64(len(raw)), true)
}

// whole reads a body that is no event stream. After a complete JSON document the body may stay open only for a moment; a text that
// is no JSON at all is not read far when a message is what we wait for.
func (r *reading) whole(a *attempt, o *opened, body io.Reader, limit int64) (reuse bool) {
	var doc jsonEnd
	var timer *time.Timer
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if !r.take(buf[:n], limit) {
			return false
		}
		doc.feed(buf[:n])
		if doc.text && a.call.Read == ReadAnswer {
			limit = min(limit, max(maxPage, r.size))
		}
		if doc.over && timer == nil {
			timer = time.AfterFunc(trailGrace, func() { o.cancel(errEnough) })
			defer timer.Stop()
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			r.endedBy = endedEnd
		} else if timer != nil && errors.Is(context.Cause(o.ctx), errEnough) {
			r.endedBy = endedAnswer
		}
		r.answer = a.answerIn(r.body)
		return r.endedBy == endedEnd
	}
}

// answerIn finds the JSON-RPC message in a JSON body that answers the call, as recording.FindAnswer does.
func (a *attempt) answerIn(body []byte) []byte {
	text := bytes.TrimSpace(bytes.TrimPrefix(body, byteOrderMark))
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil
	}
	if text[0] == '[' {
		var answer []byte
		for _, m := range messagesIn(text) {
			if m.incoming() {
				a.incoming(m)
			} else if answer == nil && recording.Answers(m.head, a.call.ID) {
				answer = m.raw
			}
		}
		return answer
	}
	m, ok := parseMessage(text)
	if !ok || !m.head.IsObject() {
		return nil
	}
	if m.head.Get("result").Exists() {
		return text
	}
	if !m.head.Get("error").Exists() {
		return nil
	}
	if !m.head.Get("jsonrpc").Exists() && !recording.IsMessage(jsonValue(text)) {
		return nil // an OAuth error body, for one
	}
	return text
}

// messagesIn returns the messages of a text or batch, also of a batch with raw control bytes in its strings.
func messagesIn(text []byte) []message {
	if text[0] != '[' {
		if m, ok := parseMessage(text); ok {
			return []message{m}
		}
		return nil
	}
	elements, ok := splitArray(text)
	if !ok {
		for _, el := range jsonValue(text).Elements() {
			elements = append(elements, el.Value.Raw())
		}
	}
	var list []message
	for _, el := range elements {
		if m, ok := parseMessage(el); ok {
			list = append(list, m)
		}
	}
	return list
}

func jsonValue(text []byte) jsondoc.Value {
	v, _, err := jsondoc.Parse(text)
	if err != nil {
		return jsondoc.Value{}
	}
	return v
}

// jsonEnd notices where a JSON document ends, without checking it.
type jsonEnd struct {
	over  bool // the document is complete
	text  bool // it begins like no object or array
	begun bool

	inString, escape bool
	depth            int
}

func (d *jsonEnd) feed(chunk []byte) {
	if d.over || d.text {
		return
	}
	for _, c := range chunk {
		switch {
		case d.escape:
			d.escape = false
		case d.inString:
			d.escape = c == '\\'
			d.inString = c != '"'
		case c == '{' || c == '[':
			d.begun = true
			d.depth++
		case !d.begun:
			if strings.IndexByte(" \t\r\n\xef\xbb\xbf", c) < 0 {
				d.text = true
				return
			}
		case c == '"':
			d.inString = true
		case c == '}' || c == ']':
			if d.depth--; d.depth == 0 {
				d.over = true
				return
			}
		}
	}
}

func mediaType(header http.Header) string {
	return recording.MediaType(&recording.Response{Headers: []recording.Header{{Name: "Content-Type", Value: header.Get("Content-Type")}}})
}

// contentCoding returns the content codings of a response in lower case, empty when there is none.
func contentCoding(header http.Header) string {
	var codings []string
	for _, v := range header.Values("Content-Encoding") {
		for c := range strings.SplitSeq(v, ",") {
			if c = strings.ToLower(strings.TrimSpace(c)); c != "" && c != "identity" {
				codings = append(codings, c)
			}
		}
	}
	return strings.Join(codings, ", ")
}

// decoder removes a coding that servers use although nobody offered it. What it yields is bounded by whoever reads it.
func decoder(coding string, body io.Reader) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		return &lazyReader{open: func() (io.Reader, error) { return gzip.NewReader(body) }}, nil
	case "deflate":
		return &lazyReader{open: func() (io.Reader, error) { return inflater(body) }}, nil
	}
	return nil, errors.New("unknown content coding")
}

// lazyReader opens a decoder when its first byte is wanted, since that may have to wait for the network.
type lazyReader struct {
	open func() (io.Reader, error)
	r    io.Reader
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.r == nil {
		r, err := l.open()
		if err != nil {
			return 0, err
		}
		l.r = r
	}
	return l.r.Read(p)
}

// inflater reads "deflate", which is the zlib format (RFC 9110 section 8.4.1.2) although some servers send it bare.
func inflater(body io.Reader) (io.Reader, error) {
	var head [2]byte
	n, err := io.ReadFull(body, head[:])
	if err != nil {
		return nil, err
	}
	all := io.MultiReader(bytes.NewReader(head[:n]), body)
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(all)
	}
	return flate.NewReader(all), nil
}
