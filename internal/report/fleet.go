package report

// Statuses of a member of a fleet.
const (
	Audited     = "audited"
	GateFailed  = "gate-failed" // audited, and a gate did not pass
	NotAudited  = "failed"      // it could not be audited
	Skipped     = "skipped"     // it was left out on purpose
	Interrupted = "interrupted"
)

// Fleet is the summary of audits of several targets in one run. Its fields are a public contract like those of Report.
type Fleet struct {
	SchemaVersion int         `json:"schema_version"`
	Engine        Engine      `json:"engine"`
	GeneratedAt   string      `json:"generated_at"`
	Summary       FleetCounts `json:"summary"`
	Targets       []Member    `json:"targets"` // in the order in which they were named
}

// FleetCounts counts targets. Those whose gates failed are among the audited ones.
type FleetCounts struct {
	Targets     int `json:"targets"`
	Audited     int `json:"audited"`
	GatesFailed int `json:"gates_failed"`
	Failed      int `json:"failed"`
	Skipped     int `json:"skipped"`
}

// Member is one target of a fleet.
type Member struct {
	Name       string   `json:"name"` // as the configuration or the list has it
	Target     string   `json:"target"`
	Status     string   `json:"status"`
	Score      int      `json:"score"`
	MaxScore   int      `json:"max_score"`
	Percentage *int     `json:"percentage"`
	Partial    bool     `json:"partial"`
	Failed     int      `json:"failed_rules"`
	Critical   int      `json:"failed_critical"`
	High       int      `json:"failed_high"`
	Reason     string   `json:"reason,omitempty"` // why it was not audited
	Failure    *Failure `json:"failure"`
	Files      []string `json:"files,omitempty"`  // reports, relative to the summary
	Report     *Report  `json:"report,omitempty"` // where the summary holds the reports
}

// NewMember sums a report up. The report itself is not put in.
func NewMember(name string, r *Report) Member {
	m := Member{
		Name: bounded(name, maxExcerpt), Target: r.Target, Status: Audited, Score: r.Score, MaxScore: r.MaxScore, Percentage: r.Percentage, Partial: r.Partial,
		Failed: r.Summary.Failed, Critical: r.Summary.BySeverity.Critical.Failed, High: r.Summary.BySeverity.High.Failed, Failure: r.Failure,
	}
	switch {
	case r.Failure != nil && r.Failure.Class == "interrupted":
		m.Status = Interrupted
	case !r.Ran():
		m.Status = NotAudited
	}
	if m.Status != Audited {
		m.Reason = r.Failure.Detail
		if p := r.Failure.Phase; p != "" && p != "target" {
			m.Reason = r.Failure.Phase + ": " + m.Reason
		}
		return m
	}
	for _, g := range r.Gates {
		if !g.Passed {
			m.Status = GateFailed
		}
	}
	return m
}

// Count fills in the summary.
func (f *Fleet) Count() {
	f.Summary = FleetCounts{Targets: len(f.Targets)}
	for _, m := range f.Targets {
		switch m.Status {
		case Audited:
			f.Summary.Audited++
		case GateFailed:
			f.Summary.Audited++
			f.Summary.GatesFailed++
		case Skipped:
			f.Summary.Skipped++
		default:
			f.Summary.Failed++
		}
	}
}
