// Package experimental holds observations that are reported and never counted, until a roster admits them: each is a rule like any other,
// but about habits of servers that no methodology weighs yet.
package experimental

import (
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// entities are the names of items in findings, by catalog.
var entities = map[string]string{"tools": "tool", "resources": "resource", "resource_templates": "resource_template", "prompts": "prompt"}

// needItems wants an item in any catalog.
func needItems(o *observe.Observation) *rule.Skip {
	if s := rule.NeedAccess(o); s != nil {
		return s
	}
	unread := ""
	for _, c := range o.Catalogs() {
		if len(c.Items) > 0 {
			return nil
		}
		if c.Attempted && !c.Complete && !rule.OptionalAbsent(c) {
			unread = c.Method
		}
	}
	if unread != "" {
		return rule.SkipFor(rule.Insufficient, "%s could not be read, and nothing else is listed", unread)
	}
	return rule.SkipFor(rule.NotApplicable, "the server lists nothing")
}

// atNote places a finding where a note stands: at the item that holds the place, where there is one.
func atNote(places map[string]observe.Item, n observe.Note, reason, seen, want string) rule.Finding {
	f := rule.Finding{Entity: "response", Index: -1, Step: n.Step, Reason: reason, Seen: seen, Want: want}
	if !strings.HasPrefix(n.Pointer, "/") {
		return f
	}
	f.Pointer = n.Pointer
	parts := strings.SplitN(n.Pointer, "/", 5) // "", result, tools, 3, rest
	if len(parts) < 4 {
		return f
	}
	item, ok := places[n.Step+" "+strings.Join(parts[:4], "/")]
	if !ok {
		return f
	}
	return rule.AtItem(entityOf(item), item, jsondoc.Pointer(strings.TrimPrefix(n.Pointer, string(item.Pointer))), reason, seen, want)
}

// itemPlaces indexes the items of all catalogs by step and pointer.
func itemPlaces(o *observe.Observation) map[string]observe.Item {
	places := map[string]observe.Item{}
	for _, c := range o.Catalogs() {
		for _, item := range c.Items {
			places[item.Step+" "+string(item.Pointer)] = item
		}
	}
	return places
}

// entityOf names an item by the member of the result that it stood in.
func entityOf(item observe.Item) string {
	names := item.Pointer.Names()
	if len(names) < 2 {
		return "response"
	}
	if names[1] == "resourceTemplates" {
		return "resource_template"
	}
	return entities[names[1]]
}

// notesOf lists the notes of some kinds in the order in which they were made. What is only said again is told once: a list that is
// served in spite of a cursor nobody issued is the first page, and the stateless lifecycle lists what the session lists.
func notesOf(o *observe.Observation, kinds ...string) []observe.Note {
	var list []observe.Note
	inSession := map[string]bool{}
	for _, n := range o.Notes {
		if !slices.Contains(kinds, n.Kind) {
			continue
		}
		place := n.Kind + " " + n.Pointer
		if strings.HasSuffix(n.Step, "/invalid-cursor") && !strings.HasPrefix(n.Pointer, "/error") && !strings.HasPrefix(n.Pointer, "/id") {
			continue
		}
		if strings.HasPrefix(n.Step, "session/") {
			inSession[place] = true
		} else if inSession[place] {
			continue
		}
		list = append(list, n)
	}
	return list
}
