package lexical

// maxName is the longest name of a tool, in characters.
const maxName = 128

// ToolName reports whether s has the form that names of tools should have: 1 to 128 of A-Z a-z 0-9 _ - . (MCP 2025-11-25, Server
// Features › Tools › Tool Names). A regular expression with that count takes a millisecond to compile.
func ToolName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.') {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= maxName
}
