package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// DefaultRetryBudget is how long a call is retried that the server puts off (429, 503).
const DefaultRetryBudget = 30 * time.Second

const maxResponseHeader = 128 << 10 // bytes

// HTTPOptions say how to talk to an HTTP server. The zero value is usable.
type HTTPOptions struct {
	Header   http.Header         // the user's headers, sent to the endpoint's origin only
	Version  string              // of this program, for User-Agent
	Redactor *recording.Redactor // a new one when nil; the link adds the secrets it holds and learns
	Began    time.Time           // when the audit began; recorded times count from there. Zero means now
	Limiter  *Limiter            // shared by all links of an audit; a new one when nil

	RootCAs      *x509.CertPool    // the system's when nil
	Certificates []tls.Certificate // client certificates, shown to the endpoint's origin only
	Insecure     bool              // do not refuse certificates that do not verify
	// Proxy names the proxy for a URL, none when nil. EnvironmentProxy is the usual one.
	Proxy func(*url.URL) (*url.URL, error)
	// Dial opens connections in place of a net.Dialer, nil for that. URLs that the server names are dialled and screened as ever.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	Timeout     time.Duration // of a call that names none, DefaultCallTimeout when 0
	RetryBudget time.Duration // DefaultRetryBudget when 0; negative means no retries
	MaxBody     int64         // bytes, recording.MaxBody when 0

	// OnMessage is told about each request and notification of the server that arrives in a stream, in order, on a goroutine of its
	// own. It may call Do (to answer a ping; with Call.Urgent) but not Close. When it is slower than the server by some dozens of
	// messages, messages are dropped.
	OnMessage func(Incoming)
}

// EnvironmentProxy honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY (either case) as they are now. Loopback targets need no proxy.
func EnvironmentProxy() func(*url.URL) (*url.URL, error) {
	return httpproxy.FromEnvironment().ProxyFunc()
}

// HTTP is a Link that sends each call as one HTTP request: the Streamable HTTP transport, and anything else that a probe asks.
//
// One call may take its time-out for each attempt, plus what the server makes us wait: for a slot among the requests in flight, and
// up to the retry budget after 429 and 503. The context bounds everything.
type HTTP struct {
	opts     HTTPOptions
	endpoint *url.URL
	header   http.Header // canonical, the user's
	host     string      // a Host header the user gave
	jar      *cookiejar.Jar
	redact   *recording.Redactor
	limiter  *Limiter
	screen   *screen
	relay    *relay
	via      string

	closing  context.Context
	close    context.CancelFunc
	draining sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	transports map[route]*http.Transport
}

// route is a kind of connection that must not be shared with others.
type route struct {
	direct   bool // past the proxy
	screened bool // with addresses screened
	bare     bool // without client certificates
}

// NewHTTP returns a link to the endpoint. The error says what is wrong with the URL or a header, without repeating a secret.
func NewHTTP(endpoint string, opts HTTPOptions) (*HTTP, error) {
	u, err := parseTarget(endpoint)
	if err != nil {
		return nil, err
	}
	h := &HTTP{opts: opts, header: http.Header{}, redact: opts.Redactor, limiter: opts.Limiter, via: "http", transports: map[route]*http.Transport{}}
	if h.redact == nil {
		h.redact = recording.NewRedactor()
	}
	if h.limiter == nil {
		h.limiter = NewLimiter()
	}
	if h.opts.Timeout == 0 {
		h.opts.Timeout = DefaultCallTimeout
	}
	if h.opts.RetryBudget == 0 {
		h.opts.RetryBudget = DefaultRetryBudget
	}
	if h.opts.MaxBody == 0 {
		h.opts.MaxBody = recording.MaxBody
	}
	if h.opts.Began.IsZero() {
		h.opts.Began = time.Now()
	}
	if err := h.takeHeaders(opts.Header); err != nil {
		return nil, err
	}
	for _, s := range recording.URLSecrets(endpoint) {
		h.redact.Add(s)
	}
	if u.User != nil {
		if h.header.Get("Authorization") == "" {
			password, _ := u.User.Password()
			h.header.Set("Authorization", basicAuth(u.User.Username(), password))
		}
		u.User = nil
	}
	for _, s := range recording.HeaderSecrets(h.header) {
		h.redact.Add(s)
	}
	u.Fragment, u.RawFragment = "", ""
	h.endpoint = u
	h.screen = newScreen(u)
	h.jar, _ = cookiejar.New(nil) // its error is always nil
	h.closing, h.close = context.WithCancel(context.Background())
	h.relay = newRelay()
	return h, nil
}

