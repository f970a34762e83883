package observe

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// PackageAudit is the kind of an audit of a package's metadata, in which no server was looked at.
const PackageAudit Kind = "package"

// Outcomes of looking a package up.
const (
	PackageFound           = "ok"
	PackageNotFound        = "not-found"         // the registry does not know the name
	PackageVersionNotFound = "version-not-found" // it does, and nothing it has is what was asked for
	PackageError           = "error"             // nothing was learned: Failure says why
)

// Package is what a registry publishes about a package.
type Package struct {
	recording.Package
	Outcome  string
	Failure  *recording.Failure // why nothing was learned
	Release  Release            // which one is judged
	Document Field              // its metadata: the version's entry of npm, "info" of PyPI; absent when there is none
	// Undocumented says that the index lists the release and has no document about it. Only its files tell something.
	Undocumented bool
	Project      Field // what npm says about the package as a whole, for members that a version leaves out

	Withdrawn   Withdrawal
	Repository  Declared
	License     License
	Description Declared
	Marker      Declared  // the name of the server that the package says it holds
	Published   time.Time // zero when unknown
}

// Declared is what a package says on one subject, and where. When it says nothing, the place is that of the document.
type Declared struct {
	Text  string // trimmed, empty when nothing is said
	Place Field
}

// Withdrawal tells whether a release was taken back: deprecated at npm, yanked at PyPI, or unpublished altogether.
type Withdrawal struct {
	Yes    bool
	Kind   string // "deprecated", "yanked", "unpublished"
	Reason string // the publisher's words; may stand where Yes is false
	Place  Field
}

// lookup is the answer to one request for a document of a registry.
type lookup struct {
	field   Field
	missing bool // 404
	failure *recording.Failure
}

func (s *source) lookup(step string) *lookup {
	e := s.Find(step)
	if e == nil {
		return nil
	}
	value, failure := PackageDocument(e)
	missing := failure != nil && failure.Status == 404
	if missing {
		failure = nil
	}
	return &lookup{Field{Value: value, Step: step}, missing, failure}
}

// PackageDocument returns the JSON object that a registry answered with, or why there is none. A failure with the status 404 means that
// the registry answered and has no such document.
func PackageDocument(e *recording.Exchange) (jsondoc.Value, *recording.Failure) {
	none := jsondoc.Value{}
	fail := func(class recording.Class, format string, args ...any) (jsondoc.Value, *recording.Failure) {
		f := recording.Failure{Class: class, Phase: "registry", Detail: fmt.Sprintf(format, args...)}
		if e.Response != nil {
			f.Status = e.Response.Status
		}
		return none, &f
	}
	if e.Failure != nil {
		f := *e.Failure
		f.Phase = "registry"
		if f.Status == 404 { // cut off or too large: not what a registry says no with
			f.Status = 0
		}
		return none, &f
	}
	if e.Response == nil {
		return fail(recording.FailNoAnswer, "the registry did not answer")
	}
	switch s := e.Response.Status; {
	case s == 200:
	case s == 401:
		return fail(recording.FailUnauthorized, "HTTP %d", s)
	case s == 403:
		return fail(recording.FailForbidden, "HTTP %d", s)
	case s == 429:
		return fail(recording.FailRateLimited, "HTTP %d", s)
	case s >= 500:
		return fail(recording.FailServerError, "HTTP %d", s)
	case s >= 300 && s < 400:
		return fail(recording.FailRedirected, "HTTP %d, a redirect that is not followed", s)
	default:
		return fail(recording.FailHTTP, "HTTP %d", s)
	}
	if e.Response.Body == nil || e.Response.Body.Cut {
		return fail(recording.FailTooLarge, "the document is larger than what is kept of it")
	}
	value, _, err := jsondoc.Parse(e.Response.Body.Bytes)
	switch {
	case err != nil && strings.HasPrefix(strings.TrimSpace(string(e.Response.Body.Bytes[:min(64, len(e.Response.Body.Bytes))])), "<"):
		return fail(recording.FailHTML, "the answer is a web page")
	case err != nil:
		return fail(recording.FailNotJSON, "the answer is no JSON")
	case !value.IsObject():
		return fail(recording.FailNotJSON, "the answer is a JSON %s, not an object", value.Kind())
	}
	return value, nil
}

