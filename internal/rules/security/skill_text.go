package security

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// view is how a passage of a skill is read. A token of a chat template is an order only where it is prose.
type view int

const (
	plainView    view = iota // a string of the frontmatter
	sourceView               // lines as they stand in the file
	renderedView             // what a reader sees, and what markup hides: titles, addresses, tags, comments
	proseView                // the same without code
)

// skillPassage is a text of a skill. Where it is a whole body, blocks tells which line each part of it stands on.
type skillPassage struct {
	passage
	view   view
	blocks []block
}

// block is a part of a text: from this offset on it belongs to this line of the file.
type block struct{ start, line int }

// maxMarkdown is the largest body that is read as Markdown, in bytes. Longer ones are scanned as they stand.
const maxMarkdown = 64 << 10

// skillPassages lists the texts of skills: the listed frontmatter, each SKILL.md that was read, and the frontmatter that skills/get answers
// where it says something else.
func skillPassages(o *observe.Observation) []skillPassage {
	if o.Skills == nil {
		return nil
	}
	var all []skillPassage
	listed := map[string]observe.Item{}
	for _, item := range o.Skills.Entries {
		p := itemPassage("skill", item)
		all = append(all, plainPassages(p.at("frontmatter"), item.Get("frontmatter"))...)
		if uri, ok := item.Get("uri").Text(); ok {
			if _, seen := listed[observe.NormalURI(uri)]; !seen {
				listed[observe.NormalURI(uri)] = item
			}
		}
	}
	for _, f := range o.Skills.Files {
		if f.Error != nil || f.Text == nil {
			continue
		}
		item, known := listed[observe.NormalURI(f.URI)]
		p := passage{entity: "skill", index: -1, name: f.URI, step: f.Step, path: "/SKILL.md", pointer: "/result/contents", prefix: "/SKILL.md"}
		if known {
			p.index, p.name = item.Index, item.Label()
		}
		all = append(all, filePassages(p, *f.Text, item.Get("frontmatter"))...)
	}
	gets := o.Skills.Gets
	if o.Skills.Unknown != nil {
		gets = append(gets[:len(gets):len(gets)], *o.Skills.Unknown)
	}
	for _, g := range gets {
		item, known := listed[observe.NormalURI(g.URI)]
		front := g.Skill.Get("frontmatter")
		if known && jsondoc.Equal(front, item.Get("frontmatter")) {
			continue
		}
		p := passage{entity: "skill", index: -1, name: g.URI, step: g.Step, path: "/skills/get/frontmatter", pointer: "/result/skill/frontmatter", prefix: "/skills/get/frontmatter"}
		if known {
			p.index = item.Index
		}
		all = append(all, plainPassages(p, front)...)
	}
	return all
}

func plainPassages(p passage, v jsondoc.Value) []skillPassage {
	var w walker
	w.deep(p, v)
	all := make([]skillPassage, len(w.passages))
	for i, p := range w.passages {
		all[i] = skillPassage{passage: p}
	}
	return all
}

// filePassages reads one SKILL.md: its header as it stands, the header's strings where the listing has others, and its body in three views.
func filePassages(p passage, file string, listed jsondoc.Value) []skillPassage {
	header, body, ok := observe.SplitFrontmatter(file)
	var all []skillPassage
	line := 1
	if ok {
		head := skillPassage{passage: p, view: sourceView, blocks: []block{{0, 1}}}
		head.text = header
		all = append(all, head)
		line += strings.Count(header, "\n")
		if parsed, err := observe.ParseFrontmatter(file); err == nil && !parsed.Matches(listed) {
			for _, s := range plainPassages(p, parsed.JSON) {
				s.path, s.key, s.blocks = p.path, false, []block{{0, 1}}
				all = append(all, s)
			}
		}
	}
	if strings.TrimSpace(body) == "" {
		return all
	}
	views := readViews(body, line)
	for _, v := range views {
		v.passage.entity, v.passage.index, v.passage.name = p.entity, p.index, p.name
		v.passage.step, v.passage.path, v.passage.pointer, v.passage.prefix = p.step, p.path, p.pointer, p.prefix
		all = append(all, v)
	}
	return all
}

