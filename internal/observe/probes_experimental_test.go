package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestIDsOfAnswers(t *testing.T) {
	for _, tt := range []struct{ name, step, sent, body, kind, detail string }{
		{"the same", "session/initialize", "1", `{"id":1,"result":{}}`, "", ""},
		{"the same number in another form", "session/initialize", "1", `{"id":1.0,"result":{}}`, "", ""},
		{"digits as a string", "session/initialize", "1", `{"id":"1","result":{}}`, "id-type", `sent 1, got "1"`},
		{"another one", "session/tools/list/1", "1001", `{"id":7,"result":{}}`, "other-id", "sent 1001, got 7"},
		{"a result without id", "session/tools/list/1", "1001", `{"result":{}}`, "other-id", "sent 1001, got no id"},
		{"a result with null", "session/tools/list/1", "1001", `{"id":null,"result":{}}`, "other-id", "sent 1001, got null"},
		{"an error with null", "session/tools/list/1", "1001", `{"id":null,"error":{"code":-32600}}`, "", ""},
		{"an error with a name", "session/tools/list/1", "1001", `{"id":"server-error","error":{"code":-32600}}`, "other-id", `sent 1001, got "server-error"`},
		{"an error to a request that a legacy server need not read", "probe/discover", "20", `{"id":"server-error","error":{"code":-32600}}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := posted(tt.step, 200, "application/json", tt.body)
			e.Request = &recording.Request{ID: tt.sent}
			want := []Note(nil)
			if tt.kind != "" {
				want = []Note{{Kind: tt.kind, Step: tt.step, Pointer: "/id", Detail: tt.detail}}
			}
			if diff := cmp.Diff(want, decodeNotes(newSource(&recording.Recording{Exchanges: []recording.Exchange{e}}))); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
