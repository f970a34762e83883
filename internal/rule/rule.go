// Package rule says what a rule is: a short declaration with a pure judging function, the verdict it leads to, and the engine that
// runs a set of rules over an observation. It knows no points, categories or layout; those are policy and rendering.
package rule

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Severity is how much a rule matters by default. A roster may override it.
type Severity string

// The severities, most severe first.
const (
	Critical Severity = "CRITICAL"
	High     Severity = "HIGH"
	Medium   Severity = "MEDIUM"
	Low      Severity = "LOW"
)

// Group is the part of the protocol that a rule looks at.
type Group string

// The groups.
const (
	Packaging         Group = "packaging"
	ProtocolVersion   Group = "protocol_version"
	ServerInfo        Group = "server_info"
	Capabilities      Group = "capabilities"
	Security          Group = "security"
	Tools             Group = "tools"
	Transport         Group = "transport"
	Resources         Group = "resources"
	ResourceTemplates Group = "resource_templates"
	Prompts           Group = "prompts"
	Pagination        Group = "pagination"
	Skills            Group = "skills"
	Readiness         Group = "readiness"
	Experimental      Group = "experimental" // reported, never scored
)

// groupOrder is the order of groups in every listing; capabilities and security share a place and are told apart by name.
var groupOrder = map[Group]int{
	Packaging: 1, ProtocolVersion: 1, ServerInfo: 2, Capabilities: 3, Security: 3, Tools: 4, Transport: 5, Resources: 6,
	ResourceTemplates: 7, Prompts: 8, Pagination: 9, Skills: 10, Experimental: 98, Readiness: 99,
}

// Rule is one thing that an audit checks. Everything that people read about it stands here, everything that decides is in Needs and
// Judge.
type Rule struct {
	ID       string // snake_case, for ever
	Title    string // what holds when the rule passes, a few words
	Group    Group
	Order    int // within the group
	Severity Severity
	// Since and Until bound the revisions that the rule judges, both inclusive; empty means no bound.
	Since, Until spec.Revision
	// ByEvidence marks rules about the stateless lifecycle: where the server speaks it, the window is tested against the
	// latest revision whatever the handshake settled on.
	ByEvidence bool
	// Catalog names the one catalog that the rule judges, empty otherwise. Its items may stem from another revision than the
	// session's, which is then the one that the window is tested against.
	Catalog string
	Needs   []Need
	Basis   []spec.Citation // the first one is the main one
	Why     string          // why it matters, one or two sentences
	Fix     string          // what to do, one or two sentences, at most 255 characters
	OWASP   []string        // risks of the OWASP MCP Top 10 it bears on
	// Judge returns what is wrong; nothing means pass. It is only called when all needs are met.
	Judge func(*observe.Observation) []Finding
	// Details adds facts to the result, on pass and on failure, under the names of the report's specification. Optional.
	Details func(*observe.Observation) map[string]any
}

// Finding is one thing that is wrong, and where.
type Finding struct {
	Entity string // "tool", "resource", "resource_template", "prompt", "skill", "server", "catalog", "response"
	Index  int    // position in the catalog from 0; -1 when the entity has none
	Name   string // the item's own name, uri or template
	// Path is a JSON Pointer relative to the entity, empty for the entity as a whole.
	Path string
	// Step and Pointer place the finding in the recording: the exchange, and a JSON Pointer into its JSON-RPC message.
	Step    string
	Pointer string
	Reason  string // stable snake_case kind
	Seen    string // what was seen, a clause
	Want    string // what was expected, a clause
	ProbeID string // the probe that saw it, if any
}

// AtItem places a finding at a field of a catalog item; path is relative to the item ("/name").
func AtItem(entity string, item observe.Item, path jsondoc.Pointer, reason, seen, want string) Finding {
	return Finding{
		Entity: entity, Index: item.Index, Name: item.Label(), Path: string(path), Step: item.Step, Pointer: string(item.Pointer + path),
		Reason: reason, Seen: seen, Want: want,
	}
}

// AtField places a finding at a decoded field of the server; path is the pointer that reports show ("/serverInfo/name") and rel the
// same place relative to the field.
func AtField(f observe.Field, path, rel jsondoc.Pointer, reason, seen, want string) Finding {
	return Finding{
		Entity: "server", Index: -1, Path: string(path), Step: f.Step, Pointer: string(f.Pointer + rel),
		Reason: reason, Seen: seen, Want: want,
	}
}

// AtProbe places a finding at the answer that decided a probe.
func AtProbe(p observe.Probe, reason, seen, want string) Finding {
	return Finding{Entity: "response", Index: -1, Step: p.Step, Reason: reason, Seen: seen, Want: want, ProbeID: p.ID}
}

// AtCatalog places a finding at a whole listing.
func AtCatalog(c *observe.Catalog, reason, seen, want string) Finding {
	f := Finding{Entity: "catalog", Index: -1, Name: c.Name, Reason: reason, Seen: seen, Want: want}
	if n := len(c.PageSteps); n > 0 {
		f.Step = c.PageSteps[n-1]
	}
	return f
}
