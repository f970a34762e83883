package recording

// Class is a machine-readable kind of failure. The values are stable: they appear in recordings and as failure.class in reports.
type Class string

// Failure classes. Those of a whole target say why nothing could be audited, those of an exchange why it has no answer.
const (
	FailInvalidTarget   Class = "invalid-target"
	FailUsage           Class = "usage" // the command line or a file that it names; in reports only
	FailDNS             Class = "dns"   // the host name has no address
	FailRefused         Class = "connection-refused"
	FailUnreachable     Class = "unreachable"      // no route, network down, proxy refused
	FailTLS             Class = "tls"              // handshake or certificate
	FailTimeout         Class = "timeout"          // a phase's budget ended
	FailDeadline        Class = "deadline"         // the audit's total deadline ended
	FailInterrupted     Class = "interrupted"      // SIGINT
	FailUnauthorized    Class = "unauthorized"     // 401
	FailForbidden       Class = "forbidden"        // 403
	FailPayment         Class = "payment-required" // 402
	FailRateLimited     Class = "rate-limited"     // 429 or 503 after all retries
	FailServerError     Class = "server-error"     // 5xx
	FailHTTP            Class = "http-error"       // any other HTTP status that carries no answer
	FailRedirected      Class = "redirected"       // a redirect that is not followed
	FailHTML            Class = "html-answer"      // a page instead of a message
	FailNotJSON         Class = "not-json"         // a document that is no JSON object, from a registry
	FailNotMCP          Class = "not-mcp"          // an answer that is no JSON-RPC
	FailNoAnswer        Class = "no-answer"        // the stream ended before the answer
	FailReset           Class = "connection-reset"
	FailTooLarge        Class = "too-large"       // message above the cap
	FailEncoded         Class = "encoded"         // a content coding that was not offered
	FailBlocked         Class = "blocked-address" // a discovered URL leads to an address that must not be dialled
	FailCommandNotFound Class = "command-not-found"
	FailNotExecutable   Class = "not-executable"
	FailExited          Class = "exited"          // the process ended before it answered
	FailSilent          Class = "silent"          // the process runs and prints nothing
	FailNotReading      Class = "not-reading"     // the process does not read its stdin
	FailVersion         Class = "version-refused" // no common protocol revision
	FailRPC             Class = "rpc-error"       // the handshake was answered with an error
	FailSessionLost     Class = "session-lost"
	FailInternal        Class = "internal" // our own fault
)

// Failure says why something has no result. Detail is one line of plain words with what was seen, cleaned of control characters and
// secrets; Phase names the part of the audit ("connect", "start", "handshake", "listing", "probe").
type Failure struct {
	Class  Class  `json:"class"`
	Phase  string `json:"phase,omitempty"`
	Detail string `json:"detail,omitempty"`
	Status int    `json:"status,omitempty"` // HTTP status, where one was seen
}
