// Package fields judges members that items of several catalogs share, once for all groups of rules: texts that people read, media types,
// annotations, icons and members that tell items apart. Each item is judged by itself; what is no object is left to the rule about the
// member that identifies items of its catalog.
package fields

import (
	"fmt"
	"slices"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// MissingText finds items whose member is absent, null or blank, under the given reason, or no string.
func MissingText(entity string, c *observe.Catalog, name, reason, want string) []rule.Finding {
	var found []rule.Finding
	for _, item := range c.Items {
		if !item.IsObject() {
			continue
		}
		if why, seen := TextFault(item.Get(name), name, reason); why != "" {
			found = append(found, rule.AtItem(entity, item, jsondoc.Pointer("").Child(name), why, seen, want))
		}
	}
	return found
}

// TextFault returns the reason why v is no text that somebody can read, and what was seen: the given reason when it is absent, null or
// blank, wrong_type when it is no string. The reason is empty when nothing is wrong.
func TextFault(v jsondoc.Value, name, reason string) (why, seen string) {
	text, ok := v.Text()
	switch {
	case v.Missing():
		return reason, "there is no " + name
	case !ok:
		return "wrong_type", name + " is " + lexical.Excerpt(v)
	case lexical.Blank(text):
		return reason, name + " is blank: " + lexical.Excerpt(v)
	}
	return "", ""
}

// MediaTypes finds items whose mimeType is no media type.
func MediaTypes(entity string, c *observe.Catalog) []rule.Finding {
	var found []rule.Finding
	for _, item := range c.Items {
		v := item.Get("mimeType")
		text, ok := v.Text()
		if v.Missing() || ok && lexical.MediaType(text) {
			continue
		}
		reason := "invalid_media_type"
		if !ok {
			reason = "wrong_type"
		}
		found = append(found, rule.AtItem(entity, item, "/mimeType", reason, "mimeType is "+lexical.Excerpt(v), "type/subtype with optional parameters"))
	}
	return found
}

// Icons finds what is wrong with the icons of items, see [lexical.IconProblems].
func Icons(entity string, c *observe.Catalog) []rule.Finding {
	var found []rule.Finding
	for _, item := range c.Items {
		for _, p := range lexical.IconProblems(item.Get("icons")) {
			found = append(found, rule.AtItem(entity, item, "/icons"+p.Pointer, p.Reason, p.Seen, p.Want))
		}
	}
	return found
}

// InvalidIcons lists the icons with problems as reports do: the member that identifies the item, the icon's position and the names of
// its invalid members. Icons members that hold no icon have position -1.
func InvalidIcons(c *observe.Catalog, id string) []map[string]any {
	list := []map[string]any{}
	for _, item := range c.Items {
		last := -2
		for _, p := range lexical.IconProblems(item.Get("icons")) {
			index, member := iconPlace(p.Pointer)
			if index != last {
				list = append(list, map[string]any{"item": item.Get(id).TextOr(""), "icon_index": index, "invalid_fields": []string{}})
				last = index
			}
			if member != "" {
				entry := list[len(list)-1]
				entry["invalid_fields"] = append(entry["invalid_fields"].([]string), member)
			}
		}
	}
	return list
}

func iconPlace(p jsondoc.Pointer) (index int, member string) {
	names := p.Names()
	if len(names) == 0 {
		return -1, ""
	}
	for _, digit := range names[0] {
		index = index*10 + int(digit-'0')
	}
	if len(names) > 1 {
		member = names[1]
	}
	return index, member
}

// Annotations finds what is wrong with the annotations of items (MCP 2025-11-25, Server › Resources › Annotations). lastModified is
// judged from revision 2025-06-18 on, which brought it.
func Annotations(entity string, c *observe.Catalog) []rule.Finding {
	var found []rule.Finding
	for _, item := range c.Items {
		for _, p := range annotationProblems(item.Get("annotations"), c.Revision) {
			found = append(found, rule.AtItem(entity, item, "/annotations"+p.Pointer, p.Reason, p.Seen, p.Want))
		}
	}
	return found
}

func annotationProblems(annotations jsondoc.Value, r spec.Revision) []lexical.Problem {
	if annotations.Missing() {
		return nil
	}
	if !annotations.IsObject() {
		return []lexical.Problem{{Reason: "wrong_type", Seen: "annotations is " + lexical.Excerpt(annotations), Want: "an object"}}
	}
	problems := audienceProblems(annotations.Get("audience"))
	if v := annotations.Get("priority"); !v.Missing() {
		if n, ok := v.Float(); !ok {
			problems = append(problems, lexical.Problem{Pointer: "/priority", Reason: "wrong_type", Seen: "priority is " + lexical.Excerpt(v), Want: "a number from 0 to 1"})
		} else if n < 0 || n > 1 {
			problems = append(problems, lexical.Problem{Pointer: "/priority", Reason: "invalid_priority", Seen: "priority is " + lexical.Excerpt(v), Want: "a number from 0 to 1"})
		}
	}
	if v := annotations.Get("lastModified"); !v.Missing() && (!r.WellFormed() || r >= spec.Rev20250618) {
		if text, ok := v.Text(); !ok {
			problems = append(problems, lexical.Problem{Pointer: "/lastModified", Reason: "wrong_type", Seen: "lastModified is " + lexical.Excerpt(v), Want: "a string"})
		} else if !lexical.Timestamp(text) {
			problems = append(problems, lexical.Problem{Pointer: "/lastModified", Reason: "invalid_timestamp", Seen: "lastModified is " + lexical.Excerpt(v),
				Want: "an ISO 8601 timestamp such as 2025-01-12T15:00:58Z"})
		}
	}
	return problems
}

func audienceProblems(audience jsondoc.Value) []lexical.Problem {
	const want = "an array of user and assistant"
	if audience.Missing() {
		return nil
	}
	if !audience.IsArray() {
		return []lexical.Problem{{Pointer: "/audience", Reason: "wrong_type", Seen: "audience is " + lexical.Excerpt(audience), Want: want}}
	}
	var problems []lexical.Problem
	for i, el := range audience.Elements() {
		if role, ok := el.Value.Text(); !ok || role != "user" && role != "assistant" {
			problems = append(problems, lexical.Problem{Pointer: jsondoc.Pointer("/audience").Index(i), Reason: "invalid_audience", Seen: "audience holds " + lexical.Excerpt(el.Value), Want: want})
		}
	}
	return problems
}

// Values lists one member, where it is a string, of the items that findings are about: once per item, in the order of the catalog.
func Values(c *observe.Catalog, found []rule.Finding, name string) []string {
	values := []string{}
	last := -1
	for _, f := range found {
		if f.Index < 0 || f.Index == last || f.Index >= len(c.Items) {
			continue
		}
		last = f.Index
		values = append(values, c.Items[f.Index].Get(name).TextOr(""))
	}
	return values
}

// Pairs lists, for the items that findings are about, their name and another member under the name that reports use for it.
func Pairs(c *observe.Catalog, found []rule.Finding, member, as string) []map[string]any {
	list := []map[string]any{}
	last := -1
	for _, f := range found {
		if f.Index < 0 || f.Index == last || f.Index >= len(c.Items) {
			continue
		}
		last = f.Index
		item := c.Items[f.Index]
		list = append(list, map[string]any{"name": item.Get("name").TextOr(""), as: observe.Plain(item.Get(member))})
	}
	return list
}

// Repeated finds items that share the text of a member with another item of the catalog. Texts are compared exactly. In a catalog that
// was not read whole only items of one page are compared: between pages the catalog may have changed.
func Repeated(entity string, c *observe.Catalog, name, reason, want string) []rule.Finding {
	counts := countTexts(c, name)
	var found []rule.Finding
	for _, item := range c.Items {
		text, ok := item.Get(name).Text()
		if n := counts[place(c, item, text)]; ok && n > 1 {
			found = append(found, rule.AtItem(entity, item, jsondoc.Pointer("").Child(name), reason, sharedBy(n, name, item.Get(name)), want))
		}
	}
	return found
}

func sharedBy(n int, name string, v jsondoc.Value) string {
	return fmt.Sprintf("%d items have the %s %s", n, name, lexical.Excerpt(v))
}

// placed is a text and, in a partial catalog, the page that it stood on.
type placed struct{ page, text string }

func place(c *observe.Catalog, item observe.Item, text string) placed {
	if c.Complete {
		return placed{"", text}
	}
	return placed{item.Step, text}
}

func countTexts(c *observe.Catalog, name string) map[placed]int {
	counts := map[placed]int{}
	for _, item := range c.Items {
		if text, ok := item.Get(name).Text(); ok {
			counts[place(c, item, text)]++
		}
	}
	return counts
}

// RepeatedTexts lists each text that [Repeated] finds once, sorted.
func RepeatedTexts(c *observe.Catalog, name string) []string {
	texts := []string{}
	for p, n := range countTexts(c, name) {
		if n > 1 {
			texts = append(texts, p.text)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// NeedComparable wants a catalog that was read whole, or one that repeats the text of a member on one page: that much is proof already.
func NeedComparable(pick rule.Pick, name string) rule.Need {
	items, whole := rule.NeedItems(pick), rule.NeedWhole(pick)
	return func(o *observe.Observation) *rule.Skip {
		if s := items(o); s != nil {
			return s
		}
		if c := pick(o); !c.Complete && len(RepeatedTexts(c, name)) > 0 {
			return nil
		}
		return whole(o)
	}
}
