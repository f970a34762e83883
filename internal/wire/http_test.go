package wire

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

const (
	answer1 = `{"jsonrpc":"2.0","id":1,"result":{}}`
	request = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

func post() Call {
	return Call{Step: "session/tools/list/1", Connection: "session", RPC: "tools/list", ID: "1", Body: []byte(request), Timeout: 20 * time.Second}
}

// serve starts a server and returns a link to its /mcp.
func serve(t *testing.T, handler http.HandlerFunc, change ...func(*HTTPOptions)) (*HTTP, *httptest.Server) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // only then does the server notice that we hang up
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	}))
	t.Cleanup(srv.Close)
	return link(t, srv.URL+"/mcp", change...), srv
}

func link(t *testing.T, endpoint string, change ...func(*HTTPOptions)) *HTTP {
	t.Helper()
	opts := HTTPOptions{Version: "1.2.3"}
	for _, f := range change {
		f(&opts)
	}
	h, err := NewHTTP(endpoint, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// rawServer answers each connection's first request with these bytes, and then holds the connection open when hold is set.
func rawServer(t *testing.T, hold bool, pieces ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { close(done); l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				req, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				io.Copy(io.Discard, req.Body)
				for _, p := range pieces {
					if _, err := io.WriteString(c, p); err != nil {
						return
					}
					time.Sleep(time.Millisecond)
				}
				if hold {
					<-done
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/mcp"
}

func class(r Reply) recording.Class {
	if r.Exchange.Failure == nil {
		return ""
	}
	return r.Exchange.Failure.Class
}

// wantAnswer fails unless the answer came and the recording tells the same.
func wantAnswer(t *testing.T, r Reply) {
	t.Helper()
	if r.Exchange.Failure != nil {
		t.Fatalf("failure: %+v", r.Exchange.Failure)
	}
	if string(r.Answer) != answer1 {
		t.Fatalf("answer: %q", r.Answer)
	}
	v, _, ok := r.Exchange.Message()
	if !ok || string(v.Raw()) != answer1 {
		t.Fatalf("the recording's answer: %q", v.Raw())
	}
}

func stream(w http.ResponseWriter, parts ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.(http.Flusher).Flush()
	for _, p := range parts {
		io.WriteString(w, p)
		w.(http.Flusher).Flush()
	}
}

func TestRequestAsSent(t *testing.T) {
	var got http.Header
	var body []byte
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer1)
	}, func(o *HTTPOptions) {
		o.Header = http.Header{"x-api-key": {"first-key", "second-key"}, "Accept": {"text/plain"}}
	})
	call := post()
	call.Header = http.Header{"MCP-Protocol-Version": {"2025-11-25"}}
	r := h.Do(t.Context(), call)
	wantAnswer(t, r)
	want := http.Header{
		"Accept":               {"application/json, text/event-stream"},
		"Accept-Encoding":      {"identity"},
		"Content-Length":       {fmt.Sprint(len(request))},
		"Content-Type":         {"application/json"},
		"Mcp-Protocol-Version": {"2025-11-25"},
		"User-Agent":           {"hallmark/1.2.3"},
		"X-Api-Key":            {"first-key", "second-key"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if string(body) != request {
		t.Errorf("body: %s", body)
	}
	wantRecord := []recording.Header{
		{Name: "Accept", Value: "application/json, text/event-stream"},
		{Name: "Accept-Encoding", Value: "identity"},
		{Name: "Content-Type", Value: "application/json"},
		{Name: "Mcp-Protocol-Version", Value: "2025-11-25"},
		{Name: "User-Agent", Value: "hallmark/1.2.3"},
		{Name: "X-Api-Key", Value: recording.Redacted},
		{Name: "X-Api-Key", Value: recording.Redacted},
	}
	if diff := cmp.Diff(wantRecord, r.Exchange.Request.Headers); diff != "" {
		t.Error(diff)
	}
}

func TestCallChangesHeaders(t *testing.T) {
	var got http.Header
	var host string
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, host = r.Header.Clone(), r.Host
		io.WriteString(w, answer1)
	}, func(o *HTTPOptions) { o.Header = http.Header{"Authorization": {"Bearer user-token-1"}} })
	call := post()
	call.Anonymous, call.Host = true, "mcp.invalid"
	call.Header = http.Header{"accept": nil, "User-Agent": nil, "Origin": {"https://foreign.invalid"}}
	r := h.Do(t.Context(), call)
	for _, name := range []string{"Authorization", "Accept", "User-Agent"} {
		if v := got.Values(name); len(v) > 0 {
			t.Errorf("%s was sent: %q", name, v)
		}
	}
	if got.Get("Origin") != "https://foreign.invalid" || host != "mcp.invalid" {
		t.Errorf("Origin %q, Host %q", got.Get("Origin"), host)
	}
	if last := r.Exchange.Request.Headers[len(r.Exchange.Request.Headers)-1]; last.Name != "Host" || last.Value != "mcp.invalid" {
		t.Errorf("recorded %+v", r.Exchange.Request.Headers)
	}
}

func TestNewHTTPRefusesWithoutRepeatingSecrets(t *testing.T) {
	tests := []struct {
		name, url string
		header    http.Header
		want      string
	}{
		{"line break", "http://h/", http.Header{"X": {"secret\r\nInjected: 1"}}, "line break"},
		{"header name", "http://h/", http.Header{"X Y": {"secret"}}, "not a valid header name"},
		{"connection header", "http://h/", http.Header{"Transfer-Encoding": {"secret"}}, "cannot be set"},
		{"scheme", "ftp://h/", nil, "http://"},
		{"no host", "http:///mcp", nil, "no host"},
		{"port", "http://h:99999/", nil, "port"},
		{"password", "http://me:secret%zz@h/", nil, "percent-encoded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewHTTP(tt.url, HTTPOptions{Header: tt.header})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Case 13: parameters and case of content types.
func TestContentTypeParameters(t *testing.T) {
	for _, ct := range []string{"text/event-stream; charset=utf-8", "Text/Event-Stream;charset=UTF-8", "application/json;charset=UTF-8", "APPLICATION/JSON"} {
		t.Run(ct, func(t *testing.T) {
			h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", ct)
				if strings.HasPrefix(strings.ToLower(ct), "text") {
					io.WriteString(w, "data: "+answer1+"\n\n")
				} else {
					io.WriteString(w, answer1)
				}
			})
			wantAnswer(t, h.Do(t.Context(), post()))
		})
	}
}

// Cases 14, 32 and 34: what may surround the answer in a stream, which then stays open.
func TestEventStreams(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":"s1","method":"ping"}`
	note := `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	tests := []struct {
		name   string
		parts  []string
		others []string
	}{
		{"priming event", []string{"id: 1\nretry: 3000\ndata:\n\n", "data: " + answer1 + "\n\n"}, nil},
		{"priming event with a blank", []string{"id: 1\ndata: \n\n", "data: " + answer1 + "\n\n"}, nil},
		{"ping and notification", []string{"data: " + ping + "\n\n", "data: " + note + "\n\n", "data: " + answer1 + "\n\n"}, []string{ping, note}},
		{"another request's answer", []string{"data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n", "data: " + answer1 + "\n\n"}, nil},
		{"several data lines", []string{"event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n"}, nil},
		{"CRLF", []string{"data: " + answer1 + "\r\n\r\n"}, nil},
		{"CR", []string{"data: " + answer1 + "\r\r"}, nil},
		{"comments", []string{": hello\n\n", ":\n", "data: " + answer1 + "\n\n"}, nil},
		{"byte-order mark", []string{"\xef\xbb\xbfdata: " + answer1 + "\n\n"}, nil},
		{"text that is no message", []string{"data: hello\n\n", "data: " + answer1 + "\n\n"}, nil},
		{"batch", []string{"data: [" + note + "," + answer1 + "]\n\n"}, []string{note}},
		{"byte by byte", strings.Split("id: 1\ndata:\n\ndata: "+answer1+"\n\n", ""), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			release := make(chan struct{})
			h, srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
				stream(w, tt.parts...)
				stream(w, "data: {\"later\":1}\n\n")
				<-release
			})
			defer srv.CloseClientConnections()
			defer close(release)
			r := h.Do(t.Context(), post())
			if tt.name == "several data lines" {
				if r.Exchange.Failure != nil || !strings.Contains(string(r.Answer), "\n") {
					t.Fatalf("%q, %+v", r.Answer, r.Exchange.Failure)
				}
			} else {
				wantAnswer(t, r)
			}
			var others []string
			for _, o := range r.Exchange.Others {
				others = append(others, string(o.Bytes))
			}
			if diff := cmp.Diff(tt.others, others); diff != "" {
				t.Error(diff)
			}
			resp := r.Exchange.Response
			if resp.EndedBy != "answer" || bytes.Contains(resp.Body.Bytes, []byte("later")) {
				t.Errorf("ended by %q: %q", resp.EndedBy, resp.Body.Bytes)
			}
		})
	}
}

func TestOnMessage(t *testing.T) {
	answered := make(chan struct{})
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte(`"id":"s1"`)) {
			close(answered)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		stream(w, `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n\n")
		<-answered
		stream(w, "data: "+answer1+"\n\n")
	})
	h.limiter.of(h.endpoint).limit = 1 // the call itself takes the only slot
	h.opts.OnMessage = func(in Incoming) {
		if in.Method == "ping" {
			h.Do(context.Background(), Call{Step: "session/ping", Body: []byte(`{"jsonrpc":"2.0","id":` + in.ID + `,"result":{}}`), Read: ReadAck, Urgent: true, Timeout: time.Second})
		}
	}
	wantAnswer(t, h.Do(t.Context(), post()))
}

