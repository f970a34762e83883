package lock

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
)

// server observes one with these tools, each a JSON text.
func server(instructions string, tools ...string) *observe.Observation {
	o := &observe.Observation{Kind: observe.Full, Negotiated: "2025-11-25", ServerInfo: observe.Field{Value: jsondoc.MustParse(`{"name": "demo", "version": "1.0"}`)}}
	o.Target.Display = "https://example.com/mcp"
	for _, c := range o.Catalogs() {
		c.Name = map[*observe.Catalog]string{&o.Tools: "tools", &o.Resources: "resources", &o.ResourceTemplates: "resource_templates", &o.Prompts: "prompts"}[c]
	}
	if instructions != "" {
		o.Instructions = observe.Field{Value: jsondoc.MustParse(instructions)}
	}
	o.Tools.Attempted, o.Tools.Served, o.Tools.Complete = true, true, true
	for i, text := range tools {
		o.Tools.Items = append(o.Tools.Items, observe.Item{Index: i, Value: jsondoc.MustParse(text)})
	}
	return o
}

func pin(t *testing.T, o *observe.Observation, parts ...string) *Lock {
	t.Helper()
	l, unread := New(o, parts)
	if len(unread) > 0 {
		t.Fatal(unread)
	}
	var b bytes.Buffer
	if err := l.Write(&b); err != nil {
		t.Fatal(err)
	}
	for i, c := range b.Bytes() {
		if c >= 0x7f || c < ' ' && c != '\n' {
			t.Fatalf("byte %d of the file is %#x", i, c)
		}
	}
	read, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// listing writes changes as a person might.
func listing(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s\n", c.Title(), c.Kind)
		for _, p := range c.Places {
			fmt.Fprintf(&b, "  %s: %s -> %s\n", p.Path, p.Old, p.New)
		}
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	long := strings.Repeat("0123456789", 20)
	for _, c := range []struct {
		name     string
		old, now *observe.Observation
		want     string
	}{
		{"nothing", server(`"hi"`, `{"name":"a","x":1}`), server(`"hi"`, `{"name":"a","x":1}`), ""},
		{"order, blanks and spelling of numbers", server("", `{"name":"a","x":1}`, `{"name":"b"}`), server("", `{ "name":"b" }`, `{"x":1.0, "name":"\u0061"}`), ""},
		{"added and removed", server("", `{"name":"a"}`), server("", `{"name":"b"}`), "tool \"a\" removed\ntool \"b\" added\n"},
		{"a text within a text", server("", `{"name":"a","description":"`+long+`Reads a file.`+long+`"}`), server("", `{"name":"a","description":"`+long+`Reads a\u200b file.`+long+`"}`),
			"tool \"a\" changed\n  /description: \"…789012345678901234567890123456789Reads a file.0123456789012345678901234567890123…\"" +
				" -> \"…789012345678901234567890123456789Reads a<U+200B> file.0123456789012345678901234567890123…\"\n"},
		{"members and types", server("", `{"name":"a","p":{"q":1,"r":[1,2]},"s":true}`), server("", `{"name":"a","p":{"r":[1,3],"t":{"u":"\u202ev"}},"s":"x"}`),
			"tool \"a\" changed\n  /p/q: 1 -> \n  /p/r/1: 2 -> 3\n  /p/t:  -> {\"u\": \"<U+202E>v\"}\n  /s: true -> \"x\"\n"},
		{"longer lists", server("", `{"name":"a","r":[1]}`), server("", `{"name":"a","r":[1,2]}`), "tool \"a\" changed\n  /r: [1] -> [1, 2]\n"},
		{"instructions", server(`"Use a."`), server(`"Use b."`), "the instructions changed\n  : \"Use a.\" -> \"Use b.\"\n"},
		{"instructions that are new", server(""), server(`"Use b."`), "the instructions added\n"},
		{"names given twice, and none", server("", `{"name":"a"}`, `{"name":"a","x":1}`, `{}`), server("", `{"name":"a"}`, `{"name":"a","x":2}`),
			"tool \"#2\" removed\ntool \"a (2)\" changed\n  /x: 1 -> 2\n"},
		{"another key of the same name", server("", `{"name":"a","x":1,"x":1}`), server("", `{"name":"a","x":1}`),
			"tool \"a\" changed\n  : differs in what is masked or cannot be shown -> differs in what is masked or cannot be shown\n"},
		{"a credential", server("", `{"name":"a","d":"https://u:first@example.com"}`), server("", `{"name":"a","d":"https://u:second@example.com"}`),
			"tool \"a\" changed\n  : differs in what is masked or cannot be shown -> differs in what is masked or cannot be shown\n"},
		{"a name with a terminal sequence", server(""), server("", `{"name":"\u001b[2J"}`), "tool \"<U+001B>[2J\" added\n"},
	} {
		changes, unread := pin(t, c.old).Compare(c.now)
		if len(unread) > 0 {
			t.Errorf("%s: %v", c.name, unread)
		}
		if diff := cmp.Diff(c.want, listing(changes)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

func TestUnread(t *testing.T) {
	code := int64(-32601)
	missing := server("")
	missing.Prompts.Attempted, missing.Prompts.Error = true, &observe.ListingError{Outcome: "rpc_error", Code: &code, Text: "no such method"}
	if l, unread := New(missing, nil); len(unread) > 0 || len(*l.Prompts) != 0 {
		t.Errorf("a server without the method: %v, %v", l.Prompts, unread)
	}

	broken := server("", `{"name":"a"}`)
	broken.Tools.Complete, broken.Tools.Error = false, &observe.ListingError{Outcome: "timeout", Text: "the time ended\x1b"}
	l := pin(t, server("", `{"name":"a"}`, `{"name":"b"}`))
	changes, unread := l.Compare(broken)
	if len(changes) > 0 || fmt.Sprint(unread) != "[tools could not be read: the time ended<U+001B>]" {
		t.Errorf("half a list: changes %v, unread %v", changes, unread)
	}

	gated := server("")
	gated.Kind = observe.Partial
	if changes, unread := l.Compare(gated); len(changes) > 0 || len(unread) != 1 {
		t.Errorf("a server that cannot be read: changes %v, unread %v", changes, unread)
	}

	only := pin(t, server(`"hi"`, `{"name":"a"}`), "tools")
	if changes, _ := only.Compare(server(`"ho"`, `{"name":"a"}`)); len(changes) > 0 {
		t.Errorf("what is not pinned changed: %v", changes)
	}
	if diff := cmp.Diff([]string{"tools"}, only.Pinned()); diff != "" {
		t.Error(diff)
	}
}

func TestReadErrors(t *testing.T) {
	var b bytes.Buffer
	l, _ := New(server("", `{"name":"a"}`), nil)
	if err := l.Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, c := range []struct{ old, new, want string }{
		{`"format": "hallmark-lock"`, `"format": "x"`, "not a lock: its format"},
		{`"version": 1`, `"version": 2`, "lock version 2 is not supported"},
		{(*l.Tools)[0].Digest, "sha256:00", "its digest does not cover"},
		{`"name": "a"`, `"name": "b"`, "its digest does not cover"},
		{`{`, ``, "not a lock: "},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("the file has no %s", c.old)
		}
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}
