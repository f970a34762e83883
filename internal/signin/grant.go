package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// client is who we are to the authorization server.
type client struct {
	id, secret string
	style      oauth2.AuthStyle
}

const maxAnswer = 1 << 20 // bytes of an answer of a registration or token endpoint

func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// register decides who we are: as the user says, by a metadata document, or by registering anew (MCP 2025-11-25, Client Registration
// Approaches).
func (s *SignIn) register(ctx context.Context) error {
	document := strings.HasPrefix(strings.ToLower(s.opts.ClientID), "https://")
	switch {
	case document && !s.server.documents:
		return fail(phaseRegister, "give --client-id an id that you registered there, or leave it out to register a new client",
			"the authorization server %s does not take the URL of a metadata document as client id", s.server.issuer)
	case document:
		s.client = client{id: s.opts.ClientID, style: oauth2.AuthStyleInParams}
		return nil
	case s.opts.ClientID != "":
		style, err := s.style("", s.opts.ClientSecret)
		s.client = client{id: s.opts.ClientID, secret: s.opts.ClientSecret, style: style}
		s.keep(s.opts.ClientSecret)
		return err
	case s.server.registration == "":
		return fail(phaseRegister, "register a client there by hand, with the redirect address http://127.0.0.1:PORT/callback, and give --client-id ID --callback-port PORT",
			"the authorization server %s registers no clients by itself", s.server.issuer)
	}
	s.opts.Say("registering as a client of " + s.server.issuer)
	ctx, cancel := context.WithTimeout(ctx, s.opts.Request)
	defer cancel()
	noted := &noting{next: s.link.DiscoveredClient(maxAnswer)}
	made, err := oauthex.RegisterClient(ctx, s.server.registration, &oauthex.ClientRegistrationMetadata{
		RedirectURIs:            []string{s.callback.address},
		TokenEndpointAuthMethod: s.wantedMethod(),
		GrantTypes:              []string{"authorization_code"},
		ResponseTypes:           []string{"code"},
		ClientName:              "Hallmark",
		ApplicationType:         "native",
		SoftwareID:              "hallmark",
		SoftwareVersion:         s.opts.Engine.Version,
	}, &http.Client{Transport: noted, CheckRedirect: noted.next.CheckRedirect})
	if err != nil {
		remedy := "register a client there by hand and give its id with --client-id"
		var said *oauthex.ClientRegistrationError
		if errors.As(err, &said) {
			return fail(phaseRegister, remedy, "%s refuses: %s", s.server.registration, spoken(said.ErrorCode, said.ErrorDescription))
		}
		return fail(phaseRegister, remedy, "%s %s", s.server.registration, noted.outcome(err, "with something that is no registration"))
	}
	style, err := s.style(made.TokenEndpointAuthMethod, made.ClientSecret)
	s.client = client{id: made.ClientID, secret: made.ClientSecret, style: style}
	s.keep(made.ClientSecret)
	return err
}

// methods of client authentication that we know, in our order. A program on a user's machine keeps no secrets, so it asks to be a public
// client (RFC 8252 section 8.4) wherever that is possible.
var methods = []struct {
	name  string
	style oauth2.AuthStyle
}{
	{"none", oauth2.AuthStyleInParams},
	{"client_secret_basic", oauth2.AuthStyleInHeader},
	{"client_secret_post", oauth2.AuthStyleInParams},
}

func (s *SignIn) wantedMethod() string {
	for _, m := range methods {
		if slices.Contains(s.server.methods, m.name) {
			return m.name
		}
	}
	return "none"
}

// style says how the client names itself to the token endpoint: as registered, else as the server supports. x/oauth2 would try both
// ways when not told, and a code is good for one try only.
func (s *SignIn) style(registered, secret string) (oauth2.AuthStyle, error) {
	if secret == "" {
		return oauth2.AuthStyleInParams, nil
	}
	supported := s.server.methods
	switch {
	case registered != "":
		supported = []string{registered}
	case supported == nil:
		supported = []string{"client_secret_basic"} // RFC 8414 section 2
	}
	for _, m := range slices.Concat(methods[1:], methods[:1]) {
		if slices.Contains(supported, m.name) {
			return m.style, nil
		}
	}
	return 0, fail(phaseRegister, "pass a token with --token", "the authorization server wants a kind of client authentication that is not known here: %s", clip(strings.Join(supported, ", ")))
}