// Case 16: the stream ends after a priming event and is resumed.
func TestResume(t *testing.T) {
	var lastIDs []string
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			stream(w, "id: 7\nretry: 5\ndata:\n\n")
			return
		}
		if r.Header.Get("Content-Type") != "" || r.Header.Get("Mcp-Method") != "" || r.Header.Get("Accept") != "text/event-stream" || r.Header.Get("Mcp-Session-Id") != "sess-000001" {
			t.Errorf("GET with %v", r.Header)
		}
		lastIDs = append(lastIDs, r.Header.Get("Last-Event-ID"))
		if len(lastIDs) == 1 {
			stream(w, "id: 8\ndata:\n\n")
			return
		}
		stream(w, "data: "+answer1+"\n\n")
	})
	call := post()
	call.Header = http.Header{"Mcp-Session-Id": {"sess-000001"}, "Mcp-Method": {"tools/list"}}
	r := h.Do(t.Context(), call)
	wantAnswer(t, r)
	if diff := cmp.Diff([]string{"7", "8"}, lastIDs); diff != "" {
		t.Error(diff)
	}
	if len(r.Exchange.Resumed) != 2 {
		t.Errorf("%d resumes recorded", len(r.Exchange.Resumed))
	}
}

// Case 16: resuming fails, or goes on for ever.
func TestResumeInVain(t *testing.T) {
	tests := []struct {
		name    string
		get     http.HandlerFunc
		resumes int
		detail  string
	}{
		{"refused", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }, 1, "405"},
		{"never an answer", func(w http.ResponseWriter, r *http.Request) { stream(w, "id: 9\nretry: 1\ndata:\n\n") }, maxResumes, "ended before the answer"},
		{"no id any more", func(w http.ResponseWriter, r *http.Request) { stream(w, "id\ndata:\n\n") }, 2, "ended before the answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var gets atomic.Int32
			h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					stream(w, "id: 7\nretry: 1\ndata:\n\n")
					return
				}
				if n := gets.Add(1); tt.name == "no id any more" && n == 2 {
					t.Error("resumed without an id")
				}
				tt.get(w, r)
			})
			r := h.Do(t.Context(), post())
			if class(r) != recording.FailNoAnswer || !strings.Contains(r.Exchange.Failure.Detail, tt.detail) {
				t.Errorf("%+v", r.Exchange.Failure)
			}
			if tt.name != "no id any more" && len(r.Exchange.Resumed) != tt.resumes {
				t.Errorf("%d resumes", len(r.Exchange.Resumed))
			}
		})
	}
}

