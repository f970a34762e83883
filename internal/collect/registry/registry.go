// Package registry asks a package registry for documents and records what it answers. Which documents, and where the registry is, the
// packages beside it know, one for each registry. Nothing of a package is downloaded or run.
package registry

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Options say how to ask.
type Options struct {
	Engine   recording.Engine
	AsOf     time.Time
	RootCAs  *x509.CertPool // the system's when nil
	Insecure bool
	Timeout  time.Duration // of one request
	// Base is the registry's address where that is not to be taken from the user's client configuration. No credentials are sent to it.
	Base   string
	Place  Place
	Notify func(string) // progress, may be nil
}

// Place is where the user's client configuration is looked for.
type Place struct {
	Getenv func(string) string
	Dir    string // working directory
	Home   string // home directory, empty when there is none
}

// Endpoint is a registry and what opens it.
type Endpoint struct {
	URL    string      // may hold user name and password
	Header http.Header // credentials
	Source string      // where the address was found, for messages
}

// MaxDocument bounds a document, in bytes.
const MaxDocument = recording.MaxBody

// Session asks one registry about one package.
type Session struct {
	rec   recording.Recording
	link  *wire.HTTP
	opts  Options
	began time.Time
	base  string
}

// Open prepares to ask. The error says what is wrong with the registry's address, without a secret.
func Open(p recording.Package, e Endpoint, opts Options) (*Session, error) {
	s := &Session{opts: opts, began: time.Now()}
	u, err := url.Parse(strings.TrimSpace(e.URL))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the address of the %s registry in %s is no http or https URL", p.Registry, e.Source)
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	s.link, err = wire.NewHTTP(u.String(), wire.HTTPOptions{
		Header: e.Header, Version: opts.Engine.Version, RootCAs: opts.RootCAs, Insecure: opts.Insecure, Began: s.began,
		Proxy: wire.EnvironmentProxy(), Timeout: opts.Timeout, MaxBody: MaxDocument,
	})
	if err != nil {
		return nil, fmt.Errorf("the address of the %s registry in %s: %w", p.Registry, e.Source, err)
	}
	s.base = s.link.Endpoint()
	s.rec = recording.Recording{Format: recording.Format, Version: recording.Version, Engine: opts.Engine, AsOf: opts.AsOf.UTC()}
	s.rec.Target = recording.Target{
		Display: p.String(), Package: &p, Insecure: opts.Insecure, Proxied: s.link.Proxied(), Authenticated: s.link.Authenticated(),
	}
	return s, nil
}

// Get asks for a document below the registry's address; segments are escaped. The failure says why there is none, with the status 404 when
// the registry has none.
func (s *Session) Get(ctx context.Context, step, accept string, segments ...string) (jsondoc.Value, *recording.Failure) {
	if s.opts.Notify != nil {
		s.opts.Notify("asking the registry")
	}
	place := strings.TrimRight(s.base, "/")
	for _, segment := range segments {
		if segment == "" { // a final slash
			place += "/"
			continue
		}
		place += "/" + escaped(segment)
	}
	reply := s.link.Do(ctx, wire.Call{
		Step: step, Connection: "registry", Method: http.MethodGet, URL: place, Follow: true, Read: wire.ReadBody,
		Header: http.Header{"Accept": {accept}, "Accept-Encoding": {"gzip"}},
	})
	s.rec.Exchanges = append(s.rec.Exchanges, reply.Exchange)
	return observe.PackageDocument(&reply.Exchange)
}

// escaped is a path segment in which everything is escaped that a registry could take for syntax.
func escaped(segment string) string {
	if segment == "." || segment == ".." {
		return strings.ReplaceAll(segment, ".", "%2E")
	}
	return strings.NewReplacer("+", "%2B", "@", "%40", ":", "%3A").Replace(url.PathEscape(segment))
}

// Close ends the session and returns the recording.
func (s *Session) Close(ctx context.Context) *recording.Recording {
	s.link.Close()
	if ctx.Err() != nil {
		s.rec.Failure = &recording.Failure{Class: recording.FailInterrupted, Phase: "registry", Detail: "the audit was interrupted"}
	}
	s.rec.Elapsed = recording.Micros(time.Since(s.began))
	s.rec.Sort()
	for _, e := range s.rec.Exchanges {
		s.rec.Requests += 1 + len(e.Earlier)
		for _, hop := range e.Hops {
			if hop.Followed {
				s.rec.Requests++
			}
		}
	}
	return &s.rec
}
