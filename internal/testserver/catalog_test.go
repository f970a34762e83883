package testserver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSessionPages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.json")
	if err := os.WriteFile(file, []byte(`{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}],"pageSize":2,"revisions":["2025-06-18"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCatalog(file)
	if err != nil {
		t.Fatal(err)
	}
	s := Session{Catalog: c}
	tests := []struct{ request, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Initialize first"}}`},
		{`{"jsonrpc":"2.0","id":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":"x","result":{}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"weather-desk","title":"Weather desk","version":"2.3.1"},"instructions":"Ask for a forecast by city, then read the station list for details."}}`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"after-2"}}`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"after-2"}}`, `{"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"c"}]}}`},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"after-1"}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Unknown cursor"}}`},
		{`{"jsonrpc":"2.0","id":6,"method":"prompts/list","params":{"cursor":""}}`, `{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Unknown cursor"}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"nope"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`},
		{`{"jsonrpc":"2.0","id":8,"method":42}`, `{"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"Invalid request"}}`},
		{`{"jsonrpc":`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`},
		{`[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`},
		{`{"id":9,"method":"ping"}`, `{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid request"}}`},
		{`{"jsonrpc":"2.0","id":"s1","result":{}}`, ``},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, string(s.Answer([]byte(tt.request)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.request, diff)
		}
	}
}

func TestReadCatalogRefusesUnknownMembers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.json")
	if err := os.WriteFile(file, []byte(`{"tool":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCatalog(file); err == nil {
		t.Error("a misspelt member was accepted")
	}
}
