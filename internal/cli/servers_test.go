package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// serve answers with one handler until the test ends and returns the endpoint's URL.
func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL + "/mcp"
}

// always answers every request alike.
func always(status int, mediaType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// trickle sends the piece again and again until the client leaves.
func trickle(mediaType, piece string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		for {
			io.WriteString(w, piece)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

// mute accepts connections and never says a word.
func mute(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var held []net.Conn
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range held {
			c.Close()
		}
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			held = append(held, c)
			mu.Unlock()
		}
	}()
	return l.Addr().String()
}

// closedPort is an address on which nothing listens any more.
func closedPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// gzipped is a gzip stream of a text and so many blanks after it.
func gzipped(text string, blanks int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	filler := bytes.Repeat([]byte(" "), 1<<20)
	for range blanks >> 20 {
		z.Write(filler)
	}
	z.Close()
	return b.Bytes()
}

// answering shakes hands as a good server and answers one method with this result.
func answering(method, result string) *testserver.Web {
	return &testserver.Web{Legacy: true, Intercept: func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		var head struct {
			ID     json.RawMessage `json:"id"`
			Method any             `json:"method"`
		}
		if json.Unmarshal(body, &head) != nil || head.Method != method {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, head.ID, result)
		return true
	}}
}

// oldServer speaks the HTTP+SSE transport of 2024-11-05: a stream names the endpoint for messages and carries the answers.
type oldServer struct {
	mu      sync.Mutex
	streams map[string]chan []byte
	session testserver.Session
	issued  atomic.Int32
}

func newOldServer() *oldServer {
	catalog := testserver.DefaultCatalog()
	catalog.Revisions = []string{"2024-11-05"}
	return &oldServer{streams: map[string]chan []byte{}, session: testserver.Session{Catalog: catalog}}
}

// ServeHTTP implements http.Handler.
func (o *oldServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
		id := fmt.Sprint(o.issued.Add(1))
		answers := make(chan []byte, 64)
		o.mu.Lock()
		o.streams[id] = answers
		o.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: /messages?stream=%s\n\n", id)
		for {
			w.(http.Flusher).Flush()
			select {
			case answer := <-answers:
				fmt.Fprintf(w, "event: message\ndata: %s\n\n", answer)
			case <-r.Context().Done():
				return
			}
		}
	case r.Method == http.MethodPost && r.URL.Path == "/messages":
		body, _ := io.ReadAll(r.Body)
		o.mu.Lock()
		answers := o.streams[r.URL.Query().Get("stream")]
		o.mu.Unlock()
		if answers == nil {
			http.Error(w, "no such stream", http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		if answer := o.session.Answer(body); answer != nil {
			answers <- answer
		}
	default:
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
	}
}
