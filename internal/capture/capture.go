// Package capture holds the plan of an audit's traffic: which requests are sent to a server, in which lifecycle, what may run side by
// side, and when to stop. It reads answers only as far as it must to plan on (cursors, revisions, statuses) and judges nothing. Every
// request is a read: unless Options.Smoke asks for it, no tool is called and nothing is changed.
package capture

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Target is what to audit: a URL or a command.
type Target struct {
	URL     string              // http or https; empty for a command
	Command []string            // program and arguments, started without a shell
	Dir     string              // working directory of the command, ours when empty
	Env     []string            // NAME=VALUE pairs for the command besides the allow-list of package wire
	Display string              // how reports name the target; derived from the others when empty
	Force   recording.Transport // only this transport of a URL, empty to detect it
}

// Budgets bound the phases of an audit. Zero values stand for the defaults.
type Budgets struct {
	Total     time.Duration // whole audit
	Start     time.Duration // from the start of a process to its first answer, besides Handshake
	Handshake time.Duration // initialize
	Request   time.Duration // one request of a session
	Listing   time.Duration // all pages of one catalog
	Probe     time.Duration // one probe
}

// DefaultBudgets are the budgets that apply where none is given.
var DefaultBudgets = Budgets{
	Total: 3 * time.Minute, Start: time.Minute, Handshake: 30 * time.Second, Request: 30 * time.Second, Listing: time.Minute, Probe: 10 * time.Second,
}

// Limits of what is read.
const (
	MaxPages        = 100       // of one catalog
	MaxListingBytes = 32 << 20  // of all pages of one catalog
	MaxKeptBytes    = 256 << 20 // of all bodies of a recording; later ones are cut to nothing
)

// Options say how to audit.
type Options struct {
	Engine   recording.Engine
	AsOf     time.Time   // what the recording calls now
	Header   http.Header // the user's headers, sent to the target's origin only
	Budgets  Budgets
	RootCAs  *x509.CertPool // nil for the system's
	Cert     *tls.Certificate
	Insecure bool // do not verify certificates
	// Dial opens the connections to the target where the usual way does not lead there, for embedders and tests; nil for the usual way.
	// Addresses that the target names are dialled the usual way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Secrets are hidden wherever they appear in the recording, besides the headers' values: what a sign-in left behind.
	Secrets []string
	// InFlight bounds the requests in flight to one origin, 6 when 0.
	InFlight int
	// Smoke asks for calls of tools after the audit, nil for none.
	Smoke *Smoke
	// Progress is told what the audit is doing, in a few words, from several goroutines; it may be nil.
	Progress func(string)
}

// Run audits a target and returns the recording. What goes wrong with the target is in the recording; the error tells of a fault in the
// request itself (a header that cannot be sent, a URL that is none).
func Run(ctx context.Context, target Target, opts Options) (*recording.Recording, error) {
	a, err := newAudit(target, opts)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, a.budgets.Total)
	defer cancel()
	if target.URL != "" {
		err = a.overHTTP(limited)
	} else {
		a.overStdio(limited)
	}
	if err != nil {
		return nil, err
	}
	a.finish(ctx, limited)
	a.smoke(ctx)
	return &a.rec, nil
}

// audit is the state of one capture.
type audit struct {
	target  Target
	opts    Options
	budgets Budgets
	redact  *recording.Redactor
	began   time.Time
	seed    string // what invented values are derived from
	gate    *gate

	mu   sync.Mutex
	rec  recording.Recording
	kept int64 // bytes of bodies in rec
}

func newAudit(target Target, opts Options) (*audit, error) {
	a := &audit{target: target, opts: opts, budgets: opts.Budgets.withDefaults(), began: time.Now(), redact: recording.NewRedactor()}
	a.gate = newGate(orInt(opts.InFlight, 6))
	a.rec = recording.Recording{Format: recording.Format, Version: recording.Version, Engine: opts.Engine, AsOf: opts.AsOf.UTC()}
	t := &a.rec.Target
	t.Insecure = opts.Insecure
	for _, pair := range target.Env {
		name, value, _ := strings.Cut(pair, "=")
		t.EnvNames = append(t.EnvNames, name)
		a.redact.Add(value)
	}
	for name := range opts.Header {
		t.HeaderNames = append(t.HeaderNames, name)
	}
	for _, secret := range recording.HeaderSecrets(opts.Header) {
		a.redact.Add(secret)
	}
	for _, v := range opts.Header.Values("Authorization") { // of whatever scheme
		_, credential, _ := strings.Cut(v, " ")
		a.redact.Add(credential)
	}
	for _, secret := range opts.Secrets {
		a.redact.Add(secret)
	}
	sortStrings(t.HeaderNames)
	if target.URL != "" {
		t.URL = recording.MaskURL(target.URL)
		t.Display = t.URL
		t.CredentialParams = recording.CredentialParams(target.URL)
		t.Authenticated = strings.TrimSpace(opts.Header.Get("Authorization")) != ""
		for _, secret := range recording.URLSecrets(target.URL) {
			a.redact.Add(secret)
		}
	} else {
		if len(target.Command) == 0 {
			return nil, errors.New("no command given")
		}
		for _, secret := range recording.CommandSecrets(target.Command) {
			a.redact.Add(secret)
		}
		for _, word := range target.Command {
			t.Command = append(t.Command, a.redact.String(word))
		}
		t.Display = shellJoin(t.Command)
	}
	if target.Display != "" {
		t.Display = a.redact.String(target.Display)
	}
	a.seed = t.URL + "\x00" + strings.Join(t.Command, "\x00")
	return a, nil
}

