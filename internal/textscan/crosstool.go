package textscan

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Names are the names that a server lists, prepared for judging many texts of one catalog. A nil *Names
// means that the listing is not wholly known.
type Names struct{ set func() map[string]bool }

// NewNames prepares the names of a server's tools, prompts, resources and resource templates.
func NewNames(names []string) *Names {
	return &Names{sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool, len(names))
		for _, name := range names {
			if name != "" {
				set[foldName(name)] = true
			}
		}
		return set
	})}
}

// CrossTool is [Names.CrossTool] for a single text. A nil toolNames means that the listing is not wholly known.
func CrossTool(text, self string, toolNames []string) []Match {
	if toolNames == nil {
		return (*Names)(nil).CrossTool(text, self)
	}
	return NewNames(toolNames).CrossTool(text, self)
}

// CrossTool finds orders that reach beyond the server: a description that tells the model what to do with
// tools which are not its own (tool shadowing). Self is the name of the item the text describes, or empty.
//
// Kinds:
//   - any_tool_directive: an order about any, every, all, other or another tool or server, once per sentence
//   - unlisted_tool_directive: an order to call a tool that the server does not list; never without names
//
// A sentence counts when it is an order (must, should, always, "call x first", "when ..., call x") in prose:
// not in code, in double quotes, in an indirect question, nor as what somebody attempts. A name counts when
// it is code (backticks) or shaped like an identifier; the names of files, hosts, versions and protocol
// methods are not tools. "Never use any tool" restricts and steers nowhere, so it is no finding;
// "never use any other tool" is one. "Before calling other tools" only says when to call this one.
//
// Limits: English only; one plain word without backticks is never taken for a tool's name.
func (n *Names) CrossTool(text, self string) []Match {
	if !mayDirect(text, n != nil) {
		return nil
	}
	var ms []Match
	ex := newExcerpter(text)
	for _, p := range readProse(text) {
		quotes := p.quotations()
		for _, s := range p.sentences(quotes) {
			for _, f := range n.judgeSentence(p, s, quotes, self) {
				f.Start += p.from
				f.End += p.from
				if p.whole != nil {
					f.Start, f.End = p.whole.start, p.whole.end
				}
				f.Excerpt = ex.cut(f.Start, f.End)
				ms = append(ms, f)
			}
			if len(ms) > maxMatches {
				return sortMatches(ms)
			}
		}
	}
	return sortMatches(ms)
}

// mayDirect reports whether the text has the words without which no finding is possible.
func mayDirect(text string, names bool) bool {
	low := fold(text)
	return containsAny(low, "tool", "server") || names && containsAny(low, "call", "invok")
}

type directivePatterns struct {
	cue, condition, indirect, anyTool, negated, ownOrder, callNoun, call, tool, token, codeName *regexp.Regexp
}