// Cases 17 and 19: answers to notifications and to the GET of a stream.
func TestAcknowledgements(t *testing.T) {
	tests := []struct {
		name, raw string
		status    int
		body      bool
	}{
		{"202", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", 202, false},
		{"202 as an event stream", "HTTP/1.1 202 Accepted\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n", 202, false},
		{"202 that never ends", "HTTP/1.1 202 Accepted\r\nContent-Type: text/event-stream\r\n\r\n", 202, false},
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", 204, false},
		{"200 with a text", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nNo response", 200, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := link(t, rawServer(t, true, tt.raw))
			r := h.Do(t.Context(), Call{Step: "session/initialized", Body: []byte(`{}`), Read: ReadAck, Timeout: 20 * time.Second})
			if r.Status != tt.status || r.Exchange.Failure != nil {
				t.Fatalf("status %d, %+v", r.Status, r.Exchange.Failure)
			}
			if body := r.Exchange.Response.Body; (len(body.Bytes) > 0) != tt.body {
				t.Errorf("body %+v", body)
			}
		})
	}
}

func TestReadHeadersLeavesTheStream(t *testing.T) {
	var requests atomic.Int32
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		stream(w, ": open\n\n")
		<-r.Context().Done()
	})
	r := h.Do(t.Context(), Call{Step: "probe/get-stream", Method: http.MethodGet, Read: ReadHeaders, Timeout: 20 * time.Second, Header: http.Header{"Accept": {"text/event-stream"}}})
	if r.Status != 200 || r.Exchange.Failure != nil || r.Exchange.Response.Body != nil || requests.Load() != 1 {
		t.Errorf("status %d, %+v, %d requests", r.Status, r.Exchange.Failure, requests.Load())
	}
}

