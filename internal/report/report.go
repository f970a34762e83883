// Package report builds the document that every renderer, gate and consumer of an audit reads. Its fields are a public contract,
// described in docs/report.md and schema/report.schema.json: fields are added, never renamed. It puts together what rules, policy and
// arithmetic have decided and decides nothing itself; how it looks is package render's business.
package report

import (
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// SchemaVersion counts incompatible changes of the report.
const SchemaVersion = 1

// Limits of what one report holds.
const (
	maxIssues  = 20  // findings shown per rule
	maxPath    = 255 // characters of a JSON Pointer; a longer one is left out
	maxExcerpt = 200 // characters of an excerpt, a name or a clause
	maxMessage = 300 // characters of a result's message
	maxText    = 500 // characters of a string in a rule's details
	maxEntries = 100 // entries of a list or an object in a rule's details
	maxDepth   = 8   // nesting of a rule's details
)

// Report is the outcome of one audit.
type Report struct {
	SchemaVersion int    `json:"schema_version"`
	Engine        Engine `json:"engine"`
	GeneratedAt   string `json:"generated_at"` // ISO 8601, UTC, microseconds: the moment of the audit, not of the rendering
	Target        string `json:"target"`
	// Transport is how the session was held; null for partial audits and for those that could not run.
	Transport  *recording.Transport `json:"transport"`
	Score      int                  `json:"score"`
	MaxScore   int                  `json:"max_score"`
	Percentage *int                 `json:"percentage"` // null when MaxScore is 0
	// MaxScoreLost is how much larger MaxScore would be if everything that concerns the server could have been observed.
	MaxScoreLost       int                     `json:"max_score_lost_to_unobserved"`
	Authenticated      bool                    `json:"authenticated"`
	Insecure           bool                    `json:"insecure,omitempty"` // the user had certificates not verified
	Proxied            bool                    `json:"proxied,omitempty"`  // requests went through a proxy of the user's
	Partial            bool                    `json:"partial"`
	PartialReason      *string                 `json:"partial_reason"`
	IncompleteListings []string                `json:"incomplete_listings"`
	ListingErrors      map[string]ListingError `json:"listing_errors"`
	ServerInfo         *ServerInfo             `json:"server_info"`
	Package            *Package                `json:"package"` // null for audits of servers
	Skills             *SkillsEvidence         `json:"skills"`  // null without evidence about skills
	Summary            Summary                 `json:"summary"`
	Results            []Result                `json:"results"`
	SkippedRules       []SkippedRule           `json:"skipped_rules"`
	Spec               Spec                    `json:"spec"`
	Readiness          ReadinessSum            `json:"readiness"`

	Categories   []Category   `json:"categories"` // their points sum up to Score and MaxScore
	Experimental Experimental `json:"experimental"`
	FixPlan      []FixStep    `json:"fix_plan"`
	Catalogs     []Catalog    `json:"catalogs"`
	Measurements Measurements `json:"measurements"`
	Policy       Policy       `json:"policy"`
	Failure      *Failure     `json:"failure"`

	Config *Config `json:"config,omitempty"` // when a configuration was applied
	Gates  []Gate  `json:"gates,omitempty"`  // when gates were asked for
	Smoke  *Smoke  `json:"smoke,omitempty"`  // when calls of tools were asked for
}

// Engine names the program whose rules judged.
type Engine struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ServerInfo is who the server says it is. A member that is missing or no string is null.
type ServerInfo struct {
	Name    *string `json:"name"`
	Version *string `json:"version"`
}

// Package is a package whose metadata was audited. Null stands for what is not known.
type Package struct {
	Registry         string  `json:"registry"` // "npm" or "pypi"
	Identifier       string  `json:"identifier"`
	RequestedVersion *string `json:"requested_version"` // as given: a version, a tag, a range
	ResolvedVersion  *string `json:"resolved_version"`  // the one that was judged
	Resolution       *string `json:"resolution"`        // how it was chosen: "pinned", "tag", "range", "newest"
	Outcome          string  `json:"outcome"`           // "ok", "not-found", "version-not-found", "error"
	Error            *string `json:"error"`
	RepositoryURL    *string `json:"repository_url"`
	License          *string `json:"license"`
	LicenseKind      *string `json:"license_kind"` // "spdx", "file", "classifier", "none-granted", "unrecognised"
	PublishedAt      *string `json:"published_at"` // ISO 8601, UTC
	Withdrawn        bool    `json:"withdrawn"`
	Executed         bool    `json:"executed"` // always false: nothing of a package is run
	// ServerLink compares a server.json that names the package with what the package says; null where none does.
	ServerLink *ServerLink `json:"server_link"`
}

// ServerLink tells whether a package names the server that a server.json claims it for. Otherwise the claim is unproven.
type ServerLink struct {
	Claimed  string  `json:"claimed"`
	Declared *string `json:"declared"`
	Verdict  string  `json:"verdict"` // "match", "mismatch", "absent"
}

// ListingError says how the reading of a catalog went wrong.
type ListingError struct {
	Outcome   string          `json:"outcome"` // "collection_error", "timeout", "rpc_error", "invalid_response"
	PageIndex int             `json:"page_index"`
	ErrorCode *int64          `json:"error_code,omitempty"` // of an rpc_error
	Class     recording.Class `json:"class,omitempty"`      // of a transport failure
	Text      string          `json:"text,omitempty"`
	Step      string          `json:"step,omitempty"`
}

// Summary counts the rules of the main axis. Readiness is never counted here.
type Summary struct {
	Total      int        `json:"total"` // passed and failed
	Passed     int        `json:"passed"`
	Failed     int        `json:"failed"`
	Skipped    int        `json:"skipped"`
	BySeverity BySeverity `json:"by_severity"`
}

// BySeverity splits Summary's numbers.
type BySeverity struct {
	Critical SeverityCount `json:"CRITICAL"`
	High     SeverityCount `json:"HIGH"`
	Medium   SeverityCount `json:"MEDIUM"`
	Low      SeverityCount `json:"LOW"`
}

// SeverityCount is a number of rules of one severity.
type SeverityCount struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
	Failed int `json:"failed"`
}

