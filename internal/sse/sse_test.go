package sse

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEvents(t *testing.T) {
	tests := []struct {
		name, in string
		want     []Event
	}{
		{"one message", "data: {\"a\":1}\n\n", []Event{{Type: "message", Data: []byte(`{"a":1}`)}}},
		{"priming event, then the answer", "id: 1\nretry: 3000\ndata:\n\ndata: x\n\n", []Event{
			{ID: "1", HasID: true, Type: "message", Retry: 3 * time.Second}, {ID: "1", Type: "message", Data: []byte("x")}}},
		{"several data lines", "data: {\ndata:  \"a\":1\ndata:}\n\n", []Event{{Type: "message", Data: []byte("{\n \"a\":1\n}")}}},
		{"CRLF and CR", "event: endpoint\r\ndata: /m\r\n\r\ndata: y\r\r", []Event{{Type: "endpoint", Data: []byte("/m")}, {Type: "message", Data: []byte("y")}}},
		{"comments and unknown fields", ": ping\n\nfoo: bar\n\ndata: z\n\n", []Event{{Type: "message", Data: []byte("z")}}},
		{"byte-order mark", "\xef\xbb\xbfdata: b\n\n", []Event{{Type: "message", Data: []byte("b")}}},
		{"unfinished", "data: x\n\ndata: y", []Event{{Type: "message", Data: []byte("x")}, {Type: "message", Data: []byte("y")}}},
		{"retry that is no number", "retry: 1s\ndata: q\n\n", []Event{{Type: "message", Data: []byte("q")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Events([]byte(tt.in))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzChunking(f *testing.F) {
	f.Add([]byte("id: 1\r\ndata: a\r\rdata: b\n\n"), uint8(3))
	f.Fuzz(func(t *testing.T, body []byte, size uint8) {
		var p Parser
		var got []Event
		step := int(size)%7 + 1
		for i := 0; i < len(body); i += step {
			got = append(got, p.Feed(body[i:min(i+step, len(body))])...)
		}
		if e, ok := p.Rest(); ok {
			got = append(got, e)
		}
		if diff := cmp.Diff(Events(body), got); diff != "" {
			t.Fatalf("chunks of %d bytes change the events: %s", step, diff)
		}
	})
}
