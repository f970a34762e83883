package recording

// Package registries.
const (
	NPM  = "npm"
	PyPI = "pypi"
)

// Package is a package whose public metadata was audited, in place of a server.
type Package struct {
	Registry   string `json:"registry"`   // NPM or PyPI
	Identifier string `json:"identifier"` // the name as given
	// Requested is the version as given: an exact one, a tag or a range of npm, or specifiers of PyPI, which begin with an operator. Empty
	// when the newest release was asked for.
	Requested string `json:"requested,omitempty"`
	// Server is the name of the server that a server.json claims the package for, empty where none does.
	Server string `json:"server,omitempty"`
}

// Steps of a package audit. Each holds one document of the registry.
const (
	PackageProject = "package/project" // what the registry says about the package with all of its versions
	PackageRelease = "package/release" // about one version, where that is a document of its own
	PackageIndex   = "package/index"   // the list of files (PEP 503), asked for only to tell a missing package from a missing interface
)

// String writes the coordinate the way people give it: "npm:name@1.2.3", "pypi:name==1.2.3", "pypi:name>=1,<2".
func (p Package) String() string {
	name := p.Registry + ":" + p.Identifier
	switch {
	case p.Requested == "":
		return name
	case p.Registry == NPM:
		return name + "@" + p.Requested
	case p.Specified():
		return name + p.Requested
	}
	return name + "==" + p.Requested
}

// Specified reports whether Requested is a set of PyPI's version specifiers rather than one version.
func (p Package) Specified() bool {
	if p.Registry != PyPI || p.Requested == "" {
		return false
	}
	switch p.Requested[0] {
	case '<', '>', '=', '!', '~':
		return true
	}
	return false
}
