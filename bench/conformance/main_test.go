package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestDocumentIsCurrent(t *testing.T) {
	b, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(document(), string(b)); diff != "" {
		t.Errorf("docs/conformance.md is stale; run: go run ./bench/conformance -doc > docs/conformance.md (-want +got)\n%s", diff)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		checks []check
		want   int // problems
	}{
		{"nothing", nil, 1},
		{"good", []check{{ID: "a", Status: "SUCCESS"}}, 0},
		{"a failure", []check{{ID: "a", Status: "SUCCESS"}, {ID: "b", Status: "FAILURE"}}, 1},
		{"a warning counts", []check{{ID: "a", Status: "SUCCESS"}, {ID: "b", Status: "WARNING"}}, 1},
		{"our made-up token", []check{{ID: "a", Status: "SUCCESS"}, {ID: "invalid-bearer-token", Status: "FAILURE", Details: json.RawMessage(`{"token":"hallmark-i..."}`)}}, 0},
		{"another token", []check{{ID: "a", Status: "SUCCESS"}, {ID: "invalid-bearer-token", Status: "FAILURE", Details: json.RawMessage(`{"token":"test-token..."}`)}}, 1},
	} {
		one := trial{scenario: signedIn("auth/x")}
		got := 0
		one.judge(c.checks, func(string, ...any) { got++ })
		if got != c.want {
			t.Errorf("%s: %d problems, want %d", c.name, got, c.want)
		}
	}
}

func TestIncomplete(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{}}`
	headers := []recording.Header{{Name: "Mcp-Method", Value: "resources/read"}, {Name: "Mcp-Name", Value: "a:b"}, {Name: "Mcp-Protocol-Version", Value: "2026-07-28"}}
	for _, c := range []struct {
		name    string
		headers []recording.Header
		body    string
		want    int
	}{
		{"complete", headers, `{"method":"resources/read","params":{"uri":"a:b",` + meta + `}}`, 0},
		{"other name", headers, `{"method":"resources/read","params":{"uri":"a:c",` + meta + `}}`, 1},
		{"no version", headers[:2], `{"method":"resources/read","params":{"uri":"a:b",` + meta + `}}`, 1},
		{"no _meta", headers, `{"method":"resources/read","params":{"uri":"a:b"}}`, 3},
		{"no JSON", headers, `{`, 1},
	} {
		got := incomplete(&recording.Request{Headers: c.headers, Body: &recording.Body{Bytes: []byte(c.body)}})
		if len(got) != c.want {
			t.Errorf("%s: %q, want %d problems", c.name, got, c.want)
		}
	}
}
