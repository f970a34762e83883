package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// oldServer speaks HTTP+SSE: what reply returns goes to the stream.
type oldServer struct {
	endpoint string
	reply    func(w http.ResponseWriter, body string, send func(string))

	mu   sync.Mutex
	send chan string
}

func (o *oldServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodGet {
		send := make(chan string, 100)
		o.mu.Lock()
		o.send = send
		o.mu.Unlock()
		stream(w, ": welcome\n\n", "event: endpoint\ndata: "+o.endpoint+"\n\n")
		for {
			select {
			case text, ok := <-send:
				if !ok {
					return
				}
				io.WriteString(w, text)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
	o.mu.Lock()
	send := o.send
	o.mu.Unlock()
	o.reply(w, string(body), func(text string) {
		if text == "" {
			close(send)
			return
		}
		send <- text
	})
}

func openOld(t *testing.T, o *oldServer, change ...func(*HTTPOptions)) *SSE {
	t.Helper()
	if o.endpoint == "" {
		o.endpoint = "/message?sessionId=11112222-3333"
	}
	srv := httptest.NewServer(o)
	t.Cleanup(srv.Close)
	opts := HTTPOptions{}
	for _, f := range change {
		f(&opts)
	}
	s, x := OpenSSE(t.Context(), srv.URL+"/sse", Call{Step: "session/sse", Connection: "session", Timeout: 5 * time.Second}, opts)
	if s == nil {
		t.Fatalf("%+v", x.Failure)
	}
	t.Cleanup(s.Close)
	if x.Response.EndedBy != "answer" || x.Via != "sse" || x.Step != "session/sse" || !strings.Contains(string(x.Response.Body.Bytes), "event: endpoint") {
		t.Errorf("the GET's record: %+v %s", x, x.Response.Body.Bytes)
	}
	if strings.Contains(string(x.Response.Body.Bytes), "11112222") {
		t.Error("the session id is in the record")
	}
	return s
}

func TestSSEAnswers(t *testing.T) {
	event := func(data string) string { return "event: message\ndata: " + data + "\n\n" }
	ping := `{"jsonrpc":"2.0","id":"s1","method":"ping"}`
	tests := []struct {
		name  string
		reply func(w http.ResponseWriter, body string, send func(string))
	}{
		{"after 202", func(w http.ResponseWriter, _ string, send func(string)) {
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, "Accepted")
			w.(http.Flusher).Flush()
			send(event(answer1))
		}},
		{"before 202", func(w http.ResponseWriter, _ string, send func(string)) {
			send(event(answer1))
			time.Sleep(20 * time.Millisecond)
			w.WriteHeader(http.StatusAccepted)
		}},
		{"with other traffic", func(w http.ResponseWriter, _ string, send func(string)) {
			send(": beat\n\n" + event(ping) + event("") + event("no JSON") + event(`{"jsonrpc":"2.0","id":99,"result":{}}`) + event(answer1))
			w.WriteHeader(http.StatusOK)
		}},
		{"POST left open", func(w http.ResponseWriter, _ string, send func(string)) {
			w.(http.Flusher).Flush()
			send(event(answer1))
			time.Sleep(50 * time.Millisecond)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openOld(t, &oldServer{reply: tt.reply})
			r := s.Do(t.Context(), post())
			wantAnswer(t, r)
			if string(r.Exchange.Answer.Bytes) != answer1 || r.Exchange.Via != "sse" {
				t.Errorf("record %+v", r.Exchange)
			}
			if strings.Contains(r.Exchange.Request.URL, "11112222") {
				t.Errorf("recorded URL %s", r.Exchange.Request.URL)
			}
			if tt.name == "with other traffic" && (len(r.Exchange.Others) != 1 || string(r.Exchange.Others[0].Bytes) != ping) {
				t.Errorf("others %+v", r.Exchange.Others)
			}
		})
	}
}

func TestSSEAnswerInThePost(t *testing.T) {
	s := openOld(t, &oldServer{reply: func(w http.ResponseWriter, _ string, _ func(string)) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer1)
	}})
	wantAnswer(t, s.Do(t.Context(), post()))
	if s.MessageURL() != strings.Replace(s.HTTP().Endpoint(), "/sse", "/message?sessionId=11112222-3333", 1) {
		t.Errorf("message URL %s", s.MessageURL())
	}
}