var directives = sync.OnceValue(func() directivePatterns {
	re := regexp.MustCompile
	const group = `(?:any|every|all|other|another)\s+(?:other\s+)?(?:mcp\s+)?(?:tools?|servers?)\b`
	return directivePatterns{
		cue: re(`(?im)\b(?:must|should|make\s+sure|ensure|be\s+sure)(?:[^\w-]|$)` +
			`|(?:^|[,;:(>—"”]|\b(?:and|or|then|but|so|please|you)\b)[^\w\x00]{0,4}(?:always|never|do\s+not|don['’]t)(?:[^\w-]|$)` +
			`|\b(?:first|instead),?\s+(?:call|use|invoke|run)\b` +
			`|(?:^|>)[^\w\x00]*(?:(?:please|then|now|next|also|finally)\b,?\s+)?(?:call|use|invoke|send|prefer|always|never|do\s+not|don['’]t)(?:[^\w-]|$)`),
		condition: re(`(?im)^[^\w\x00]*(?:when|whenever|before|after|instead\s+of|if)\b[^,]{1,200},\s*([\pL'’]+)`),
		indirect:  re(`(?i)\bwhether\b|\b(?:reports?|returns?|shows?|tells?|indicates?|checks?|asks?|determines?|says|know|knows)\s+(?:if|when|how|why|where|what|which)\b`),
		anyTool:   re(`(?i)\b(?:use|using|call|calling|invoke|invoking|run|running|with)\s+` + group + `|\b` + group + `\s+(?:must|should)\b`),
		negated:   re(`(?i)(?:\b(?:never|not|cannot|without)|n['’]t)\s+(?:\w+\s+)?$`),
		// "Call this before calling other tools" says when to call this one.
		ownOrder: re(`(?i)\b(?:before|after|prior\s+to)\s+(?:using|calling|invoking|running)\s+other\s+(?:mcp\s+)?(?:tools|servers)$`),
		// "Required on the first call: startDateTime"
		callNoun: re(`(?i)\b(?:the|a|an|each|every|per|this|that|next|previous|last|subsequent|api|tool|function|method|(?:on|with|the|a|its|your)\s+first)\s+$`),
		call:     re(`(?i)\b(?:call|calling|invoke|invoking)\b:?\s+(?:the\s+)?`),
		tool:     re(`(?i)\s+tool\b`),
		token:    re(`^[\pL\pN\pM_./\\-]+`),
		codeName: re(`^([A-Za-z0-9_./-]+)(?:\([^` + "`" + `]*\))?$`),
	}
})

// subjects are the words after which a conditional clause goes on as a statement, not as an order.
var subjects = map[string]bool{
	"the": true, "a": true, "an": true, "it": true, "its": true, "this": true, "that": true, "these": true, "those": true, "they": true,
	"their": true, "we": true, "our": true, "you": true, "your": true, "there": true, "he": true, "she": true, "i": true,
}

// judgeSentence returns the findings of one sentence, with offsets in the passage.
func (n *Names) judgeSentence(p passage, s span, quotes []span, self string) []Match {
	d := directives()
	lead := len(p.text[s.start:s.end]) - len(strings.TrimLeft(p.text[s.start:s.end], " \t\n"))
	s.start += lead
	if s.end-s.start < len("call x") {
		return nil
	}
	low := fold(p.text[s.start:s.end])
	if !containsAny(low, "tool", "server") && (n == nil || !containsAny(low, "call", "invok")) {
		return nil
	}
	live := liveText(p.text[s.start:s.end], low, s, quotes)
	if !d.cue.MatchString(live) && !conditional(live, low) {
		return nil
	}
	var ms []Match
	var anyTool [][]int
	if containsAny(low, "any", "every", "all", "other") {
		anyTool = d.anyTool.FindAllStringIndex(live, -1)
	}
	for _, at := range anyTool {
		if aboutTool(live, at[0], at[1]) {
			continue
		}
		phrase := fold(live[at[0]:at[1]])
		if !strings.Contains(phrase, "other") && d.negated.MatchString(live[:at[0]]) || d.ownOrder.MatchString(live[:at[1]]) {
			continue
		}
		ms = append(ms, Match{Kind: "any_tool_directive", Start: s.start + at[0], End: s.start + at[1]})
		break
	}
	if n == nil {
		return ms
	}
	named := map[int]bool{}
	add := func(name string, at span, start, end int) {
		if name == "" || named[at.start] || aboutTool(live, start, end) || n.lists(name, self) {
			return
		}
		named[at.start] = true
		ms = append(ms, Match{Kind: "unlisted_tool_directive", Start: s.start + start, End: s.start + end})
	}
	for _, at := range d.call.FindAllStringIndex(live, -1) {
		if d.callNoun.MatchString(live[max(0, at[0]-lookBehind):at[0]]) {
			continue
		}
		name, place := p.nameAt(s, live, at[1])
		add(name, place, at[0], place.end)
	}
	for _, at := range d.tool.FindAllStringIndex(live, -1) {
		name, place := p.nameBefore(s, live, at[0])
		add(name, place, place.start, at[1])
	}
	return ms
}