// Case 25: content codings.
func TestContentCodings(t *testing.T) {
	pack := func(f func(io.Writer) io.WriteCloser) string {
		var b bytes.Buffer
		w := f(&b)
		io.WriteString(w, answer1)
		w.Close()
		return b.String()
	}
	gz := pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	tests := []struct {
		name, coding, body string
		class              recording.Class
		encoding           string
	}{
		{"gzip", "gzip", gz, "", "gzip"},
		{"upper case", "GZIP", gz, "", "gzip"},
		{"identity", "identity", answer1, "", ""},
		{"zlib as deflate", "deflate", pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }), "", "deflate"},
		{"bare deflate", "deflate", pack(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f }), "", "deflate"},
		{"brotli", "br", "\x0b\x02\x80{}\x03", recording.FailEncoded, ""},
		{"two", "gzip, br", gz, recording.FailEncoded, ""},
		{"gzip that is none", "gzip", answer1, recording.FailEncoded, "gzip"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", tt.coding)
				io.WriteString(w, tt.body)
			})
			r := h.Do(t.Context(), post())
			if class(r) != tt.class || r.Exchange.Response.Encoding != tt.encoding {
				t.Fatalf("%+v, encoding %q", r.Exchange.Failure, r.Exchange.Response.Encoding)
			}
			if tt.class == "" {
				wantAnswer(t, r)
			}
		})
	}
}

// Case 25: a small body that unpacks to a huge one; case 4: one that is huge by itself.
func TestBodiesAboveTheCap(t *testing.T) {
	bomb := func() []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(`{"a":"`))
		zeros := make([]byte, 1<<20)
		for range 4 {
			w.Write(zeros)
		}
		w.Close()
		return b.Bytes()
	}()
	tests := map[string]http.HandlerFunc{
		"gzip bomb": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb)
		},
		"endless JSON": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"a":"`)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
					return
				}
			}
		},
		"endless event": func(w http.ResponseWriter, r *http.Request) {
			stream(w, "data: ")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
					return
				}
			}
		},
		"endless events": func(w http.ResponseWriter, r *http.Request) {
			stream(w)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n"); err != nil {
					return
				}
			}
		},
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			h, _ := serve(t, handler)
			call := post()
			call.MaxBody = 200_000
			r := h.Do(t.Context(), call)
			body := r.Exchange.Response.Body
			if class(r) != recording.FailTooLarge || int64(len(body.Bytes)) != call.MaxBody || !body.Cut || body.Size <= call.MaxBody {
				t.Errorf("%+v, %d of %d bytes kept", r.Exchange.Failure, len(body.Bytes), body.Size)
			}
			if r.Exchange.Response.EndedBy != "limit" {
				t.Errorf("ended by %q", r.Exchange.Response.EndedBy)
			}
			if len(r.Exchange.Others) > recording.MaxOthers {
				t.Errorf("%d others", len(r.Exchange.Others))
			}
		})
	}
}

