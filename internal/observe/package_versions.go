package observe

import (
	"strings"

	"deps.dev/util/semver"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// How a release was chosen.
const (
	ReleasePinned = "pinned" // the version was named
	ReleaseTag    = "tag"    // a dist-tag of npm was named
	ReleaseRange  = "range"  // the newest one that a range allows
	ReleaseNewest = "newest" // none was named
)

// Release is the version that a package audit judges.
type Release struct {
	Version   string // empty when there is none
	How       string // empty when there is none
	Available int    // versions that the registry has
}

// ChooseNPM chooses among the versions of an npm package document the way the npm client does: a version as written or in its normal
// form, else a tag, else the newest version of a range. Without a request it is the tag latest, and where that leads nowhere the newest
// version that is neither a pre-release nor deprecated.
func ChooseNPM(doc jsondoc.Value, requested string) Release {
	versions, tags := doc.Get("versions"), doc.Get("dist-tags")
	r := Release{Available: versions.Len()}
	chosen := func(version, how string) Release {
		r.Version, r.How = version, how
		return r
	}
	latest := tags.Get("latest").TextOr("")
	if requested == "" {
		if latest != "" && (r.Available == 0 || versions.Get(latest).Exists()) {
			return chosen(latest, ReleaseNewest)
		}
		if v := newestNPM(versions, nil); v != "" {
			return chosen(v, ReleaseNewest)
		}
		return r
	}
	if versions.Get(requested).Exists() {
		return chosen(requested, ReleasePinned)
	}
	if tagged := tags.Get(requested).TextOr(""); tagged != "" && versions.Get(tagged).Exists() {
		return chosen(tagged, ReleaseTag)
	}
	c, err := semver.NPM.ParseConstraint(requested)
	if err != nil {
		return r
	}
	if bare := strings.TrimLeft(requested, "=v "); c.IsSimple() && versions.Get(bare).Exists() {
		return chosen(bare, ReleasePinned)
	}
	if latest != "" && versions.Get(latest).Exists() && c.Match(latest) {
		return chosen(latest, ReleaseRange)
	}
	if v := newestNPM(versions, c); v != "" {
		return chosen(v, ReleaseRange)
	}
	return r
}

// newestNPM returns the newest version that c allows, any release when c is nil; a deprecated one only where there is no other.
func newestNPM(versions jsondoc.Value, c *semver.Constraint) string {
	best, bestDeprecated := newest{system: semver.NPM}, newest{system: semver.NPM}
	for _, m := range versions.Members() {
		v, err := semver.NPM.Parse(m.Name)
		if err != nil || c == nil && v.IsPrerelease() || c != nil && !c.Match(m.Name) {
			continue
		}
		if d := m.Value.Get("deprecated"); truthy(d) {
			bestDeprecated.offer(m.Name)
		} else {
			best.offer(m.Name)
		}
	}
	if best.version == "" {
		return bestDeprecated.version
	}
	return best.version
}

// ChoosePyPI chooses among the releases of a project document: the newest one in the order of PEP 440 that the specifiers allow, has
// files, and is not yanked (PEP 592); a pre-release only where the specifiers ask for one or there is nothing else. Without a request and
// without a list of releases it is the version that the index itself shows.
func ChoosePyPI(doc jsondoc.Value, requested string) Release {
	releases := doc.Get("releases")
	r := Release{Available: releases.Len()}
	var c *semver.Constraint
	if requested != "" {
		var err error
		if c, err = semver.PyPI.ParseConstraint(requested); err != nil {
			return r
		}
	}
	final, early := newest{system: semver.PyPI}, newest{system: semver.PyPI}
	for _, m := range releases.Members() {
		v, err := semver.PyPI.Parse(m.Name)
		if err != nil || !installable(m.Value) {
			continue
		}
		preRelease := v.IsPrerelease() || strings.Contains(strings.ToLower(m.Name), "dev")
		switch {
		case c != nil && c.Match(m.Name), c == nil && !preRelease:
			final.offer(m.Name)
		case c == nil || c.MatchVersionPrerelease(v):
			early.offer(m.Name)
		}
	}
	switch {
	case final.version != "":
		r.Version = final.version
	case early.version != "":
		r.Version = early.version
	case requested == "":
		r.Version = clean(doc.Path("info", "version"))
	}
	if r.Version != "" {
		r.How = ReleaseNewest
		if requested != "" {
			r.How = ReleaseRange
		}
	}
	return r
}

// FindPyPI looks for a version among the releases of a project document, in whatever of its spellings (PEP 440: 1.0 is 1.0.0).
func FindPyPI(doc jsondoc.Value, version string) Release {
	releases := doc.Get("releases")
	r := Release{Available: releases.Len()}
	wanted, err := semver.PyPI.Parse(version)
	for _, m := range releases.Members() {
		if m.Name == version {
			r.Version, r.How = m.Name, ReleasePinned
			return r
		}
		if v, parseErr := semver.PyPI.Parse(m.Name); err == nil && parseErr == nil && v.Compare(wanted) == 0 && r.Version == "" {
			r.Version, r.How = m.Name, ReleasePinned
		}
	}
	return r
}

// installable reports whether a release has a file that is not yanked.
func installable(files jsondoc.Value) bool {
	for _, f := range files.Elements() {
		if !f.Value.Get("yanked").True() {
			return true
		}
	}
	return false
}

// newest keeps the greatest of the versions offered to it.
type newest struct {
	system  semver.System
	version string
}

func (n *newest) offer(version string) {
	if n.version == "" || n.system.Compare(version, n.version) > 0 {
		n.version = version
	}
}
