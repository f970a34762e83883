package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// auditFlags are the flags of audit that say what to reach and how.
type auditFlags struct {
	env       []string
	cwd       string
	headers   []string
	token     string
	transport string
	record    string
	cacert    string
	cert, key string
	insecure  bool
	inFlight  int
	budgets   capture.Budgets
	oauth     oauthFlags
	targets   targetFlags
	smoke     smokeFlags
	out       outputFlags
}

func newAudit(env *Env, stdio *stdioCommand) *cobra.Command {
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit [flags] (TARGET... | --package COORDINATE | --stdio COMMAND [ARG...])",
		Short: "Audit MCP servers, or the metadata of a package",
		Long: `Audit connects to an MCP server over stdio, Streamable HTTP or HTTP+SSE, reads what it offers, tries how it meets a few malformed and
misaddressed requests, and reports a score with the reason for every point. It calls no tool and changes nothing, unless --smoke is given; see docs/smoke.md.

A target is a URL, a script (.py, .js, .ts, .go), a client configuration or server.json (.json), whose servers are all audited unless
--server names one, a package (npm:NAME, pypi:NAME), or - for a list on standard input. Several targets are audited side by side, each
within limits of its own, and end in a summary. Nothing is started that was not named, and of a package nothing at all.

Everything after --stdio belongs to the server's command, so flags of audit stand before it. The command is started without a shell and
sees only a short list of environment variables: name others with --env.`,
		Example: `  hallmark audit https://example.com/mcp
  hallmark audit --token "$TOKEN" https://example.com/mcp
  hallmark audit --oauth https://example.com/mcp
  hallmark audit --env API_KEY --fail-under 80 --stdio npx -y some-mcp-server
  hallmark audit --server github .vscode/mcp.json
  hallmark audit --output-dir reports --format html ~/.cursor/mcp.json
  hallmark audit --package npm:@scope/name@1.2.3
  hallmark audit --json --record audit.rec.json https://example.com/mcp > report.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAudit(cmd.Context(), env, f, stdio, args)
		},
	}
	f.register(cmd.Flags())
	f.targets.register(cmd.Flags())
	f.smoke.register(cmd.Flags())
	cmd.Flags().StringVar(&f.record, "record", "", "`file` to keep the recording in, for hallmark replay")
	f.out.register(cmd.Flags())
	return cmd
}

// register adds the flags that say what to reach and how.
func (f *auditFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.env, "env", nil, "`NAME=VALUE`, or NAME to copy it from here, for the server's environment (repeatable, with --stdio)")
	flags.StringVar(&f.cwd, "cwd", "", "`folder` in which the server's command starts")
	flags.StringArrayVarP(&f.headers, "header", "H", nil, "`\"Name: value\"` sent with every request to the server's origin (repeatable)")
	flags.StringVar(&f.token, "token", "", "bearer `token`; HALLMARK_TOKEN or MCPSCORE_TOKEN when not given")
	flags.StringVar(&f.transport, "transport", "auto", "for URLs: `auto`, streamable-http or sse")
	flags.StringVar(&f.cacert, "cacert", "", "`file` with certificates (PEM) to trust besides the system's")
	flags.StringVar(&f.cert, "cert", "", "`file` with a client certificate (PEM)")
	flags.StringVar(&f.key, "key", "", "`file` with the client certificate's key (PEM)")
	flags.BoolVar(&f.insecure, "insecure", false, "do not verify the server's certificate; the report says so")
	flags.IntVar(&f.inFlight, "in-flight", 6, "most requests in flight at once")
	d := capture.DefaultBudgets
	flags.DurationVar(&f.budgets.Total, "timeout", d.Total, "limit for the whole audit")
	flags.DurationVar(&f.budgets.Start, "start-timeout", d.Start, "limit for a command to start, installation included")
	flags.DurationVar(&f.budgets.Handshake, "handshake-timeout", d.Handshake, "limit for the handshake")
	flags.DurationVar(&f.budgets.Request, "request-timeout", d.Request, "limit for one request")
	flags.DurationVar(&f.budgets.Listing, "listing-timeout", d.Listing, "limit for all pages of one list")
	flags.DurationVar(&f.budgets.Probe, "probe-timeout", d.Probe, "limit for one probe")
	f.oauth.register(flags)
}

