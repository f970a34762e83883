package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// Kind is what happened to an item.
type Kind string

// The kinds of change.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Change is one item that is not what was pinned.
type Change struct {
	Part   string `json:"part"`
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Old    string `json:"old_digest,omitempty"`
	New    string `json:"new_digest,omitempty"`
	Places []Diff `json:"places,omitempty"` // of a changed item, in the order of their paths
}

// Diff is one place in an item at which the two differ. Old and New are in printable form: hidden characters are spelled out and
// credentials masked; a long text is cut down to where it differs. A member that one of the two lacks has an empty value there.
type Diff struct {
	Path string `json:"path"` // JSON Pointer, empty for the item as a whole
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// maxPlaces is the number of places shown per item.
const maxPlaces = 50

// Noun names a part in the singular, for people: "resource template".
func Noun(part string) string {
	if part == "instructions" {
		return part
	}
	return strings.TrimSuffix(strings.ReplaceAll(part, "_", " "), "s")
}

// Title names the item: `tool "read_file"`.
func (c *Change) Title() string {
	if c.Part == "instructions" {
		return "the instructions"
	}
	return textscan.Visible(Noun(c.Part) + ` "` + c.Name + `"`)
}

// Compare looks for what is pinned in what was observed. Parts that are pinned and could not be read are returned apart: nothing is
// known about their items.
func (l *Lock) Compare(o *observe.Observation) ([]Change, []Unread) {
	pinned := l.Pinned()
	if len(pinned) == 0 {
		return nil, nil
	}
	now, unread := New(o, pinned)
	if len(unread) > 0 && unread[0].Part == "catalog" {
		return nil, unread
	}
	var changes []Change
	for _, part := range pinned {
		if slices.ContainsFunc(unread, func(u Unread) bool { return u.Part == part }) {
			continue
		}
		changes = append(changes, compare(part, **l.part(part), **now.part(part))...)
	}
	return changes, unread
}

func compare(part string, old, now []Item) []Change {
	var changes []Change
	was, is := byName(old), byName(now)
	for i := range old {
		switch n := is[old[i].Name]; {
		case n == nil:
			changes = append(changes, Change{Part: part, Name: old[i].Name, Kind: Removed, Old: old[i].Digest})
		case n.Digest != old[i].Digest:
			changes = append(changes, Change{
				Part: part, Name: n.Name, Kind: Changed, Old: old[i].Digest, New: n.Digest, Places: places(old[i].Value, n.Value),
			})
		}
	}
	for i := range now {
		if was[now[i].Name] == nil {
			changes = append(changes, Change{Part: part, Name: now[i].Name, Kind: Added, New: now[i].Digest})
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return changes
}

func byName(items []Item) map[string]*Item {
	index := make(map[string]*Item, len(items))
	for i := range items {
		index[items[i].Name] = &items[i]
	}
	return index
}

// places lists where two values differ.
func places(old, now json.RawMessage) []Diff {
	was, _, err1 := jsondoc.Parse(old)
	is, _, err2 := jsondoc.Parse(now)
	if err1 != nil || err2 != nil {
		return []Diff{{Old: printable(old), New: printable(now)}}
	}
	var diffs []Diff
	walk("", was, is, &diffs)
	if len(diffs) == 0 {
		return []Diff{{Old: "differs in what is masked or cannot be shown", New: "differs in what is masked or cannot be shown"}}
	}
	if more := len(diffs) - maxPlaces; more > 0 {
		diffs = append(diffs[:maxPlaces], Diff{New: fmt.Sprintf("and %d places more", more)})
	}
	return diffs
}

func walk(path jsondoc.Pointer, old, now jsondoc.Value, diffs *[]Diff) {
	switch {
	case old.Exists() && now.Exists() && jsondoc.Equal(old, now):
		return
	case old.IsObject() && now.IsObject():
		var names []string
		for _, m := range append(slices.Clone(old.Members()), now.Members()...) {
			names = append(names, m.Name)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			walk(path.Child(name), old.Get(name), now.Get(name), diffs)
		}
		return
	case old.IsArray() && now.IsArray() && old.Len() == now.Len():
		for i := range old.Len() {
			walk(path.Index(i), old.At(i), now.At(i), diffs)
		}
		return
	}
	d := Diff{Path: textscan.Visible(string(path))}
	a, aText := old.Text()
	b, bText := now.Text()
	if aText && bText {
		d.Old, d.New = window(a, b)
	} else {
		if old.Exists() {
			d.Old = printable(old.Raw())
		}
		if now.Exists() {
			d.New = printable(now.Raw())
		}
	}
	*diffs = append(*diffs, d)
}

const (
	maxShown = 400 // characters of a value shown
	context  = 40  // characters shown on either side of where two texts differ
)

// window cuts two texts down to where they differ, with some of what is the same around it.
func window(old, now string) (string, string) {
	a, b := []rune(old), []rune(now)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	cut := func(r []rune) string {
		from, to := max(start-context, 0), min(len(r)-end+context, len(r))
		text := textscan.Visible(string(clip(r[from:to])))
		if from > 0 {
			text = "…" + text
		}
		if to < len(r) {
			text += "…"
		}
		return `"` + text + `"`
	}
	return cut(a), cut(b)
}

// clip leaves out the middle of a long text.
func clip(r []rune) []rune {
	if len(r) <= maxShown {
		return r
	}
	half := maxShown / 2
	return slices.Concat(r[:half], []rune(fmt.Sprintf(" … (%d characters) … ", len(r)-2*half)), r[len(r)-half:])
}

// printable shows a JSON text on one line.
func printable(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		b.Write(raw)
	}
	text := b.String()
	if v, _, err := jsondoc.Parse(raw); err == nil {
		text = readable(v)
	}
	return textscan.Visible(string(clip([]rune(text))))
}

// readable writes JSON with its strings unescaped: for people, who would not see what an escape stands for.
func readable(v jsondoc.Value) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v jsondoc.Value) {
	switch {
	case v.IsObject():
		b.WriteString("{")
		for i, m := range v.Members() {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(b, `"%s": `, m.Name)
			write(b, m.Value)
		}
		b.WriteString("}")
	case v.IsArray():
		b.WriteString("[")
		for i, m := range v.Elements() {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, m.Value)
		}
		b.WriteString("]")
	default:
		if text, ok := v.Text(); ok {
			b.WriteString(`"` + text + `"`)
			return
		}
		b.Write(v.Raw())
	}
}
