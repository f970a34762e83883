package report

import (
	"time"

	"github.com/mcp-hallmark/hallmark/internal/observe"
)

// packageOf is the report's block about a package, nil for audits of servers.
func packageOf(p *observe.Package) *Package {
	if p == nil {
		return nil
	}
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		s = bounded(s, maxText)
		return &s
	}
	b := &Package{
		Registry: p.Registry, Identifier: bounded(p.Identifier, maxExcerpt), Outcome: p.Outcome,
		RequestedVersion: text(p.Requested), ResolvedVersion: text(p.Release.Version), Resolution: text(p.Release.How),
		RepositoryURL: text(p.Repository.Text), License: text(p.License.Text), LicenseKind: text(p.License.Kind), Withdrawn: p.Withdrawn.Yes,
	}
	if link := p.Link(); link != "" {
		b.ServerLink = &ServerLink{Claimed: bounded(p.Server, maxExcerpt), Declared: text(p.Marker.Text), Verdict: link}
	}
	if p.Failure != nil {
		b.Error = text(p.Failure.Detail)
		if p.Failure.Detail == "" {
			b.Error = text(string(p.Failure.Class))
		}
	}
	if !p.Published.IsZero() {
		b.PublishedAt = text(p.Published.Format(time.RFC3339Nano))
	}
	return b
}