// liveText masks what gives no order in a sentence: quotations and indirect questions. Code is masked already.
func liveText(sentence, low string, s span, quotes []span) string {
	b := []byte(sentence)
	for _, q := range quotes {
		for i := max(q.start+1, s.start); i < min(q.end-1, s.end); i++ {
			b[i-s.start] = masked
		}
	}
	if !containsAny(low, "whether", "report", "return", "show", "tell", "indicate", "check", "ask", "determine", "says", "know") {
		return string(b)
	}
	for _, at := range directives().indirect.FindAllIndex(b, -1) {
		for i := at[0]; i < len(b) && b[i] != ',' && b[i] != ';' && b[i] != ':'; i++ {
			b[i] = masked
		}
	}
	return string(b)
}

func conditional(live, low string) bool {
	if !strings.Contains(live, ",") || !containsAny(low, "when", "before", "after", "instead", "if") {
		return false
	}
	for _, m := range directives().condition.FindAllStringSubmatch(live, -1) {
		if !subjects[fold(m[1])] {
			return true
		}
	}
	return false
}

func aboutTool(sentence string, start, end int) bool {
	return wrapped(sentence, start, end) || slashed(sentence, start, end) || described(sentence, start)
}

// nameAt returns the tool name that starts at offset i of the sentence, after blanks, and its place there.
func (p passage) nameAt(s span, live string, i int) (string, span) {
	for i < len(live) && (live[i] == ' ' || live[i] == '\n' || live[i] == '\t') {
		i++
	}
	if i == len(live) {
		return "", span{}
	}
	if c, ok := p.codeAt(s.start + i); ok && live[i] == masked {
		return codeName(c.content), span{c.start - s.start, min(c.end, s.end) - s.start}
	}
	token := directives().token.FindString(live[i:])
	name := bareName(token)
	return name, span{i, i + len(strings.TrimRight(token, "./-"))}
}