// authorize asks the user in the browser and exchanges the answer for a token.
func (s *SignIn) authorize(ctx context.Context, scopes []string) error {
	if n := len(strings.Join(scopes, " ")); n > maxScopes {
		return fail(phaseDiscover, "pass a token with --token", "the server asks for %d bytes of scopes", n)
	}
	config := &oauth2.Config{
		ClientID: s.client.id, ClientSecret: s.client.secret, RedirectURL: s.callback.address, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: s.server.authorization.String(), TokenURL: s.server.token, AuthStyle: s.client.style},
	}
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	s.keep(verifier)
	resource := oauth2.SetAuthURLParam("resource", s.server.resource)
	code, err := s.code(ctx, state, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), resource))
	if err != nil {
		return err
	}
	s.keep(code)
	limited, cancel := context.WithTimeout(ctx, s.opts.Request)
	defer cancel()
	noted := &noting{next: s.link.DiscoveredClient(maxAnswer)}
	token, err := config.Exchange(context.WithValue(limited, oauth2.HTTPClient, &http.Client{Transport: noted, CheckRedirect: noted.next.CheckRedirect}),
		code, oauth2.VerifierOption(verifier), resource)
	if err != nil {
		remedy := "sign in again; if that does not help, pass a token with --token"
		var said *oauth2.RetrieveError
		if errors.As(err, &said) && said.ErrorCode != "" {
			return fail(phaseToken, remedy, "%s refuses: %s", s.server.token, spoken(said.ErrorCode, said.ErrorDescription))
		}
		return fail(phaseToken, remedy, "%s %s", s.server.token, noted.outcome(err, "without a token"))
	}
	s.keep(token.AccessToken, token.RefreshToken)
	if id, ok := token.Extra("id_token").(string); ok {
		s.keep(id)
	}
	switch {
	case !strings.EqualFold(token.Type(), "Bearer"):
		return fail(phaseToken, "pass a token with --token", "%s issues tokens of the type %q, which cannot be sent as they are", s.server.token, clip(token.Type()))
	case strings.IndexFunc(token.AccessToken, func(r rune) bool { return r < 0x21 || r > 0x7e }) >= 0:
		return fail(phaseToken, "pass a token with --token", "%s issued a token with characters that no header may have", s.server.token)
	}
	s.token, s.scopes = token, scopes
	if granted, ok := token.Extra("scope").(string); ok {
		s.scopes = union(scopes, scopeTokens(strings.Fields(granted)))
	}
	return nil
}

// code sends the user to the authorization server and waits for the answer.
func (s *SignIn) code(ctx context.Context, state, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Wait)
	defer cancel()
	round := s.callback.expect(func(answer url.Values) error { return s.judge(state, answer) })
	opened := make(chan error, 1)
	go func() { opened <- s.opts.Open(ctx, address) }()
	for {
		select {
		case res := <-round.answer:
			return res.code, res.err
		case err := <-opened:
			select {
			case res := <-round.answer: // a browser may end badly after it brought the answer
				return res.code, res.err
			default:
			}
			if err != nil {
				return "", fail(phaseBrowser, "name another program with --browser, or open the address that is printed yourself", "%v", err)
			}
			opened = nil
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return "", fail(phaseAnswer, "open the address that is printed and sign in; allow more time with --oauth-timeout", "nobody signed in within %v", s.opts.Wait)
			}
			return "", ctx.Err()
		}
	}
}

// judge says what is wrong with an answer. Nothing in it counts before its state and its issuer are known to be right.
func (s *SignIn) judge(state string, answer url.Values) error {
	for _, name := range []string{"state", "code", "error", "iss"} {
		if len(answer[name]) > 1 {
			return fail(phaseAnswer, "sign in again", "it has %s twice", name)
		}
	}
	if subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(state)) != 1 {
		return fail(phaseAnswer, "sign in again; another program or page may have sent it", "it does not belong to this sign-in (its state is not ours)")
	}
	// RFC 9207 section 2.4: compared as text, and also when it was not promised.
	switch {
	case answer.Has("iss") && answer.Get("iss") != s.server.issuer:
		return fail(phaseAnswer, "do not go on: the answer may come from a server that you did not sign in to",
			"it names the issuer %q instead of %q", clip(answer.Get("iss")), s.server.issuer)
	case s.server.iss && !answer.Has("iss"):
		return fail(phaseAnswer, "the operator has to send iss, or to stop promising it", "it names no issuer (iss), which %s promises", s.server.issuer)
	case answer.Has("error"):
		return fail(phaseAnswer, "sign in again and consent", "%s refuses: %s", s.server.issuer, spoken(answer.Get("error"), answer.Get("error_description")))
	case answer.Get("code") == "":
		return fail(phaseAnswer, "sign in again", "its code is empty")
	}
	return nil
}

// spoken joins an OAuth error and its description.
func spoken(code, description string) string {
	if description == "" {
		return clip(code)
	}
	return clip(code) + " (" + clip(description) + ")"
}

// noting remembers how a request of a library ended, whose own errors quote bodies that may hold secrets.
type noting struct {
	next   *http.Client
	status int
}

func (n *noting) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := n.next.Transport.RoundTrip(req)
	if err == nil {
		n.status = resp.StatusCode
	}
	return resp, err
}

func (n *noting) outcome(err error, without string) string {
	var sent *url.Error
	switch {
	case n.status >= 200 && n.status < 300:
		return fmt.Sprintf("answers %d %s", n.status, without)
	case n.status != 0:
		return strings.TrimSpace(fmt.Sprintf("answers %d %s", n.status, http.StatusText(n.status)))
	case errors.Is(err, context.DeadlineExceeded):
		return "does not answer in time"
	case errors.As(err, &sent):
		return "cannot be asked: " + clip(sent.Err.Error())
	}
	return "cannot be asked"
}
