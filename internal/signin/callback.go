package signin

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// callback waits on this machine for the browser to bring the answer of the authorization server (RFC 8252 section 7.3).
type callback struct {
	address string // redirect URI
	server  *http.Server

	mu      sync.Mutex
	waiting *round // nil when no answer is due
}

// round is one trip through the browser.
type round struct {
	judge  func(url.Values) error // what is wrong with an answer, nil when it is good
	answer chan result
}

type result struct {
	code string
	err  error
}

const callbackPath = "/callback"

func listen(port int) (*callback, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
	if err != nil {
		problem := fmt.Sprintf("cannot listen on port %d of 127.0.0.1", port)
		var number syscall.Errno
		if errors.As(err, &number) {
			problem += ": " + number.Error()
		}
		return nil, fail(phaseCallback, "choose another --callback-port, or leave it out for any free one", "%s", problem)
	}
	c := &callback{address: "http://" + l.Addr().String() + callbackPath}
	c.server = &http.Server{
		Handler: c, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: silent(),
	}
	go c.server.Serve(l)
	return c, nil
}

func (c *callback) close() {
	// The browser gets its page before the program goes on to end; it has been written by now, and is short.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		c.server.Close()
	}
}

// expect makes the next answer due.
func (c *callback) expect(judge func(url.Values) error) *round {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = &round{judge: judge, answer: make(chan result, 1)}
	return c.waiting
}

// ServeHTTP implements http.Handler. Only a request that carries a code or an error is an answer: browsers also ask for icons, and open
// addresses ahead of the user.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case r.URL.Path != callbackPath:
		page(w, http.StatusNotFound, "Nothing here", "This address is for the answer of an authorization server.")
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		page(w, http.StatusMethodNotAllowed, "Nothing here", "This address is for the answer of an authorization server.")
		return
	case !query.Has("code") && !query.Has("error"):
		page(w, http.StatusBadRequest, "Not an answer", "The authorization server sends a code or an error to this address.")
		return
	}
	c.mu.Lock()
	round := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	if round == nil {
		page(w, http.StatusConflict, "Already answered", "Hallmark has had an answer and waits for none.")
		return
	}
	res := result{code: query.Get("code"), err: round.judge(query)}
	if res.err != nil {
		page(w, http.StatusBadRequest, "Not signed in", res.err.Error())
	} else {
		page(w, http.StatusOK, "Signed in", "Hallmark goes on with the audit. You may close this window.")
	}
	round.answer <- res
}

// page writes a page without anything that a browser could run or fetch.
func page(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><title>%s</title><h1>%s</h1><p>%s</p></html>\n", html.EscapeString(title), html.EscapeString(title), html.EscapeString(text))
}
