// Package signin obtains an access token for an MCP server in the user's browser: authorization code with PKCE, as the specification of
// MCP asks of clients (2025-11-25 and 2026-07-28, Basic › Authorization). Tokens live in memory alone. What is exchanged here is no
// part of a recording.
//
// The Go SDK's own handler (auth.AuthorizationCodeHandler) is made for clients that insist: it gives up on a web page at a well-known
// place, on metadata whose content type or one unneeded field is off, and on a resource that names the origin instead of the
// endpoint. An auditor has to sign in to servers with such faults, since it is there to report them. So discovery is done here, over
// the links of package wire, which bound and screen everything; registration and the exchange of the code are the SDK's and x/oauth2's.
package signin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Defaults of Options.
const (
	DefaultWait    = 5 * time.Minute  // for the user
	DefaultRequest = 30 * time.Second // for one request
)

// Options say where to sign in and as whom.
type Options struct {
	Target string      // URL of the MCP endpoint
	Header http.Header // the user's headers, sent to the target's origin only
	Engine recording.Engine

	RootCAs      *x509.CertPool
	Certificates []tls.Certificate // shown to the target's origin only
	Insecure     bool
	Proxy        func(*url.URL) (*url.URL, error)

	// ClientID is an id that the user has registered, or the https URL of a client metadata document. Empty registers a new client.
	ClientID     string
	ClientSecret string
	Port         int           // of the callback on 127.0.0.1; any free one when 0
	Wait         time.Duration // DefaultWait when 0
	Request      time.Duration // DefaultRequest when 0

	// Open shows an address to the user. When it returns an error nobody has seen the address, or nobody will answer. It may go on
	// running while the user signs in; the context ends with the wait.
	Open func(ctx context.Context, address string) error
	// Say tells the user one line. It may be nil.
	Say func(line string)
}

// Error says what kept us from signing in and what can be done about it. It repeats no secret. What other servers sent is in it as sent:
// make it visible before printing.
type Error struct {
	Phase   string // "asking the server", "finding the authorization server", …
	Problem string // one clause
	Remedy  string // may be empty
}

func (e *Error) Error() string { return e.Phase + ": " + e.Problem }

// The phases of a sign-in.
const (
	phaseAsk      = "asking the server how to sign in"
	phaseDiscover = "finding the authorization server"
	phaseCallback = "waiting on this machine for the answer"
	phaseRegister = "registering as a client"
	phaseBrowser  = "opening the browser"
	phaseAnswer   = "answer of the authorization server"
	phaseToken    = "exchanging the code for a token"
)

func fail(phase, remedy, format string, args ...any) *Error {
	return &Error{Phase: phase, Problem: fmt.Sprintf(format, args...), Remedy: remedy}
}

// SignIn is one user's consent for one server.
type SignIn struct {
	opts     Options
	endpoint *url.URL // the target without user name, password and fragment
	link     *wire.HTTP
	callback *callback
	server   *server
	client   client

	token    *oauth2.Token
	scopes   []string // asked for or granted so far
	stepped  bool
	received []string // what must not be seen again
}

// New checks the options. Close the SignIn when it is no longer needed.
func New(opts Options) (*SignIn, error) {
	if opts.Wait == 0 {
		opts.Wait = DefaultWait
	}
	if opts.Request == 0 {
		opts.Request = DefaultRequest
	}
	if opts.Say == nil {
		opts.Say = func(string) {}
	}
	link, err := wire.NewHTTP(opts.Target, wire.HTTPOptions{
		Header: opts.Header, Version: opts.Engine.Version, RootCAs: opts.RootCAs, Certificates: opts.Certificates, Insecure: opts.Insecure,
		Proxy: opts.Proxy, Timeout: opts.Request,
	})
	if err != nil {
		return nil, fail(phaseAsk, "", "%v", err)
	}
	endpoint, err := url.Parse(link.Endpoint())
	if err != nil {
		link.Close()
		return nil, fail(phaseAsk, "", "not a valid URL")
	}
	return &SignIn{opts: opts, endpoint: endpoint, link: link}, nil
}

// Close ends all connections and stops listening for the browser.
func (s *SignIn) Close() {
	if s.callback != nil {
		s.callback.close()
	}
	s.link.Close()
}

// Authorization is the value of the Authorization header that the server asked for.
func (s *SignIn) Authorization() string { return "Bearer " + s.token.AccessToken }

// Secrets are all values that must appear in no output.
func (s *SignIn) Secrets() []string { return slices.Clone(s.received) }

func (s *SignIn) keep(secrets ...string) {
	for _, secret := range secrets {
		if secret != "" {
			s.received = append(s.received, secret)
		}
	}
}

// Run signs in. The error is an *Error, or the context's.
func (s *SignIn) Run(ctx context.Context) error {
	err := s.run(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (s *SignIn) run(ctx context.Context) error {
	refusal, err := s.find(ctx)
	if err != nil {
		return err
	}
	if s.callback, err = listen(s.opts.Port); err != nil {
		return err
	}
	if err := s.register(ctx); err != nil {
		return err
	}
	wanted := refusal.scopes()
	if len(wanted) == 0 {
		wanted = s.server.scopes // MCP 2025-11-25, Scope Selection Strategy
	}
	if err := s.authorize(ctx, wanted); err != nil {
		return err
	}
	after, err := s.ask(ctx)
	switch {
	case err != nil:
		return nil // the audit will see and tell
	case after.insufficient():
		return s.StepUp(ctx, after.lines)
	case after.refused:
		s.opts.Say(fmt.Sprintf("the server answers %d although it got a new token; auditing with it all the same", after.status))
	}
	return nil
}

// find asks the server how to sign in and finds out where. All of it has the time of two requests: there are some twenty places that a
// server could have us ask.
func (s *SignIn) find(outer context.Context) (refusal, error) {
	ctx, cancel := context.WithTimeout(outer, 2*s.opts.Request)
	defer cancel()
	r, err := s.ask(ctx)
	if err == nil {
		s.server, err = s.discover(ctx, r)
	}
	if err != nil && ctx.Err() != nil && outer.Err() == nil {
		return r, fail(phaseDiscover, "check that the server and its authorization server are up, or allow more time with --request-timeout", "not finished within %v", 2*s.opts.Request)
	}
	return r, err
}

// Stepped reports whether more scopes were asked for already. It is done once.
func (s *SignIn) Stepped() bool { return s.stepped }

// StepUp asks the user for the scopes that the server's challenge names, besides those of before (MCP 2025-11-25, Step-Up Authorization
// Flow; union of scopes since 2026-07-28).
func (s *SignIn) StepUp(ctx context.Context, challenges []string) error {
	s.stepped = true
	s.opts.Say("the server asks for more scopes: please consent once more")
	err := s.authorize(ctx, union(s.scopes, refusal{lines: challenges}.scopes()))
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// InsufficientScope returns the challenges of the first request with our token that a server refused for lack of scopes (RFC 6750
// section 3.1), nil when there is none.
func InsufficientScope(rec *recording.Recording) []string {
	for i := range rec.Exchanges {
		e := &rec.Exchanges[i]
		if e.Response == nil || e.Connection == "anonymous" {
			continue
		}
		r := refusal{status: e.Response.Status, lines: e.Response.Values("WWW-Authenticate")}
		if r.insufficient() {
			return r.lines
		}
	}
	return nil
}

// union keeps the order of first mention.
func union(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		for _, s := range list {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// clip shortens what another server sent for a message.
func clip(s string) string {
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