// decodePackage decodes the recording of a package audit.
func decodePackage(rec *source, o *Observation) {
	p := &Package{Package: *rec.Target.Package, Outcome: PackageError}
	switch p.Registry {
	case recording.NPM:
		p.decodeNPM(rec)
	case recording.PyPI:
		p.decodePyPI(rec)
	default:
		p.failed(&recording.Failure{Class: recording.FailInvalidTarget, Phase: "target", Detail: fmt.Sprintf("packages of %q cannot be audited", p.Registry)})
	}
	if p.Outcome == PackageError && (p.Failure == nil || rec.Failure != nil) {
		p.Failure = rec.Failure
	}
	if p.Outcome == PackageError && p.Failure == nil {
		p.Failure = &recording.Failure{Class: recording.FailNoAnswer, Phase: "registry", Detail: "the registry was not asked"}
	}
	o.Package, o.Transport, o.FirstByte = p, "", firstByte(rec)
	o.Failure = rec.Failure
	if p.Outcome == PackageError {
		o.Failure = p.Failure
		return
	}
	o.Kind = PackageAudit
}

func (p *Package) failed(f *recording.Failure) { p.Outcome, p.Failure = PackageError, f }

func (p *Package) decodeNPM(rec *source) {
	project := rec.lookup(recording.PackageProject)
	switch {
	case project == nil:
		return
	case project.missing:
		p.Outcome = PackageNotFound
		return
	case project.failure != nil:
		p.decodeNPMRelease(rec, project.failure)
		return
	}
	p.Release = ChooseNPM(project.field.Value, p.Requested)
	if p.Requested != "" && p.Release.Version == "" {
		p.Outcome = PackageVersionNotFound
		return
	}
	p.Outcome = PackageFound
	p.Project = project.field
	if v := p.Release.Version; v != "" {
		p.Document = within(p.Project, "versions", v)
		p.Published = instant(project.field.Path("time", v))
	}
	p.describeNPM()
}

// decodeNPMRelease takes the document of the one version that was asked for in place of that of the package, which could not be read.
func (p *Package) decodeNPMRelease(rec *source, why *recording.Failure) {
	release := rec.lookup(recording.PackageRelease)
	switch {
	case release == nil:
		p.failed(why)
	case release.failure != nil:
		p.failed(release.failure)
	case release.missing:
		p.Outcome = PackageVersionNotFound
	default:
		p.Outcome, p.Document = PackageFound, release.field
		p.Release = Release{Version: release.field.Get("version").TextOr(""), How: ReleaseTag}
		switch p.Requested {
		case "":
			p.Release.How = ReleaseNewest
		case p.Release.Version:
			p.Release.How = ReleasePinned
		}
		p.describeNPM()
	}
}

// describeNPM reads what the release says, and what the package says where the release is silent: the registry copies these members from
// the newest release to the package.
func (p *Package) describeNPM() {
	either := func(name string) Field {
		if f := within(p.Document, name); truthy(f.Value) {
			return f
		}
		if f := within(p.Project, name); truthy(f.Value) {
			return f
		}
		return within(p.Document, name)
	}
	description := either("description")
	p.Description = Declared{clean(description.Value), description}
	repository := either("repository")
	p.Repository = Declared{npmRepository(repository.Value), repository}
	license := either("license")
	if !truthy(license.Value) {
		if old := either("licenses"); truthy(old.Value) {
			license = old
		}
	}
	p.License = npmLicense(license)
	marker := within(p.Document, "mcpName")
	p.Marker = Declared{clean(marker.Value), marker}
	deprecated := within(p.Document, "deprecated")
	p.Withdrawn = Withdrawal{Place: deprecated, Reason: clean(deprecated.Value)}
	if truthy(deprecated.Value) && !(deprecated.IsString() && p.Withdrawn.Reason == "") {
		p.Withdrawn.Yes, p.Withdrawn.Kind = true, "deprecated"
	}
	if gone := within(p.Project, "time", "unpublished"); p.Release.Version == "" && gone.IsObject() {
		p.Withdrawn = Withdrawal{Yes: true, Kind: "unpublished", Place: gone}
	}
}

func (p *Package) decodePyPI(rec *source) {
	project, release := rec.lookup(recording.PackageProject), rec.lookup(recording.PackageRelease)
	exact := p.Requested != "" && !p.Specified()
	switch {
	case exact && release == nil:
		return
	case exact && release.failure != nil:
		p.failed(release.failure)
		return
	case exact && !release.missing:
		p.Release = Release{Version: clean(release.field.Path("info", "version")), How: ReleasePinned}
		if p.Release.Version == "" {
			p.Release.Version = p.Requested
		}
		if project != nil && project.failure == nil && !project.missing {
			p.Release.Available = project.field.Get("releases").Len()
		}
		p.foundPyPI(release.field)
		return
	case project == nil:
		return
	case project.failure != nil:
		p.failed(project.failure)
		return
	case project.missing:
		p.missingPyPI(rec)
		return
	}
	if exact {
		p.Release = FindPyPI(project.field.Value, p.Requested)
	} else {
		p.Release = ChoosePyPI(project.field.Value, p.Requested)
	}
	info := clean(project.field.Path("info", "version"))
	switch {
	case p.Requested != "" && p.Release.Version == "":
		p.Outcome = PackageVersionNotFound
	case p.Release.Version == "" || p.Release.Version == info:
		p.foundPyPI(project.field)
	case release == nil:
		p.failed(&recording.Failure{Class: recording.FailNoAnswer, Phase: "registry", Detail: "the release that was chosen was not asked for"})
	case release.missing:
		p.listedPyPI(within(project.field, "releases", p.Release.Version))
	case release.failure != nil:
		p.failed(release.failure)
	default:
		p.foundPyPI(release.field)
	}
}