func runAudit(ctx context.Context, env *Env, f *auditFlags, stdio *stdioCommand, args []string) error {
	named := f.named(stdio, args)
	if err := errors.Join(f.out.check(), f.smoke.check()); err != nil {
		return f.refuse(env, named, recording.FailUsage, err)
	}
	p, err := policy.Load(f.out.policy)
	if err != nil {
		return f.refuse(env, named, recording.FailUsage, usage(err.Error(), ""))
	}
	if err := f.out.project.load(env, p, f.out.quiet); err != nil {
		return f.refuse(env, named, recording.FailUsage, err)
	}
	list, fleet, err := f.entries(env, stdio, args)
	if err != nil {
		return f.refuse(env, named, recording.FailInvalidTarget, err)
	}
	if fleet {
		return f.auditAll(ctx, env, p, list)
	}
	var rec *recording.Recording
	var class recording.Class
	if len(list) == 1 {
		rec, class, err = f.collectEntry(ctx, env, &list[0])
	} else {
		rec, class, err = f.collect(ctx, env, stdio, args)
	}
	if err != nil {
		return f.refuse(env, named, class, err)
	}
	var problem error
	if f.record != "" {
		problem = writeRecording(f.record, rec)
	}
	r, err := f.out.project.judge(env, rec, p)
	if err != nil {
		return errors.Join(err, problem)
	}
	f.smoke.waivers.judge(r, rec)
	if err := f.out.finish(env, r, rec, problem); err != nil {
		return err
	}
	return smokeExit(r)
}

// collect records the server that the command line names. Where that cannot be tried, the class says what kind of trouble it is.
func (f *auditFlags) collect(ctx context.Context, env *Env, stdio *stdioCommand, args []string) (*recording.Recording, recording.Class, error) {
	target, err := f.target(env, stdio, args)
	if err != nil {
		return nil, recording.FailInvalidTarget, err
	}
	opts, err := f.options(env)
	if err != nil {
		return nil, recording.FailUsage, err
	}
	return f.capture(ctx, env, target, opts, stdio.misfiled)
}

// collectEntry records what an entry names.
func (f *auditFlags) collectEntry(ctx context.Context, env *Env, e *entry) (*recording.Recording, recording.Class, error) {
	switch {
	case e.err != nil:
		return nil, recording.FailInvalidTarget, usage(fmt.Sprintf("%s: %v", e.name, e.err), "")
	case e.skip != "":
		return nil, recording.FailInvalidTarget, usage(fmt.Sprintf("%s: %s", e.name, e.skip), "")
	}
	opts, err := f.options(e.environment(env))
	if err != nil {
		return nil, recording.FailUsage, err
	}
	if e.pkg != nil && f.smoke.on {
		return nil, recording.FailUsage, usage("--smoke calls the tools of a server, and "+e.name+" is a package", "")
	}
	if e.pkg != nil {
		progress := newProgress(env, f.out.quiet || f.out.toStdout())
		defer progress.done()
		opts.Progress = progress.say
		rec, err := collectPackage(ctx, env, *e.pkg, e.base, opts)
		return rec, recording.FailInvalidTarget, err
	}
	target := e.target
	if err := f.adjust(env, &target); err != nil {
		return nil, recording.FailInvalidTarget, err
	}
	return f.capture(ctx, env, target, e.apply(opts), nil)
}

