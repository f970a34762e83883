package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/mcpserver"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

type mcpFlags struct {
	http     string
	commands bool
	private  bool
}

func newMCP(env *Env) *cobra.Command {
	f := &mcpFlags{}
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Serve audits to models, as an MCP server",
		Long: `Mcp is an MCP server itself, over standard input and output or over Streamable HTTP on this machine. Its tools audit a server, explain a
rule and compare two reports; its resources are the rules and the last reports. See docs/mcp.md.

Whoever calls the tools is a model, so it gets no more than it needs: your credentials and files stay away, targets in private networks
are refused, and commands are started only with --allow-commands, which is the same as letting the model run programs.`,
		Example: `  hallmark mcp
  hallmark mcp --http 127.0.0.1:8080
  hallmark mcp --allow-commands`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), env, cmd.Flags().Changed("http"))
		},
	}
	cmd.Flags().StringVar(&f.http, "http", "", "`address` on this machine to serve Streamable HTTP on, at /mcp; port 0 chooses a free one")
	cmd.Flags().BoolVar(&f.commands, "allow-commands", false, "let clients name commands, which run on this machine as you")
	cmd.Flags().BoolVar(&f.private, "allow-private", false, "let clients name targets in private networks")
	return cmd
}

func (f *mcpFlags) run(ctx context.Context, env *Env, overHTTP bool) error {
	if overHTTP && f.commands {
		return usage("--allow-commands cannot be had with --http", "whoever reaches the address could run programs as you; serve over standard input and output instead")
	}
	roster, err := policy.Load("")
	if err != nil {
		return err
	}
	srv, err := mcpserver.New(mcpserver.Options{
		Version: engine().Version, Commands: f.commands,
		Audit: func(ctx context.Context, target mcpserver.Target, progress func(string)) (*report.Report, error) {
			opts := capture.Options{Engine: engine(), AsOf: env.Now(), Progress: progress}
			if target.URL != "" && !f.private {
				if err := fenced(ctx, target.URL, &opts); err != nil {
					return nil, err
				}
			}
			rec, err := capture.Run(ctx, capture.Target{URL: target.URL, Command: target.Command}, opts)
			if err != nil {
				return nil, err
			}
			return audit.Judge(rec, roster, engine()), nil
		},
	})
	if err != nil {
		return err
	}
	if overHTTP {
		return f.serve(ctx, env, mcpserver.Handler(srv))
	}
	err = srv.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(env.Stdin), Writer: discardClose{env.Stdout}})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return &exitError{code: ExitTarget, message: "the session ended: " + err.Error()}
	}
	return nil
}

type discardClose struct{ io.Writer }

func (discardClose) Close() error { return nil }

// fenced keeps an audit off private networks. A proxy resolves names itself, so behind one only the check beforehand remains.
func fenced(ctx context.Context, target string, opts *capture.Options) error {
	u, err := url.Parse(target)
	if err != nil {
		return errors.New("the address is no URL")
	}
	fence := wire.Fence{Also: thisMachine()}
	if err := fence.Check(ctx, u); err != nil {
		return fmt.Errorf("%s leads into a private network, where this server audits nothing; its user can start it with --allow-private", u.Hostname())
	}
	if proxy, err := wire.EnvironmentProxy()(u); err == nil && proxy == nil {
		opts.Dial = fence.Dial
	}
	return nil
}

// thisMachine allows loopback and the addresses of this machine: developers audit what they are working on.
func thisMachine() func(netip.Addr) bool {
	own := map[netip.Addr]bool{}
	addrs, _ := net.InterfaceAddrs() // without them, loopback remains
	for _, a := range addrs {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && !prefix.Addr().IsLinkLocalUnicast() {
			own[prefix.Addr().Unmap()] = true
		}
	}
	return func(a netip.Addr) bool { return a.IsLoopback() || own[a] }
}

// serve serves over HTTP until the context ends.
func (f *mcpFlags) serve(ctx context.Context, env *Env, handler http.Handler) error {
	host, port, err := net.SplitHostPort(f.http)
	if err != nil {
		return usage(fmt.Sprintf("--http %q is no address", f.http), "for example --http 127.0.0.1:8080")
	}
	switch ip, err := netip.ParseAddr(host); {
	case host == "" || host == "localhost":
		host = "127.0.0.1"
	case err != nil || !ip.IsLoopback():
		return usage(fmt.Sprintf("--http %s would serve other machines too, and there is no sign-in", f.http), "use 127.0.0.1:"+port+", and a proxy with a sign-in in front of it")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return usage("cannot listen on "+f.http+": "+err.Error(), "")
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(env.Stderr, "hallmark: serving MCP at http://%s/mcp\n", listener.Addr())
	stopped := context.AfterFunc(ctx, func() { srv.Close() })
	defer stopped()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return &exitError{code: ExitTarget, message: err.Error()}
	}
	return nil
}
