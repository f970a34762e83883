// Package spec holds facts about the Model Context Protocol that the world decides and this program only knows: its revisions,
// their order and what changed between them, JSON-RPC error codes, and how a requirement is cited.
package spec

import "regexp"

// Revision is a protocol revision identifier as it stands on the wire, YYYY-MM-DD. The zero Revision is "none known".
type Revision string

// The published revisions (MCP, Versioning).
const (
	Rev20241105 Revision = "2024-11-05"
	Rev20250326 Revision = "2025-03-26"
	Rev20250618 Revision = "2025-06-18"
	Rev20251125 Revision = "2025-11-25"
	Rev20260728 Revision = "2026-07-28"
)

// Latest is the newest published revision; Readiness looks at servers from it. LatestStateful is the newest revision with an
// initialize handshake, which is what a handshake offers.
const (
	Latest         = Rev20260728
	LatestStateful = Rev20251125
)

// Published lists the published revisions, oldest first. None of them is a draft.
func Published() []Revision {
	return []Revision{Rev20241105, Rev20250326, Rev20250618, Rev20251125, Rev20260728}
}

// Deprecated lists the published revisions that the specification has withdrawn. There are none today.
func Deprecated() []Revision { return nil }

// Known reports whether r is a published revision.
func (r Revision) Known() bool {
	for _, p := range Published() {
		if p == r {
			return true
		}
	}
	return false
}

var dateForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// WellFormed reports whether r has the form of a revision identifier. Only well-formed identifiers have an order.
func (r Revision) WellFormed() bool { return dateForm.MatchString(string(r)) }

// AtLeast reports whether r is well-formed and not older than other.
func (r Revision) AtLeast(other Revision) bool { return r.WellFormed() && r >= other }

// Stateful reports whether r is a known revision with an initialize handshake.
func (r Revision) Stateful() bool { return r.Known() && r <= LatestStateful }

// Stateless reports whether r is a known revision in which every request stands alone (SEP-2575).
func (r Revision) Stateless() bool { return r.Known() && r > LatestStateful }

// JSON-RPC error codes (JSON-RPC 2.0 section 5.1; MCP 2026-07-28, Basic, Error Codes).
const (
	CodeParseError             = -32700
	CodeInvalidRequest         = -32600
	CodeMethodNotFound         = -32601
	CodeInvalidParams          = -32602
	CodeInternalError          = -32603
	CodeResourceNotFoundLegacy = -32002
	CodeHeaderMismatch         = -32020
	CodeMissingCapability      = -32021
	CodeUnsupportedVersion     = -32022
)

// The _meta keys of the stateless lifecycle and of extensions.
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	ExtensionSkills        = "io.modelcontextprotocol/skills"
)
