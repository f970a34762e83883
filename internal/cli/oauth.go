package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/signin"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// clientSecretVariable names the variable that holds the secret of the client named by --client-id. A flag would show it to every
// user of the machine.
const clientSecretVariable = "HALLMARK_CLIENT_SECRET"

// oauthFlags are the flags for signing in.
type oauthFlags struct {
	on       bool
	clientID string
	port     int
	browser  string
	wait     time.Duration
	given    func(name string) bool
}

func (f *oauthFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "oauth", false, "sign in to the server in a browser and audit it with the token")
	flags.StringVar(&f.clientID, "client-id", "", "`id` of a client that you registered, or the https URL of a client metadata document (with --oauth; its secret in "+clientSecretVariable+")")
	flags.IntVar(&f.port, "callback-port", 0, "`port` of 127.0.0.1 on which to await the answer (with --oauth; any free one when not given)")
	flags.StringVar(&f.browser, "browser", "", "`program` started with the address to sign in at, instead of the system's browser (with --oauth)")
	flags.DurationVar(&f.wait, "oauth-timeout", signin.DefaultWait, "how long to wait for you to sign in (with --oauth)")
	flags.Lookup("callback-port").DefValue = ""
	f.given = flags.Changed
}

// check refuses combinations that cannot be meant.
func (f *oauthFlags) check(env *Env, target capture.Target, opts capture.Options) error {
	if !f.on {
		for _, name := range []string{"client-id", "callback-port", "browser", "oauth-timeout"} {
			if f.given(name) {
				return usage("--"+name+" is for signing in", "give --oauth too, or leave it out")
			}
		}
		return nil
	}
	u, _ := url.Parse(target.URL) // an address that cannot be read has no user name either; it is refused later
	switch {
	case target.URL == "":
		return usage("--oauth is for servers at a URL, the target is a command", "a command gets its credentials from --env")
	case strings.TrimSpace(opts.Header.Get("Authorization")) != "" || u != nil && u.User != nil:
		return usage("--oauth obtains a token, and another credential is given already",
			"leave out --token, the Authorization header, and user name and password in the URL, and unset HALLMARK_TOKEN and MCPSCORE_TOKEN; or leave out --oauth")
	case f.given("callback-port") && (f.port < 1 || f.port > 65535):
		return usage(fmt.Sprintf("--callback-port %d is no port", f.port), "use a number from 1 to 65535")
	case f.given("client-id") && strings.TrimSpace(f.clientID) == "":
		return usage("--client-id is empty", "give the id, or leave it out to register a new client")
	case f.given("browser") && strings.TrimSpace(f.browser) == "":
		return usage("--browser is empty", "name a program, or leave it out for the system's browser")
	case f.wait <= 0:
		return usage("--oauth-timeout must be longer than nothing", "for example --oauth-timeout 5m")
	case f.clientID == "" && env.Getenv(clientSecretVariable) != "":
		return usage(clientSecretVariable+" is set and no --client-id is given", "name the client that the secret belongs to, or unset the variable")
	}
	return nil
}

// audit signs in, audits with the token, and once more when that shows that the token grants too little.
func (f *oauthFlags) audit(ctx context.Context, env *Env, target capture.Target, opts capture.Options, run func(capture.Options) (*recording.Recording, error)) (*recording.Recording, error) {
	s, err := signin.New(f.options(env, target, opts))
	if err != nil {
		return nil, f.failed(ctx, target, err)
	}
	defer s.Close()
	if err := s.Run(ctx); err != nil {
		return nil, f.failed(ctx, target, err)
	}
	rec, err := run(with(opts, s))
	if err != nil || s.Stepped() || ctx.Err() != nil {
		return rec, err
	}
	challenges := signin.InsufficientScope(rec)
	if challenges == nil {
		return rec, nil
	}
	if err := s.StepUp(ctx, challenges); err != nil {
		return nil, f.failed(ctx, target, err)
	}
	return run(with(opts, s))
}

// with adds the token to what the audit sends, and everything that came with it to what the recording hides.
func with(opts capture.Options, s *signin.SignIn) capture.Options {
	opts.Header = opts.Header.Clone()
	opts.Header.Set("Authorization", s.Authorization())
	opts.Secrets = s.Secrets()
	return opts
}

func (f *oauthFlags) options(env *Env, target capture.Target, opts capture.Options) signin.Options {
	browser := signin.Browser{Command: f.browser, Env: withoutCredentials(os.Environ())}
	o := signin.Options{
		Target: target.URL, Header: opts.Header, Engine: opts.Engine, RootCAs: opts.RootCAs, Insecure: opts.Insecure, Proxy: wire.EnvironmentProxy(),
		ClientID: f.clientID, ClientSecret: env.Getenv(clientSecretVariable), Port: f.port, Wait: f.wait, Request: opts.Budgets.Request,
		Say: func(line string) { fmt.Fprintf(env.Stderr, "hallmark: %s\n", visible(line)) },
		Open: func(ctx context.Context, address string) error {
			fmt.Fprintf(env.Stderr, "hallmark: sign in here, if no browser opens by itself:\n\n  %s\n\n", visible(address))
			return browser.Open(ctx, address)
		},
	}
	if opts.Cert != nil {
		o.Certificates = []tls.Certificate{*opts.Cert}
	}
	return o
}

// withoutCredentials leaves out of an environment what is meant for this program alone.
func withoutCredentials(environ []string) []string {
	var kept []string
	for _, pair := range environ {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case clientSecretVariable, "HALLMARK_TOKEN", "MCPSCORE_TOKEN":
		default:
			kept = append(kept, pair)
		}
	}
	return kept
}

func (f *oauthFlags) failed(ctx context.Context, target capture.Target, err error) error {
	if ctx.Err() != nil {
		return &exitError{code: ExitInterrupted, message: shown(target) + ": interrupted", hint: "nothing was audited"}
	}
	var why *signin.Error
	if !errors.As(err, &why) {
		return usage(fmt.Sprintf("cannot sign in to %s: %v", shown(target), err), "")
	}
	return usage(fmt.Sprintf("cannot sign in to %s: %s: %s", shown(target), why.Phase, why.Problem), why.Remedy)
}
