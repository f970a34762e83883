package security

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// passage is one string that a server publishes, with its place. Strings are scanned each on its own and as received.
type passage struct {
	entity  string
	index   int // -1 for the server
	name    string
	path    jsondoc.Pointer // relative to the entity
	step    string
	pointer jsondoc.Pointer // into the message, of the place that prefix names
	prefix  jsondoc.Pointer // what of path pointer already holds
	text    string
	key     bool   // the text is a key of the object at path
	self    string // the name of the tool that the text belongs to
	line    int    // of the file, 0 where the text has no lines of its own
}

// matcher looks for one kind of trouble in a passage.
type matcher func(p passage) []textscan.Match

// catalogPassages lists the strings in which one of the catalog rules finds something, among all that a client shows to a model or to a
// person. A catalog may hold a million strings: they are walked once for all rules, and the clean ones are not kept.
func catalogPassages(o *observe.Observation) []passage {
	type key struct{}
	return observe.Derive(o, key{}, func() []passage { return suspects(o) })
}

// maxClean bounds the texts that are remembered to be clean.
const maxClean = 10_000

func suspects(o *observe.Observation) []passage {
	names := listedNames(o)
	// Keys and stock phrases recur by the thousand. A text that is clean beside one name is clean beside all: an item's own name only
	// excuses, and is listed as the others are.
	clean := map[string]bool{}
	w := walker{wanted: func(text, self string) bool {
		if clean[text] {
			return false
		}
		if len(textscan.Hidden(text)) > 0 || len(textscan.Secrets(text)) > 0 || len(textscan.Injection(text)) > 0 ||
			len(textscan.Exfiltration(text)) > 0 || len(names.CrossTool(text, self)) > 0 {
			return true
		}
		if len(clean) < maxClean {
			clean[text] = true
		}
		return false
	}}
	w.add(passage{entity: "server", index: -1, step: o.Instructions.Step, pointer: o.Instructions.Pointer, path: "/instructions", prefix: "/instructions"}, o.Instructions.Value)
	info := passage{entity: "server", index: -1, step: o.ServerInfo.Step, pointer: o.ServerInfo.Pointer, path: "/serverInfo", prefix: "/serverInfo"}
	for _, name := range []string{"name", "title", "version", "description", "websiteUrl"} {
		w.member(info, o.ServerInfo.Value, name)
	}
	w.icons(info, o.ServerInfo.Value)
	for _, item := range o.Tools.Items {
		p := itemPassage("tool", item)
		w.members(p, item.Value, "name", "title", "description")
		w.add(p.at("annotations", "title"), item.Path("annotations", "title"))
		w.icons(p, item.Value)
		for _, name := range []string{"inputSchema", "outputSchema", "_meta"} {
			w.deep(p.at(name), item.Get(name))
		}
	}
	for _, item := range o.Prompts.Items {
		p := itemPassage("prompt", item)
		w.members(p, item.Value, "name", "title", "description")
		w.icons(p, item.Value)
		for i, el := range item.Get("arguments").Elements() {
			w.members(p.at("arguments", strconv.Itoa(i)), el.Value, "name", "title", "description")
		}
		w.deep(p.at("_meta"), item.Get("_meta"))
	}
	for _, c := range []struct {
		entity, address string
		items           []observe.Item
	}{{"resource", "uri", o.Resources.Items}, {"resource_template", "uriTemplate", o.ResourceTemplates.Items}} {
		for _, item := range c.items {
			p := itemPassage(c.entity, item)
			w.members(p, item.Value, c.address, "name", "title", "description", "mimeType")
			w.add(p.at("annotations", "lastModified"), item.Path("annotations", "lastModified"))
			w.icons(p, item.Value)
			w.deep(p.at("_meta"), item.Get("_meta"))
		}
	}
	return w.passages
}

func itemPassage(entity string, item observe.Item) passage {
	return passage{entity: entity, index: item.Index, name: item.Label(), step: item.Step, pointer: item.Pointer, self: item.Get("name").TextOr("")}
}

