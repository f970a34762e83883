// Package observe decodes a recording into an Observation: what one audit saw of a server, as plain values. It is a pure
// function of the recording. Absence always has a reason; one ill-typed field never hides its neighbours.
package observe

import (
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Kind tells how much of the server an audit could see.
type Kind string

// The kinds of audit.
const (
	Full       Kind = "full"        // an initialize handshake succeeded
	ModernOnly Kind = "modern-only" // no handshake, but the server speaks the stateless lifecycle
	Partial    Kind = "partial"     // the server answers and refuses to be read, usually for lack of credentials
)

// Era is which lifecycles a server was seen to speak (MCP 2026-07-28, Basic › Versioning). Empty when neither was seen.
type Era string

// The eras.
const (
	Legacy  Era = "legacy"
	Modern  Era = "modern"
	DualEra Era = "dual-era"
)

// Observation is what an audit saw. Judging reads nothing else.
type Observation struct {
	AsOf      time.Time
	Target    recording.Target
	Transport recording.Transport // empty in partial audits
	Kind      Kind
	Era       Era
	// Negotiated is the revision that the server is judged under: the handshake's, or the newest known one that discovery
	// offered. Empty in partial audits. Session is the handshake's revision only.
	Negotiated spec.Revision
	Session    spec.Revision
	// Offered is the revision this program asked for in the handshake that succeeded; Refused what it asked for before, if that
	// was refused.
	Offered spec.Revision
	Refused spec.Revision

	ServerInfo   Field // serverInfo object
	Capabilities Field // capabilities that the catalogs were listed under
	Instructions Field
	// Discovered holds the result of server/discover, absent unless it was answered with one.
	Discovered Field

	Tools             Catalog
	Resources         Catalog
	ResourceTemplates Catalog
	Prompts           Catalog

	Probes  map[string]Probe // by probe id, see probe.go
	TLS     TLS
	Skills  *Skills  // nil when no skills were collected
	Package *Package // set in audits of packages, which see nothing else
	Notes   []Note   // what a lenient reader of the messages would not have noticed, in step order

	// Failure says why nothing could be audited (Kind is then empty), or why the audit ended before its end.
	Failure *recording.Failure

	Processes []recording.Process
	Requests  int
	Elapsed   time.Duration
	FirstByte time.Duration // time to the first answer, 0 when there was none

	derived *derived // see Derive; nil when Decode did not make the observation
}

// Field is a decoded value and where it stood.
type Field struct {
	jsondoc.Value
	Step    string          // recorded exchange
	Pointer jsondoc.Pointer // into the exchange's JSON-RPC message
}

// TLS are the facts of the connection to the target.
type TLS struct {
	HTTPS    bool
	Loopback bool   // the URL's host is a loopback name or address
	Verified *bool  // nil when no TLS connection was seen
	Version  string // "TLSv1.3", empty when unknown
	Proxied  bool   // the certificate may be a proxy's
	// PrivateRoot tells that the certificate only verifies under an authority that the user named.
	PrivateRoot bool
}

// Note is something odd about a message that does not keep it from being read.
type Note struct {
	Kind    string // "duplicate-key", "invalid-text", "control-byte", "too-deep", "id-type" and "other-id" (see otherID)
	Step    string
	Pointer string // JSON Pointer, or "byte N" for control bytes
	Detail  string // what was seen, where the pointer does not show it
}

// Catalog is the outcome of one listing.
type Catalog struct {
	Name      string        // "tools", "resources", "resource_templates", "prompts"
	Method    string        // JSON-RPC method
	Attempted bool          // the list was asked for
	Served    bool          // at least one page was read as a list; otherwise Items is empty and the catalog "null"
	Complete  bool          // every page was read
	Recovered bool          // read over the stateless lifecycle after the session's listing failed
	Revision  spec.Revision // the revision its items are judged under
	Items     []Item
	Error     *ListingError // why it is not served or not complete
	PageSteps []string      // exchanges of its pages
}

// Item is one element of a catalog, of whatever JSON type the server sent.
type Item struct {
	Index int // position in the whole catalog, from 0
	jsondoc.Value
	Step    string
	Pointer jsondoc.Pointer // to the item in the exchange's message, such as /result/tools/3
}

// Label names the item for people: its name, uri or uriTemplate, empty when it has none of type string.
func (i Item) Label() string {
	for _, key := range []string{"name", "uri", "uriTemplate"} {
		if s, ok := i.Get(key).Text(); ok && s != "" {
			return s
		}
	}
	return ""
}

// ListingError says how a listing went wrong.
type ListingError struct {
	Outcome   string          // "rpc_error", "timeout", "invalid_response", "collection_error"
	PageIndex int             // from 0
	Code      *int64          // JSON-RPC code of an rpc_error
	Class     recording.Class // transport failure, empty when the server answered
	Text      string          // what happened, in words
	Step      string
}

// Transient reports whether the error says nothing about what the server can do: time-outs, refusals for lack of credentials, rate
// limits, broken connections.
func (e *ListingError) Transient() bool {
	return e != nil && (e.Outcome == "timeout" || e.Outcome == "collection_error")
}

// Catalogs returns the four catalogs in reporting order.
func (o *Observation) Catalogs() []*Catalog {
	return []*Catalog{&o.Tools, &o.Resources, &o.ResourceTemplates, &o.Prompts}
}

// Declares reports whether the capabilities declare this member; null and absent do not.
func (o *Observation) Declares(capability string) bool {
	return !o.Capabilities.Get(capability).Missing()
}

// Incomplete lists the names of catalogs that were asked for and not read to the end, in reporting order.
func (o *Observation) Incomplete() []string {
	var names []string
	for _, c := range o.Catalogs() {
		if c.Attempted && !c.Complete {
			names = append(names, c.Name)
		}
	}
	return names
}

// ModernSupport reports whether the server was seen to answer the stateless lifecycle: server/discover with a list of versions, or
// a list request that carries a member which only that lifecycle has.
func (o *Observation) ModernSupport() bool {
	if o.Probe(ProbeDiscover).Outcome == Supported {
		return true
	}
	list := o.Probe(ProbeStatelessList)
	if list.Outcome != Supported {
		return false
	}
	for _, fact := range []string{"result_type", "ttl_ms", "cache_scope"} {
		if list.Has(fact) {
			return true
		}
	}
	return false
}

// SpeaksModern reports whether the era is modern or dual-era.
func (o *Observation) SpeaksModern() bool { return o.Era == Modern || o.Era == DualEra }

// OverHTTP reports whether the target is a URL.
func (o *Observation) OverHTTP() bool { return o.Target.URL != "" }
