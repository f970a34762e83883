package spec

import (
	"fmt"
	"strings"
)

// Citation names the text that grounds a rule: a document, the revision of it that was read, and the section. URL is set
// where the section has a public address. SEP is the number of the proposal behind it, for rules that judge readiness.
type Citation struct {
	Document string   `json:"document"`           // "MCP", "RFC 9728", "JSON-RPC", "OWASP …" or "Hallmark" for advice of our own
	Revision Revision `json:"revision,omitempty"` // MCP revision; for other documents their version, if they have several
	Section  string   `json:"section"`            // path of headings, parts joined by " › "
	URL      string   `json:"url,omitempty"`
	SEP      int      `json:"sep,omitempty"`
}

// MCP cites a section of the MCP specification of one revision: page and heading, such as "Server › Tools › Tool Names".
func MCP(r Revision, section string) Citation {
	return Citation{Document: "MCP", Revision: r, Section: section, URL: mcpURL(r, section)}
}

// RFC cites a section of an RFC.
func RFC(number int, section string) Citation {
	return Citation{Document: fmt.Sprintf("RFC %d", number), Section: section, URL: fmt.Sprintf("https://www.rfc-editor.org/rfc/rfc%d", number)}
}

// JSONRPC cites a section of JSON-RPC 2.0.
func JSONRPC(section string) Citation {
	return Citation{Document: "JSON-RPC", Revision: "2.0", Section: section, URL: "https://www.jsonrpc.org/specification"}
}

// Advice marks a recommendation of our own that no specification requires; the section is its reason in a few words.
func Advice(reason string) Citation { return Citation{Document: "Hallmark", Section: reason} }

// SkillsExtension cites a section of the Agent Skills extension of MCP (SEP-2640).
func SkillsExtension(section string) Citation {
	return Citation{Document: "MCP Skills extension", Section: section, URL: "https://github.com/modelcontextprotocol/ext-skills", SEP: 2640}
}

// AgentSkills cites a section of the Agent Skills specification.
func AgentSkills(section string) Citation {
	return Citation{Document: "Agent Skills specification", Section: section, URL: "https://agentskills.io/specification"}
}

// OWASP cites a risk of the OWASP MCP Top 10 of 2025, such as "MCP03:2025 Tool Poisoning".
func OWASP(risk string) Citation {
	return Citation{Document: "OWASP MCP Top 10", Revision: "2025", Section: risk, URL: "https://owasp.org/www-project-mcp-top-10/"}
}

// WithSEP adds the number of the Specification Enhancement Proposal behind the section.
func (c Citation) WithSEP(number int) Citation { c.SEP = number; return c }

// String writes the citation on one line: "MCP 2025-11-25, Server › Tools › Tool Names (SEP-986)".
func (c Citation) String() string {
	var b strings.Builder
	b.WriteString(c.Document)
	if c.Revision != "" {
		b.WriteString(" " + string(c.Revision))
	}
	b.WriteString(", " + c.Section)
	if c.SEP != 0 {
		fmt.Fprintf(&b, " (SEP-%d)", c.SEP)
	}
	return b.String()
}

// mcpPages maps the first parts of a section to the page that holds it.
var mcpPages = []struct{ prefix, page string }{
	{"Server › Tools", "server/tools"},
	{"Server › Resources", "server/resources"},
	{"Server › Prompts", "server/prompts"},
	{"Server › Discovery", "server/discover"},
	{"Server › Utilities › Pagination", "server/utilities/pagination"},
	{"Server › Utilities › Caching", "server/utilities/caching"},
	{"Basic › Lifecycle", "basic/lifecycle"},
	{"Basic › Transports", "basic/transports"},
	{"Basic › Authorization", "basic/authorization"},
	{"Basic › Security Best Practices", "basic/security_best_practices"},
	{"Basic › Versioning", "basic/versioning"},
	{"Basic › Utilities › Tasks", "basic/utilities/tasks"},
	{"Schema", "schema"},
	{"Changelog", "changelog"},
	{"Deprecated", "deprecated"},
	{"Basic", "basic"},
	{"Specification", ""}, // the first page
}

func mcpURL(r Revision, section string) string {
	if strings.HasPrefix(section, "Basic › Transports › Streamable HTTP") && r > LatestStateful { // a page of its own since then
		return "https://modelcontextprotocol.io/specification/" + string(r) + "/basic/transports/streamable-http"
	}
	if strings.HasPrefix(section, "Basic › Transports › stdio") && r > LatestStateful {
		return "https://modelcontextprotocol.io/specification/" + string(r) + "/basic/transports/stdio"
	}
	for _, p := range mcpPages {
		if section == p.prefix || strings.HasPrefix(section, p.prefix+" ") {
			return "https://modelcontextprotocol.io/specification/" + string(r) + "/" + p.page
		}
	}
	return ""
}
