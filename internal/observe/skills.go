package observe

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Skills is the evidence about Agent Skills that a server offers (Skills extension, SEP-2640).
type Skills struct {
	Stateless bool // read over the stateless lifecycle, otherwise in the session
	// Listed tells that the first page of skills/list was read as a list; Complete that every page was. Malformed tells of a page
	// without an array of skills.
	Listed, Complete, Malformed bool
	ListError                   *SkillError // why a page is missing
	ListStep                    string      // the last page that was asked for
	Entries                     []Item      // of any JSON type
	Gets                        []SkillGet
	Unknown                     *SkillGet // skills/get of a name that the server does not list, nil when not asked
	Directories                 []SkillDirectory
	Files                       []SkillFile
	// BudgetExhausted tells that files were left unread for their size.
	BudgetExhausted bool
}

// SkillError says how a call about skills went wrong.
type SkillError struct {
	Outcome string // "timeout", "transport", "rpc_error", "malformed"; of file reads also "too_large" and "empty"
	Code    *int64 // of an rpc_error
	Text    string
	Step    string
}

// Unobserved reports whether the error says nothing about the server's skills.
func (e *SkillError) Unobserved() bool {
	return e != nil && (e.Outcome == "timeout" || e.Outcome == "transport")
}

// HasCode reports whether the error is a JSON-RPC error with this code.
func (e *SkillError) HasCode(code int64) bool { return e != nil && e.Code != nil && *e.Code == code }

// Plain returns the error as reports show it, nil for none.
func (e *SkillError) Plain() any {
	if e == nil {
		return nil
	}
	m := map[string]any{"outcome": e.Outcome, "error_code": nil}
	if e.Code != nil {
		m["error_code"] = *e.Code
	}
	return m
}

// SkillGet is a skills/get of one URI.
type SkillGet struct {
	URI   string
	Step  string
	Skill jsondoc.Value // result.skill, absent when there is none
	Error *SkillError
}

// SkillDirectory is a resources/directory/read of one URI, all pages together.
type SkillDirectory struct {
	URI       string
	Kind      string // "skill_root", "unknown", "file"
	Step      string
	Children  []Item
	Malformed bool // a page without an array of resources, or with a cursor that is no string
	Complete  bool // every page was read
	Error     *SkillError
}

// SkillFile is a resources/read of one file.
type SkillFile struct {
	URI      string
	Step     string
	Size     int64         // bytes served, also of a file that is too large to keep
	Digest   string        // "sha256:" and 64 lower-case hexadecimal digits of the bytes, empty when they were not kept
	MimeType jsondoc.Value // as served
	Text     *string       // of a SKILL.md, invalid UTF-8 replaced
	Error    *SkillError
}

// Limits of the collection of skills.
const (
	MaxSkillFile  = 1 << 20 // bytes of one file
	MaxSkillBytes = 8 << 20 // bytes of all files
	maxSkillFiles = 32      // SKILL.md files that are read
)

// DeclaresSkills reports whether the server declares the skills extension, in the session or in discovery; any value counts.
func (o *Observation) DeclaresSkills() bool {
	return o.Capabilities.Path("extensions", spec.ExtensionSkills).Exists() || o.Discovered.Path("capabilities", "extensions", spec.ExtensionSkills).Exists()
}

// SkillsCapabilities returns the capabilities that declare the extension, the session's first.
func (o *Observation) SkillsCapabilities() Field {
	if o.Capabilities.Path("extensions", spec.ExtensionSkills).Exists() {
		return o.Capabilities
	}
	if d := o.Discovered.Get("capabilities"); d.Path("extensions", spec.ExtensionSkills).Exists() {
		return Field{Value: d, Step: o.Discovered.Step, Pointer: o.Discovered.Pointer + "/capabilities"}
	}
	return o.Capabilities
}

// SkillDirectories reports whether the extension's settings say that directories can be read.
func (o *Observation) SkillDirectories() bool {
	return o.SkillsCapabilities().Path("extensions", spec.ExtensionSkills, "directoryRead").True()
}

func decodeSkills(rec *source, _ *Observation) *Skills { return DecodeSkills(rec.Recording) }