func (p passage) at(names ...string) passage {
	for _, n := range names {
		p.path = p.path.Child(n)
	}
	return p
}

// walker collects passages.
type walker struct {
	passages []passage
	wanted   func(text, self string) bool // nil when all are
	below    []string                     // names from the path of the passage that deep was called with to where it is
}

// keep adds p with a text, if that is wanted. Only then is the path written out.
func (w *walker) keep(p *passage, text string, key bool) {
	if text == "" || w.wanted != nil && !w.wanted(text, p.self) {
		return
	}
	kept := p.at(w.below...)
	kept.text, kept.key = text, key
	w.passages = append(w.passages, kept)
}

// add keeps a value that is a string with something in it.
func (w *walker) add(p passage, v jsondoc.Value) { w.keep(&p, v.TextOr(""), false) }

func (w *walker) member(p passage, parent jsondoc.Value, name string) {
	w.add(p.at(name), parent.Get(name))
}

func (w *walker) members(p passage, parent jsondoc.Value, names ...string) {
	for _, n := range names {
		w.member(p, parent, n)
	}
}

// icons leaves out data: sources, which are pictures and no text.
func (w *walker) icons(p passage, parent jsondoc.Value) {
	for i, el := range parent.Get("icons").Elements() {
		at := p.at("icons", strconv.Itoa(i))
		if src := el.Value.Get("src").TextOr(""); len(src) < 5 || !strings.EqualFold(src[:5], "data:") {
			w.member(at, el.Value, "src")
		}
		w.member(at, el.Value, "mimeType")
		for n, size := range el.Value.Get("sizes").Elements() {
			w.add(at.at("sizes", strconv.Itoa(n)), size.Value)
		}
	}
}

// deep takes every string and every key at any depth. A key stands at the path of its object.
func (w *walker) deep(p passage, v jsondoc.Value) { w.descend(&p, v) }

func (w *walker) descend(p *passage, v jsondoc.Value) {
	w.keep(p, v.TextOr(""), false)
	for _, m := range v.Members() {
		w.keep(p, m.Name, true)
		w.below = append(w.below, m.Name)
		w.descend(p, m.Value)
		w.below = w.below[:len(w.below)-1]
	}
	for i, el := range v.Elements() {
		w.below = append(w.below, strconv.Itoa(i))
		w.descend(p, el.Value)
		w.below = w.below[:len(w.below)-1]
	}
}

// scan runs a matcher over passages and returns one finding for each that has matches.
func scan(passages []passage, match matcher, reason, want string) []rule.Finding {
	var found []rule.Finding
	for _, p := range passages {
		if ms := match(p); len(ms) > 0 {
			found = append(found, p.finding(ms, reason, want))
		}
	}
	return found
}

// finding places matches. It never repeats a credential: excerpts come masked, names are masked here, and a path ends above a segment that
// is itself a finding.
func (p passage) finding(ms []textscan.Match, reason, want string) rule.Finding {
	f := p.place(reason, want)
	f.Seen = describe(ms)
	if p.key {
		f.Seen = "a key of this object: " + strings.Join(kinds(ms), ", ")
	}
	return f
}

func (p passage) place(reason, want string) rule.Finding {
	path := publishable(p.path)
	f := rule.Finding{
		Entity: p.entity, Index: p.index, Name: textscan.Mask(p.name), Path: string(path), Step: p.step, Reason: reason, Want: want,
		Pointer: string(p.pointer) + strings.TrimPrefix(string(path), string(p.prefix)),
	}
	if p.line > 0 {
		f.Path += fmt.Sprintf("#L%d", p.line)
	}
	return f
}

const maxPath = 255 // characters of a path that is shown

func publishable(path jsondoc.Pointer) jsondoc.Pointer {
	var out jsondoc.Pointer
	for _, name := range path.Names() {
		if len(out)+len(name) > maxPath || suspicious(name) {
			break
		}
		out = out.Child(name)
	}
	return out
}