// listedPyPI takes what the list of a release's files tells, for indexes that have no document about each release.
func (p *Package) listedPyPI(files Field) {
	p.Outcome, p.Undocumented = PackageFound, true
	p.Withdrawn = Withdrawal{Place: files}
	if files.Len() > 0 && !installable(files.Value) {
		p.Withdrawn.Yes, p.Withdrawn.Kind = true, "yanked"
		p.Withdrawn.Reason = clean(files.At(0).Get("yanked_reason"))
	}
	p.Published = firstUpload(files.Value)
}

// missingPyPI tells a project that does not exist from an index that has files only and no metadata to ask for.
func (p *Package) missingPyPI(rec *source) {
	index := rec.Find(recording.PackageIndex)
	switch {
	case index == nil:
		p.Outcome = PackageNotFound
	case index.Response != nil && index.Response.Status == 404:
		p.Outcome = PackageNotFound
	case index.Response != nil && index.Response.Status == 200:
		p.failed(&recording.Failure{Class: recording.FailHTTP, Phase: "registry", Status: 404,
			Detail: "the index has the project's files and does not serve its metadata as JSON"})
	default:
		_, failure := PackageDocument(index)
		p.failed(failure)
	}
}

func (p *Package) foundPyPI(document Field) {
	p.Outcome = PackageFound
	p.Document = within(document, "info")
	summary := within(p.Document, "summary")
	p.Description = Declared{clean(summary.Value), summary}
	p.Repository = pypiRepository(p.Document)
	p.License = pypiLicense(p.Document)
	readme := within(p.Document, "description")
	p.Marker.Place = readme
	if m := marker.FindStringSubmatch(readme.TextOr("")); m != nil {
		p.Marker.Text = m[1]
	}
	yanked := within(p.Document, "yanked")
	p.Withdrawn = Withdrawal{Yes: yanked.True(), Place: yanked, Reason: clean(p.Document.Get("yanked_reason"))}
	if p.Withdrawn.Yes {
		p.Withdrawn.Kind = "yanked"
	}
	p.Published = firstUpload(document.Get("urls"))
}

// firstUpload is the time of the earliest upload of some files, zero when none is known.
func firstUpload(files jsondoc.Value) time.Time {
	var uploads []time.Time
	for _, file := range files.Elements() {
		if at := instant(file.Value.Get("upload_time_iso_8601")); !at.IsZero() {
			uploads = append(uploads, at)
		}
	}
	if len(uploads) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(uploads, time.Time.Compare)
}

// marker is how the README of a PyPI project names the server that it holds (MCP Registry, package ownership).
var marker = regexp.MustCompile(`(?m)\bmcp-name:[ \t]*([A-Za-z0-9._/-]+)`)

// Links between a package and the server that a server.json claims it for.
const (
	LinkMatch    = "match"    // the package names the server
	LinkMismatch = "mismatch" // it names another one, if only by the case of a letter
	LinkAbsent   = "absent"   // it names none
)

// Link compares the claim with what the package says; empty where nothing is claimed or no release was read.
func (p *Package) Link() string {
	switch {
	case p.Server == "" || !p.Document.Exists():
		return ""
	case p.Marker.Text == "":
		return LinkAbsent
	case p.Marker.Text == p.Server:
		return LinkMatch
	}
	return LinkMismatch
}

// within goes from a field to a member, whether or not that exists.
func within(f Field, names ...string) Field {
	for _, name := range names {
		f.Value, f.Pointer = f.Value.Get(name), f.Pointer.Child(name)
	}
	return f
}

// truthy is what JavaScript takes for true, except that an object without members is not: a registry fills such in.
func truthy(v jsondoc.Value) bool {
	switch v.Kind() {
	case jsondoc.Bool:
		return v.True()
	case jsondoc.Number:
		f, _ := v.Float()
		return f != 0
	case jsondoc.String:
		s, _ := v.Text()
		return s != ""
	case jsondoc.Array, jsondoc.Object:
		return v.Len() > 0
	}
	return false
}

// clean trims a string; everything else is empty.
func clean(v jsondoc.Value) string { return strings.TrimSpace(v.TextOr("")) }

// instant reads a time of ISO 8601, which is in UTC where it names no zone.
func instant(v jsondoc.Value) time.Time {
	text := clean(v)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}