func (b Budgets) withDefaults() Budgets {
	d := DefaultBudgets
	return Budgets{
		Total: orSpan(b.Total, d.Total), Start: orSpan(b.Start, d.Start), Handshake: orSpan(b.Handshake, d.Handshake),
		Request: orSpan(b.Request, d.Request), Listing: orSpan(b.Listing, d.Listing), Probe: orSpan(b.Probe, d.Probe),
	}
}

// invented derives a value that no server has ever issued from the target, so that two audits of one target send the same bytes.
func (a *audit) invented(kind string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + a.seed))
	return "hallmark-" + kind + "-" + hex.EncodeToString(sum[:16])
}

// keep adds an exchange to the recording and returns the reply.
func (a *audit) keep(r wire.Reply) wire.Reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range bodies(&r.Exchange) {
		if a.kept += int64(len(b.Bytes)); a.kept > MaxKeptBytes {
			b.Bytes, b.Cut = nil, true
		}
	}
	a.rec.Exchanges = append(a.rec.Exchanges, r.Exchange)
	return r
}

// bodies are what a server can make a recording grow by.
func bodies(e *recording.Exchange) []*recording.Body {
	var all []*recording.Body
	if e.Answer != nil {
		all = append(all, e.Answer)
	}
	if e.Response != nil && e.Response.Body != nil {
		all = append(all, e.Response.Body)
	}
	for i := range e.Resumed {
		if b := e.Resumed[i].Body; b != nil {
			all = append(all, b)
		}
	}
	for i := range e.Others {
		all = append(all, &e.Others[i])
	}
	return all
}

// same records that the exchange of one step answers another one too.
func (a *audit) same(step, as string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rec.Exchanges = append(a.rec.Exchanges, recording.Exchange{Step: step, SameAs: as})
}

func (a *audit) listed(l recording.Listing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rec.Listings = append(a.rec.Listings, l)
}

func (a *audit) process(p recording.Process) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rec.Processes = append(a.rec.Processes, p)
}

func (a *audit) progress(what string) {
	if a.opts.Progress != nil {
		a.opts.Progress(what)
	}
}

// finish puts the recording in order and notes why it ended early, if it did.
func (a *audit) finish(outer, limited context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case outer.Err() != nil:
		a.rec.Failure = &recording.Failure{Class: recording.FailInterrupted, Phase: a.reached(), Detail: "the audit was interrupted"}
	case limited.Err() != nil:
		a.rec.Failure = &recording.Failure{Class: recording.FailDeadline, Phase: a.reached(), Detail: "the audit's total time of " + a.budgets.Total.String() + " ended"}
	}
	a.rec.Elapsed = recording.Micros(time.Since(a.began))
	a.rec.Sort()
	for _, e := range a.rec.Exchanges {
		if e.SameAs == "" && e.Request != nil {
			a.rec.Requests += 1 + len(e.Earlier) + len(e.Resumed) + followed(e)
		}
	}
}

// reached names the part of the audit that an early end fell into: the first one that is not complete.
func (a *audit) reached() string {
	answered := func(e *recording.Exchange) bool { return e != nil && e.Failure == nil }
	switch shaken, discovered := a.rec.Find("session/initialize"), a.rec.Find("probe/discover"); {
	case !answered(shaken) && !answered(discovered):
		for _, e := range []*recording.Exchange{shaken, discovered} {
			if e != nil && e.Failure.Phase != "" {
				return e.Failure.Phase
			}
		}
		return "handshake"
	case slices.ContainsFunc(a.rec.Listings, func(l recording.Listing) bool { return !l.Complete }):
		return "listing"
	}
	return "probe"
}

func followed(e recording.Exchange) int {
	n := 0
	for _, h := range e.Hops {
		if h.Followed {
			n++
		}
	}
	return n
}

func orSpan(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}

func orInt(n, fallback int) int {
	if n > 0 {
		return n
	}
	return fallback
}
