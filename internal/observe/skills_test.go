package observe

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// conformance reads a table of the specification of the skills rules.
func conformance(t *testing.T, into any) {
	t.Helper()
	text, err := os.ReadFile("../../../shared/spec/rules/skills.yaml")
	if err != nil {
		t.Skip("the specification folder ../shared is not beside the project")
	}
	var file struct{ Conformance map[string]any }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	table, err := json.Marshal(file.Conformance)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(table, into); err != nil {
		t.Fatal(err)
	}
}

func TestSkillURIs(t *testing.T) {
	var table struct {
		URIs []struct {
			URI, Root string
			PathName  *string `json:"path_name"`
		} `json:"skill_uri"`
		Normal []struct{ URI, Normal string } `json:"normal_form"`
	}
	conformance(t, &table)
	if len(table.URIs) < 15 || len(table.Normal) < 5 {
		t.Fatal("the tables were not read")
	}
	for _, c := range table.URIs {
		if got := SkillRoot(c.URI); got != c.Root {
			t.Errorf("root of %s = %q, want %q", c.URI, got, c.Root)
		}
		var got *string
		if name, ok := SkillPathName(c.URI); ok {
			got = &name
		}
		if diff := cmp.Diff(c.PathName, got); diff != "" {
			t.Errorf("name of %s (-want +got):\n%s", c.URI, diff)
		}
	}
	for _, c := range table.Normal {
		if got := NormalURI(c.URI); got != c.Normal {
			t.Errorf("normal form of %s = %q, want %q", c.URI, got, c.Normal)
		}
	}
}

func TestFrontmatterTable(t *testing.T) {
	var table struct {
		Frontmatter []struct {
			Text   string
			Parsed any
			Error  bool
		}
	}
	conformance(t, &table)
	if len(table.Frontmatter) < 15 {
		t.Fatal("the table was not read")
	}
	for _, c := range table.Frontmatter {
		f, err := ParseFrontmatter(c.Text)
		if (err != nil) != c.Error {
			t.Errorf("%q: error %v, want %v", c.Text, err, c.Error)
			continue
		}
		if err != nil {
			continue
		}
		want, _ := json.Marshal(c.Parsed)
		if !jsondoc.Equal(f.JSON, jsondoc.MustParse(string(want))) {
			t.Errorf("%q = %s, want %s", c.Text, f.JSON.Raw(), want)
		}
		if !f.Matches(jsondoc.MustParse(string(want))) {
			t.Errorf("%q does not match %s", c.Text, want)
		}
	}
}

func TestFrontmatterMatches(t *testing.T) {
	tests := []struct {
		yaml, listed string
		want         bool
	}{
		{"a: yes", `{"a":true}`, true},
		{"a: yes", `{"a":"yes"}`, true},
		{"a: 'yes'", `{"a":true}`, false},
		{"a: 012", `{"a":10}`, true},
		{"a: 012", `{"a":12}`, true},
		{"a: 012", `{"a":"012"}`, false},
		{"a: 1e3", `{"a":1000}`, true},
		{"a: 1e3", `{"a":"1e3"}`, true},
		{"a: 1:30", `{"a":90}`, true},
		{"a: 1:30", `{"a":"1:30"}`, true},
		{"a: 2024-01-01", `{"a":"2024-01-01"}`, true},
		{"a: 2024-01-01", `{"a":"2024-01-01T00:00:00.000Z"}`, true},
		{"a: 2024-01-01", `{"a":"2024-01-02"}`, false},
		{"a: 2024-01-01 10:00:00 +02:00", `{"a":"2024-01-01T08:00:00Z"}`, true},
		{"a: 0o17", `{"a":15}`, true},
		{"a: {b: [1, x]}", `{"a":{"b":[1,"x"]}}`, true},
		{"a: {b: [1, x]}", `{"a":{"b":[1]}}`, false},
		{"a: 1\nb: 2", `{"a":1}`, false},
		{"a: 1", `{"a":1,"b":2}`, false},
		{"a: !!str 1", `{"a":"1"}`, true},
		{"a: .inf", `{"a":".inf"}`, true},
		{"a: |\n  x\n  y", `{"a":"x\ny\n"}`, true},
		{"# nothing", `null`, true},
		{"# nothing", `{}`, false},
	}
	for _, tt := range tests {
		f, err := ParseFrontmatter("---\n" + tt.yaml + "\n---\nbody\n")
		if err != nil {
			t.Errorf("%q: %v", tt.yaml, err)
			continue
		}
		if got := f.Matches(jsondoc.MustParse(tt.listed)); got != tt.want {
			t.Errorf("%q matches %s: %v, want %v", tt.yaml, tt.listed, got, tt.want)
		}
		if f.Body != "body\n" {
			t.Errorf("%q: body %q", tt.yaml, f.Body)
		}
	}
}

