// Package npm records what an npm registry says about a package. The registry is the one that the user's npm is configured to use.
package npm

import (
	"context"

	"deps.dev/util/semver"

	"github.com/mcp-hallmark/hallmark/internal/collect/registry"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// Collect asks for the document of the package, which has all versions. Where that is too large, the document of the one version or tag
// that was asked for takes its place. The error tells of a configuration that cannot be used.
func Collect(ctx context.Context, p recording.Package, opts registry.Options) (*recording.Recording, error) {
	endpoint := registry.Endpoint{URL: opts.Base, Source: "the command line"}
	if opts.Base == "" {
		var err error
		if endpoint, err = Find(opts.Place, p.Identifier); err != nil {
			return nil, err
		}
	}
	s, err := registry.Open(p, endpoint, opts)
	if err != nil {
		return nil, err
	}
	const accept = "application/json"
	_, failure := s.Get(ctx, recording.PackageProject, accept, p.Identifier)
	if failure != nil && failure.Class == recording.FailTooLarge && singular(p.Requested) {
		version := p.Requested
		if version == "" {
			version = "latest"
		}
		s.Get(ctx, recording.PackageRelease, accept, p.Identifier, version)
	}
	return s.Close(ctx), nil
}

// singular reports whether a request names a version or a tag rather than a range.
func singular(requested string) bool {
	c, err := semver.NPM.ParseConstraint(requested)
	return requested == "" || err != nil || c.IsSimple()
}
