// Package coordinate reads how people name a package: "npm:name@version", "pypi:name==version", and package URLs ("pkg:npm/name@version",
// the purl specification). It knows names and versions by their form only; which of them exist is the registry's to say.
package coordinate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"deps.dev/util/semver"
	"github.com/package-url/packageurl-go"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// Is reports whether text begins like a coordinate, so that Parse is the one to say what is wrong with it.
func Is(text string) bool {
	scheme, _, ok := strings.Cut(strings.TrimSpace(text), ":")
	switch strings.ToLower(scheme) {
	case "npm", "pypi", "pkg":
		return ok
	}
	return false
}

// Parse reads a coordinate. The error is one clause that says what is wrong.
func Parse(text string) (recording.Package, error) {
	prefix, rest, ok := strings.Cut(strings.TrimSpace(text), ":")
	if !ok {
		return recording.Package{}, errors.New("the registry is missing: write npm:NAME or pypi:NAME")
	}
	switch registry := strings.ToLower(strings.TrimSpace(prefix)); registry {
	case recording.NPM:
		return npm(strings.TrimSpace(rest))
	case recording.PyPI:
		return pypi(strings.TrimSpace(rest))
	case "pkg":
		return purl(strings.TrimSpace(text))
	default:
		return recording.Package{}, fmt.Errorf("packages of %q cannot be audited, only those of npm and pypi", registry)
	}
}

var npmSegment = regexp.MustCompile(`^[^\s/@]+$`)

// npm reads name[@version]. A version follows the last "@" that is not the first character, which marks a scope.
func npm(text string) (recording.Package, error) {
	p := recording.Package{Registry: recording.NPM, Identifier: text}
	if i := strings.LastIndexByte(text, '@'); i > 0 {
		p.Identifier, p.Requested = strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
		if p.Requested == "" {
			return p, errors.New("no version follows the @")
		}
	}
	if p.Identifier == "" {
		return p, errors.New("the name is missing")
	}
	name := p.Identifier
	if scope, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") && npmSegment.MatchString(scope[1:]) {
		name = rest
	}
	if !npmSegment.MatchString(name) || p.Identifier == "." || p.Identifier == ".." {
		return p, fmt.Errorf("%q is no name of an npm package", p.Identifier)
	}
	return p, nil
}

var pypiName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`)

// pypi reads name, name==version, or a name with other version specifiers (PEP 440).
func pypi(text string) (recording.Package, error) {
	p := recording.Package{Registry: recording.PyPI, Identifier: pypiName.FindString(text)}
	if p.Identifier == "" {
		if text == "" {
			return p, errors.New("the name is missing")
		}
		return p, fmt.Errorf("%q is no name of a PyPI project", text)
	}
	rest := strings.TrimSpace(text[len(p.Identifier):])
	switch {
	case rest == "":
		return p, nil
	case rest[0] == '[':
		return p, errors.New("extras in brackets are not part of a project's name: leave them out")
	case !strings.ContainsRune("<>=!~", rune(rest[0])):
		return p, fmt.Errorf("%q is no name of a PyPI project", text)
	case strings.HasPrefix(rest, "==") && !strings.Contains(rest, ",") && !strings.HasSuffix(rest, ".*"):
		p.Requested = strings.TrimSpace(strings.TrimPrefix(rest[2:], "="))
		if p.Requested == "" {
			return p, errors.New("no version follows the ==")
		}
		if strings.ContainsRune("<>=!~", rune(p.Requested[0])) {
			return p, fmt.Errorf("%q is no version", p.Requested)
		}
		return p, nil
	}
	if _, err := semver.PyPI.ParseConstraint(rest); err != nil {
		return p, fmt.Errorf("%q is no set of version specifiers (such as >=1.2,<2)", rest)
	}
	p.Requested = strings.Join(strings.Fields(rest), "")
	return p, nil
}

func purl(text string) (recording.Package, error) {
	u, err := packageurl.FromString(text)
	if err != nil {
		return recording.Package{}, fmt.Errorf("it is no package URL: %w", err)
	}
	name := u.Name
	if u.Namespace != "" {
		name = u.Namespace + "/" + u.Name
	}
	if u.Subpath != "" {
		return recording.Package{}, errors.New("a part of a package has no metadata of its own: leave out what follows the #")
	}
	if _, ok := u.Qualifiers.Map()["repository_url"]; ok {
		return recording.Package{}, errors.New("the registry comes from your client configuration: leave out repository_url")
	}
	var p recording.Package
	switch u.Type {
	case packageurl.TypeNPM:
		p, err = npm(name)
	case packageurl.TypePyPi:
		p, err = pypi(name)
	default:
		return p, fmt.Errorf("packages of %q cannot be audited, only those of npm and pypi", u.Type)
	}
	if p.Requested != "" && err == nil {
		err = errors.New("the version stands in its name: escape it")
	}
	p.Requested = u.Version
	return p, err
}
