package tools

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"

	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// normalized reduces a text to what must differ for two texts to say different things: words without regard to case and spacing, and
// without a full stop at the end.
func normalized(text string) string {
	folded := fold(strings.Join(strings.Fields(text), " "))
	return strings.TrimRightFunc(strings.TrimSuffix(folded, "."), unicode.IsSpace)
}

func description(item observe.Item) string { return normalized(item.Get("description").TextOr("")) }

func needDescriptions(least int, text string) rule.Need {
	return func(o *observe.Observation) *rule.Skip {
		n := 0
		for _, item := range o.Tools.Items {
			if description(item) != "" {
				n++
			}
		}
		if n < least {
			return rule.SkipFor(rule.NotApplicable, "%s", text)
		}
		return nil
	}
}

func repeatedDescriptions(o *observe.Observation) []rule.Finding {
	counts := map[string]int{}
	for _, item := range o.Tools.Items {
		counts[description(item)]++
	}
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		if text := description(item); text != "" && counts[text] > 1 {
			found = append(found, at(item, "/description", "duplicate_description",
				fmt.Sprintf("%d tools are described by %s", counts[text], lexical.Excerpt(item.Get("description"))), "a description that fits this tool alone"))
		}
	}
	return found
}

// descriptionGroups lists the names of the tools that share a description, group by group.
func descriptionGroups(o *observe.Observation) [][]string {
	groups := [][]string{}
	place := map[string]int{}
	for _, f := range repeatedDescriptions(o) {
		item := o.Tools.Items[f.Index]
		text := description(item)
		i, ok := place[text]
		if !ok {
			i = len(groups)
			place[text] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], item.Get("name").TextOr(""))
	}
	return groups
}

var placeholders = map[string]bool{
	"add a description": true, "add description": true, "description": true, "description here": true, "fixme": true, "lorem ipsum": true,
	"lorem ipsum dolor sit amet": true, "no description": true, "placeholder": true, "tbd": true, "todo": true, "tool description": true,
}

var placeholderMark = regexp.MustCompile(`^(?:todo|tbd|fixme)\s*:`)

// longestEcho is how long a description may be, in characters, that says nothing.
const longestEcho = 512

// uninformative returns how a tool's description says nothing: "placeholder", "echoes_name", or empty.
func uninformative(item observe.Item) string {
	raw := item.Get("description").TextOr("")
	if utf8.RuneCountInString(raw) > longestEcho {
		return ""
	}
	text := normalized(raw)
	switch {
	case text == "":
		return ""
	case placeholders[text] || placeholderMark.MatchString(text):
		return "placeholder"
	}
	for _, member := range []string{"name", "title"} {
		label := item.Get(member).TextOr("")
		if label == "" {
			continue
		}
		if text == normalized(label) || lettersOf(text) != "" && lettersOf(text) == lettersOf(label) {
			return "echoes_name"
		}
	}
	return ""
}

// lettersOf keeps letters and digits, without regard to case.
func lettersOf(s string) string {
	return fold(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, s))
}

// fold makes texts equal that differ in case only.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return cases.Fold().String(s)
		}
	}
	return strings.ToLower(s)
}

func uninformativeDescriptions(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		seen := ""
		switch uninformative(item) {
		case "placeholder":
			seen = "the description is a placeholder: "
		case "echoes_name":
			seen = "the description repeats the name: "
		default:
			continue
		}
		found = append(found, at(item, "/description", "uninformative_description", seen+lexical.Excerpt(item.Get("description")), "what the tool does, returns and is for"))
	}
	return found
}
