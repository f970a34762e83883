package capture

import (
	"context"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// Limits of what is read of Agent Skills (SEP-2640).
const (
	maxSkillPages  = 20
	maxSkills      = 32
	maxSupporting  = 16
	maxSkillFile   = 1 << 20 // bytes of one file
	maxSkillBytes  = 8 << 20 // bytes of all files
	skillsBudget   = 90 * time.Second
	skillsParallel = 4
)

// skillsReader reads the skills of a server over one lifecycle.
type skillsReader struct {
	*channel
	nextID int
	budget int64 // bytes that may still be declared or received
}

// sessionSkills reads skills in the session that declared them.
func (a *audit) sessionSkills(ctx context.Context, s *session) {
	if !declaresExtension(s.caps, spec.ExtensionSkills) {
		return
	}
	c := s.channel
	c.priority = normal
	r := &skillsReader{channel: &c, nextID: skillsBase, budget: maxSkillBytes}
	r.read(ctx, s.caps.Path("extensions", spec.ExtensionSkills, "directoryRead").True())
}

// statelessSkills reads skills over the stateless lifecycle, for a server that declares them in discovery. A server whose session
// declared them is only asked for the first page, which shows the caching hints.
func (a *audit) statelessSkills(ctx context.Context, c *channel, g *gateways) {
	if !declaresExtension(g.caps, spec.ExtensionSkills) {
		return
	}
	sc := *c
	sc.shape = func(call *wire.Call, method string, id int, params []param) {
		name := ""
		if method == "resources/read" {
			name, _ = params[0].value.(string)
		}
		call.Body = a.statelessMessage(id, method, skillsCapability, params...)
		call.Header = statelessHeaders(method, name)
	}
	r := &skillsReader{channel: &sc, nextID: skillsBase + 5000, budget: maxSkillBytes}
	if a.sessionDeclaresSkills() {
		r.do(ctx, "skills/stateless-list", r.id(), "skills/list", a.budgets.Probe)
		return
	}
	r.read(ctx, g.caps.Path("extensions", spec.ExtensionSkills, "directoryRead").True())
}

func (a *audit) sessionDeclaresSkills() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	msg, _, ok := a.rec.Find("session/initialize").Message()
	return ok && declaresExtension(msg.Path("result", "capabilities"), spec.ExtensionSkills)
}

func (r *skillsReader) id() int { r.nextID++; return r.nextID }

func (r *skillsReader) read(ctx context.Context, directories bool) {
	ctx, cancel := context.WithTimeout(ctx, skillsBudget)
	defer cancel()
	r.a.progress("reading skills")
	entries := r.listSkills(ctx)
	var tasks []func()
	add := func(step, method string, params ...param) {
		id := r.id()
		tasks = append(tasks, func() { r.do(ctx, step, id, method, r.a.budgets.Request, params...) })
	}
	uris, seen := []string{}, map[string]bool{}
	for _, e := range entries {
		if uri, ok := e.Get("uri").Text(); ok && !seen[observe.NormalURI(uri)] && len(uris) < maxSkills {
			seen[observe.NormalURI(uri)] = true
			uris = append(uris, uri)
		}
	}
	for i, uri := range uris {
		add("skills/get/"+itoa(i+1), "skills/get", param{"uri", uri})
	}
	add("skills/get-unknown", "skills/get", param{"uri", unknownSkill(uris)})
	for i, uri := range r.files(entries) {
		add("skills/read/"+itoa(i+1), "resources/read", param{"uri", uri})
	}
	if directories {
		tasks = append(tasks, r.directoryReads(ctx, uris)...)
	}
	limited(skillsParallel, tasks)
}

func (r *skillsReader) listSkills(ctx context.Context) []jsondoc.Value {
	var entries []jsondoc.Value
	l := recording.Listing{Lifecycle: "skills", Method: "skills/list"}
	defer func() { r.a.listed(l) }()
	seen := map[string]bool{}
	var params []param
	for page := 1; ; page++ {
		if page > maxSkillPages {
			l.Reason = "page-limit"
			return entries
		}
		res := result(r.do(ctx, "skills/list/"+itoa(page), r.id(), "skills/list", r.a.budgets.Request, params...).Answer)
		if !res.Get("skills").IsArray() {
			l.Reason = "failed"
			return entries
		}
		l.Pages = page
		for _, e := range res.Get("skills").Elements() {
			entries = append(entries, e.Value)
		}
		next := res.Get("nextCursor")
		if next.Missing() {
			l.Complete = true
			return entries
		}
		cursor, ok := next.Text()
		switch {
		case !ok:
			l.Reason = "cursor-invalid"
			return entries
		case seen[cursor]:
			l.Reason = "cursor-repeated"
			return entries
		}
		seen[cursor] = true
		params = []param{{"cursor", cursor}}
	}
}

