// Package recording defines what is kept of an audit's traffic: every exchange under a stable step name, with the exact bytes up
// to a documented cap, and nothing of what the auditor holds (credentials, cookies, secrets given for the server's environment).
// It also defines the file format, its limits and the redaction. Nothing here judges.
package recording

import (
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Format and Version identify the file format. Version counts incompatible changes.
const (
	Format  = "hallmark-recording"
	Version = 1
)

// MaxBody is the default cap, in bytes, on what is kept of one message body. A longer body is cut and marked.
const MaxBody = 16 << 20

// Recording is everything that one audit saw. Exchanges are ordered by step name, never by arrival.
type Recording struct {
	Format    string     `json:"format"`
	Version   int        `json:"version"`
	Engine    Engine     `json:"engine"`
	AsOf      time.Time  `json:"as_of"` // UTC; the only clock that judging knows
	Target    Target     `json:"target"`
	Transport Transport  `json:"transport,omitempty"` // how the session was held, empty when no session came about
	Exchanges []Exchange `json:"exchanges"`
	Listings  []Listing  `json:"listings,omitempty"`
	Processes []Process  `json:"processes,omitempty"`
	Smoke     *Smoke     `json:"smoke,omitempty"`   // when tools were called
	Failure   *Failure   `json:"failure,omitempty"` // why no audit was possible, or why it ended early
	Elapsed   Duration   `json:"elapsed_us"`
	Requests  int        `json:"requests"` // requests sent, retries and redirects included
}

// Smoke is what calling tools has shown. It stands apart from everything that rules judge: calls say how tools behave, and that is no part of
// any score.
type Smoke struct {
	CallAll   bool       `json:"call_all"`          // tools that are not declared read-only were called too
	DryRun    bool       `json:"dry_run,omitempty"` // calls were planned and not made
	Exchanges []Exchange `json:"exchanges"`         // steps smoke/..., ordered
	Processes []Process  `json:"processes,omitempty"`
}

// Find returns the exchange with this step, nil when there is none.
func (s *Smoke) Find(step string) *Exchange {
	for i := range s.Exchanges {
		if s.Exchanges[i].Step == step {
			return &s.Exchanges[i]
		}
	}
	return nil
}

// Engine names the program that recorded.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Transport is a way to reach a server.
type Transport string

// The transports of MCP. SSE is the HTTP+SSE transport of revision 2024-11-05.
const (
	Stdio          Transport = "stdio"
	StreamableHTTP Transport = "streamable-http"
	SSE            Transport = "sse"
)

// Target is what was audited, without any secret.
type Target struct {
	Display       string   `json:"display"`                 // as reports show it
	URL           string   `json:"url,omitempty"`           // without userinfo and with credential values of the query masked
	Command       []string `json:"command,omitempty"`       // stdio: program and arguments, secrets masked
	EnvNames      []string `json:"env_names,omitempty"`     // names, never values, of variables given with --env
	HeaderNames   []string `json:"header_names,omitempty"`  // names of headers the user gave
	Authenticated bool     `json:"authenticated,omitempty"` // an HTTP credential was configured
	Insecure      bool     `json:"insecure,omitempty"`      // certificate verification was switched off by the user
	Proxied       bool     `json:"proxied,omitempty"`       // requests went through a proxy of the user's
	// CredentialParams are names of query parameters of the URL that look like credentials.
	CredentialParams []string `json:"credential_params,omitempty"`
	Package          *Package `json:"package,omitempty"` // in place of a server
}

// Exchange is one request and what came back, or one look at a connection.
type Exchange struct {
	Step string `json:"step"` // stable name such as "session/tools/list/2" or "probe/foreign-origin"
	// SameAs names the step whose exchange serves this one too: what several questions need is asked once. All other members are
	// then empty.
	SameAs     string    `json:"same_as,omitempty"`
	Via        string    `json:"via,omitempty"`        // "http", "sse", "stdio", "tcp" or "tls"
	Connection string    `json:"connection,omitempty"` // which connection, client or process carried it: "session", "probe", "second", "anonymous"
	Request    *Request  `json:"request,omitempty"`
	Response   *Response `json:"response,omitempty"` // HTTP only
	// Answer is the JSON-RPC message with the request's id where it came apart from the HTTP response: a line of stdout, an event of
	// the HTTP+SSE stream. For Streamable HTTP the answer is found in Response (or in Resumed).
	Answer   *Body      `json:"answer,omitempty"`
	Resumed  []Response `json:"resumed,omitempty"`   // answers to GETs with Last-Event-ID that continued a broken stream
	Earlier  []Attempt  `json:"earlier,omitempty"`   // attempts that the server put off (429, 503) before this one
	Hops     []Hop      `json:"redirects,omitempty"` // redirects seen, followed or refused
	Others   []Body     `json:"others,omitempty"`    // requests and notifications of the server that arrived while waiting, at most MaxOthers
	Started  Duration   `json:"started_us"`          // since the audit began
	First    Duration   `json:"first_byte_us,omitempty"`
	Duration Duration   `json:"duration_us"`
	Failure  *Failure   `json:"failure,omitempty"` // why there is no (whole) answer
}

// MaxOthers bounds Exchange.Others.
const MaxOthers = 20

// Duration is a span in whole microseconds.
type Duration int64

// Micros converts a span to its recorded form.
func Micros(d time.Duration) Duration { return Duration(d.Microseconds()) }

// Span converts a recorded span back.
func (d Duration) Span() time.Duration { return time.Duration(d) * time.Microsecond }

// Request is what was sent.
type Request struct {
	Method  string   `json:"method,omitempty"` // HTTP method
	URL     string   `json:"url,omitempty"`    // masked like Target.URL
	Headers []Header `json:"headers,omitempty"`
	Body    *Body    `json:"body,omitempty"`
	RPC     string   `json:"rpc_method,omitempty"`
	ID      string   `json:"rpc_id,omitempty"` // the id as JSON, empty for notifications
}

// Header is one header field, in the order sent or received. Values that are secret read Redacted.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Response is an HTTP response.
type Response struct {
	Status   int      `json:"status"`
	Proto    string   `json:"proto,omitempty"`
	Headers  []Header `json:"headers,omitempty"`
	Body     *Body    `json:"body,omitempty"`
	Encoding string   `json:"encoding,omitempty"` // content coding that was removed before the body was kept
	TLS      *TLS     `json:"tls,omitempty"`
	Session  string   `json:"session,omitempty"`  // what the session id header held: "visible-ascii:<length>" or "other:<length>", never the id
	EndedBy  string   `json:"ended_by,omitempty"` // "answer", "end", "limit", "timeout", "reset": why reading stopped
}

// Get returns the first header value with this name, compared without regard to case.
func (r *Response) Get(name string) (string, bool) {
	if r == nil {
		return "", false
	}
	for _, h := range r.Headers {
		if equalFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

// Values returns all header values with this name in order.
func (r *Response) Values(name string) []string {
	var values []string
	if r != nil {
		for _, h := range r.Headers {
			if equalFold(h.Name, name) {
				values = append(values, h.Value)
			}
		}
	}
	return values
}

func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if 'A' <= x && x <= 'Z' {
			x += 'a' - 'A'
		}
		if 'A' <= y && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}

// TLS are the facts of the connection that carried an exchange.
type TLS struct {
	Version  string `json:"version"` // as RFC 8446 names it: "TLSv1.3"
	Cipher   string `json:"cipher,omitempty"`
	Verified bool   `json:"verified"`
	// PrivateRoot tells that the certificate only verifies under an authority that the user named, not under the system's.
	PrivateRoot bool   `json:"private_root,omitempty"`
	Subject     string `json:"subject,omitempty"`
	Issuer      string `json:"issuer,omitempty"`
	NotAfter    string `json:"not_after,omitempty"` // RFC 3339
}

// Attempt is an earlier try that the server put off.
type Attempt struct {
	Status     int      `json:"status"`
	RetryAfter string   `json:"retry_after,omitempty"` // header as received
	Waited     Duration `json:"waited_us"`
}

// Hop is a redirect that was seen.
type Hop struct {
	Status   int    `json:"status"`
	Location string `json:"location"` // masked
	Followed bool   `json:"followed"`
	Refused  string `json:"refused,omitempty"` // "downgrade", "off-origin", "userinfo", "method", "too-many"
}

// Body is a message body. It encodes as text when it is valid UTF-8, else as base64.
type Body struct {
	Bytes []byte
	Size  int64 // bytes received; larger than len(Bytes) when Cut
	Cut   bool
}

type bodyJSON struct {
	Text   *string `json:"text,omitempty"`
	Base64 *string `json:"base64,omitempty"`
	Size   int64   `json:"size"`
	Cut    bool    `json:"cut,omitempty"`
}

// NewBody wraps bytes that were received whole.
func NewBody(b []byte) *Body { return &Body{Bytes: b, Size: int64(len(b))} }

// MarshalJSON implements json.Marshaler.
func (b Body) MarshalJSON() ([]byte, error) {
	j := bodyJSON{Size: b.Size, Cut: b.Cut}
	if utf8.Valid(b.Bytes) {
		s := string(b.Bytes)
		j.Text = &s
	} else {
		s := base64.StdEncoding.EncodeToString(b.Bytes)
		j.Base64 = &s
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Body) UnmarshalJSON(data []byte) error {
	var j bodyJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*b = Body{Size: j.Size, Cut: j.Cut}
	if j.Text != nil {
		b.Bytes = []byte(*j.Text)
		return nil
	}
	if j.Base64 == nil {
		return nil
	}
	raw, err := base64.StdEncoding.DecodeString(*j.Base64)
	b.Bytes = raw
	return err
}

// Listing tells how the reading of one catalog ended; its pages are exchanges "<lifecycle>/<method>/<page>" counted from 1.
type Listing struct {
	Lifecycle string `json:"lifecycle"` // "session" or "stateless"
	Method    string `json:"method"`    // "tools/list", "resources/list", "resources/templates/list", "prompts/list", "skills/list"
	Pages     int    `json:"pages"`
	Complete  bool   `json:"complete"`
	Reason    string `json:"reason,omitempty"` // why it is not: "cursor-repeated", "page-repeated", "page-limit", "time-limit", "failed", "cursor-invalid", "item-limit"
}

// Process is a server process that was started.
type Process struct {
	Connection string   `json:"connection"` // as in Exchange
	Started    Duration `json:"started_us"`
	FirstByte  Duration `json:"first_byte_us,omitempty"` // since it started, 0 when nothing came
	Exit       *int     `json:"exit,omitempty"`          // exit code when it ended before it was told to; 128+n after signal n
	Stderr     Body     `json:"stderr"`                  // its tail; Size counts everything
	Noise      []Noise  `json:"noise,omitempty"`         // what stood on stdout besides messages, at most MaxNoise
	NoiseTotal int      `json:"noise_total,omitempty"`
	BOM        bool     `json:"bom,omitempty"`  // stdout began with a byte-order mark
	CRLF       bool     `json:"crlf,omitempty"` // lines ended with CR LF
	Stopped    string   `json:"stopped"`        // what ended it: "exited", "stdin-closed", "terminated", "killed"
}

// Noise is a line on stdout that is no JSON-RPC message.
type Noise struct {
	Line  int    `json:"line"` // counted from 1
	Bytes Body   `json:"bytes"`
	Kind  string `json:"kind"` // "text", "json" (not JSON-RPC), "too-long", "unmatched" (an answer nobody waits for)
}

// MaxNoise bounds Process.Noise.
const MaxNoise = 20
