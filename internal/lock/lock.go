// Package lock pins what a server offers: every tool, prompt, resource and template and the instructions, each with a digest, so that a
// later audit can tell which of them is no longer what was reviewed, and how. Whether that is good or bad is not its business.
package lock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// Format and Version identify the file format. Version counts incompatible changes.
const (
	Format  = "hallmark-lock"
	Version = 1
)

// Parts are the parts of a server that can be pinned, in the order of the file.
var Parts = []string{"instructions", "tools", "prompts", "resources", "resource_templates"}

// Lock is a pinned catalog.
type Lock struct {
	Format   string             `json:"format"`
	Version  int                `json:"version"`
	Target   string             `json:"target"`
	Server   *report.ServerInfo `json:"server"`   // for people; another version of the server is no change of what it offers
	Revision string             `json:"revision"` // of the protocol, for people
	Digest   string             `json:"digest"`   // over the digests of all items
	// Parts that are absent are not pinned.
	Instructions      *[]Item `json:"instructions,omitempty"` // one item, or none
	Tools             *[]Item `json:"tools,omitempty"`
	Prompts           *[]Item `json:"prompts,omitempty"`
	Resources         *[]Item `json:"resources,omitempty"`
	ResourceTemplates *[]Item `json:"resource_templates,omitempty"`
}

// Item is one pinned item.
type Item struct {
	Name   string `json:"name"`   // name, URI or template; a second item with the same one gets " (2)", one without any "#" and its position
	Digest string `json:"digest"` // "sha256:" over the item's canonical JSON (RFC 8785), or over its bytes where it has none
	// Value is the item as the server sent it, canonical, with credentials masked. It shows people what changed; the digest decides
	// whether anything did.
	Value json.RawMessage `json:"value"`
}

func (l *Lock) part(name string) **[]Item {
	switch name {
	case "instructions":
		return &l.Instructions
	case "tools":
		return &l.Tools
	case "prompts":
		return &l.Prompts
	case "resources":
		return &l.Resources
	}
	return &l.ResourceTemplates
}

// Unread says why a part of the server cannot be pinned or compared; the part "catalog" is all of them.
type Unread struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
}

func (u Unread) String() string {
	return fmt.Sprintf("%s could not be read: %s", strings.ReplaceAll(u.Part, "_", " "), u.Reason)
}

// New pins parts of what was observed; no parts means all of them. What could not be read to its end is not pinned and returned.
func New(o *observe.Observation, parts []string) (*Lock, []Unread) {
	if len(parts) == 0 {
		parts = Parts
	}
	l := &Lock{Format: Format, Version: Version, Target: o.Target.Display, Revision: textscan.Visible(string(o.Negotiated))}
	if o.ServerInfo.IsObject() {
		l.Server = &report.ServerInfo{}
		for key, to := range map[string]**string{"name": &l.Server.Name, "version": &l.Server.Version} {
			if text, ok := o.ServerInfo.Get(key).Text(); ok {
				text = textscan.Mask(text)
				*to = &text
			}
		}
	}
	if o.Kind == "" || o.Kind == observe.Partial {
		return l, []Unread{{"catalog", "the server did not let itself be read"}}
	}
	var unread []Unread
	for _, part := range Parts {
		if !slices.Contains(parts, part) {
			continue
		}
		items, reason := read(o, part)
		if reason != "" {
			unread = append(unread, Unread{part, reason})
			continue
		}
		*l.part(part) = &items
	}
	l.Digest = l.digest()
	return l, unread
}

// keys are the members by which the protocol tells the items of a list apart.
var keys = map[string]string{"tools": "name", "prompts": "name", "resources": "uri", "resource_templates": "uriTemplate"}

// methodNotFound is the JSON-RPC code of a server that lacks a method altogether: it has no such items.
const methodNotFound = -32601

// read takes the items of one part, sorted by name, or says why they are not known.
func read(o *observe.Observation, part string) ([]Item, string) {
	items := []Item{}
	if part == "instructions" {
		if o.Instructions.Exists() {
			items = append(items, newItem("instructions", o.Instructions.Raw()))
		}
		return items, ""
	}
	seen := map[string]int{}
	for _, c := range o.Catalogs() {
		if c.Name != part {
			continue
		}
		switch {
		case c.Error != nil && c.Error.Code != nil && *c.Error.Code == methodNotFound && !c.Served:
			return items, ""
		case c.Attempted && !c.Complete:
			if c.Error != nil {
				return nil, textscan.Visible(textscan.Mask(c.Error.Text))
			}
			return nil, "the list is not complete"
		}
		for _, i := range c.Items {
			name := "#" + strconv.Itoa(i.Index)
			if text := i.Get(keys[part]).TextOr(""); text != "" {
				name = textscan.Mask(text)
			}
			if seen[name]++; seen[name] > 1 {
				name += fmt.Sprintf(" (%d)", seen[name])
			}
			items = append(items, newItem(name, i.Raw()))
		}
	}
	slices.SortStableFunc(items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
	return items, ""
}

func newItem(name string, raw []byte) Item {
	text := canonical(raw)
	sum := sha256.Sum256(text)
	return Item{Name: name, Digest: "sha256:" + hex.EncodeToString(sum[:]), Value: masked(text)}
}

// masked is a JSON text with the credentials in its strings masked, in printable ASCII.
func masked(text []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		value = string(text)
	}
	return encode(mask(value))
}

func mask(v any) any {
	switch v := v.(type) {
	case string:
		return textscan.Mask(v)
	case []any:
		for i := range v {
			v[i] = mask(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = mask(v[key])
		}
	}
	return v
}

// encode writes JSON with everything but printable ASCII escaped: a lock is read by people, and nothing in it may hide from them.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return []byte("null") // cannot be: v was decoded from JSON
	}
	return jsondoc.ASCII(bytes.TrimSpace(b.Bytes()))
}

// digest covers the part, name and digest of every item.
func (l *Lock) digest() string {
	h := sha256.New()
	for _, part := range Parts {
		items := *l.part(part)
		if items == nil {
			continue
		}
		fmt.Fprintf(h, "%s %d\n", part, len(*items))
		for _, i := range *items {
			fmt.Fprintf(h, "%q %s\n", i.Name, i.Digest)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Items is the number of pinned items.
func (l *Lock) Items() int {
	n := 0
	for _, part := range Parts {
		if items := *l.part(part); items != nil {
			n += len(*items)
		}
	}
	return n
}

// Pinned lists the parts that are pinned, in the order of Parts.
func (l *Lock) Pinned() []string {
	var parts []string
	for _, part := range Parts {
		if *l.part(part) != nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// Write encodes a lock as one JSON document in printable ASCII, indented, so that a review of its changes reads line by line.
func (l *Lock) Write(out io.Writer) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(l); err != nil {
		return err
	}
	_, err := out.Write(jsondoc.ASCII(b.Bytes()))
	return err
}

// Read decodes a lock and checks it against its own digest. The error says what the file is not.
func Read(in io.Reader) (*Lock, error) {
	var l Lock
	if err := json.NewDecoder(io.LimitReader(in, report.MaxFile)).Decode(&l); err != nil {
		return nil, fmt.Errorf("not a lock: %w", err)
	}
	if l.Format != Format {
		return nil, fmt.Errorf("not a lock: its format is not %s", Format)
	}
	if l.Version != Version {
		return nil, fmt.Errorf("lock version %d is not supported, this program reads version %d", l.Version, Version)
	}
	if l.Digest != l.digest() {
		return nil, fmt.Errorf("its digest does not cover what stands in it: it was edited by hand or merged; pin the catalog again")
	}
	return &l, nil
}