// Case 26: an id of another type is correlated all the same.
func TestLenientID(t *testing.T) {
	for _, ct := range []string{"application/json", "text/event-stream"} {
		h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", ct)
			if ct == "text/event-stream" {
				io.WriteString(w, "data: ")
			}
			io.WriteString(w, `{"jsonrpc":"2.0","id":"0","result":{}}`+"\n\n")
		})
		call := post()
		call.ID = "0"
		if r := h.Do(t.Context(), call); r.Exchange.Failure != nil || !bytes.Contains(r.Answer, []byte(`"0"`)) {
			t.Errorf("%s: %q, %+v", ct, r.Answer, r.Exchange.Failure)
		}
	}
}

// Time: whatever a server does slowly, the call ends at its own time-out.
func TestTimeouts(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request, what string) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, what); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(2 * time.Millisecond)
		}
	}
	tests := map[string]http.HandlerFunc{
		"never answers":    func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"heartbeats":       func(w http.ResponseWriter, r *http.Request) { stream(w); drip(w, r, ": beat\n\n") },
		"priming for ever": func(w http.ResponseWriter, r *http.Request) { stream(w); drip(w, r, "id: 1\ndata:\n\n") },
		"dripping JSON":    func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"a":"`); drip(w, r, "x") },
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			h, _ := serve(t, handler)
			call := post()
			call.Timeout = 60 * time.Millisecond
			r := h.Do(t.Context(), call)
			if class(r) != recording.FailTimeout {
				t.Errorf("%+v", r.Exchange.Failure)
			}
		})
	}
	raw := map[string]string{"slow headers": "HTTP/1.1 200 OK\r\nX: ", "half a status line": "HTTP/1."}
	for name, text := range raw {
		t.Run(name, func(t *testing.T) {
			call := post()
			call.Timeout = 60 * time.Millisecond
			if r := link(t, rawServer(t, true, text)).Do(t.Context(), call); class(r) != recording.FailTimeout {
				t.Errorf("%+v", r.Exchange.Failure)
			}
		})
	}
	t.Run("accepts and says nothing", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for scheme, phase := range map[string]string{"http": "", "https": "connect"} {
			call := post()
			call.Timeout = 300 * time.Millisecond
			r := link(t, scheme+"://"+l.Addr().String()+"/").Do(t.Context(), call)
			if class(r) != recording.FailTimeout || r.Exchange.Failure.Phase != phase {
				t.Errorf("%s: %+v", scheme, r.Exchange.Failure)
			}
		}
	})
	t.Run("the audit's deadline", func(t *testing.T) {
		h, _ := serve(t, tests["never answers"])
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if r := h.Do(ctx, post()); class(r) != recording.FailDeadline {
			t.Errorf("%+v", r.Exchange.Failure)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		h, _ := serve(t, tests["heartbeats"])
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if r := h.Do(ctx, post()); class(r) != recording.FailInterrupted {
			t.Errorf("%+v", r.Exchange.Failure)
		}
	})
}

func TestJSONBodyThatStaysOpen(t *testing.T) {
	for _, length := range []string{"", "Content-Length: 500\r\n"} {
		h := link(t, rawServer(t, true, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+length+"\r\n", answer1[:9], answer1[9:], "\n"))
		r := h.Do(t.Context(), post())
		wantAnswer(t, r)
		if r.Exchange.Response.EndedBy != "answer" {
			t.Errorf("ended by %q", r.Exchange.Response.EndedBy)
		}
	}
}