// capture records a server.
func (f *auditFlags) capture(ctx context.Context, env *Env, target capture.Target, opts capture.Options, misfiled []string) (*recording.Recording, recording.Class, error) {
	if f.insecure && target.URL != "" {
		fmt.Fprintln(env.Stderr, "hallmark: warning: --insecure: whoever answers at the address is taken for the server, its certificate is not verified")
	}
	for _, name := range misfiled {
		fmt.Fprintf(env.Stderr, "hallmark: warning: %s stands after the server's command and goes to the server; flags of hallmark stand before --stdio\n", name)
	}
	err := f.oauth.check(env, target, opts)
	if err != nil {
		return nil, recording.FailUsage, err
	}
	opts.Smoke = f.smoke.options()
	run := func(opts capture.Options) (*recording.Recording, error) {
		progress := newProgress(env, f.out.quiet || f.out.json)
		defer progress.done()
		opts.Progress = progress.say
		return capture.Run(ctx, target, opts)
	}
	var rec *recording.Recording
	if f.oauth.on {
		rec, err = f.oauth.audit(ctx, env, target, opts, run)
	} else {
		rec, err = run(opts)
	}
	var exit *exitError
	switch {
	case errors.As(err, &exit) && exit.code == ExitInterrupted:
		return nil, recording.FailInterrupted, err
	case errors.As(err, &exit):
		return nil, recording.FailUnauthorized, err
	case err != nil:
		return nil, recording.FailInvalidTarget, usage(fmt.Sprintf("cannot audit %s: %v", shown(target), err), "see hallmark audit --help")
	}
	return rec, "", nil
}

// named is how messages and reports call what the command line names as the target, empty when it names none.
func (f *auditFlags) named(stdio *stdioCommand, args []string) string {
	switch {
	case f.targets.pkg != "":
		return f.targets.pkg
	case len(args) > 0:
		return recording.MaskURL(args[0])
	case len(stdio.words) > 0:
		return shown(capture.Target{Command: stdio.words})
	}
	return ""
}

// refuse ends an audit that cannot be tried. Whoever asked for a report and named a target still gets one, which says why.
func (f *auditFlags) refuse(env *Env, named string, class recording.Class, err error) error {
	var exit *exitError
	if named == "" || !errors.As(err, &exit) {
		return err
	}
	p, loadErr := policy.Load(f.out.policy)
	if loadErr != nil {
		if p, loadErr = policy.Load(""); loadErr != nil {
			return err
		}
	}
	rec := &recording.Recording{Format: recording.Format, Version: recording.Version, Engine: engine(), AsOf: env.Now().UTC()}
	rec.Target.Display = named
	rec.Failure = &recording.Failure{Class: class, Phase: "target", Detail: exit.message}
	switch class {
	case recording.FailUsage:
		rec.Failure.Phase = "command line"
	case recording.FailUnauthorized:
		rec.Failure.Phase = "sign-in"
	}
	if writeErr := f.out.write(env, audit.Judge(rec, p, engine()), rec); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	return err
}

// target reads what to audit from flags and arguments.
func (f *auditFlags) target(env *Env, stdio *stdioCommand, args []string) (capture.Target, error) {
	var t capture.Target
	switch {
	case stdio.given && len(args) > 0:
		return t, usage(fmt.Sprintf("both %q and --stdio name a target", recording.MaskURL(args[0])), "give one of them")
	case stdio.given && (len(stdio.words) == 0 || strings.TrimSpace(stdio.words[0]) == ""):
		return t, usage("--stdio is not followed by a command", "for example: hallmark audit --stdio npx -y some-mcp-server")
	case stdio.given:
		t.Command = stdio.words
	case len(args) == 0:
		return t, usage("no target given", "name a URL, or a command after --stdio")
	case len(args) > 1:
		return t, usage(fmt.Sprintf("a second target %q was given", recording.MaskURL(args[1])), "audit one server at a time; a command stands after --stdio")
	default:
		if err := positional(&t, args[0]); err != nil {
			return t, err
		}
	}
	return t, f.adjust(env, &t)
}

