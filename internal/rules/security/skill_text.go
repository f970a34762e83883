package security

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// skillPassage is a text of a skill: a string of its frontmatter, or a block of its SKILL.md.
type skillPassage struct {
	passage
	block *textscan.Block // nil for a plain string
}

// skillMatcher looks for one kind of trouble in a text of a skill: the kinds found, sorted, and an excerpt that may be empty.
type skillMatcher func(p skillPassage) (kinds []string, excerpt string)

// skillPassages lists the texts of skills: the listed frontmatter, each SKILL.md that was read, and the frontmatter that skills/get answers
// where it says something else.
func skillPassages(o *observe.Observation) []skillPassage {
	if o.Skills == nil {
		return nil
	}
	var all []skillPassage
	listed := map[string]observe.Item{}
	for _, item := range o.Skills.Entries {
		all = append(all, frontmatterPassages(itemPassage("skill", item).at("frontmatter"), item.Get("frontmatter"))...)
		if uri, ok := item.Get("uri").Text(); ok {
			if _, seen := listed[observe.NormalURI(uri)]; !seen {
				listed[observe.NormalURI(uri)] = item
			}
		}
	}
	place := func(uri, step string, path, pointer jsondoc.Pointer) passage {
		p := passage{entity: "skill", index: -1, name: uri, step: step, path: path, pointer: pointer, prefix: path}
		if item, ok := listed[observe.NormalURI(uri)]; ok {
			p.index = item.Index
		}
		return p
	}
	total := 0
	for _, f := range o.Skills.Files {
		if f.Error == nil && f.Text != nil {
			total += len(*f.Text)
			p := place(f.URI, f.Step, "/SKILL.md", "/result/contents")
			all = append(all, filePassages(p, *f.Text, listed[observe.NormalURI(f.URI)].Get("frontmatter"), total <= maxMarkdown)...)
		}
	}
	gets := slices.Clone(o.Skills.Gets)
	if o.Skills.Unknown != nil {
		gets = append(gets, *o.Skills.Unknown)
	}
	for _, g := range gets {
		front := g.Skill.Get("frontmatter")
		if item, known := listed[observe.NormalURI(g.URI)]; !known || !jsondoc.Equal(front, item.Get("frontmatter")) {
			all = append(all, frontmatterPassages(place(g.URI, g.Step, "/skills/get/frontmatter", "/result/skill/frontmatter"), front)...)
		}
	}
	return all
}

func frontmatterPassages(p passage, v jsondoc.Value) []skillPassage {
	var w walker
	w.deep(p, v)
	all := make([]skillPassage, len(w.passages))
	for i, p := range w.passages {
		all[i] = skillPassage{passage: p}
	}
	return all
}

// filePassages reads one SKILL.md: its header as it stands, the header's strings where the listing has others, and the blocks of its body.
func filePassages(p passage, file string, listed jsondoc.Value, asMarkdown bool) []skillPassage {
	header, body, ok := observe.SplitFrontmatter(file)
	var all []skillPassage
	add := func(text string, line int, b *textscan.Block) {
		at := p
		at.text, at.line = text, line
		all = append(all, skillPassage{at, b})
	}
	if ok {
		add(header, 1, nil)
		if parsed, err := observe.ParseFrontmatter(file); err == nil && !parsed.Matches(listed) {
			for _, s := range frontmatterPassages(p, parsed.JSON) {
				add(s.text, 1, nil)
			}
		}
	}
	above := strings.Count(header, "\n")
	read := plainBlocks
	if asMarkdown {
		read = blocksOf
	}
	for _, b := range read(body) {
		add("", above+b.Line, &b)
	}
	return all
}

// maxMarkdown is how much of all skills of a server is read as Markdown, in bytes. What comes after it is scanned as it stands.
const maxMarkdown = 512 << 10

// plainBlocks cuts a text at its blank lines.
func plainBlocks(body string) []textscan.Block {
	var blocks []textscan.Block
	line := 1
	for part := range strings.SplitSeq(body, "\n\n") {
		text := strings.TrimLeft(part, "\n")
		blocks = append(blocks, textscan.Block{Line: line + len(part) - len(text), Views: []string{text}})
		line += strings.Count(part, "\n") + 2
	}
	return blocks
}

// Three rules read the same bodies, each for its findings and for its details. Reading one is what costs, so the last ones are kept.
var (
	readBodies     = map[string][]textscan.Block{}
	readBodiesLock sync.Mutex
)

const maxReadBodies = 64 // about as many as one audit reads

func blocksOf(body string) []textscan.Block {
	readBodiesLock.Lock()
	defer readBodiesLock.Unlock()
	blocks, ok := readBodies[body]
	if !ok {
		if len(readBodies) == maxReadBodies {
			clear(readBodies)
		}
		blocks = textscan.Blocks(body)
		readBodies[body] = blocks
	}
	return blocks
}

// texts are the readings of a passage.
func (p skillPassage) texts() []string {
	if p.block == nil {
		return []string{p.text}
	}
	return p.block.Views
}

// everyText makes a matcher of texts one of passages.
func everyText(match func(string) []textscan.Match) skillMatcher {
	return func(p skillPassage) ([]string, string) {
		var found []textscan.Match
		for _, text := range p.texts() {
			found = append(found, match(text)...)
		}
		if found == nil {
			return nil, ""
		}
		return kinds(found), found[0].Excerpt
	}
}

// Blocks know by themselves what their code and their neighbours excuse.
func skillInjection(p skillPassage) (found []string, excerpt string) {
	if p.block == nil {
		return everyText(textscan.Injection)(p)
	}
	return p.block.Injection(), ""
}

var (
	skillHidden  = everyText(textscan.Hidden)
	skillSecrets = everyText(textscan.Secrets)
)

// skillFindings returns one finding for each place of a skill where a matcher finds something.
func skillFindings(o *observe.Observation, match skillMatcher, reason, want string) []rule.Finding {
	type place struct {
		index      int
		name, path string
	}
	seen := map[place]bool{}
	var found []rule.Finding
	for _, p := range skillPassages(o) {
		what, excerpt := match(p)
		if len(what) == 0 {
			continue
		}
		f := p.place(reason, want)
		if at := (place{f.Index, f.Name, f.Path}); seen[at] {
			continue
		} else {
			seen[at] = true
		}
		f.Seen = strings.Join(what, ", ")
		switch {
		case p.key:
			f.Seen = "a key of this object: " + f.Seen
		case excerpt != "":
			f.Seen += fmt.Sprintf(": %q", excerpt)
		}
		found = append(found, f)
	}
	return found
}

func skillDetails(o *observe.Observation, match skillMatcher) map[string]any {
	all := []string{}
	for _, p := range skillPassages(o) {
		what, _ := match(p)
		all = append(all, what...)
	}
	slices.Sort(all)
	return map[string]any{"matched": slices.Compact(all)}
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