// nameBefore returns the tool name that ends at offset i of the sentence.
func (p passage) nameBefore(s span, live string, i int) (string, span) {
	for i > 0 && (live[i-1] == ' ' || live[i-1] == '\n' || live[i-1] == '\t') {
		i--
	}
	if i == 0 {
		return "", span{}
	}
	if live[i-1] == masked {
		if c, ok := p.codeAt(s.start + i - 1); ok {
			return codeName(c.content), span{max(0, c.start-s.start), c.end - s.start}
		}
		return "", span{}
	}
	start := i
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(live[:start])
		if !isWord(r) && !strings.ContainsRune(`./-\`, r) {
			break
		}
		start -= size
	}
	return bareName(live[start:i]), span{start, i}
}

// codeAt returns the code span that covers offset i of the passage.
func (p passage) codeAt(i int) (codeSpan, bool) {
	at, _ := slices.BinarySearchFunc(p.codes, i, func(c codeSpan, i int) int { return c.end - i - 1 })
	if at < len(p.codes) && p.codes[at].start <= i {
		return p.codes[at], true
	}
	return codeSpan{}, false
}

// codeName returns the name in a code span, without its arguments; "" when it is none.
func codeName(content string) string {
	m := directives().codeName.FindStringSubmatch(content)
	if m == nil || len(m[1]) > 128 || !strings.ContainsFunc(m[1], func(r rune) bool { return r < utf8.RuneSelf && letter(byte(r)) }) || notTool(m[1]) {
		return ""
	}
	return m[1]
}

// bareName returns the name that a word of prose is, if it is shaped like an identifier.
func bareName(token string) string {
	name := strings.TrimRight(strings.ReplaceAll(token, `\`, ""), "./-")
	if !codeShaped(name) || notTool(name) {
		return ""
	}
	return name
}

var (
	joinedPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^_*[A-Za-z0-9][A-Za-z0-9-]*(?:[._]+[A-Za-z0-9][A-Za-z0-9-]*)+_*$`)
	})
	camelPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[A-Za-z0-9]+-)*[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+(?:-[A-Za-z0-9]+)*$`)
	})
	segmentPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]+$`) })
	versionPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i)(?:v(?:er)?\.?)?\d+(?:[._]\d+)*(?:[._-]?(?:x|alpha|beta|rc)[\d.]*)?$`)
	})
)

// codeShaped reports whether a word is an identifier rather than prose: joined by underscores or dots, or
// camelCase, or a path with such a part. "read-only" and "read/write" are prose.
func codeShaped(name string) bool {
	if strings.Contains(name, "/") {
		shaped := false
		for part := range strings.SplitSeq(name, "/") {
			if !segmentPattern().MatchString(part) {
				return false
			}
			shaped = shaped || codeShaped(part)
		}
		return shaped
	}
	return (joinedPattern().MatchString(name) || camelPattern().MatchString(name)) && strings.ContainsFunc(name, func(r rune) bool { return letter(byte(r)) })
}

// notTool reports whether an identifier names something else than a tool: a protocol method, a file, a host,
// a version, an abbreviation.
func notTool(name string) bool {
	if protocolMethods()[name] || versionPattern().MatchString(name) {
		return true
	}
	parts := strings.Split(name, ".")
	if len(parts) < 2 {
		return false
	}
	last := strings.ToLower(parts[len(parts)-1])
	if fileEndings()[last] || hostEndings()[last] {
		return true
	}
	return !slices.ContainsFunc(parts, func(part string) bool { return len(part) > 1 }) // e.g, i.e
}

// protocolMethods are the methods of the protocol, of every revision, and of its official extensions.
var protocolMethods = sync.OnceValue(func() map[string]bool {
	return words(`initialize ping server/discover tools/list tools/call resources/list resources/read
	resources/templates/list resources/subscribe resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel
	sampling/createMessage roots/list elicitation/create skills/list skills/get resources/directory/read tasks/get tasks/list
	tasks/result tasks/update tasks/cancel notifications/initialized notifications/cancelled notifications/progress notifications/message
	notifications/resources/updated notifications/resources/list_changed notifications/tools/list_changed
	notifications/prompts/list_changed notifications/roots/list_changed notifications/elicitation/complete notifications/tasks/status`)
})

var fileEndings = sync.OnceValue(func() map[string]bool {
	return words(`md mdx txt rst json jsonl yaml yml toml ini cfg conf env lock log js mjs cjs jsx ts tsx py pyi ipynb rb go rs java kt
	scala c h cc cpp hpp cs php sh bash zsh ps1 bat sql html htm css scss xml csv tsv pdf png jpg jpeg gif svg webp mp3 mp4 wav zip gz tgz tar
	exe dll so dylib wasm proto graphql doc docx xls xlsx ppt pptx swift dart lua vue svelte tf hcl r`)
})

var hostEndings = sync.OnceValue(func() map[string]bool {
	return words(`com org net edu gov io dev ai app co cloud info biz me uk de fr eu us local localhost example invalid test internal`)
})

func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// lists reports whether the server lists the name, as written or under one to three leading parts that a
// client may have put before it (mcp__notes__search).
func (n *Names) lists(name, self string) bool {
	set := n.set()
	self = foldName(self)
	for range 4 {
		folded := foldName(name)
		if set[folded] || self != "" && folded == self {
			return true
		}
		at, size := -1, 0
		for _, sep := range []string{"__", ".", "/"} {
			if i := strings.Index(name, sep); i > 0 && (at < 0 || i < at) {
				at, size = i, len(sep)
			}
		}
		if at < 0 {
			return false
		}
		name = name[at+size:]
	}
	return false
}

// foldName lowers a name and reads every run of separators as one underscore.
func foldName(name string) string {
	var b strings.Builder
	separated := false
	for _, r := range strings.ToLower(name) {
		if strings.ContainsRune("-._/", r) {
			separated = true
			continue
		}
		if separated {
			b.WriteByte('_')
			separated = false
		}
		b.WriteRune(r)
	}
	if separated {
		b.WriteByte('_')
	}
	return b.String()
}