// DecodeSkills reads the exchanges "skills/…" of a recording, nil when there is none.
func DecodeSkills(rec *recording.Recording) *Skills {
	first := rec.Find("skills/list/1")
	if first == nil {
		return nil
	}
	s := &Skills{Stateless: !strings.HasPrefix(first.Connection, "session")}
	s.readList(rec)
	for n := 1; ; n++ {
		e := rec.Find(fmt.Sprintf("skills/get/%d", n))
		if e == nil {
			break
		}
		s.Gets = append(s.Gets, readGet(e))
	}
	if e := rec.Find("skills/get-unknown"); e != nil {
		g := readGet(e)
		s.Unknown = &g
	}
	for _, d := range []struct{ step, kind string }{{"skills/directory", "skill_root"}, {"skills/directory-unknown", "unknown"}, {"skills/directory-file", "file"}} {
		if e := rec.Find(d.step); e != nil {
			s.Directories = append(s.Directories, readDirectory([]*recording.Exchange{e}, d.kind))
		} else if pages := numbered(rec, d.step); pages != nil {
			s.Directories = append(s.Directories, readDirectory(pages, d.kind))
		}
	}
	for _, e := range numbered(rec, "skills/read") {
		s.Files = append(s.Files, readSkillFile(e))
	}
	s.BudgetExhausted = s.leftUnread()
	return s
}

func numbered(rec *recording.Recording, prefix string) []*recording.Exchange {
	var found []*recording.Exchange
	for n := 1; ; n++ {
		e := rec.Find(fmt.Sprintf("%s/%d", prefix, n))
		if e == nil {
			return found
		}
		found = append(found, e)
	}
}

func (s *Skills) readList(rec *recording.Recording) {
	pages := numbered(rec, "skills/list")
	s.Complete = true
	cursors := map[string]bool{}
	for i, e := range pages {
		s.ListStep = e.Step
		result, err := skillResult(e)
		list := result.Get("skills")
		if err != nil || !list.IsArray() {
			s.ListError, s.Malformed, s.Complete = err, err == nil || err.Outcome == "malformed", false
			break
		}
		s.Listed = true
		for n, el := range list.Elements() {
			s.Entries = append(s.Entries, Item{Index: len(s.Entries), Value: el.Value, Step: e.Step, Pointer: jsondoc.Pointer("/result/skills").Index(n)})
		}
		if s.Stateless && result.Get("resultType").TextOr("") != "complete" {
			s.Complete = false
		}
		switch cursor := result.Get("nextCursor"); {
		case cursor.Missing():
		case !cursor.IsString() || i == len(pages)-1 || cursors[cursor.TextOr("")]:
			s.Complete = false
		default:
			cursors[cursor.TextOr("")] = true
		}
	}
	for _, l := range rec.Listings {
		if l.Method == "skills/list" && !l.Complete {
			s.Complete = false
		}
	}
}

// skillResult returns the result of an answer, or how the call went wrong.
func skillResult(e *recording.Exchange) (jsondoc.Value, *SkillError) {
	msg, _, ok := e.Message()
	if f := unusable(e, msg, ok); f != nil {
		outcome := "transport"
		switch f.Class {
		case recording.FailTimeout, recording.FailDeadline:
			outcome = "timeout"
		case recording.FailNotMCP, recording.FailHTML:
			outcome = "malformed"
		}
		return jsondoc.Value{}, &SkillError{Outcome: outcome, Text: f.Detail, Step: e.Step}
	}
	if err := msg.Get("error"); err.IsObject() {
		code, ok := err.Get("code").Int()
		if !ok {
			return jsondoc.Value{}, &SkillError{Outcome: "malformed", Text: "the error has no integer code", Step: e.Step}
		}
		return jsondoc.Value{}, &SkillError{Outcome: "rpc_error", Code: &code, Text: fmt.Sprintf("error %d: %s", code, clip(err.Get("message").TextOr(""), 120)), Step: e.Step}
	}
	result := msg.Get("result")
	if !result.IsObject() {
		return jsondoc.Value{}, &SkillError{Outcome: "malformed", Text: "the result is no object", Step: e.Step}
	}
	return result, nil
}

// askedURI is params.uri of a request.
func askedURI(e *recording.Exchange) string {
	if e.Request == nil || e.Request.Body == nil {
		return ""
	}
	body, _, err := jsondoc.Parse(e.Request.Body.Bytes)
	if err != nil {
		return ""
	}
	return body.Path("params", "uri").TextOr("")
}