// Result is the verdict of one rule that could judge.
type Result struct {
	RuleID        string        `json:"rule_id"`
	RuleName      string        `json:"rule_name"`
	GroupName     rule.Group    `json:"group_name"`
	Category      string        `json:"category,omitempty"` // empty for experimental rules
	Severity      rule.Severity `json:"severity"`
	SeverityValue int           `json:"severity_value"` // points at stake; 0 for experimental rules
	Passed        bool          `json:"passed"`
	Message       string        `json:"message"`
	// Details holds "basis" (the citation in one line), "sep" for readiness rules, facts of the rule, and for failures "issues" (of type
	// []Issue), "issues_total" and "issues_omitted".
	Details      map[string]any  `json:"details"`
	SuggestedFix string          `json:"suggested_fix,omitempty"` // failures only
	Why          string          `json:"why,omitempty"`           // failures only
	Citations    []spec.Citation `json:"citations"`
	OWASP        []string        `json:"owasp,omitempty"`     // risks of the OWASP MCP Top 10
	Reproduce    []Reproduction  `json:"reproduce,omitempty"` // failures only, one per step that the issues name

	// Found are the fingerprints of all findings, those that no issue shows included. A report that was read lacks them; see Fingerprints.
	Found []string `json:"-"`
}

// Issues returns the findings that a failed result shows, nil for others.
func (r *Result) Issues() []Issue {
	issues, _ := r.Details["issues"].([]Issue)
	return issues
}

// IssuesTotal is the number of findings, those not shown included.
func (r *Result) IssuesTotal() int {
	n, _ := r.Details["issues_total"].(int)
	return n
}

// Issue is one finding: what is wrong, and where.
type Issue struct {
	EntityKind  string  `json:"entity_kind"`
	EntityIndex *int    `json:"entity_index,omitempty"` // in the catalog, from 0
	Name        string  `json:"name,omitempty"`         // the item's own name, URI or template
	Path        *string `json:"path,omitempty"`         // JSON Pointer relative to the entity
	PathOmitted bool    `json:"path_omitted,omitempty"` // the pointer is longer than 255 characters
	Reason      string  `json:"reason"`
	Seen        string  `json:"seen,omitempty"`
	Expected    string  `json:"expected,omitempty"`
	ProbeID     string  `json:"probe_id,omitempty"`
	Step        string  `json:"step,omitempty"`    // the recorded exchange
	Pointer     *string `json:"pointer,omitempty"` // JSON Pointer into the exchange's message
	Excerpt     string  `json:"excerpt,omitempty"` // what stands there, masked and with invisible characters spelled out
}

// Reproduction is how to see a finding again from a POSIX shell. Values that the user gave stand as variables to set first:
// $HEADER_<NAME> for a header's value, $SECRET for a secret in the URL or the command line, $<NAME> for variables of the environment.
type Reproduction struct {
	Step    string `json:"step"`
	Command string `json:"command"`
}