// parseTarget reads the URL that the user gave.
func parseTarget(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil:
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // without the URL, which may hold a password
		}
		if strings.Contains(err.Error(), "userinfo") || strings.ContainsRune(raw, '@') {
			return nil, errors.New("not a valid URL; special characters in user name and password must be percent-encoded")
		}
		return nil, fmt.Errorf("not a valid URL: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the URL must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("the URL names no host")
	}
	if p := u.Port(); p != "" {
		if _, err := net.LookupPort("tcp", p); err != nil {
			return nil, fmt.Errorf("the URL's port %s is not between 1 and 65535", p)
		}
	}
	return u, nil
}

func basicAuth(user, password string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization")
}

func (h *HTTP) takeHeaders(header http.Header) error {
	for name, values := range header {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("%q is not a valid header name", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return fmt.Errorf("the value of header %s holds a line break or another control character", name)
			}
		}
		key := http.CanonicalHeaderKey(name)
		switch key {
		case "Host":
			if len(values) > 0 {
				h.host = values[0]
			}
		case "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade":
			return fmt.Errorf("header %s describes the connection and cannot be set", name)
		default:
			h.header[key] = append(h.header[key], values...)
		}
	}
	return nil
}

// Endpoint returns the URL of the endpoint without user name, password and fragment. It may hold other secrets.
func (h *HTTP) Endpoint() string { return h.endpoint.String() }

// Authenticated reports whether an HTTP credential goes with requests: an Authorization header or a client certificate.
func (h *HTTP) Authenticated() bool {
	return strings.TrimSpace(h.header.Get("Authorization")) != "" || len(h.opts.Certificates) > 0
}

// Proxied reports whether requests to the endpoint go through a proxy.
func (h *HTTP) Proxied() bool {
	if h.opts.Proxy == nil {
		return false
	}
	p, err := h.opts.Proxy(h.endpoint)
	return err != nil || p != nil
}

// SetHeader replaces a header that goes with every request from now on, such as the Authorization header when a token was renewed.
// It is not safe to call while Do runs.
func (h *HTTP) SetHeader(name, value string) error {
	key := http.CanonicalHeaderKey(name)
	delete(h.header, key)
	if err := h.takeHeaders(http.Header{key: {value}}); err != nil {
		return err
	}
	for _, s := range recording.HeaderSecrets(http.Header{key: {value}}) {
		h.redact.Add(s)
	}
	return nil
}

// Close ends all connections.
func (h *HTTP) Close() {
	h.close()
	h.relay.close()
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.draining.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.transports {
		t.CloseIdleConnections()
	}
}

func (h *HTTP) transport(r route) *http.Transport {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.transports[r]; t != nil {
		return t
	}
	dialer := &net.Dialer{KeepAlive: 15 * time.Second}
	if r.screened {
		dialer.ControlContext = h.screen.control
	}
	dial := dialer.DialContext
	if h.opts.Dial != nil && !r.screened {
		dial = h.opts.Dial
	}
	t := &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        h.tlsConfig(r),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    MaxInFlight + 2,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxResponseHeader,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
			if resp.StatusCode != http.StatusOK {
				return &proxyError{status: resp.StatusCode}
			}
			return nil
		},
	}
	if !r.direct {
		t.Proxy = func(req *http.Request) (*url.URL, error) { return h.proxyFor(req.URL) }
	}
	h.transports[r] = t
	return t
}