func TestStatusAndBodyClasses(t *testing.T) {
	tests := []struct {
		name, ct, body string
		status         int
		want           recording.Class
	}{
		{"401", "", "", 401, recording.FailUnauthorized},
		{"401 with an OAuth error", "application/json", `{"error":"invalid_token"}`, 401, recording.FailUnauthorized},
		{"402", "application/json", `{"detail":"pay"}`, 402, recording.FailPayment},
		{"403 bot wall", "text/html", "<html>challenge</html>", 403, recording.FailForbidden},
		{"404 page", "text/html", "<html>", 404, recording.FailHTTP},
		{"405", "", "", 405, recording.FailHTTP},
		{"500", "text/plain", "oops", 500, recording.FailServerError},
		{"400 with a JSON-RPC error", "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}}`, 400, ""},
		{"401 with a JSON-RPC error", "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}}`, 401, ""},
		{"404 with an event stream", "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"x\"}}\n\n", 404, ""},
		{"200 page", "text/html; charset=utf-8", "<!doctype html><html>", 200, recording.FailHTML},
		{"200 page without a type", "", "\n<html>", 200, recording.FailHTML},
		{"200 text", "text/plain", "hello", 200, recording.FailNotMCP},
		{"200 other JSON", "application/json", `{"status":"ok"}`, 200, recording.FailNotMCP},
		{"200 half a document", "application/json", `{"jsonrpc":"2.0","id":1,"resu`, 200, recording.FailNotMCP},
		{"200 number", "application/json", `42`, 200, recording.FailNotMCP},
		{"200 nothing", "application/json", "", 200, recording.FailNoAnswer},
		{"202 for a request", "", "", 202, recording.FailNoAnswer},
		{"stream of other things", "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n\n", 200, recording.FailNoAnswer},
		{"unfinished last event", "text/event-stream", "data: " + answer1, 200, ""},
		{"batch", "application/json", "[" + answer1 + "]", 200, ""},
		{"304", "", "", 304, recording.FailRedirected},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				if tt.ct != "" {
					w.Header().Set("Content-Type", tt.ct)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			r := h.Do(t.Context(), post())
			if class(r) != tt.want || r.Status != tt.status {
				t.Fatalf("status %d, %+v", r.Status, r.Exchange.Failure)
			}
			if f := r.Exchange.Failure; f != nil && f.Status != tt.status {
				t.Errorf("failure with status %d", f.Status)
			}
			if _, _, ok := r.Exchange.Message(); ok != (tt.want == "") || ok != (r.Answer != nil) {
				t.Errorf("the recording has an answer: %v, the reply %q", ok, r.Answer)
			}
		})
	}
}

func TestLargePageIsNotReadFar(t *testing.T) {
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html>"+strings.Repeat("x", 1<<20))
	})
	r := h.Do(t.Context(), post())
	if class(r) != recording.FailHTML || len(r.Exchange.Response.Body.Bytes) > 2*maxPage {
		t.Errorf("%+v, %d bytes", r.Exchange.Failure, len(r.Exchange.Response.Body.Bytes))
	}
}