func TestSSEConcurrentCalls(t *testing.T) {
	var mu sync.Mutex
	var held []string
	s := openOld(t, &oldServer{reply: func(w http.ResponseWriter, body string, send func(string)) {
		w.WriteHeader(http.StatusAccepted)
		id := body[strings.LastIndex(body, ":")+1 : len(body)-1]
		mu.Lock()
		defer mu.Unlock()
		held = append([]string{`data: {"jsonrpc":"2.0","id":` + id + `,"result":` + id + "}\n\n"}, held...)
		if len(held) == 5 { // in reverse order
			send(strings.Join(held, ""))
		}
	}})
	var wg sync.WaitGroup
	for id := range 5 {
		wg.Go(func() {
			call := post()
			call.ID = fmt.Sprint(id)
			call.Body = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"x","id":%d}`, id)
			if r := s.Do(t.Context(), call); !bytes.Contains(r.Answer, fmt.Appendf(nil, `"result":%d`, id)) {
				t.Errorf("%d: %s, %+v", id, r.Answer, r.Exchange.Failure)
			}
		})
	}
	wg.Wait()
}

func TestSSEFailures(t *testing.T) {
	accepted := func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted); w.(http.Flusher).Flush() }
	tests := []struct {
		name  string
		reply func(w http.ResponseWriter, body string, send func(string))
		want  recording.Class
	}{
		{"silence", func(w http.ResponseWriter, _ string, _ func(string)) { accepted(w) }, recording.FailTimeout},
		{"stream lost", func(w http.ResponseWriter, _ string, send func(string)) { accepted(w); send("") }, recording.FailNoAnswer},
		{"refused", func(w http.ResponseWriter, _ string, _ func(string)) { w.WriteHeader(http.StatusNotFound) }, recording.FailHTTP},
		{"gated", func(w http.ResponseWriter, _ string, _ func(string)) { w.WriteHeader(http.StatusUnauthorized) }, recording.FailUnauthorized},
		{"message above the cap", func(w http.ResponseWriter, _ string, send func(string)) {
			accepted(w)
			send("data: " + strings.Repeat("x", 3000) + "\n\n")
		}, recording.FailTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openOld(t, &oldServer{reply: tt.reply}, func(o *HTTPOptions) { o.MaxBody = 2000 })
			call := post()
			if tt.want == recording.FailTimeout {
				call.Timeout = 60 * time.Millisecond
			}
			r := s.Do(t.Context(), call)
			if class(r) != tt.want || r.Answer != nil {
				t.Errorf("%+v", r.Exchange.Failure)
			}
			if tt.want == recording.FailNoAnswer || tt.want == recording.FailTooLarge {
				if again := s.Do(t.Context(), call); class(again) != tt.want || again.Exchange.Response != nil {
					t.Errorf("after the loss: %+v", again.Exchange.Failure)
				}
			}
		})
	}
}

func TestSSEParseErrorHasNoID(t *testing.T) {
	broken := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`
	s := openOld(t, &oldServer{reply: func(w http.ResponseWriter, _ string, send func(string)) {
		w.WriteHeader(http.StatusAccepted)
		w.(http.Flusher).Flush()
		send("data: " + broken + "\n\n")
	}})
	r := s.Do(t.Context(), Call{Step: "probe/malformed-json", Body: []byte(`{"jsonrpc":`), Read: ReadBody, Timeout: 5 * time.Second})
	if r.Exchange.Failure != nil || string(r.Answer) != broken {
		t.Errorf("%q, %+v", r.Answer, r.Exchange.Failure)
	}
}

func TestSSEOnMessage(t *testing.T) {
	s := openOld(t, &oldServer{reply: func(w http.ResponseWriter, body string, send func(string)) {
		w.WriteHeader(http.StatusAccepted)
		if strings.Contains(body, `"s1"`) {
			send("data: " + answer1 + "\n\n")
			return
		}
		send(`data: {"jsonrpc":"2.0","id":"s1","method":"ping"}` + "\n\n")
	}})
	s.http.opts.OnMessage = func(in Incoming) {
		s.Do(context.Background(), Call{Step: "session/ping", Body: []byte(`{"jsonrpc":"2.0","id":` + in.ID + `,"result":{}}`), Read: ReadAck, Urgent: true})
	}
	wantAnswer(t, s.Do(t.Context(), post()))
}

func TestOpenSSEFailures(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		stream(w)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, ": beat\n\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(2 * time.Millisecond)
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    recording.Class
		detail  string
	}{
		{"heartbeats without an endpoint", drip, recording.FailTimeout, "no message endpoint"},
		{"never answers", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, recording.FailTimeout, "no response"},
		{"ends without an endpoint", func(w http.ResponseWriter, r *http.Request) { stream(w, ": x\n\n") }, recording.FailNoAnswer, "ended"},
		{"endpoint elsewhere", func(w http.ResponseWriter, r *http.Request) {
			stream(w, "event: endpoint\ndata: https://elsewhere.example/m?token=abc\n\n")
		}, recording.FailNotMCP, "https://elsewhere.example:443"},
		{"endpoint with a user", func(w http.ResponseWriter, r *http.Request) {
			stream(w, "event: endpoint\ndata: http://u:p@"+r.Host+"/m\n\n")
		}, recording.FailNotMCP, "another origin"},
		{"endpoint that is no URL", func(w http.ResponseWriter, r *http.Request) { stream(w, "event: endpoint\ndata: http://[::1\n\n") }, recording.FailNotMCP, "no URL"},
		{"405", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }, recording.FailHTTP, "405"},
		{"page", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>")
		}, recording.FailHTML, "web page"},
		{"JSON-RPC", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, answer1) }, recording.FailNotMCP, "no event stream"},
		{"401", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, recording.FailUnauthorized, "401"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(tt.handler)
			defer srv.Close()
			limit := 20 * time.Second
			if tt.want == recording.FailTimeout {
				limit = 200 * time.Millisecond
			}
			s, x := OpenSSE(t.Context(), srv.URL, Call{Step: "session/sse", Timeout: limit}, HTTPOptions{})
			if s != nil {
				s.Close()
				t.Fatal("a link came about")
			}
			if x.Failure.Class != tt.want || !strings.Contains(x.Failure.Detail, tt.detail) {
				t.Errorf("%+v", x.Failure)
			}
		})
	}
	s, x := OpenSSE(t.Context(), "ftp://h/", Call{Step: "session/sse"}, HTTPOptions{})
	if s != nil || x.Failure.Class != recording.FailInvalidTarget {
		t.Errorf("%+v", x.Failure)
	}
}

func TestSSEEndsWithTheAudit(t *testing.T) {
	o := &oldServer{endpoint: "/m", reply: func(w http.ResponseWriter, _ string, _ func(string)) { w.WriteHeader(http.StatusAccepted) }}
	srv := httptest.NewServer(o)
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s, x := OpenSSE(ctx, srv.URL, Call{Step: "session/sse"}, HTTPOptions{})
	if s == nil {
		t.Fatalf("%+v", x.Failure)
	}
	defer s.Close()
	cancel()
	<-s.ended
	if diff := cmp.Diff(recording.FailReset, s.Lost().Class); diff != "" {
		t.Error(diff)
	}
}
