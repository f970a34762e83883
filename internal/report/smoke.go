package report

// Smoke is what calling tools has shown, or why none was called. Nothing of it counts.
type Smoke struct {
	Executed bool          `json:"executed"`
	Reason   string        `json:"reason,omitempty"` // why it was not
	DryRun   bool          `json:"dry_run,omitempty"`
	CallAll  bool          `json:"call_all"` // tools that are not declared read-only were called too
	Summary  SmokeSummary  `json:"summary"`
	Coverage SmokeCoverage `json:"coverage"`
	Checks   []SmokeCheck  `json:"checks"`
}

// SmokeSummary counts checks. Waived ones are among the failed.
type SmokeSummary struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Waived  int `json:"waived,omitempty"`
}

// SmokeCoverage tells how many distinct tools answered.
type SmokeCoverage struct {
	ToolsCalled int `json:"tools_called"`
	ToolsTotal  int `json:"tools_total"`
}

// SmokeCheck is one check of one tool, or of the server.
type SmokeCheck struct {
	CheckID  string       `json:"check_id"`         // "smoke_structured_content", "smoke_invalid_arguments", "smoke_unknown_tool"
	ToolName *string      `json:"tool_name"`        // null for smoke_unknown_tool
	Verdict  string       `json:"verdict"`          // "pass", "fail", "skip"
	Waived   bool         `json:"waived,omitempty"` // failed, and the user accepts that
	Message  string       `json:"message"`          // what was seen, or why nothing was
	Details  SmokeDetails `json:"details"`          // what it rests on
}

// SmokeDetails are the facts of a check.
type SmokeDetails struct {
	Basis         string         `json:"basis"`                    // citation in one line
	Called        bool           `json:"called"`                   // the server answered a call
	ErrorCode     *int64         `json:"error_code,omitempty"`     // of a JSON-RPC error
	RequestedTool string         `json:"requested_tool,omitempty"` // the name that no tool has
	Arguments     *string        `json:"arguments,omitempty"`      // as sent, as JSON text
	Violation     string         `json:"violation,omitempty"`      // what is wrong with them on purpose
	Note          string         `json:"note,omitempty"`           // what should be known beside the verdict
	Step          string         `json:"step,omitempty"`           // in the smoke part of the recording
	Response      *SmokeResponse `json:"response,omitempty"`       // the shape of a result
}

// SmokeResponse is the shape of a tool's result.
type SmokeResponse struct {
	ContentBlocks     int      `json:"content_blocks"`
	ContentTypes      []string `json:"content_types"` // sorted, each once
	StructuredContent bool     `json:"structured_content"`
	IsError           bool     `json:"is_error"`
	FirstText         *string  `json:"first_text,omitempty"` // its first 80 characters
}

// Failed reports whether a check failed that nobody waived.
func (s *Smoke) Failed() bool { return s != nil && s.Summary.Failed > s.Summary.Waived }