func TestHostileResponses(t *testing.T) {
	tests := []struct {
		name, raw string
		want      recording.Class
	}{
		{"not HTTP", "SSH-2.0-OpenSSH_9.9\r\n", recording.FailNotMCP},
		{"closes at once", "", recording.FailReset},
		{"bad status", "HTTP/1.1 abc\r\n\r\n", recording.FailNotMCP},
		{"bad header", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", recording.FailNotMCP},
		{"body cut short", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"jsonrpc\":", recording.FailReset},
		{"bad chunk", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", recording.FailReset},
		{"huge headers", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", recording.FailTooLarge},
		{"wrong length, whole answer", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n" + answer1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := link(t, rawServer(t, false, tt.raw)).Do(t.Context(), post())
			if class(r) != tt.want {
				t.Errorf("%+v", r.Exchange.Failure)
			}
		})
	}
}

func TestConnectFailures(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	l.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	tests := []struct {
		name, url string
		want      recording.Class
	}{
		{"refused", closed, recording.FailRefused},
		{"no such name", "http://nothing-here.invalid/mcp", recording.FailDNS},
		{"no TLS there", strings.Replace(plain.URL, "http", "https", 1), recording.FailTLS},
		{"not a URL", "http://[::1/", recording.FailInvalidTarget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := post()
			call.URL = tt.url
			r := link(t, closed).Do(t.Context(), call)
			if class(r) != tt.want {
				t.Fatalf("%+v", r.Exchange.Failure)
			}
			if r.Exchange.Response != nil || r.Status != 0 {
				t.Errorf("response %+v", r.Exchange.Response)
			}
			if tt.want != recording.FailInvalidTarget && r.Exchange.Failure.Phase != "connect" {
				t.Errorf("phase %q", r.Exchange.Failure.Phase)
			}
		})
	}
}

// A kept connection that the server closes in the meantime is no failure.
func TestClosedKeptConnection(t *testing.T) {
	var n atomic.Int32
	h, srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 2 {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer1)
	})
	defer srv.Close()
	wantAnswer(t, h.Do(t.Context(), post()))
	wantAnswer(t, h.Do(t.Context(), post()))
}

// A stream that ends after the answer leaves its connection for the next call.
func TestConnectionsAreReused(t *testing.T) {
	var conns sync.Map
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conns.Store(r.RemoteAddr, true)
		stream(w, "data: "+answer1+"\n\n")
	})
	for range 5 {
		wantAnswer(t, h.Do(t.Context(), post()))
	}
	count := 0
	conns.Range(func(any, any) bool { count++; return true })
	if count != 1 {
		t.Errorf("%d connections for 5 calls in a row", count)
	}
}

func TestCookies(t *testing.T) {
	var got []string
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Cookie"))
		w.Header().Add("Set-Cookie", "route=abcdef0123456789; Path=/")
		w.Header().Set("Mcp-Session-Id", "0f1e2d3c-4b5a")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"route":"abcdef0123456789","session":"0f1e2d3c-4b5a"}}`)
	})
	r := h.Do(t.Context(), post())
	anonymous := post()
	anonymous.Anonymous = true
	h.Do(t.Context(), post())
	h.Do(t.Context(), anonymous)
	if diff := cmp.Diff([]string{"", "route=abcdef0123456789", ""}, got); diff != "" {
		t.Error(diff)
	}
	resp := r.Exchange.Response
	if body := string(resp.Body.Bytes); strings.Contains(body, "abcdef0123456789") || strings.Contains(body, "0f1e2d3c") {
		t.Errorf("recorded %s", body)
	}
	for _, name := range []string{"Set-Cookie", "Mcp-Session-Id"} {
		if v, _ := resp.Get(name); v != recording.Redacted {
			t.Errorf("%s: %q", name, v)
		}
	}
	if resp.Session != "visible-ascii:13" {
		t.Errorf("session %q", resp.Session)
	}
	if r.Header.Get("Mcp-Session-Id") != "0f1e2d3c-4b5a" || !bytes.Contains(r.Answer, []byte("0f1e2d3c-4b5a")) {
		t.Error("capture does not see the session id")
	}
}

func TestUserinfoBecomesBasic(t *testing.T) {
	var user, password string
	_, srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"seen":"`+password+`"}}`)
	})
	h := link(t, strings.Replace(srv.URL, "://", "://me:open%20sesame@", 1)+"/mcp?api_key=k-123456")
	r := h.Do(t.Context(), post())
	if user != "me" || password != "open sesame" || !h.Authenticated() {
		t.Errorf("%q %q", user, password)
	}
	record := fmt.Sprintf("%+v %+v %s", r.Exchange.Request, r.Exchange.Response, r.Exchange.Response.Body.Bytes)
	for _, secret := range []string{"sesame", "k-123456"} {
		if strings.Contains(record, secret) {
			t.Errorf("%s is in %s", secret, record)
		}
	}
}

