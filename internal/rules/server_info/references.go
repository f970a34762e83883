package server_info

import (
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// maxInstructions bounds the text that is searched, in bytes.
const maxInstructions = 64 << 10

// reference is a name in the instructions that the words around it call a tool.
type reference struct {
	name string
	tool bool // called a tool in so many words, not only something to call
}

// references finds names in code spans of CommonMark text that are followed by "()", or come after "call", "invoke" or "tool", or before
// "tool". Code blocks and raw HTML are not searched.
func references(instructions string) []reference {
	source := []byte(lineEnds.Replace(instructions))
	var found []reference
	document := goldmark.DefaultParser().Parse(text.NewReader(source))
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		if n.FirstChild() == nil || n.FirstChild().Type() != ast.TypeInline {
			return ast.WalkContinue, nil
		}
		found = append(found, spansOf(flatten(n, source, nil))...)
		return ast.WalkSkipChildren, nil
	})
	return found
}

// lineEnds turns the line ends that CommonMark knows into one.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Limits beyond which text is not parsed: the time a CommonMark parser takes grows with the square of these.
const (
	maxBrackets = 2000 // "[" or "<" in the whole text
	maxNesting  = 40   // block quotes and list items that one line opens
)

var openings = regexp.MustCompile(`^[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])`)

// tangled reports whether parsing the text would take long. Text that people write comes nowhere near the limits.
func tangled(instructions string) bool {
	if strings.Count(instructions, "[") > maxBrackets || strings.Count(instructions, "<") > maxBrackets {
		return true
	}
	for line := range strings.Lines(lineEnds.Replace(instructions)) {
		for depth := 0; ; depth++ {
			marker := openings.FindString(line)
			if marker == "" {
				break
			}
			if depth == maxNesting {
				return true
			}
			line = line[len(marker):]
		}
	}
	return false
}

// run is a piece of a line of text: words, a code span, or something that ends the words around a span.
type run struct {
	kind runKind
	text string
}

type runKind uint8

const (
	words runKind = iota
	code
	barrier
)

// flatten lists the pieces below a node in the order in which they are read. Emphasis leaves no trace.
func flatten(n ast.Node, source []byte, runs []run) []run {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			runs = append(runs, run{words, plainText(c, source)})
		case *ast.String:
			runs = append(runs, run{words, string(c.Value)})
		case *ast.CodeSpan:
			runs = append(runs, run{code, codeText(c, source)})
		case *ast.Emphasis:
			runs = flatten(c, source, runs)
		case *ast.Link:
			runs = append(flatten(c, source, append(runs, run{kind: barrier})), run{kind: barrier})
		default:
			runs = append(runs, run{kind: barrier})
		}
	}
	return runs
}

// plainText is the text as people see it: references and escapes resolved, a line break as a blank.
func plainText(t *ast.Text, source []byte) string {
	shown := t.Value(source)
	if !t.IsRaw() {
		shown = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(shown)))
	}
	if t.SoftLineBreak() || t.HardLineBreak() {
		return string(shown) + " "
	}
	return string(shown)
}

func codeText(span *ast.CodeSpan, source []byte) string {
	var b strings.Builder
	for c := span.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(source))
		}
	}
	return strings.TrimSpace(b.String())
}

var (
	cueBefore = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[^\pL\pN_])(call|calling|invoke|invoking|tools?)[\s\p{Z}]*$`)
	})
	cueAfter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^[\s\p{Z}]*tools?(?:$|[^\pL\pN_])`) })
)

func spansOf(runs []run) []reference {
	var found []reference
	for i, r := range runs {
		if r.kind != code {
			continue
		}
		name, called := strings.CutSuffix(r.text, "()")
		if !lexical.ToolName(name) {
			continue
		}
		before := cueBefore().FindStringSubmatch(wordsBefore(runs[:i]))
		tool := cueAfter().MatchString(wordsAfter(runs[i+1:])) || before != nil && strings.HasPrefix(strings.ToLower(before[1]), "tool")
		if called || tool || before != nil {
			found = append(found, reference{name, tool})
		}
	}
	return found
}

// reach is how many characters around a span are read.
const reach = 32

func wordsBefore(runs []run) string {
	seen := ""
	for i := len(runs) - 1; i >= 0 && runs[i].kind == words && len(seen) < reach*4; i-- {
		seen = runs[i].text + seen
	}
	if r := []rune(seen); len(r) > reach {
		return string(r[len(r)-reach:])
	}
	return seen
}

func wordsAfter(runs []run) string {
	seen := ""
	for _, r := range runs {
		if r.kind != words || len(seen) >= reach*4 {
			break
		}
		seen += r.text
	}
	if r := []rune(seen); len(r) > reach {
		return string(r[:reach])
	}
	return seen
}

// needReferences wants instructions that name tools, and a list of tools to compare them with.
func needReferences(o *observe.Observation) *rule.Skip {
	instructions, _ := o.Instructions.Text()
	switch {
	case strings.TrimSpace(instructions) == "":
		return rule.SkipFor(rule.NotApplicable, "the server has no instructions")
	case len(instructions) > maxInstructions:
		return rule.SkipFor(rule.Insufficient, "the instructions are longer than %d bytes", maxInstructions)
	case tangled(instructions):
		return rule.SkipFor(rule.Insufficient, "the markup of the instructions is nested too deeply to be read")
	case len(references(instructions)) == 0:
		return rule.SkipFor(rule.NotApplicable, "the instructions name no tool")
	case withoutTools(o):
		return nil
	}
	c := &o.Tools
	switch {
	case !c.Served && (o.Declares("tools") || c.Attempted):
		return rule.SkipFor(rule.Insufficient, "the tools could not be listed")
	case c.Recovered:
		return rule.SkipFor(rule.Insufficient, "the instructions belong to the session, the list of tools was read without one")
	case c.Served && !c.Complete:
		return rule.SkipFor(rule.Insufficient, "only a part of the tools could be listed")
	}
	return nil
}

// withoutTools reports whether a server without handshake says in both ways that it has no tools.
func withoutTools(o *observe.Observation) bool {
	return o.Session == "" && !o.Declares("tools") && toolsNotFound(o)
}

// unknownReferences lists the distinct names that stand for no tool, in the order of their first mention. What is only said to be called
// may be a prompt.
func unknownReferences(o *observe.Observation) []string {
	known := map[string]bool{}
	for _, item := range o.Tools.Items {
		known[item.Get("name").TextOr("")] = true
	}
	prompts := map[string]bool{}
	for _, item := range o.Prompts.Items {
		prompts[item.Get("name").TextOr("")] = true
	}
	promptsUnknown := o.Prompts.Attempted && !o.Prompts.Complete
	unknown := []string{}
	for _, r := range references(o.Instructions.TextOr("")) {
		if known[r.name] || !r.tool && (prompts[r.name] || promptsUnknown) {
			continue
		}
		known[r.name] = true
		unknown = append(unknown, r.name)
	}
	return unknown
}

func judgeReferences(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, name := range unknownReferences(o) {
		found = append(found, rule.AtField(o.Instructions, "/instructions", "", "unknown_tool_reference", "the instructions call a tool "+name, "a tool of that name in tools/list"))
	}
	return found
}
