package ruletest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// skills builds the evidence about Agent Skills from the member of this name by way of a recording, so that decoding is exercised too:
//
//   - entries: the skills of the only page of skills/list; or pages: a list of answers
//   - gets: {uri: answer} for skills/get, where "skill" stands for a result with that skill; unknown: the answer for an unknown name
//   - directory, directory_unknown, directory_file: answers of resources/directory/read
//   - files: {uri: text or answer}, a text being what resources/read serves as text/markdown
//   - stateless: read over the stateless lifecycle; undeclared: the extension is not declared
//
// An answer is {"result": …}, {"error": code or object} or {"failure": class}. Unless undeclared, the capabilities get the extension and
// resources when the example's own do not have an extensions member.
func skills(o *observe.Observation, v jsondoc.Value) error {
	for _, m := range v.Members() {
		switch m.Name {
		case "entries", "pages", "gets", "unknown", "directory", "directory_unknown", "directory_file", "files", "stateless", "undeclared", "directory_read":
		default:
			return fmt.Errorf("input: skills: unknown member %q", m.Name)
		}
	}
	if !v.Get("undeclared").True() && o.Capabilities.IsObject() && !o.Capabilities.Get("extensions").Exists() {
		o.Capabilities.Value = jsondoc.MustParse(fmt.Sprintf(`{"extensions":{%q:{"directoryRead":%v}},"resources":{}}`, spec.ExtensionSkills, v.Get("directory_read").True()))
	}
	b := skillsRecording{stateless: v.Get("stateless").True()}
	if list := v.Get("entries"); list.Exists() {
		b.add("skills/list/1", "", jsondoc.MustParse(fmt.Sprintf(`{"result":{"resultType":"complete","skills":%s}}`, list.Raw())))
	}
	for i, el := range v.Get("pages").Elements() {
		b.add("skills/list/"+strconv.Itoa(i+1), "", el.Value)
	}
	for i, m := range v.Get("gets").Members() {
		a := m.Value
		if skill := a.Get("skill"); skill.Exists() {
			a = jsondoc.MustParse(fmt.Sprintf(`{"result":{"skill":%s}}`, skill.Raw()))
		}
		b.add("skills/get/"+strconv.Itoa(i+1), m.Name, a)
	}
	if a := v.Get("unknown"); a.Exists() {
		b.add("skills/get-unknown", "skill://no-such-skill/SKILL.md", a)
	}
	for _, d := range []struct{ member, step, uri string }{
		{"directory", "skills/directory/1", "skill://a"},
		{"directory_unknown", "skills/directory-unknown", "skill://a/no-such-directory"},
		{"directory_file", "skills/directory-file", "skill://a/SKILL.md"},
	} {
		if a := v.Get(d.member); a.Exists() {
			b.add(d.step, d.uri, a)
		}
	}
	for i, m := range v.Get("files").Members() {
		a := m.Value
		if a.IsString() {
			a = jsondoc.MustParse(fmt.Sprintf(`{"result":{"contents":[{"mimeType":"text/markdown","text":%s}]}}`, a.Raw()))
		}
		b.add("skills/read/"+strconv.Itoa(i+1), m.Name, a)
	}
	o.Skills = observe.DecodeSkills(&b.rec)
	return nil
}

type skillsRecording struct {
	rec       recording.Recording
	stateless bool
}

func (b *skillsRecording) add(step, uri string, answer jsondoc.Value) {
	e := recording.Exchange{Step: step, Via: "stdio", Connection: "session", Request: &recording.Request{ID: "1",
		Body: recording.NewBody(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"params":{"uri":%q}}`, uri))}}
	if b.stateless {
		e.Connection = "stateless"
	}
	text := ""
	switch {
	case answer.Get("failure").IsString():
		e.Failure = &recording.Failure{Class: recording.Class(answer.Get("failure").TextOr(""))}
	case answer.Get("error").IsObject():
		text = `"error":` + string(answer.Get("error").Raw())
	case answer.Get("error").Exists():
		text = `"error":{"code":` + string(answer.Get("error").Raw()) + `,"message":"refused"}`
	default:
		text = `"result":` + strings.TrimSpace(string(answer.Get("result").Raw()))
	}
	if text != "" {
		e.Answer = recording.NewBody([]byte(`{"jsonrpc":"2.0","id":1,` + text + `}`))
	}
	b.rec.Exchanges = append(b.rec.Exchanges, e)
}
