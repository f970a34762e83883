package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRequestsAreCountedHoweverTheyArrive(t *testing.T) {
	stream := "POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nGET GET / HTTP/1.1\r\n\r\nDELETE /mcp HTTP/1.1\r\n\r\n"
	for _, size := range []int{1, 2, 7, len(stream)} {
		var counts counter
		c := counts.connection()
		for rest := []byte(stream); len(rest) > 0; {
			n := min(size, len(rest))
			c.http(rest[:n])
			rest = rest[n:]
		}
		if got := counts.String(); got != "connections 1 requests 3" {
			t.Errorf("in pieces of %d: %s", size, got)
		}
	}
}

func TestEverythingComesThrough(t *testing.T) {
	body := strings.Repeat("0123456789", 100_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var counts counter
	go func() { _ = forward(l, server.Listener.Addr().String(), 0, 0, &counts) }()
	client := &http.Client{Transport: &http.Transport{}}
	for range 3 {
		resp, err := client.Post("http://"+l.Addr().String()+"/", "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(got) != body {
			t.Fatalf("%d of %d bytes came back, error %v", len(got), len(body), err)
		}
	}
	client.CloseIdleConnections()
	if got := counts.String(); got != "connections 1 requests 3" {
		t.Error(got)
	}
}

func TestHoldKeepsTheOrder(t *testing.T) {
	var out, seen bytes.Buffer
	hold(&out, strings.NewReader("a\nb\n"), 0, 0, func(b []byte) { seen.Write(b) })
	if out.String() != "a\nb\n" || seen.String() != out.String() {
		t.Errorf("passed on %q, seen %q", out.String(), seen.String())
	}
}