func suspicious(text string) bool {
	return len(textscan.Hidden(text)) > 0 || len(textscan.Secrets(text)) > 0 || len(textscan.Injection(text)) > 0 ||
		len(textscan.Exfiltration(text)) > 0 || len(textscan.NewNames(nil).CrossTool(text, "")) > 0
}

// describe says what was found: the kinds, and where the first ones stand.
func describe(ms []textscan.Match) string {
	var b strings.Builder
	b.WriteString(strings.Join(kinds(ms), ", "))
	for i, m := range ms[:min(len(ms), 3)] {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		fmt.Fprintf(&b, "%s%q at byte %d", sep, m.Excerpt, m.Start)
	}
	if len(ms) > 3 {
		fmt.Fprintf(&b, "; %d more", len(ms)-3)
	}
	return b.String()
}

// kinds lists the kinds of matches, sorted, each once.
func kinds(ms []textscan.Match) []string {
	var list []string
	for _, m := range ms {
		list = append(list, m.Kind)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// catalogDetails counts what a matcher found. Where oncePerString is set a kind counts once in each string.
func catalogDetails(o *observe.Observation, match matcher, oncePerString bool) map[string]any {
	matched, hit := map[string]any{}, 0
	for _, p := range catalogPassages(o) {
		ms := match(p)
		if len(ms) == 0 {
			continue
		}
		hit++
		count := func(kind string) {
			n, _ := matched[kind].(int)
			matched[kind] = n + 1
		}
		if oncePerString {
			for _, kind := range kinds(ms) {
				count(kind)
			}
			continue
		}
		for _, m := range ms {
			count(m.Kind)
		}
	}
	m := map[string]any{"strings_with_findings": hit, "matched": matched}
	if incomplete := o.Incomplete(); incomplete != nil {
		slices.Sort(incomplete)
		m["incomplete_listings"] = incomplete
	}
	return m
}

// needCatalogText wants something to scan. Where every listing that was asked for failed, the server's own strings alone can show a
// fault but not its absence.
func needCatalogText(judge func(*observe.Observation) []rule.Finding) rule.Need {
	return func(o *observe.Observation) *rule.Skip {
		if s := rule.NeedAccess(o); s != nil {
			return s
		}
		asked := false
		for _, c := range o.Catalogs() {
			asked = asked || c.Attempted
			if c.Served && (len(c.Items) > 0 || c.Complete) {
				return nil
			}
		}
		if asked && len(judge(o)) == 0 {
			return rule.SkipFor(rule.Insufficient, "no listing could be read")
		}
		if !o.ServerInfo.IsObject() && !o.Instructions.IsString() {
			return rule.SkipFor(rule.Insufficient, "the server's catalogs and its description of itself are not known")
		}
		return nil
	}
}

func hidden(p passage) []textscan.Match       { return textscan.Hidden(p.text) }
func secrets(p passage) []textscan.Match      { return textscan.Secrets(p.text) }
func injection(p passage) []textscan.Match    { return textscan.Injection(p.text) }
func exfiltration(p passage) []textscan.Match { return textscan.Exfiltration(p.text) }

// crossTool looks for orders about other servers' tools. Names that the server does not list are only looked for when it is known what it lists.
func crossTool(o *observe.Observation) matcher {
	names := listedNames(o)
	return func(p passage) []textscan.Match { return names.CrossTool(p.text, p.self) }
}

func listedNames(o *observe.Observation) *textscan.Names {
	if !o.Tools.Served || o.Tools.Recovered || len(o.Incomplete()) > 0 ||
		o.Declares("prompts") && !o.Prompts.Served ||
		o.Declares("resources") && (!o.Resources.Served || !o.ResourceTemplates.Served && !rule.OptionalAbsent(&o.ResourceTemplates)) {
		return nil
	}
	var names []string
	for _, c := range o.Catalogs() {
		for _, item := range c.Items {
			if name := item.Get("name").TextOr(""); name != "" {
				names = append(names, name)
			}
		}
	}
	return textscan.NewNames(names)
}
