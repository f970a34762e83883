package report

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// evidence turns findings into issues, with excerpts from the recording.
type evidence struct {
	rec      *recording.Recording
	obs      *observe.Observation
	messages map[string]jsondoc.Value // by step, absent where no message came
}

func newEvidence(rec *recording.Recording, obs *observe.Observation) *evidence {
	return &evidence{rec: rec, obs: obs, messages: map[string]jsondoc.Value{}}
}

// issues writes the first maxIssues findings.
func (x *evidence) issues(findings []rule.Finding) []Issue {
	issues := make([]Issue, 0, min(len(findings), maxIssues))
	for _, f := range findings[:min(len(findings), maxIssues)] {
		issue := placed(f)
		issue.Seen, issue.Expected = bounded(f.Seen, maxExcerpt), bounded(f.Want, maxExcerpt)
		issue.Step, issue.Excerpt = f.Step, x.excerpt(f)
		if f.Step != "" {
			issue.Pointer = pointer(f.Pointer)
		}
		issues = append(issues, issue)
	}
	return issues
}

// placed is the part of an issue that says which finding it is.
func placed(f rule.Finding) Issue {
	issue := Issue{EntityKind: f.Entity, Name: bounded(f.Name, maxExcerpt), Reason: f.Reason, ProbeID: f.ProbeID}
	if f.Index >= 0 {
		issue.EntityIndex = &f.Index
	}
	if issue.Path = pointer(f.Path); issue.Path == nil {
		issue.PathOmitted = true
	}
	return issue
}

// pointer bounds a JSON Pointer, whose names are the server's. One that is too long or would have to be masked is useless and left out.
func pointer(p string) *string {
	if utf8.RuneCountInString(p) > maxPath || textscan.Mask(p) != p {
		return nil
	}
	return &p
}

// message says in one line what a rule found.
func (x *evidence) message(findings []rule.Finding) string {
	if len(findings) == 0 {
		return "failed without a finding"
	}
	f := findings[0]
	seen := f.Seen
	if seen == "" {
		seen = strings.ReplaceAll(f.Reason, "_", " ")
	}
	text := x.place(f) + ": " + seen
	if p := x.obs.Probe(f.ProbeID); f.ProbeID != "" {
		var answer []string
		if p.Code != nil {
			answer = append(answer, fmt.Sprintf("error %d", *p.Code))
		}
		if p.Status != 0 {
			answer = append(answer, fmt.Sprintf("HTTP %d", p.Status))
		}
		if len(answer) > 0 {
			text += " (" + strings.Join(answer, ", ") + ")"
		}
	}
	text = textscan.Visible(bounded(text, maxMessage))
	if n := len(findings) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return text
}

// place names where a finding is: `tool "read" /title`.
func (x *evidence) place(f rule.Finding) string {
	place := strings.ReplaceAll(f.Entity, "_", " ")
	switch {
	case f.Entity == "catalog":
		place = "list of " + strings.ReplaceAll(f.Name, "_", " ")
	case f.Name != "":
		place += fmt.Sprintf(" %q", bounded(f.Name, 60))
	case f.Index >= 0:
		place += fmt.Sprintf(" %d", f.Index)
	case f.Entity == "response" && f.Step != "":
		place = f.Step
	}
	if f.Path != "" {
		place += " " + bounded(f.Path, 60)
	}
	return place
}

// excerpt shows what stands at a finding's place in the recording. Where nothing stands there, because it is missing, it shows what
// should have held it; where no message came, what came instead.
func (x *evidence) excerpt(f rule.Finding) string {
	if f.Step == "" {
		return ""
	}
	v, ok := x.messages[f.Step]
	if !ok {
		if v, _, _ = x.rec.Find(f.Step).Message(); f.Entity == "package" {
			v = x.document(f.Step)
		}
		x.messages[f.Step] = v
	}
	if !v.Exists() {
		return show(x.instead(f.Step))
	}
	return show(string(compact(deepest(v, jsondoc.Pointer(f.Pointer)).Raw())))
}

// document returns the document that a registry answered with, absent when there is none.
func (x *evidence) document(step string) jsondoc.Value {
	if e := x.rec.Find(step); e != nil {
		v, _ := observe.PackageDocument(e)
		return v
	}
	return jsondoc.Value{}
}

// deepest follows a pointer as far as it leads.
func deepest(v jsondoc.Value, p jsondoc.Pointer) jsondoc.Value {
	names := p.Names()
	for n := range names {
		next := v.Resolve(jsondoc.Pointer("").Child(names[n]))
		if !next.Exists() {
			break
		}
		v = next
	}
	return v
}

