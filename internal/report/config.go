package report

import "github.com/mcp-hallmark/hallmark/internal/rule"

// Config tells which configuration the audit was judged under and what it changed.
type Config struct {
	Source   string               `json:"source"`   // the file, as it was named or found
	SHA256   string               `json:"sha256"`   // of its bytes, in hexadecimal
	Disabled []string             `json:"disabled"` // rules turned off, in the order of the file
	Reranked map[string]Reranking `json:"reranked"` // by rule id
	Unknown  []string             `json:"unknown"`  // rules that the file names and that do not exist, or no more
	Waivers  []Waiver             `json:"waivers"`  // settings with a reason, an owner or an end
	Gate     *ConfigGate          `json:"gate,omitempty"`
}

// Reranking is a changed severity.
type Reranking struct {
	From rule.Severity `json:"from,omitempty"` // under the roster, or the rule's own when the roster does not score it
	To   rule.Severity `json:"to"`
}

// Waiver is a setting with its terms. An expired one decides nothing any more.
type Waiver struct {
	Setting string   `json:"setting"` // rule id, glob or group, as in the file
	Level   string   `json:"level"`   // "off", or a severity
	Rules   []string `json:"rules"`   // that it decides, or decided
	Reason  string   `json:"reason,omitempty"`
	Owner   string   `json:"owner,omitempty"`
	Expires string   `json:"expires,omitempty"` // the last day on which it holds
	Expired bool     `json:"expired"`
}

// ConfigGate is the outcome of the configuration's fail_on.
type ConfigGate struct {
	FailOn rule.Severity `json:"fail_on"`
	Failed []string      `json:"failed"` // rules that failed at or above it
}

// Gate is one thing that the audit had to reach.
type Gate struct {
	Name    string `json:"name"` // as the user wrote it: "--fail-under 80"
	Passed  bool   `json:"passed"`
	Message string `json:"message"` // what was reached, or why that is not enough
}