// adjust applies the flags about a target to it.
func (f *auditFlags) adjust(env *Env, t *capture.Target) error {
	if t.URL != "" && (len(f.env) > 0 || f.cwd != "") {
		return usage("--env and --cwd are for commands, the target is a URL", "use --header or --token for a server at a URL")
	}
	for i, e := range f.env {
		name, _, given := strings.Cut(e, "=")
		switch {
		case name == "":
			return usage(fmt.Sprintf("--env number %d has an empty name", i+1), "write NAME=VALUE or NAME")
		case given:
			t.Env = append(t.Env, e)
		default:
			v := env.Getenv(name)
			if v == "" {
				return usage(fmt.Sprintf("--env number %d names a variable that is not set here", i+1), "set it, or write NAME=VALUE")
			}
			t.Env = append(t.Env, name+"="+v)
		}
	}
	if f.cwd != "" {
		if len(t.Command) == 3 && t.Command[0] == "go" && t.Dir != "" { // the script's place was relative to its own folder
			if whole, err := filepath.Abs(filepath.Join(t.Dir, t.Command[2])); err == nil {
				t.Command[2] = whole
			}
		}
		t.Dir = f.cwd
	}
	f.out.dir = t.Dir
	switch f.transport {
	case "auto", "":
	case "streamable-http", "sse":
		t.Force = recording.Transport(f.transport)
	default:
		return usage(fmt.Sprintf("--transport %q is not known", f.transport), "use auto, streamable-http or sse")
	}
	return nil
}

// options reads how to audit.
func (f *auditFlags) options(env *Env) (capture.Options, error) {
	opts := capture.Options{
		Engine: engine(), AsOf: env.Now(), Budgets: f.budgets, Insecure: f.insecure, InFlight: f.inFlight, Header: http.Header{},
	}
	for i, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return opts, usage(fmt.Sprintf("--header number %d is not of the form \"Name: value\"", i+1), "quote it: --header \"X-Api-Key: ...\"")
		}
		if !httpguts.ValidHeaderFieldName(name) { // what stands in front of the colon may be a part of a secret too
			return opts, usage(fmt.Sprintf("--header number %d has a name with characters that no header name may have", i+1), "write it as \"Name: value\"")
		}
		if !httpguts.ValidHeaderFieldValue(value) {
			return opts, usage(fmt.Sprintf("--header number %d, %s, has a value with a line break or another control character", i+1, name), "give each header a --header of its own")
		}
		opts.Header.Add(name, value)
	}
	token := strings.TrimSpace(f.token)
	for _, name := range []string{"HALLMARK_TOKEN", "MCPSCORE_TOKEN"} {
		if token == "" {
			token = strings.TrimSpace(env.Getenv(name))
		}
	}
	if !httpguts.ValidHeaderFieldValue(token) {
		return opts, usage("the token has a line break or another control character in it", "give it as one line")
	}
	if _, given := opts.Header["Authorization"]; token != "" && !given {
		opts.Header.Set("Authorization", "Bearer "+token)
	}
	for name, d := range map[string]time.Duration{"timeout": f.budgets.Total, "start-timeout": f.budgets.Start, "handshake-timeout": f.budgets.Handshake,
		"request-timeout": f.budgets.Request, "listing-timeout": f.budgets.Listing, "probe-timeout": f.budgets.Probe} {
		if d <= 0 {
			return opts, usage("--"+name+" must be longer than nothing", "for example --"+name+" 30s")
		}
	}
	if f.inFlight < 1 || f.inFlight > 64 {
		return opts, usage("--in-flight must be between 1 and 64", "")
	}
	if f.cacert != "" {
		pem, err := os.ReadFile(f.cacert)
		if err != nil {
			return opts, usage("cannot read --cacert "+f.cacert+": "+reason(err), "")
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return opts, usage("--cacert "+f.cacert+" holds no certificate in PEM form", "it should contain a block BEGIN CERTIFICATE")
		}
		opts.RootCAs = pool
	}
	if (f.cert == "") != (f.key == "") {
		return opts, usage("--cert and --key belong together", "give both, or neither")
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return opts, usage(fmt.Sprintf("cannot use --cert %s with --key %s: %s", f.cert, f.key, reason(err)), "both must be PEM files that belong together")
		}
		opts.Cert = &pair
	}
	return opts, nil
}

// shown names a target in a message, without secrets.
func shown(t capture.Target) string {
	if t.URL != "" {
		return recording.MaskURL(t.URL)
	}
	return t.Command[0]
}