// readViews renders a Markdown body that begins at this line of its file.
func readViews(body string, firstLine int) []skillPassage {
	source := skillPassage{passage: passage{text: body}, view: sourceView}
	for i, n := 0, firstLine; i < len(body); n++ {
		source.blocks = append(source.blocks, block{i, n})
		next := strings.IndexByte(body[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
	}
	if len(body) > maxMarkdown {
		return []skillPassage{source}
	}
	doc := goldmark.DefaultParser().Parse(text.NewReader([]byte(body)))
	r := renderer{source: []byte(body), lineAt: func(offset int) int { return firstLine + strings.Count(body[:min(offset, len(body))], "\n") }}
	_ = ast.Walk(doc, r.visit) // visit returns no error
	source.blocks = nil
	for _, b := range r.leaves {
		source.blocks = append(source.blocks, block{b, r.lineAt(b)})
	}
	if len(source.blocks) == 0 || source.blocks[0].start > 0 {
		source.blocks = append([]block{{0, firstLine}}, source.blocks...)
	}
	all := []skillPassage{source}
	for _, tags := range []string{"", "\n"} {
		all = append(all, r.view(renderedView, tags, true), r.view(proseView, tags, false))
		if !r.hasTags {
			break
		}
	}
	for _, x := range r.extras {
		all = append(all, skillPassage{passage: passage{text: x.text}, view: x.view, blocks: []block{{0, x.line}}})
	}
	return all
}

// renderer collects what the blocks of a document show.
type renderer struct {
	source  []byte
	lineAt  func(offset int) int
	leaves  []int // offsets at which blocks that hold text begin
	pieces  []piece
	extras  []extra
	hasTags bool
	line    int // of the block that is being read
}

// piece is a run of text of one block.
type piece struct {
	text  string
	line  int
	code  bool
	tag   bool // markup that may stand for nothing or for a line break
	begin bool // a block begins here
}

// extra is text that markup hides from the flow: a title, an address, a tag, a comment.
type extra struct {
	text string
	line int
	view view
}

func (r *renderer) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		start := n.Lines().At(0).Start
		r.line = r.lineAt(start)
		r.leaves = append(r.leaves, start)
		r.pieces = append(r.pieces, piece{line: r.line, begin: true})
	}
	switch n := n.(type) {
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		r.pieces = append(r.pieces, piece{text: string(n.Lines().Value(r.source)), line: r.line, code: true})
	case *ast.HTMLBlock:
		raw := string(n.Lines().Value(r.source))
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(r.source))
		}
		r.markup(raw)
	case *ast.Text:
		r.add(decodeText(n.Segment.Value(r.source)))
		if n.SoftLineBreak() || n.HardLineBreak() {
			r.add("\n")
		}
	case *ast.String:
		r.add(string(n.Value))
	case *ast.CodeSpan:
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.Write(t.Segment.Value(r.source))
			}
		}
		r.pieces = append(r.pieces, piece{text: b.String(), line: r.line, code: true})
		return ast.WalkSkipChildren, nil
	case *ast.RawHTML:
		r.markup(string(n.Segments.Value(r.source)))
	case *ast.AutoLink:
		r.add(string(n.Label(r.source)))
	case *ast.Link:
		r.address(n.Destination, n.Title)
	case *ast.Image:
		r.address(n.Destination, n.Title)
	}
	return ast.WalkContinue, nil
}

func (r *renderer) add(s string) {
	if s != "" {
		r.pieces = append(r.pieces, piece{text: s, line: r.line})
	}
}

func (r *renderer) address(destination, title []byte) {
	for _, s := range []string{percentDecoded(decodeText(destination)), decodeText(title)} {
		if strings.TrimSpace(s) != "" {
			r.extras = append(r.extras, extra{s, r.line, renderedView})
		}
	}
}

// markup cuts raw HTML into its tags and comments and the text between them. A script's own text counts as text.
func (r *renderer) markup(raw string) {
	for raw != "" {
		open := strings.IndexByte(raw, '<')
		if open < 0 {
			break
		}
		r.add(decodeText([]byte(raw[:open])))
		end := strings.IndexByte(raw[open:], '>')
		if strings.HasPrefix(raw[open:], "<!--") {
			if end = strings.Index(raw[open:], "-->"); end >= 0 {
				end += 2
			}
		}
		if end < 0 {
			raw = raw[open:]
			break
		}
		tag := raw[open : open+end+1]
		r.hasTags = true
		r.pieces = append(r.pieces, piece{line: r.line, tag: true})
		// Quotation marks around an attribute's value quote nothing.
		r.extras = append(r.extras, extra{strings.NewReplacer(`"`, " ", "'", " ").Replace(decodeText([]byte(tag))), r.line, proseView})
		raw = raw[open+end+1:]
	}
	r.add(decodeText([]byte(raw)))
}