// instead describes an exchange that brought no message.
func (x *evidence) instead(step string) string {
	e := x.rec.Find(step)
	switch {
	case e == nil:
		return ""
	case e.Response != nil:
		text := fmt.Sprintf("HTTP %d", e.Response.Status)
		if t, ok := e.Response.Get("Content-Type"); ok {
			text += " " + t
		}
		if e.Response.Body != nil && len(e.Response.Body.Bytes) > 0 {
			text += ": " + string(e.Response.Body.Bytes[:min(len(e.Response.Body.Bytes), maskWindow)])
		}
		return text
	case e.Failure != nil:
		return string(e.Failure.Class) + ": " + e.Failure.Detail
	}
	return "no answer"
}

// compact drops the blanks between the tokens of a JSON text, as far as an excerpt can reach.
func compact(raw []byte) []byte {
	var out []byte
	inString, escaped := false, false
	for _, c := range raw {
		if !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			continue
		}
		if len(out) >= 2*maskWindow {
			break
		}
		out = append(out, c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		}
	}
	return out
}

// show bounds, masks and spells out a piece of what the server sent.
func show(text string) string { return textscan.Visible(bounded(text, maxExcerpt)) }

// maskWindow is how many bytes of a text are searched for credentials before it is cut: more than an excerpt shows, so that no cut
// leaves a part of one that would not be known for what it is.
const maskWindow = 8 << 10

// bounded masks credentials in a text and cuts it to a number of characters.
func bounded(text string, limit int) string {
	cut := len(text) > maskWindow
	if cut {
		text = text[:maskWindow]
		// A word that the window cuts in two may be half a credential.
		if i := strings.LastIndexAny(text, " \t\r\n\""); i > maskWindow/2 {
			text = text[:i]
		}
	}
	text = textscan.Mask(text)
	if cut {
		// Masking may have moved the end of the window to where it would show.
		text = text[:max(0, len(text)-maskWindow/4)]
	}
	n := 0
	for i := range text {
		if n == limit {
			return text[:i] + "…"
		}
		n++
	}
	if cut {
		text += "…"
	}
	return text
}

// plainDetails copies a rule's details as plain JSON values, with credentials masked, long texts cut and long lists shortened: what is
// left out of "names" is counted in "names_omitted". The result is never nil.
func plainDetails(details map[string]any) map[string]any {
	return shortenedMap(reflect.ValueOf(details), 0)
}

func shortened(v reflect.Value, depth int) any {
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Pointer, reflect.Interface:
		return shortened(v.Elem(), depth) // of nil, this is invalid
	case reflect.String:
		return bounded(v.String(), maxText)
	case reflect.Slice, reflect.Array, reflect.Map:
		if depth == maxDepth {
			return "nested too deeply to show"
		}
		if v.Kind() == reflect.Map {
			return shortenedMap(v, depth)
		}
		list := make([]any, 0, min(v.Len(), maxEntries))
		for i := range cap(list) {
			list = append(list, shortened(v.Index(i), depth+1))
		}
		return list
	case reflect.Struct:
		text, err := json.Marshal(v.Interface())
		var plain any
		if err != nil || json.Unmarshal(text, &plain) != nil {
			return "cannot be shown"
		}
		return shortened(reflect.ValueOf(plain), depth)
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprint(f)
		}
	}
	return v.Interface()
}

func shortenedMap(m reflect.Value, depth int) map[string]any {
	names := make([]string, 0, m.Len())
	values := make(map[string]reflect.Value, m.Len())
	for _, k := range m.MapKeys() {
		name := fmt.Sprint(k.Interface())
		names = append(names, name)
		values[name] = m.MapIndex(k)
	}
	slices.Sort(names)
	out := make(map[string]any, min(len(names), maxEntries))
	for _, name := range names[:min(len(names), maxEntries)] {
		value := values[name]
		for value.Kind() == reflect.Interface || value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		shown := unused(out, bounded(name, maxText))
		if strings.EqualFold(name, "response_session_id") && value.IsValid() {
			out[shown] = recording.Redacted
			continue
		}
		out[shown] = shortened(value, depth+1)
		switch value.Kind() {
		case reflect.Slice, reflect.Array, reflect.Map:
			if omitted := value.Len() - maxEntries; omitted > 0 {
				out[unused(out, shown+"_omitted")] = omitted
			}
		}
	}
	return out
}

// unused returns the key, numbered when masking or cutting made it equal to another one.
func unused(m map[string]any, key string) string {
	if _, taken := m[key]; !taken {
		return key
	}
	for n := 2; ; n++ {
		numbered := fmt.Sprintf("%s (%d)", key, n)
		if _, taken := m[numbered]; !taken {
			return numbered
		}
	}
}