func TestFrontmatterRefused(t *testing.T) {
	deep := func(n int) string { return "a: " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, block := range map[string]string{
		"alias":         "a: &x 1\nb: *x",
		"own tag":       "a: !python/object x",
		"own tag on []": "a: !x [1]",
		"deep":          deep(40),
		"very deep":     strings.Repeat("[", 30000),
		"key":           "? [a]\n: b",
		"two documents": "a: 1\n--- x\nb: 2",
		"large":         "a: " + strings.Repeat("x", 70<<10),
	} {
		if _, err := ParseFrontmatter("---\n" + block + "\n---\n"); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	if _, err := ParseFrontmatter("---\n" + deep(30) + "\n---\n"); err != nil {
		t.Errorf("thirty collections: %v", err)
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add("---\na: 1\nb: [x, {y: 2024-01-01}]\n---\nbody")
	f.Fuzz(func(t *testing.T, text string) {
		fm, err := ParseFrontmatter(text)
		if err == nil && !fm.Matches(fm.JSON) {
			t.Errorf("%q does not match its own reading %s", text, fm.JSON.Raw())
		}
	})
}

// call builds an exchange about skills over stdio; answer is the JSON-RPC message without its envelope, empty for a time-out.
func call(step, uri, answer string) recording.Exchange {
	e := recording.Exchange{Step: step, Via: "stdio", Connection: "session", Request: &recording.Request{ID: "1",
		Body: recording.NewBody(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"params":{"uri":%q}}`, uri))}}
	if answer == "" {
		e.Failure = &recording.Failure{Class: recording.FailTimeout, Detail: "10 s"}
		return e
	}
	e.Answer = recording.NewBody([]byte(`{"jsonrpc":"2.0","id":1,` + answer + `}`))
	return e
}

func TestDecodeSkillsList(t *testing.T) {
	stateless := func(e recording.Exchange) recording.Exchange { e.Connection = "stateless"; return e }
	tests := []struct {
		name                        string
		exchanges                   []recording.Exchange
		listed, complete, malformed bool
		entries                     int
		err                         string
	}{
		{"one page", []recording.Exchange{call("skills/list/1", "", `"result":{"skills":[{},5]}`)}, true, true, false, 2, ""},
		{"two pages", []recording.Exchange{call("skills/list/1", "", `"result":{"skills":[{}],"nextCursor":"a"}`), call("skills/list/2", "", `"result":{"skills":[{}]}`)}, true, true, false, 2, ""},
		{"more to come", []recording.Exchange{call("skills/list/1", "", `"result":{"skills":[{}],"nextCursor":"a"}`)}, true, false, false, 1, ""},
		{"cursor of another type", []recording.Exchange{call("skills/list/1", "", `"result":{"skills":[{}],"nextCursor":5}`)}, true, false, false, 1, ""},
		{"second page fails", []recording.Exchange{call("skills/list/1", "", `"result":{"skills":[{}],"nextCursor":"a"}`), call("skills/list/2", "", `"error":{"code":-32603,"message":"x"}`)}, true, false, false, 1, "rpc_error"},
		{"refused", []recording.Exchange{call("skills/list/1", "", `"error":{"code":-32601,"message":"x"}`)}, false, false, false, 0, "rpc_error"},
		{"no array", []recording.Exchange{call("skills/list/1", "", `"result":{}`)}, false, false, true, 0, ""},
		{"time-out", []recording.Exchange{call("skills/list/1", "", "")}, false, false, false, 0, "timeout"},
		{"error without a code", []recording.Exchange{call("skills/list/1", "", `"error":{}`)}, false, false, true, 0, "malformed"},
		{"stateless without resultType", []recording.Exchange{stateless(call("skills/list/1", "", `"result":{"skills":[]}`))}, true, false, false, 0, ""},
		{"stateless", []recording.Exchange{stateless(call("skills/list/1", "", `"result":{"skills":[],"resultType":"complete"}`))}, true, true, false, 0, ""},
	}
	for _, tt := range tests {
		s := DecodeSkills(&recording.Recording{Exchanges: tt.exchanges})
		outcome := ""
		if s.ListError != nil {
			outcome = s.ListError.Outcome
		}
		if s.Listed != tt.listed || s.Complete != tt.complete || s.Malformed != tt.malformed || len(s.Entries) != tt.entries || outcome != tt.err {
			t.Errorf("%s: listed %v, complete %v, malformed %v, %d entries, error %q", tt.name, s.Listed, s.Complete, s.Malformed, len(s.Entries), outcome)
		}
	}
	if DecodeSkills(&recording.Recording{}) != nil {
		t.Error("skills without exchanges")
	}
}

func TestDecodeSkillFiles(t *testing.T) {
	const uri = "skill://a/SKILL.md"
	tests := []struct {
		name, answer, err, text string
		size                    int64
	}{
		{"text", `"result":{"contents":[{"uri":"skill://a/SKILL.md","text":"x"}]}`, "", "x", 1},
		{"the item with the URI", `"result":{"contents":[{"uri":"skill://b","text":"no"},{"uri":"SKILL://a/SKILL%2Emd","text":"x"}]}`, "", "x", 1},
		{"blob", `"result":{"contents":[{"blob":"eHk="}]}`, "", "xy", 2},
		{"broken blob", `"result":{"contents":[{"blob":"eHk"}]}`, "empty", "", 0},
		{"nothing", `"result":{"contents":[]}`, "empty", "", 0},
		{"error", `"error":{"code":-32602,"message":"x"}`, "rpc_error", "", 0},
		{"large", `"result":{"contents":[{"text":"` + strings.Repeat("x", MaxSkillFile+1) + `"}]}`, "too_large", "", MaxSkillFile + 1},
		{"time-out", "", "timeout", "", 0},
	}
	for _, tt := range tests {
		s := DecodeSkills(&recording.Recording{Exchanges: []recording.Exchange{call("skills/list/1", "", `"result":{"skills":[]}`), call("skills/read/1", uri, tt.answer)}})
		f := s.Files[0]
		outcome := ""
		if f.Error != nil {
			outcome = f.Error.Outcome
		}
		text := ""
		if f.Text != nil {
			text = *f.Text
		}
		if f.URI != uri || outcome != tt.err || text != tt.text || f.Size != tt.size || (f.Digest == "") != (tt.err != "") {
			t.Errorf("%s: %q, error %q, text %.20q, size %d, digest %q", tt.name, f.URI, outcome, text, f.Size, f.Digest)
		}
	}
}

func TestDecodeSkillCalls(t *testing.T) {
	s := DecodeSkills(&recording.Recording{Exchanges: []recording.Exchange{
		call("skills/list/1", "", `"result":{"skills":[{"uri":"skill://a/SKILL.md"},{"uri":"skill://b/SKILL.md"}]}`),
		call("skills/get/1", "skill://a/SKILL.md", `"result":{"skill":{"uri":"skill://a/SKILL.md"}}`),
		call("skills/get-unknown", "skill://no/SKILL.md", `"error":{"code":-32602,"message":"x"}`),
		call("skills/directory/1", "skill://a", `"result":{"resources":[{"uri":"skill://a/SKILL.md"}],"nextCursor":"x"}`),
		call("skills/directory/2", "skill://a", `"result":{"resources":[{"uri":"skill://a/b"}]}`),
		call("skills/directory-unknown/1", "skill://a/no", `"error":{"code":-32602,"message":"x"}`),
		call("skills/directory-file", "skill://a/SKILL.md", `"result":{}`),
		call("skills/read/1", "skill://a/SKILL.md", `"result":{"contents":[{"text":"x"}]}`),
	}})
	if len(s.Gets) != 1 || s.Gets[0].URI != "skill://a/SKILL.md" || !s.Gets[0].Skill.IsObject() {
		t.Errorf("gets: %+v", s.Gets)
	}
	if s.Unknown == nil || !s.Unknown.Error.HasCode(-32602) {
		t.Errorf("unknown: %+v", s.Unknown)
	}
	if len(s.Directories) != 3 || len(s.Directories[0].Children) != 2 || !s.Directories[0].Complete || !s.Directories[1].Error.HasCode(-32602) || !s.Directories[2].Malformed {
		t.Errorf("directories: %+v", s.Directories)
	}
	if !s.BudgetExhausted {
		t.Error("the unread SKILL.md of the second skill is not noticed")
	}
}