// view joins the pieces to one text, so that words around a quotation stay beside it.
func (r *renderer) view(v view, tags string, code bool) skillPassage {
	var b strings.Builder
	p := skillPassage{view: v}
	for _, x := range r.pieces {
		if x.begin {
			if b.Len() > 0 {
				b.WriteString("\n\n")
			}
			p.blocks = append(p.blocks, block{b.Len(), x.line})
			continue
		}
		if x.tag {
			b.WriteString(tags)
		}
		if !x.code || code {
			b.WriteString(x.text)
		}
	}
	p.text = b.String()
	return p
}

// decodeText undoes backslash escapes and character references.
func decodeText(s []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s))))
}

func percentDecoded(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// skillFindings runs a matcher over the texts of skills: one finding for each place, with every kind seen there.
func skillFindings(o *observe.Observation, match func(skillPassage) []textscan.Match, reason, want string) []rule.Finding {
	type place struct {
		index      int
		name, path string
	}
	var order []place
	seen := map[place]*rule.Finding{}
	found := map[place][]textscan.Match{}
	for _, p := range skillPassages(o) {
		byPath := map[string][]textscan.Match{}
		var paths []string
		for _, m := range match(p) {
			path := p.pathOf(m.Start)
			if byPath[path] == nil {
				paths = append(paths, path)
			}
			byPath[path] = append(byPath[path], m)
		}
		for _, path := range paths {
			at := place{p.index, p.name, path}
			if seen[at] == nil {
				f := p.finding(byPath[path], reason, want)
				f.Path = path
				order, seen[at] = append(order, at), &f
			}
			for _, m := range byPath[path] {
				if !slices.ContainsFunc(found[at], func(o textscan.Match) bool { return o.Kind == m.Kind && o.Excerpt == m.Excerpt }) {
					found[at] = append(found[at], m)
				}
			}
		}
	}
	var list []rule.Finding
	for _, at := range order {
		f := seen[at]
		if !strings.HasPrefix(f.Seen, "a key") {
			f.Seen = strings.Join(kinds(found[at]), ", ") + ": " + fmt.Sprintf("%q", found[at][0].Excerpt)
		}
		list = append(list, *f)
	}
	slices.SortStableFunc(list, func(a, b rule.Finding) int { return cmp.Compare(uint(a.Index), uint(b.Index)) })
	return list
}

// pathOf is the place of an offset: the path, with the line where the text has lines.
func (p skillPassage) pathOf(offset int) string {
	path := string(publishable(p.path))
	if len(p.blocks) == 0 {
		return path
	}
	i, exact := slices.BinarySearchFunc(p.blocks, offset, func(b block, at int) int { return cmp.Compare(b.start, at) })
	if !exact {
		i--
	}
	return fmt.Sprintf("%s#L%d", path, p.blocks[max(i, 0)].line)
}

func skillHidden(p skillPassage) []textscan.Match  { return textscan.Hidden(p.text) }
func skillSecrets(p skillPassage) []textscan.Match { return textscan.Secrets(p.text) }

func skillInjection(p skillPassage) []textscan.Match {
	ms := textscan.Injection(p.text)
	if p.view == sourceView || p.view == renderedView {
		ms = slices.DeleteFunc(ms, func(m textscan.Match) bool { return m.Kind == "chat_template_token" })
	}
	return ms
}

func skillDetails(o *observe.Observation, match func(skillPassage) []textscan.Match) map[string]any {
	var all []textscan.Match
	for _, p := range skillPassages(o) {
		all = append(all, match(p)...)
	}
	list := []string{}
	return map[string]any{"matched": append(list, kinds(all)...)}
}

// needSkillText wants at least one text of a skill.
func needSkillText(o *observe.Observation) *rule.Skip {
	if s := rule.NeedSkills(o); s != nil {
		return s
	}
	switch {
	case o.Skills == nil:
		return rule.SkipFor(rule.Insufficient, "no skills could be read")
	case len(skillPassages(o)) > 0:
		return nil
	case o.Skills.Listed && o.Skills.Complete && len(o.Skills.Entries) == 0:
		return rule.SkipFor(rule.NotApplicable, "the server lists no skills")
	}
	return rule.SkipFor(rule.Insufficient, "no text of a skill was seen")
}