func readGet(e *recording.Exchange) SkillGet {
	g := SkillGet{URI: askedURI(e), Step: e.Step}
	result, err := skillResult(e)
	g.Skill, g.Error = result.Get("skill"), err
	return g
}

func readDirectory(pages []*recording.Exchange, kind string) SkillDirectory {
	d := SkillDirectory{Kind: kind, URI: askedURI(pages[0]), Step: pages[0].Step, Complete: true}
	for i, e := range pages {
		result, err := skillResult(e)
		if err != nil {
			d.Error, d.Complete, d.Step = err, false, e.Step
			break
		}
		list, cursor := result.Get("resources"), result.Get("nextCursor")
		if !list.IsArray() || !cursor.Missing() && !cursor.IsString() {
			d.Malformed, d.Complete, d.Step = true, false, e.Step
			break
		}
		for n, el := range list.Elements() {
			d.Children = append(d.Children, Item{Index: len(d.Children), Value: el.Value, Step: e.Step, Pointer: jsondoc.Pointer("/result/resources").Index(n)})
		}
		if !cursor.Missing() && i == len(pages)-1 {
			d.Complete = false
		}
	}
	return d
}

func readSkillFile(e *recording.Exchange) SkillFile {
	f := SkillFile{URI: askedURI(e), Step: e.Step}
	fail := func(outcome, text string) SkillFile {
		f.Error = &SkillError{Outcome: outcome, Text: text, Step: e.Step}
		return f
	}
	if e.Failure != nil && e.Failure.Class == recording.FailTooLarge {
		return fail("transport", "the answer is larger than what is read")
	}
	result, err := skillResult(e)
	if err != nil {
		f.Error = err
		return f
	}
	var content jsondoc.Value
	want := NormalURI(f.URI)
	for _, el := range result.Get("contents").Elements() {
		if uri, ok := el.Value.Get("uri").Text(); ok && NormalURI(uri) == want {
			content = el.Value
			break
		}
	}
	if !content.Exists() {
		content = result.Get("contents").At(0)
	}
	f.MimeType = content.Get("mimeType")
	var bytes []byte
	if text, ok := content.Get("text").Text(); ok {
		bytes = []byte(text)
	} else if blob, ok := content.Get("blob").Text(); ok {
		decoded, err := base64.StdEncoding.Strict().DecodeString(blob)
		if err != nil {
			return fail("empty", "the blob is no base64")
		}
		bytes = decoded
	} else {
		return fail("empty", "the answer holds neither text nor blob")
	}
	f.Size = int64(len(bytes))
	if f.Size > MaxSkillFile {
		return fail("too_large", fmt.Sprintf("%d bytes", f.Size))
	}
	sum := sha256.Sum256(bytes)
	f.Digest = "sha256:" + hex.EncodeToString(sum[:])
	if SkillRoot(f.URI) != "" {
		text := strings.ToValidUTF8(string(bytes), "\uFFFD")
		f.Text = &text
	}
	return f
}

// leftUnread reports whether a listed SKILL.md among those that are read at all was not read, which only its size explains.
func (s *Skills) leftUnread() bool {
	read := map[string]bool{}
	for _, f := range s.Files {
		read[NormalURI(f.URI)] = true
	}
	if len(read) == 0 {
		return false
	}
	listed := map[string]bool{}
	for _, item := range s.Entries {
		uri, ok := item.Get("uri").Text()
		if !ok || len(listed) == maxSkillFiles {
			continue
		}
		listed[NormalURI(uri)] = true
	}
	for uri := range listed {
		if !read[uri] {
			return true
		}
	}
	return false
}

// ReadOf returns the read of a SKILL.md, nil when it brought no text.
func (s *Skills) ReadOf(uri string) *SkillFile {
	f := s.FileOf(uri)
	if f == nil || f.Error != nil || f.Text == nil {
		return nil
	}
	return f
}

// FileOf returns the read of a file, nil when it was not tried.
func (s *Skills) FileOf(uri string) *SkillFile {
	want := NormalURI(uri)
	for i := range s.Files {
		if NormalURI(s.Files[i].URI) == want {
			return &s.Files[i]
		}
	}
	return nil
}