// SkippedRule is a rule that gave no verdict.
type SkippedRule struct {
	RuleID        string          `json:"rule_id"`
	RuleName      string          `json:"rule_name"`
	Reason        rule.SkipReason `json:"reason"`
	ReasonText    string          `json:"reason_text"`
	GroupName     rule.Group      `json:"group_name"`
	Category      string          `json:"category,omitempty"`
	Severity      rule.Severity   `json:"severity"`
	SeverityValue int             `json:"severity_value"`
}

// Spec tells which protocol revisions played a part.
type Spec struct {
	NegotiatedVersion      *spec.Revision           `json:"negotiated_version"`       // the revision that the server is judged under
	SessionProtocolVersion *spec.Revision           `json:"session_protocol_version"` // of a real handshake
	LatestVersion          spec.Revision            `json:"latest_version"`
	ReadinessTarget        spec.Revision            `json:"readiness_target"`
	Era                    *string                  `json:"era"`              // "legacy", "modern", "dual-era"
	CatalogVersions        map[string]spec.Revision `json:"catalog_versions"` // catalogs that were read under another revision than the session's
}

// ReadinessSum is the axis of readiness for the latest revision.
type ReadinessSum struct {
	Score         int      `json:"score"`
	MaxScore      int      `json:"max_score"`
	CountedInMain bool     `json:"counted_in_main"`
	Results       []Result `json:"results"`
	Assessed      int      `json:"assessed"`
	Skipped       int      `json:"skipped"`
	Total         int      `json:"total"`
}

// Category is the sum of one category of the roster.
type Category struct {
	Name       string `json:"name"`
	Title      string `json:"title"`
	Earned     int    `json:"earned"`
	Available  int    `json:"available"`
	Percentage *int   `json:"percentage"` // null when nothing was available
	Passed     int    `json:"passed"`
	Failed     int    `json:"failed"`
	Skipped    int    `json:"skipped"`
	Unobserved int    `json:"unobserved"` // points missing from Available for lack of data
}

// Experimental holds observations that never count, in the shapes of Report.
type Experimental struct {
	Results      []Result      `json:"results"`
	SkippedRules []SkippedRule `json:"skipped_rules"`
}

// FixStep is one change that repairs one or several failures.
type FixStep struct {
	Change          string   `json:"change"`
	Rules           []string `json:"rules"` // those it repairs
	Findings        int      `json:"findings"`
	Points          int      `json:"points"`
	ScoreAfter      int      `json:"score_after"` // with this step and all before it
	MaxScore        int      `json:"max_score"`
	PercentageAfter int      `json:"percentage_after"`
	Note            string   `json:"note,omitempty"` // what else the change moves
}

// Catalog tells how much of a listing was read.
type Catalog struct {
	Name     string        `json:"name"`
	Items    int           `json:"items"`
	Pages    int           `json:"pages"`
	Complete bool          `json:"complete"`
	Revision spec.Revision `json:"revision,omitempty"` // that its items are judged under
	Reason   string        `json:"reason,omitempty"`   // why it is not complete, in words
}

// Measurements are numbers about the audit itself. Times are in milliseconds.
type Measurements struct {
	Elapsed     float64 `json:"elapsed_ms"`
	FirstAnswer float64 `json:"first_answer_ms"` // from the first request to the first byte of its answer, 0 when none came
	Requests    int     `json:"requests"`        // sent, retries and redirects included
	Exchanges   int     `json:"exchanges"`
}

// Policy names the roster.
type Policy struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	// Unscored are rules that were judged and do not stand in the roster. Nothing else of them is in the report.
	Unscored []string `json:"unscored_rules"`
}

// Failure says why an audit could not run, ended early, or saw only what a server shows without credentials.
type Failure struct {
	Class  recording.Class `json:"class"`
	Phase  string          `json:"phase"`
	Detail string          `json:"detail"`
	Remedy string          `json:"remedy"`
	Status int             `json:"status,omitempty"` // HTTP status, where one was seen
}

// Ran reports whether there was a server to judge.
func (r *Report) Ran() bool {
	return r.Failure == nil || len(r.Results)+len(r.Readiness.Results)+len(r.SkippedRules) > 0
}

// Refused reports whether Failure is no more than the refusal that made a partial audit partial: the audit itself ran to its end.
func (r *Report) Refused() bool { return r.Partial && r.Failure != nil && r.Failure.Status != 0 }
