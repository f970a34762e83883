package signin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/challenge"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Limits of what other servers can make us do.
const (
	maxServers   = 5       // authorization servers of one resource that are tried
	maxDocument  = 1 << 20 // bytes of one metadata document
	maxScopes    = 8 << 10 // bytes of all scopes together
	leaveLimit   = 5 * time.Second
	plainAddress = "authorization servers must be reached by https; only those on this machine may do without"
)

// server is an authorization server and what it is to be asked for.
type server struct {
	issuer        string
	authorization *url.URL
	token         string
	registration  string
	methods       []string // of client authentication at the token endpoint, nil when not declared
	documents     bool     // knows client metadata documents
	iss           bool     // promises an iss parameter (RFC 9207)

	resource string   // resource indicator (RFC 8707)
	scopes   []string // scopes that the resource publishes
}

// discover finds the authorization server: by the metadata of the resource (RFC 9728), and for servers from before it at the origin of
// the endpoint.
func (s *SignIn) discover(ctx context.Context, r refusal) (*server, error) {
	hint, _ := challenge.Find(challenge.Parse(r.lines...), "resource_metadata")
	named := hint.Value
	if s.endpoint.Scheme == "https" && !strings.HasPrefix(strings.ToLower(named), "https:") {
		named = "" // whoever changes the answer to that decides where the user signs in
	}
	for _, place := range capture.ResourceMetadataURLs(s.endpoint.String(), named) {
		doc := s.document(ctx, place)
		resource, ok := doc.Get("resource").Text()
		if !ok {
			continue // absent, or the page of a web application that answers every path
		}
		if !s.covers(resource) {
			return nil, fail(phaseDiscover, "the operator has to publish the endpoint's own URL as \"resource\"",
				"the metadata at %s are about %q, which is not this server", place, clip(resource))
		}
		found, err := s.authorizationServer(ctx, place, texts(doc.Get("authorization_servers")))
		if err != nil {
			return nil, err
		}
		found.resource, found.scopes = resource, scopeTokens(texts(doc.Get("scopes_supported")))
		return found, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !r.refused {
		return nil, fail(phaseDiscover, "audit it without --oauth", "the server answers without credentials and publishes nothing about signing in")
	}
	if schemes := r.foreign(); schemes != "" {
		return nil, fail(phaseDiscover, "give credentials with --header", "the server asks for %s, which is not OAuth", clip(schemes))
	}
	return s.before2025June(ctx)
}

// before2025June finds the authorization server of revision 2025-03-26, where it shares the origin of the MCP server and may have its
// endpoints at default places (Authorization › Fallbacks for Servers without Metadata Discovery).
func (s *SignIn) before2025June(ctx context.Context) (*server, error) {
	origin := s.endpoint.Scheme + "://" + s.endpoint.Host
	resource := *s.endpoint
	resource.RawQuery = ""
	for _, place := range capture.AuthorizationServerURLs(origin) {
		if doc := s.document(ctx, place); doc.Get("issuer").IsString() {
			found, err := s.usable(doc, origin, place)
			if err != nil {
				return nil, err
			}
			found.resource = resource.String()
			return found, nil
		}
	}
	if !s.secure(s.endpoint) {
		return nil, fail(phaseDiscover, "pass a token with --token", "the server publishes nothing about signing in; %s", plainAddress)
	}
	s.opts.Say("the server publishes nothing about signing in: trying the default addresses of revision 2025-03-26")
	authorization, err := url.Parse(origin + "/authorize")
	if err != nil {
		return nil, fail(phaseDiscover, "", "the server publishes nothing about signing in")
	}
	return &server{issuer: origin, authorization: authorization, token: origin + "/token", registration: origin + "/register", resource: resource.String()}, nil
}

// authorizationServer returns the first of the issuers that can be used, else what is wrong with the first.
func (s *SignIn) authorizationServer(ctx context.Context, place string, issuers []string) (*server, error) {
	var first error
	for _, issuer := range issuers[:min(len(issuers), maxServers)] {
		found, err := s.metadata(ctx, issuer)
		if err == nil {
			return found, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		return nil, fail(phaseDiscover, "pass a token with --token", "the metadata at %s name no authorization server", place)
	}
	return nil, first
}

// metadata reads the metadata of an authorization server from the first place that has them.
func (s *SignIn) metadata(ctx context.Context, issuer string) (*server, error) {
	places := capture.AuthorizationServerURLs(issuer)
	if len(places) == 0 {
		return nil, fail(phaseDiscover, "the operator has to repair authorization_servers", "%q is not the URL of an authorization server", clip(issuer))
	}
	if u, err := url.Parse(issuer); err != nil || !s.secure(u) {
		return nil, fail(phaseDiscover, "pass a token with --token", "the authorization server is %s; %s", clip(issuer), plainAddress)
	}
	var seen []string
	for _, place := range places {
		r := s.get(ctx, place)
		if doc := object(r); doc.Get("issuer").IsString() {
			return s.usable(doc, issuer, place)
		}
		seen = append(seen, place+" "+outcome(r))
	}
	return nil, fail(phaseDiscover, "check that the authorization server is up, or pass a token with --token", "the authorization server publishes no metadata (%s)", strings.Join(seen, "; "))
}

// usable checks the metadata of an authorization server and takes what is needed from them. Fields that are not needed may be wrong.
func (s *SignIn) usable(doc jsondoc.Value, issuer, place string) (*server, error) {
	said := doc.Get("issuer").TextOr("")
	if strings.TrimSuffix(said, "/") != strings.TrimSuffix(issuer, "/") {
		return nil, fail(phaseDiscover, "the operator has to publish the same issuer in both places", "the metadata at %s belong to another issuer, %q instead of %q", place, clip(said), clip(issuer))
	}
	if !slices.Contains(texts(doc.Get("code_challenge_methods_supported")), "S256") {
		return nil, fail(phaseDiscover, "the operator has to support PKCE and to list S256 in code_challenge_methods_supported; until then pass a token with --token",
			"the authorization server %s does not say that it supports PKCE with S256, without which clients must not go on", said)
	}
	if grants := texts(doc.Get("grant_types_supported")); len(grants) > 0 && !slices.Contains(grants, "authorization_code") {
		return nil, fail(phaseDiscover, "pass a token with --token", "the authorization server %s does not offer authorization codes", said)
	}
	found := &server{
		issuer:    said,
		methods:   texts(doc.Get("token_endpoint_auth_methods_supported")),
		documents: doc.Get("client_id_metadata_document_supported").True(),
		iss:       doc.Get("authorization_response_iss_parameter_supported").True(),
	}
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
		text := doc.Get(name).TextOr("")
		if text == "" && name == "registration_endpoint" {
			continue
		}
		u, err := url.Parse(text)
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
			return nil, fail(phaseDiscover, "the operator has to repair the metadata", "%s of the authorization server %s is not a usable URL: %q", name, said, clip(text))
		case !s.secure(u):
			return nil, fail(phaseDiscover, "pass a token with --token", "%s of the authorization server is %s; %s", name, clip(text), plainAddress)
		}
		switch name {
		case "authorization_endpoint":
			found.authorization = u
		case "token_endpoint":
			found.token = u.String()
		default:
			found.registration = u.String()
		}
	}
	return found, nil
}

