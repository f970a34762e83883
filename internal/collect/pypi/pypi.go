// Package pypi records what a Python package index says about a project. The index is the one that the user's installers are configured
// to use.
package pypi

import (
	"context"
	"net/http"
	"regexp"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/collect/registry"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// Collect asks for the JSON document of the version that was named, or of the project and then of the version that is chosen from it. A
// 404 is followed up, to tell a version from a project that does not exist, and a project from an index that has no such documents. The
// error tells of a configuration that cannot be used.
func Collect(ctx context.Context, p recording.Package, opts registry.Options) (*recording.Recording, error) {
	index := Index{Endpoint: registry.Endpoint{URL: opts.Base, Source: "the command line"}}
	if opts.Base == "" {
		var err error
		if index, err = Find(opts.Place); err != nil {
			return nil, err
		}
	}
	s, err := registry.Open(p, index.Endpoint, opts)
	if err != nil {
		return nil, err
	}
	const accept = "application/json"
	name := Normalize(p.Identifier)
	absent := func(f *recording.Failure) bool { return f != nil && f.Status == http.StatusNotFound }
	if p.Requested != "" && !p.Specified() {
		_, failure := s.Get(ctx, recording.PackageRelease, accept, "pypi", name, p.Requested, "json")
		if !absent(failure) {
			return s.Close(ctx), nil
		}
	}
	project, failure := s.Get(ctx, recording.PackageProject, accept, "pypi", name, "json")
	switch {
	case absent(failure) && index.Configured:
		s.Get(ctx, recording.PackageIndex, "application/vnd.pypi.simple.v1+json, text/html;q=0.5", append(index.Simple, name, "")...)
	case failure == nil && (p.Requested == "" || p.Specified()):
		chosen := observe.ChoosePyPI(project, p.Requested).Version
		if shown, _ := project.Path("info", "version").Text(); chosen != "" && chosen != strings.TrimSpace(shown) {
			s.Get(ctx, recording.PackageRelease, accept, "pypi", name, chosen, "json")
		}
	}
	return s.Close(ctx), nil
}

var separators = regexp.MustCompile(`[-_.]+`)

// Normalize is the form in which names of projects are compared (PEP 503).
func Normalize(name string) string { return strings.ToLower(separators.ReplaceAllString(name, "-")) }
