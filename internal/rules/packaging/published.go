// Package packaging judges a package by what its registry publishes about it. Nothing of the package itself is read or run.
package packaging

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// needLookup wants the registry to have answered.
func needLookup(o *observe.Observation) *rule.Skip {
	switch {
	case o.Package == nil:
		return rule.SkipFor(rule.NotApplicable, "the rule is about packages, and a server was audited")
	case o.Package.Outcome == observe.PackageError:
		why := ""
		if o.Package.Failure != nil {
			why = ": " + o.Package.Failure.Detail
		}
		return rule.SkipFor(rule.Insufficient, "the registry could not be read%s", why)
	}
	return nil
}

// needPackage wants a package that exists, in whatever versions.
func needPackage(o *observe.Observation) *rule.Skip {
	if s := needLookup(o); s != nil {
		return s
	}
	if o.Package.Outcome == observe.PackageNotFound {
		return rule.SkipFor(rule.Insufficient, "the registry has no package of this name")
	}
	return nil
}

// needRelease wants a release that exists.
func needRelease(o *observe.Observation) *rule.Skip {
	if s := needPackage(o); s != nil {
		return s
	}
	if o.Package.Outcome == observe.PackageVersionNotFound {
		return rule.SkipFor(rule.Insufficient, "the registry has no release that is %s", o.Package.Package)
	}
	return nil
}

// needDocument wants the metadata of the release.
func needDocument(o *observe.Observation) *rule.Skip {
	if s := needRelease(o); s != nil {
		return s
	}
	if o.Package.Undocumented {
		return rule.SkipFor(rule.Insufficient, "the index lists the files of version %s and has no document about it", o.Package.Release.Version)
	}
	return nil
}

// at places a finding at a member of the metadata. Its path counts from the release's document, or else from the whole one.
func at(p *observe.Package, place observe.Field, reason, seen, want string) rule.Finding {
	step := place.Step
	if step == "" {
		step = recording.PackageProject
	}
	path := string(place.Pointer)
	if p.Document.Exists() && p.Document.Step == step {
		path = strings.TrimPrefix(path, string(p.Document.Pointer))
	}
	return rule.Finding{Entity: "package", Index: -1, Name: p.Package.String(), Path: path, Step: step, Pointer: string(place.Pointer), Reason: reason, Seen: seen, Want: want}
}

// orNull is the form of details in which nothing is null.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func registryEntry(member string) spec.Citation {
	return spec.Citation{Document: "MCP Registry", Section: "server.json › packages › " + member, URL: "https://github.com/modelcontextprotocol/registry"}
}

func npmDocs(section string) spec.Citation {
	return spec.Citation{Document: "npm documentation", Section: section}
}

func pypa(page, section string) spec.Citation {
	return spec.Citation{Document: "Python Packaging specifications", Section: section, URL: "https://packaging.python.org/en/latest/specifications/" + page + "/"}
}