// proxyFor returns the proxy for a URL, nil when it needs none.
func (h *HTTP) proxyFor(u *url.URL) (*url.URL, error) {
	if h.opts.Proxy == nil {
		return nil, nil
	}
	p, err := h.opts.Proxy(u)
	if err != nil {
		return nil, &proxyError{}
	}
	if p != nil && p.User != nil {
		password, _ := p.User.Password()
		h.redact.Add(p.User.String())
		h.redact.Add(password)
	}
	return p, nil
}

// proxyError tells that a proxy did not let us through; without a status that there is no telling which proxy to use.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	if e.status == 0 {
		return "the proxy settings are not valid"
	}
	return strings.TrimSpace(fmt.Sprintf("the proxy answered %d %s", e.status, http.StatusText(e.status)))
}

// tlsConfig accepts old protocol versions because an audit has to see them; which ones are good is for the rules to say.
func (h *HTTP) tlsConfig(r route) *tls.Config {
	c := &tls.Config{RootCAs: h.opts.RootCAs, InsecureSkipVerify: h.opts.Insecure, MinVersion: tls.VersionTLS10}
	if !r.bare {
		c.Certificates = h.opts.Certificates
	}
	return c
}

// Do sends the call and waits as the call says. What goes wrong is recorded in the exchange.
func (h *HTTP) Do(ctx context.Context, call Call) Reply {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.closing, cancel)()
	a := h.attempt(call)
	if fail := a.prepare(); fail != nil {
		return a.end(fail)
	}
	if call.Urgent {
		return a.run(ctx)
	}
	return h.patiently(ctx, a, a.run)
}

// attempt makes a call ready to be tried.
func (h *HTTP) attempt(call Call) *attempt {
	a := &attempt{link: h, call: call, timeout: call.Timeout, maxBody: call.MaxBody}
	if a.timeout == 0 {
		a.timeout = h.opts.Timeout
	}
	if a.maxBody == 0 {
		a.maxBody = h.opts.MaxBody
	}
	a.begin(time.Now())
	return a
}

// patiently runs the attempt in turn, and again when the server puts it off.
func (h *HTTP) patiently(ctx context.Context, a *attempt, run func(context.Context) Reply) Reply {
	o := h.limiter.of(a.url)
	patience := max(h.opts.RetryBudget, 0)
	var earlier []recording.Attempt
	var since time.Time // of the first put-off
	var answersThen int
	for {
		left := patience
		if !since.IsZero() {
			left -= time.Since(since)
		}
		sent, err := o.acquire(ctx, left)
		if err != nil {
			if len(earlier) > 0 || errors.Is(err, errPaused) {
				return a.again(earlier).end(a.rateLimited(0))
			}
			return a.end(contextFailure(ctx, ""))
		}
		a.again(earlier)
		reply := run(ctx)
		o.release()
		status := reply.Status
		if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			if status != 0 {
				o.answered(sent)
			}
			return reply
		}
		asked := retryAfter(reply.Header, time.Now())
		pause := o.putOff(sent, asked)
		if since.IsZero() {
			since, answersThen = time.Now(), o.answerCount()
		}
		// A 503 while other requests are answered is about this request, not about load.
		alone := status == http.StatusServiceUnavailable && asked == 0 && len(earlier) >= 2 && o.answerCount() > answersThen
		down := status == http.StatusServiceUnavailable && asked == 0 && len(earlier) >= fewAttempts
		if alone || down || o.hopeless() || time.Since(since)+pause > patience || ctx.Err() != nil {
			if !alone {
				o.giveUp()
			}
			return reply
		}
		earlier = append(earlier, recording.Attempt{
			Status:     status,
			RetryAfter: h.redact.String(firstRunes(reply.Header.Get("Retry-After"), 64)),
			Waited:     recording.Micros(pause),
		})
	}
}