// covers reports whether metadata about a resource are about the endpoint. RFC 9728 section 3.3 wants the very URL; many servers name
// their origin or a parent path. The token stays with the same origin then, so that is let pass here.
func (s *SignIn) covers(resource string) bool {
	u, err := url.Parse(resource)
	if err != nil || u.User != nil || u.Fragment != "" || origin(u) != origin(s.endpoint) {
		return false
	}
	parent := strings.TrimSuffix(u.EscapedPath(), "/")
	path := strings.TrimSuffix(s.endpoint.EscapedPath(), "/")
	return path == parent || strings.HasPrefix(path, parent+"/")
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// secure reports whether a code or a token may travel to a URL (MCP, Authorization › Communication Security). Loopback is not named
// there; what runs on this machine for development has no certificate and crosses no network. A server elsewhere must not send the
// browser to this machine.
func (s *SignIn) secure(u *url.URL) bool {
	return strings.EqualFold(u.Scheme, "https") || strings.EqualFold(u.Scheme, "http") && loopback(u) && loopback(s.endpoint)
}

func loopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && a.Unmap().IsLoopback()
}

func (s *SignIn) get(ctx context.Context, place string) wire.Reply {
	return s.link.Do(ctx, wire.Call{Step: "signin", Method: http.MethodGet, URL: place, Anonymous: true, Follow: true, Discovered: true, Read: wire.ReadBody,
		Timeout: s.opts.Request, MaxBody: maxDocument, Header: http.Header{"Accept": {"application/json"}, "Content-Type": nil}})
}

func (s *SignIn) document(ctx context.Context, place string) jsondoc.Value {
	return object(s.get(ctx, place))
}

// object reads the JSON object of an answer, absent when there is none.
func object(r wire.Reply) jsondoc.Value {
	if r.Status != http.StatusOK || r.Exchange.Response == nil || r.Exchange.Response.Body == nil || r.Exchange.Response.Body.Cut {
		return jsondoc.Value{}
	}
	v, _, err := jsondoc.Parse(r.Exchange.Response.Body.Bytes)
	if err != nil || !v.IsObject() {
		return jsondoc.Value{}
	}
	return v
}

// outcome says in a few words what a request for metadata brought.
func outcome(r wire.Reply) string {
	switch {
	case r.Status == http.StatusOK:
		return "answers with something else"
	case r.Status != 0:
		return fmt.Sprintf("answers %d", r.Status)
	case r.Exchange.Failure != nil:
		return r.Exchange.Failure.Detail
	}
	return "does not answer"
}

func texts(v jsondoc.Value) []string {
	var list []string
	for _, e := range v.Elements() {
		if s, ok := e.Value.Text(); ok {
			list = append(list, s)
		}
	}
	return list
}
