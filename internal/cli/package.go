package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/collect/npm"
	"github.com/mcp-hallmark/hallmark/internal/collect/pypi"
	"github.com/mcp-hallmark/hallmark/internal/collect/registry"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// collectPackage records what the registry says about a package.
func collectPackage(ctx context.Context, env *Env, p recording.Package, base string, how capture.Options) (*recording.Recording, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, usage("the working directory cannot be told: "+reason(err), "")
	}
	ctx, cancel := context.WithTimeout(ctx, how.Budgets.Total)
	defer cancel()
	opts := registry.Options{
		Engine: how.Engine, AsOf: how.AsOf, RootCAs: how.RootCAs, Insecure: how.Insecure, Timeout: how.Budgets.Request, Base: base, Notify: how.Progress,
		Place: registry.Place{Getenv: env.Getenv, Dir: dir, Home: home(env)},
	}
	collect := npm.Collect
	if p.Registry == recording.PyPI {
		collect = pypi.Collect
	}
	rec, err := collect(ctx, p, opts)
	if err != nil {
		return nil, usage(fmt.Sprintf("cannot audit %s: %v", p, err), "correct the configuration of npm, pip or uv that it names")
	}
	return rec, nil
}