func TestProxy(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, answer1) }))
	defer origin.Close()
	var seen atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if r.Method == http.MethodConnect {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		io.WriteString(w, answer1)
	}))
	defer proxy.Close()
	at, _ := url.Parse(proxy.URL)
	via := func(o *HTTPOptions) { o.Proxy = func(*url.URL) (*url.URL, error) { return at, nil } }
	h := link(t, "http://mcp.example/mcp", via)
	wantAnswer(t, h.Do(t.Context(), post()))
	if !h.Proxied() || seen.Load() != 1 {
		t.Errorf("proxied %v, seen %d", h.Proxied(), seen.Load())
	}
	direct := post()
	direct.Direct, direct.URL = true, origin.URL
	wantAnswer(t, h.Do(t.Context(), direct))
	if seen.Load() != 1 {
		t.Error("a direct call went through the proxy")
	}
	r := link(t, "https://mcp.example/mcp", via).Do(t.Context(), post())
	if class(r) != recording.FailUnreachable || !strings.Contains(r.Exchange.Failure.Detail, "407") {
		t.Errorf("%+v", r.Exchange.Failure)
	}
	if link(t, origin.URL, func(o *HTTPOptions) { o.Proxy = EnvironmentProxy() }).Proxied() {
		t.Error("loopback is proxied")
	}
}

func TestCanary(t *testing.T) {
	const token = "canary-Tök/en+123"
	h, srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", url.QueryEscape(token))
		w.Header().Set("Location", "/elsewhere?token="+url.QueryEscape(token))
		w.WriteHeader(http.StatusFound)
		fmt.Fprintf(w, "%s %q %x", r.Header.Get("Authorization"), url.PathEscape(token), token)
	}, func(o *HTTPOptions) { o.Header = http.Header{"Authorization": {"Bearer " + token}} })
	call := post()
	call.URL = srv.URL + "/mcp?q=" + url.QueryEscape(token)
	call.Body = []byte(`{"t":"` + token + `"}`)
	r := h.Do(t.Context(), call)
	var file bytes.Buffer
	err := recording.Write(&file, &recording.Recording{Format: recording.Format, Version: recording.Version, Exchanges: []recording.Exchange{r.Exchange}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"canary", "123", "63616e617279"} {
		if strings.Contains(file.String(), part) {
			t.Errorf("%q is in %s", part, file.String())
		}
	}
	if class(r) != recording.FailRedirected {
		t.Errorf("%+v", r.Exchange.Failure)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("id: 1\ndata:\n\ndata: "+answer1+"\n\n"), true, uint8(3))
	f.Add([]byte("["+answer1+"]"), false, uint8(1))
	f.Add([]byte(`{"error":"x"}`), false, uint8(200))
	f.Add([]byte("\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\x01\"}"), false, uint8(7))
	h, err := NewHTTP("http://h/", HTTPOptions{})
	if err != nil {
		f.Fatal(err)
	}
	defer h.Close()
	f.Fuzz(func(t *testing.T, body []byte, events bool, size uint8) {
		const limit = 4096
		read := func(chunk int) *reading {
			ct := "application/json"
			if events {
				ct = "text/event-stream"
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			o := &opened{ctx: ctx, cancel: cancel, unhook: func() bool { return true }, resp: &http.Response{StatusCode: 200, ContentLength: -1,
				Header: http.Header{"Content-Type": {ct}}, Body: io.NopCloser(&chunked{bytes.NewReader(body), chunk})}}
			return h.attempt(post()).read(t.Context(), o, limit)
		}
		whole, pieces := read(1<<20), read(int(size)%9+1)
		if !bytes.Equal(whole.body, pieces.body) && !whole.cut || !bytes.Equal(whole.answer, pieces.answer) {
			t.Fatalf("chunks of %d bytes change what is read: %q, %q", size, whole.body, pieces.body)
		}
		if len(whole.body) > limit || len(pieces.body) > limit {
			t.Fatal("over the limit")
		}
		ct := whole.media
		if _, _, ok := recording.FindAnswer(ct, whole.body, "1"); ok != (whole.answer != nil) && !whole.cut {
			t.Fatalf("the recording finds an answer: %v, the reader %q in %q", ok, whole.answer, whole.body)
		}
	})
}

type chunked struct {
	r    *bytes.Reader
	size int
}

func (c *chunked) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.size)]) }
