package main

import (
	"bytes"
	"fmt"
	"sync"
)

// counter counts what clients ask. Its methods may be called concurrently.
type counter struct {
	mu                    sync.Mutex
	connections, requests int
}

func (c *counter) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("connections %d requests %d", c.connections, c.requests)
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests += n
}

// counted is one connection's stream from the client.
type counted struct {
	all  *counter
	tail []byte // end of what was seen, in which a request line may begin
}

func (c *counter) connection() *counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections++
	return &counted{all: c}
}

var methods = [][]byte{[]byte("GET"), []byte("POST"), []byte("DELETE"), []byte("OPTIONS"), []byte("HEAD"), []byte("PUT"), []byte("PATCH")}

// maxLine is the longest request line that is recognised.
const maxLine = 8 << 10

// http counts request lines (RFC 9112 section 3) in the next piece of a stream. One may follow a body without a line break.
func (c *counted) http(data []byte) {
	text := append(c.tail, data...)
	for {
		before, after, found := bytes.Cut(text, []byte(" HTTP/1.1\r\n"))
		if !found {
			break
		}
		if space := bytes.LastIndexByte(before, ' '); space >= 0 {
			for _, m := range methods {
				if bytes.HasSuffix(before[:space], m) {
					c.all.add(1)
					break
				}
			}
		}
		text = after
	}
	c.tail = bytes.Clone(text[max(0, len(text)-maxLine):])
}

// lines counts the ends of lines in the next piece of a stream.
func (c *counted) lines(data []byte) { c.all.add(bytes.Count(data, []byte("\n"))) }