// files chooses what to read: each SKILL.md, then one supporting file of each skill, within the limits of declared sizes.
func (r *skillsReader) files(entries []jsondoc.Value) []string {
	var files []string
	seen := map[string]bool{}
	budget := r.budget
	take := func(uri string, size jsondoc.Value) bool {
		n, known := size.Int()
		if seen[observe.NormalURI(uri)] || known && (n < 0 || n > maxSkillFile || n > budget) {
			return false
		}
		seen[observe.NormalURI(uri)] = true
		budget -= max(n, 0)
		files = append(files, uri)
		return true
	}
	skills := 0
	for _, e := range entries {
		if uri, ok := e.Get("uri").Text(); ok && skills < maxSkills && take(uri, declaredSize(e, uri)) {
			skills++
		}
	}
	supporting := 0
	for _, e := range entries {
		uri, _ := e.Get("uri").Text()
		for _, f := range e.Get("resources").Elements() {
			name, ok := f.Value.Get("uri").Text()
			size, sized := f.Value.Get("size").Int()
			if !ok || observe.NormalURI(name) == observe.NormalURI(uri) || !sized || size < 0 || size > maxSkillFile {
				continue
			}
			if supporting < maxSupporting && take(name, f.Value.Get("size")) {
				supporting++
			}
			break
		}
	}
	return files
}

func declaredSize(entry jsondoc.Value, uri string) jsondoc.Value {
	for _, f := range entry.Get("resources").Elements() {
		if name, ok := f.Value.Get("uri").Text(); ok && observe.NormalURI(name) == observe.NormalURI(uri) {
			return f.Value.Get("size")
		}
	}
	return jsondoc.Value{}
}

// directoryReads lists the first skill's root and, when that came back whole, a child that is not there and the SKILL.md as if it were a
// directory.
func (r *skillsReader) directoryReads(ctx context.Context, uris []string) []func() {
	root, file := "", ""
	for _, uri := range uris {
		if strings.HasSuffix(observe.NormalURI(uri), "/SKILL.md") {
			root, file = uri[:strings.LastIndexByte(uri, '/')], uri
			break
		}
	}
	if root == "" {
		return nil
	}
	ids := make([]int, maxSkillPages+2)
	for i := range ids {
		ids[i] = r.id()
	}
	const method = "resources/directory/read"
	return []func(){func() {
		params := []param{{"uri", root}}
		seen, names := map[string]bool{}, map[string]bool{}
		for page := 1; page <= maxSkillPages; page++ {
			res := result(r.do(ctx, "skills/directory/"+itoa(page), ids[page-1], method, r.a.budgets.Request, params...).Answer)
			if !res.Get("resources").IsArray() {
				return
			}
			for _, c := range res.Get("resources").Elements() {
				names[c.Value.Get("uri").TextOr("")] = true
			}
			next := res.Get("nextCursor")
			if next.Missing() {
				break
			}
			cursor, ok := next.Text()
			if !ok || seen[cursor] || page == maxSkillPages {
				return
			}
			seen[cursor] = true
			params = []param{{"uri", root}, {"cursor", cursor}}
		}
		unknown := unused(root+"/hallmark-no-such-directory", names)
		parallel(
			func() {
				r.do(ctx, "skills/directory-unknown", ids[maxSkillPages], method, r.a.budgets.Request, param{"uri", unknown})
			},
			func() {
				r.do(ctx, "skills/directory-file", ids[maxSkillPages+1], method, r.a.budgets.Request, param{"uri", file})
			},
		)
	}}
}

// unknownSkill is a skill that the server did not list, beside its first one.
func unknownSkill(uris []string) string {
	listed := map[string]bool{}
	parent := "skill:/"
	for i, uri := range uris {
		listed[uri] = true
		if parts := strings.Split(uri, "/"); i == 0 && len(parts) > 3 && strings.HasSuffix(observe.NormalURI(uri), "/SKILL.md") {
			parent = strings.Join(parts[:len(parts)-2], "/")
		}
	}
	name := "hallmark-no-such-skill"
	for n := 2; listed[parent+"/"+name+"/SKILL.md"]; n++ {
		name = "hallmark-no-such-skill-" + itoa(n)
	}
	return parent + "/" + name + "/SKILL.md"
}

func unused(uri string, taken map[string]bool) string {
	candidate := uri
	for n := 2; taken[candidate]; n++ {
		candidate = uri + "-" + itoa(n)
	}
	return candidate
}

// limited runs tasks side by side, at most n at a time.
func limited(n int, tasks []func()) {
	slots := make(chan struct{}, n)
	wrapped := make([]func(), len(tasks))
	for i, t := range tasks {
		wrapped[i] = func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t()
		}
	}
	parallel(wrapped...)
}
