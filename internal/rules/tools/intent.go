package tools

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// intent is what a tool's name and description say that it does.
type intent uint8

const (
	unclear intent = iota
	reads
	destroys
)

var (
	readVerbs   = wordSet("count describe fetch find get list lookup query read retrieve search show view")
	changeVerbs = wordSet(`add apply approve archive assign cancel clear close copy create delete destroy disable drop edit enable end erase execute generate hide
		import insert invite merge modify move post publish put reject remove rename replace reset restore run save send set start stop submit sync update upload upsert
		wipe write`)
	destructiveVerbs = wordSet("delete destroy erase")
	dropVerbs        = wordSet("drop wipe") // destructive in a name, harmless in much prose
	adverbs          = wordSet("completely irreversibly permanently safely")
	rehearsals       = wordSet("dry estimate plan preview simulate validate") // what says so changes nothing
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func isVerb(w string) bool { return readVerbs[w] || changeVerbs[w] }

// wordsOf returns the runs of ASCII letters, and of digits where they count, in lower case.
func wordsOf(text string, digits bool) []string {
	return strings.FieldsFunc(strings.Map(toLowerASCII, text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (!digits || r < '0' || r > '9')
	})
}

// baseForm maps "deletes" to "delete" where that is a verb.
func baseForm(word string) string {
	for _, ending := range []string{"es", "s"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && isVerb(stem) {
			return stem
		}
	}
	return word
}

// intentOf reads the verb of the name, one of its first two words, and that of the description, one of its first three.
func intentOf(item observe.Item) intent {
	parts := wordsOf(afterLower.ReplaceAllString(item.Get("name").TextOr(""), "$1 $2"), true)
	prose := wordsOf(item.Get("description").TextOr(""), false)
	named, described := "", ""
	for _, w := range parts[:min(2, len(parts))] {
		if named == "" && isVerb(w) {
			named = w
		}
	}
	for _, w := range prose[:min(3, len(prose))] {
		if adverbs[w] {
			continue
		}
		if base := baseForm(w); isVerb(base) {
			described = base
		}
		break
	}
	rehearsed := len(prose) > 0 && rehearsals[prose[0]]
	changes := false
	for _, w := range parts {
		rehearsed = rehearsed || rehearsals[w]
		changes = changes || changeVerbs[w]
	}
	switch {
	case destructiveVerbs[described]:
		return destroys
	case rehearsed:
		return unclear
	case described == named && dropVerbs[named], described == "" && (destructiveVerbs[named] || dropVerbs[named]):
		return destroys
	case !readVerbs[named] || changes:
		return unclear
	}
	for _, w := range prose {
		if changeVerbs[baseForm(w)] {
			return unclear
		}
	}
	return reads
}

// hintNames are the annotations that tell how a tool behaves.
var hintNames = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

// hint is a behaviour annotation: not given, given, or of a type that nobody can read. The spellings of booleans that common server
// libraries accept count as booleans.
type hint struct{ given, value, unreadable bool }

var spelledTrue, spelledFalse = wordSet("1 true yes on t y"), wordSet("0 false no off f n")

func hintOf(item observe.Item, name string) hint {
	v := item.Path("annotations", name)
	word := strings.ToLower(v.TextOr(""))
	if n, ok := v.Int(); ok && (n == 0 || n == 1) {
		word = string(rune('0' + n))
	}
	switch {
	case v.Missing():
		return hint{}
	case v.Kind() == jsondoc.Bool:
		return hint{given: true, value: v.True()}
	case spelledTrue[word]:
		return hint{given: true, value: true}
	case spelledFalse[word]:
		return hint{given: true}
	}
	return hint{unreadable: true}
}

func says(item observe.Item, name string, value bool) bool {
	h := hintOf(item, name)
	return h.given && h.value == value
}

func anyHint(item observe.Item) bool {
	for _, name := range hintNames {
		if hintOf(item, name).given {
			return true
		}
	}
	return false
}

// unannotated finds tools without a behaviour annotation, and annotations that cannot be read.
func unannotated(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		given := item.Get("annotations")
		switch {
		case !item.IsObject():
			continue
		case !given.Missing() && !given.IsObject():
			found = append(found, at(item, "/annotations", "wrong_type", "annotations is "+lexical.Excerpt(given), "an object"))
			continue
		}
		readable := true
		for _, name := range hintNames {
			if hintOf(item, name).unreadable {
				readable = false
				found = append(found, at(item, jsondoc.Pointer("/annotations").Child(name), "wrong_type", name+" is "+lexical.Excerpt(given.Get(name)), "true or false"))
			}
		}
		if readable && !anyHint(item) {
			seen := "there are no annotations"
			if given.IsObject() {
				seen = "the annotations say nothing of what the tool does"
			}
			found = append(found, at(item, "/annotations", "missing_behavior_annotation", seen, "readOnlyHint, destructiveHint, idempotentHint or openWorldHint"))
		}
	}
	return found
}

// needTool wants a tool that a rule is about.
func needTool(about func(observe.Item) bool, text string) rule.Need {
	return func(o *observe.Observation) *rule.Skip {
		for _, item := range o.Tools.Items {
			if about(item) {
				return nil
			}
		}
		return rule.SkipFor(rule.NotApplicable, "%s", text)
	}
}

func destructive(item observe.Item) bool { return intentOf(item) == destroys }

func annotatedReader(item observe.Item) bool { return anyHint(item) && intentOf(item) == reads }

func declaredReadOnly(item observe.Item) bool { return says(item, "readOnlyHint", true) }

func understated(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		seen := ""
		switch {
		case declaredReadOnly(item):
			seen = "a tool that deletes has readOnlyHint true"
		case says(item, "destructiveHint", false):
			seen = "a tool that deletes has destructiveHint false"
		}
		if seen == "" || !destructive(item) {
			continue
		}
		found = append(found, at(item, "/annotations", "destructive_tool_declared_safe", seen, "readOnlyHint false and destructiveHint true, or no destructiveHint"))
	}
	return found
}

func readersWithoutHint(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		if h := hintOf(item, "readOnlyHint"); !h.given && !h.unreadable && annotatedReader(item) {
			found = append(found, at(item, "/annotations/readOnlyHint", "read_tool_without_read_only_hint", "a tool that reads has no readOnlyHint", "ideally readOnlyHint true"))
		}
	}
	return found
}

func contradictory(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		if declaredReadOnly(item) && says(item, "destructiveHint", true) {
			found = append(found, at(item, "/annotations/destructiveHint", "read_only_tool_declared_destructive", "destructiveHint is true beside readOnlyHint true", "one of the two"))
		}
	}
	return found
}
