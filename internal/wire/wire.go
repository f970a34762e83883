// Package wire sends one message exactly as given and records exactly what comes back, over stdio, Streamable HTTP and HTTP+SSE.
// It bounds everything (time, size, redirects, requests in flight) and judges nothing: which requests to send is decided by
// package capture, what the answers mean by package observe.
package wire

import (
	"context"
	"net/http"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// Read says how much of an answer a call waits for.
type Read uint8

const (
	// ReadAnswer waits for the JSON-RPC message with the call's id and stops reading there, also when the stream stays open.
	ReadAnswer Read = iota
	// ReadBody keeps the whole body up to the cap (metadata documents, answers to malformed JSON).
	ReadBody
	// ReadHeaders waits for status and headers only and then closes the stream (GET stream probes).
	ReadHeaders
	// ReadAck is for notifications: status and headers, and at most one byte of the body, so that "202 with a body" can be told.
	ReadAck
)

// Call is one message to send. The zero value of each optional field is the usual case.
type Call struct {
	Step       string // recorded step name
	Connection string // recorded connection name
	RPC        string // JSON-RPC method, for the record
	ID         string // JSON-RPC id as JSON; empty for notifications and for requests that are no JSON-RPC
	Body       []byte // exact bytes to send
	Read       Read

	// HTTP only.
	Method     string      // default POST
	URL        string      // default the endpoint
	Header     http.Header // added to the defaults of the link; a key with a nil slice removes a default
	Anonymous  bool        // without the user's headers, credentials and cookies
	Follow     bool        // follow same-origin redirects that keep the method
	Host       string      // Host header instead of the URL's
	Direct     bool        // past any proxy
	Discovered bool        // the URL came from the server: screen the address at dial time
	Urgent     bool        // not held back by the limit on requests in flight (answers to requests of the server); never retried

	Timeout time.Duration // total for this call; 0 means the link's default
	MaxBody int64         // cap on the recorded body; 0 means the link's default
}

// Reply is what capture needs at once to plan on. Everything else is in the Exchange, which is already redacted.
type Reply struct {
	Exchange recording.Exchange
	Status   int         // HTTP status, 0 elsewhere and when none arrived
	Header   http.Header // as received, never stored
	Answer   []byte      // the JSON-RPC message that answers the call, nil when none arrived
	URL      string      // the URL that answered, after redirects that were followed
}

// Link is one connection (or client) to a server.
type Link interface {
	// Do sends the call and waits as the call says. It never returns later than the call's time-out (over HTTP: plus what the
	// server makes it wait by 429 and 503, up to the retry budget) and never fails as a Go error: what goes wrong is recorded
	// in the exchange.
	Do(ctx context.Context, call Call) Reply
	// Close ends the connection. For a process the whole group is gone when it returns.
	Close()
}
