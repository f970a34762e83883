package spec

// Risk is an entry of the OWASP MCP Top 10 of 2025 (version 0.1).
type Risk struct {
	ID    string // "MCP03:2025"
	Title string
}

// OWASPRisks lists the risks in their order.
func OWASPRisks() []Risk {
	return []Risk{
		{"MCP01:2025", "Token Mismanagement & Secret Exposure"},
		{"MCP02:2025", "Privilege Escalation via Scope Creep"},
		{"MCP03:2025", "Tool Poisoning"},
		{"MCP04:2025", "Software Supply Chain Attacks & Dependency Tampering"},
		{"MCP05:2025", "Command Injection & Execution"},
		{"MCP06:2025", "Intent Flow Subversion"},
		{"MCP07:2025", "Insufficient Authentication & Authorization"},
		{"MCP08:2025", "Lack of Audit and Telemetry"},
		{"MCP09:2025", "Shadow MCP Servers"},
		{"MCP10:2025", "Context Injection & Over-Sharing"},
	}
}
