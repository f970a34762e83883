package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// attempt is one try of a call: its redirects, the answer, and the resumes of a broken stream.
type attempt struct {
	link    *HTTP
	call    Call
	method  string
	url     *url.URL
	timeout time.Duration
	maxBody int64

	reply Reply
	trace *trace
}

// begin starts the record anew.
func (a *attempt) begin(at time.Time) {
	a.reply = Reply{Exchange: recording.Exchange{
		Step:       a.call.Step,
		Via:        a.link.via,
		Connection: a.call.Connection,
		Request:    a.reply.Exchange.Request,
		Started:    recording.Micros(at.Sub(a.link.opts.Began)),
	}}
	a.trace = &trace{began: at}
}

// again makes the attempt ready for one more run.
func (a *attempt) again(earlier []recording.Attempt) *attempt {
	a.begin(time.Now())
	a.reply.Exchange.Earlier = slices.Clone(earlier)
	return a
}

// prepare checks and records what will be sent.
func (a *attempt) prepare() *recording.Failure {
	h := a.link
	a.method = a.call.Method
	if a.method == "" {
		a.method = http.MethodPost
	}
	a.url = h.endpoint
	if a.call.URL != "" {
		u, err := url.Parse(a.call.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			a.reply.Exchange.Request = &recording.Request{Method: a.method, URL: h.redact.String(recording.MaskURL(a.call.URL)), RPC: a.call.RPC, ID: a.call.ID}
			return h.failure(recording.FailInvalidTarget, "not a URL that can be fetched")
		}
		u.Fragment, u.RawFragment = "", ""
		a.url = u
	}
	req, err := a.request(context.Background(), a.method, a.url, a.call.Body)
	if err != nil {
		a.reply.Exchange.Request = &recording.Request{Method: a.method, RPC: a.call.RPC, ID: a.call.ID}
		return h.failure(recording.FailInternal, "the request cannot be sent: its method or a header is not valid")
	}
	a.reply.Exchange.Request = &recording.Request{
		Method:  a.method,
		URL:     h.mask(a.url.String()),
		Headers: h.requestHeaders(req),
		RPC:     a.call.RPC,
		ID:      a.call.ID,
	}
	if len(a.call.Body) > 0 {
		a.reply.Exchange.Request.Body = h.redact.Body(a.call.Body, int64(len(a.call.Body)), false)
	}
	return nil
}

// own reports whether a URL may see what the user gave for the endpoint.
func (h *HTTP) own(u *url.URL) bool { return sameOrigin(h.endpoint, u) || upgrades(h.endpoint, u) }

// request builds the HTTP request: our defaults, the user's headers, then what the transport needs, then what the call says.
func (a *attempt) request(ctx context.Context, method string, u *url.URL, body []byte) (*http.Request, error) {
	h := a.link
	var reader io.Reader
	if len(body) > 0 {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), reader)
	if err != nil {
		return nil, err
	}
	req.URL.User = nil
	req.Header.Set("User-Agent", "hallmark/"+h.opts.Version)
	if h.own(u) && !a.call.Anonymous {
		for name, values := range h.header {
			req.Header[name] = slices.Clone(values)
		}
		for _, c := range h.jar.Cookies(u) {
			req.AddCookie(c)
		}
		req.Host = h.host
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Accept-Encoding", "identity")
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range a.call.Header {
		key := http.CanonicalHeaderKey(name)
		if values == nil {
			req.Header.Del(key)
			continue
		}
		req.Header[key] = slices.Clone(values)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header["User-Agent"] = []string{""} // net/http would put its own
	}
	if a.call.Host != "" {
		req.Host = a.call.Host
	}
	// Nothing that we send changes anything, so a request may be repeated on a new connection when the server closed a kept one
	// just then. This is how net/http is told; an empty list is not sent.
	req.Header["Idempotency-Key"] = []string{}
	return req, validHeaders(req)
}

// requestHeaders records the headers of a request in the order of their names.
func (h *HTTP) requestHeaders(req *http.Request) []recording.Header {
	headers := h.headers(req.Header)
	if req.Host != "" && req.Host != req.URL.Host {
		headers = append(headers, recording.Header{Name: "Host", Value: h.redact.Header("Host", req.Host)})
	}
	return headers
}

func (h *HTTP) headers(header http.Header) []recording.Header {
	var list []recording.Header
	for name, values := range header {
		for _, v := range values {
			list = append(list, recording.Header{Name: name, Value: h.headerValue(name, v)})
		}
	}
	slices.SortStableFunc(list, func(a, b recording.Header) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// headerValue returns the recorded form of a header value; URLs in it lose their credentials.
func (h *HTTP) headerValue(name, value string) string {
	if name == "Location" || name == "Content-Location" || name == "Referer" {
		return h.mask(value)
	}
	return h.redact.Header(name, value)
}

func (h *HTTP) mask(u string) string { return h.redact.String(recording.MaskURL(u)) }

func validHeaders(req *http.Request) error {
	for name, values := range req.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return errors.New("header name")
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return errors.New("header value")
			}
		}
	}
	return nil
}

// trace notes how far a request came. The transport calls its hooks on goroutines of its own.
type trace struct {
	began time.Time

	mu        sync.Mutex
	first     time.Time // the first byte of the response
	connected bool
	tlsOpen   bool // a TLS handshake began and has not ended
	tlsErr    error
}

func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.connected = true
		},
		TLSHandshakeStart: func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.tlsOpen = true
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.tlsOpen, t.tlsErr = false, err
		},
		GotFirstResponseByte: func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.first.IsZero() {
				t.first = time.Now()
			}
		},
	}
}

// state returns what was seen so far.
func (t *trace) state() (first time.Time, connected, tlsOpen bool, tlsErr error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first, t.connected, t.tlsOpen, t.tlsErr
}
