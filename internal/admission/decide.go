package admission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/config"
	"github.com/mcp-hallmark/hallmark/internal/gate"
	"github.com/mcp-hallmark/hallmark/internal/lock"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/score"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// Subject is a server that wants in.
type Subject struct {
	Name   string
	Report *report.Report
	// Observation is what the server offered; nil when only a report is at hand.
	Observation *observe.Observation
	Lock        *lock.Lock // nil when none is kept
}

// Outcome is a decision in one word.
type Outcome string

// The outcomes.
const (
	Admitted Outcome = "admitted"
	Refused  Outcome = "refused"
	Unknown  Outcome = "unknown" // the server could not be audited
)

// Decision is what a policy says about a server, and why.
type Decision struct {
	Server       string        `json:"server"`
	Target       string        `json:"target"`
	Outcome      Outcome       `json:"outcome"`
	Percentage   *int          `json:"percentage"`
	GeneratedAt  string        `json:"generated_at,omitempty"`
	Requirements []Requirement `json:"requirements"`      // in a fixed order, the met ones too
	Problem      string        `json:"problem,omitempty"` // why it could not be audited
}

// Requirement is one thing that a policy asks, and what became of it.
type Requirement struct {
	ID     string   `json:"id"` // "score", "rule:tools_names_unique"; what a waiver names
	Met    bool     `json:"met"`
	Detail string   `json:"detail"`
	Waived *Granted `json:"waived,omitempty"` // it is not met and let pass
}

// Granted is a waiver that was used.
type Granted struct {
	Owner   string `json:"owner"`
	Reason  string `json:"reason"`
	Expires string `json:"expires"`
	Line    int    `json:"line"` // of the policy
}

// Decide applies a policy to a server at a moment. The same arguments give the same decision.
func Decide(p *Policy, s *Subject, at time.Time) Decision {
	r := s.Report
	d := &decider{policy: p, subject: s, report: r, at: at, decision: Decision{
		Server: textscan.Visible(s.Name), Target: textscan.Visible(r.Target), Outcome: Admitted, Percentage: r.Percentage, GeneratedAt: r.GeneratedAt, Requirements: []Requirement{},
	}}
	if !r.Ran() {
		d.decision.Outcome = Unknown
		d.decision.Problem = textscan.Visible(r.Failure.Detail)
		return d.decision
	}
	d.circumstances()
	d.scores()
	d.rules()
	d.forbidden()
	d.pinned()
	for _, q := range d.decision.Requirements {
		if !q.Met && q.Waived == nil {
			d.decision.Outcome = Refused
		}
	}
	return d.decision
}

type decider struct {
	policy   *Policy
	subject  *Subject
	report   *report.Report
	at       time.Time
	decision Decision
}

// require takes down a requirement and looks for a waiver when it is not met. Of several the one that holds longest is used.
func (d *decider) require(id string, met bool, format string, args ...any) {
	q := Requirement{ID: id, Met: met, Detail: textscan.Visible(fmt.Sprintf(format, args...))}
	if !met {
		var best, expired *Waiver
		for i := range d.policy.Waivers {
			w := &d.policy.Waivers[i]
			if !d.concerns(w) || !slices.ContainsFunc(w.Waives, func(what string) bool { return config.Match(what, id) }) {
				continue
			}
			if w.Expired(d.at) {
				if expired == nil || w.Expires.After(expired.Expires) {
					expired = w
				}
			} else if best == nil || w.Expires.After(best.Expires) {
				best = w
			}
		}
		switch {
		case best != nil:
			q.Waived = &Granted{Owner: best.Owner, Reason: best.Reason, Expires: best.Expires.Format(time.DateOnly), Line: best.Line}
		case expired != nil:
			q.Detail += fmt.Sprintf(" (a waiver expired on %s, owner %s)", expired.Expires.Format(time.DateOnly), textscan.Visible(expired.Owner))
		}
	}
	d.decision.Requirements = append(d.decision.Requirements, q)
}

func (d *decider) concerns(w *Waiver) bool {
	return w.Server == d.subject.Name || w.Server == d.report.Target || config.Match(w.Server, d.subject.Name) || config.Match(w.Server, d.report.Target)
}

// circumstances are those of the audit: what was seen, when, and under which terms.
func (d *decider) circumstances() {
	p, r := d.policy, d.report
	if !p.Partial {
		d.require("access", !r.Partial, "the audit is %s", map[bool]string{true: "partial: the server did not let itself be read", false: "full"}[r.Partial])
	}
	if p.Roster != "" {
		detail := "judged under " + cmp.Or(r.Policy.Name, "no roster")
		if r.Policy.Name != p.Roster {
			detail += ", " + p.Roster + " is required"
		}
		d.require("roster", r.Policy.Name == p.Roster, "%s", detail)
	}
	if changed := r.Config != nil && len(r.Config.Disabled)+len(r.Config.Reranked) > 0; !p.Configured && r.Config != nil {
		detail := "its configuration turns no rule off and re-ranks none"
		if changed {
			detail = fmt.Sprintf("a project's configuration turned off %d rules and re-ranked %d", len(r.Config.Disabled), len(r.Config.Reranked))
		}
		d.require("configuration", !changed, "%s", detail)
	}
	if p.MaxAge > 0 {
		made, err := time.Parse(time.RFC3339Nano, r.GeneratedAt)
		switch age := d.at.Sub(made); {
		case err != nil:
			d.require("age", false, "the report does not say when it was made")
		default:
			d.require("age", age <= p.MaxAge, "the audit is %d days old, %d are allowed", int(max(age, 0)/(24*time.Hour)), int(p.MaxAge/(24*time.Hour)))
		}
	}
}

func (d *decider) scores() {
	p, r := d.policy, d.report
	if p.Score > 0 {
		percentage, _ := score.Percent(r.Score, r.MaxScore)
		d.require("score", percentage >= p.Score, "%d %%, at least %d %% is required", percentage, p.Score)
	}
	if p.Readiness > 0 {
		percentage, ok := score.Percent(r.Readiness.Score, r.Readiness.MaxScore)
		if !ok {
			d.require("readiness", false, "it could not be assessed, at least %d %% is required", p.Readiness)
		} else {
			d.require("readiness", percentage >= p.Readiness, "%d %%, at least %d %% is required", percentage, p.Readiness)
		}
	}
	for _, m := range p.Categories {
		id := "category:" + m.Category
		i := slices.IndexFunc(r.Categories, func(c report.Category) bool { return c.Name == m.Category })
		switch {
		case i < 0 || r.Categories[i].Percentage == nil && r.Categories[i].Unobserved == 0:
			d.require(id, true, "no rule of it concerns the server")
		case r.Categories[i].Percentage == nil:
			d.require(id, m.Percent == 0, "nothing of it could be observed, at least %d %% is required", m.Percent)
		default:
			d.require(id, *r.Categories[i].Percentage >= m.Percent, "%d %%, at least %d %% is required", *r.Categories[i].Percentage, m.Percent)
		}
	}
}

// rules asks for each rule that a pattern names and that the report knows. A pattern that names none there is not met.
func (d *decider) rules() {
	results, skips := d.known()
	for _, glob := range d.policy.Rules {
		found := false
		for _, id := range sorted(results, skips) {
			if !config.Match(glob, id) || slices.ContainsFunc(d.decision.Requirements, func(q Requirement) bool { return q.ID == "rule:"+id }) {
				found = found || config.Match(glob, id)
				continue
			}
			found = true
			if res := results[id]; res != nil {
				detail := "passed"
				if !res.Passed {
					detail = "failed: " + res.Message
				}
				d.require("rule:"+id, res.Passed, "%s", detail)
				continue
			}
			skip := skips[id]
			met := skip.Reason == rule.NotApplicable
			d.require("rule:"+id, met, "skipped (%s): %s", skip.Reason, cmp.Or(skip.ReasonText, "no reason given"))
		}
		if !found {
			d.require("rule:"+glob, false, "it was not judged")
		}
	}
}

// known indexes what the report says by rule.
func (d *decider) known() (map[string]*report.Result, map[string]*report.SkippedRule) {
	results, skips := map[string]*report.Result{}, map[string]*report.SkippedRule{}
	r := d.report
	for _, list := range [][]report.Result{r.Results, r.Readiness.Results, r.Experimental.Results} {
		for i := range list {
			results[list[i].RuleID] = &list[i]
		}
	}
	for _, list := range [][]report.SkippedRule{r.SkippedRules, r.Experimental.SkippedRules} {
		for i := range list {
			skips[list[i].RuleID] = &list[i]
		}
	}
	return results, skips
}

func sorted(results map[string]*report.Result, skips map[string]*report.SkippedRule) []string {
	var ids []string
	for id := range results {
		ids = append(ids, id)
	}
	for id := range skips {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// forbidden looks for failures that no server may have. Readiness that does not count yet and experimental rules are forbidden by name only.
func (d *decider) forbidden() {
	results, skips := d.known()
	for _, f := range d.policy.Forbidden {
		for _, id := range sorted(results, skips) {
			res := results[id]
			if res == nil || res.Passed || f.Rule != "" && !config.Match(f.Rule, id) || f.Severity != "" && !gate.AtLeast(res.Severity, f.Severity) {
				continue
			}
			if f.Rule == "" && (res.GroupName == rule.Experimental || res.GroupName == rule.Readiness && !d.report.Readiness.CountedInMain) {
				continue
			}
			detail, hit := found(res, f.Reason)
			if !hit || slices.ContainsFunc(d.decision.Requirements, func(q Requirement) bool { return q.ID == "forbid:"+id }) {
				continue
			}
			if f.Why != "" {
				detail += " — " + f.Why
			}
			d.require("forbid:"+id, false, "%s", detail)
		}
	}
}

// found reports whether a failure has a finding of a kind. Findings that the report does not show might be of any kind.
func found(res *report.Result, reason string) (detail string, hit bool) {
	if reason == "" {
		return res.Message, true
	}
	issues := res.Issues()
	for i := range issues {
		if config.Match(reason, issues[i].Reason) {
			return strings.TrimSpace(fmt.Sprintf("%s: %s", issues[i].Place(), cmp.Or(issues[i].Seen, issues[i].Reason))), true
		}
	}
	if hidden := res.IssuesTotal() - len(issues); hidden > 0 {
		return fmt.Sprintf("%d findings are not shown in the report and may be of that kind", hidden), true
	}
	return "", false
}

// pinned compares the server with its lock.
func (d *decider) pinned() {
	switch l := d.subject.Lock; {
	case l == nil && d.policy.Lock:
		d.require("lock", false, "no catalog is pinned for it")
	case l == nil:
	case d.subject.Observation == nil:
		d.require("lock", false, "a report does not hold what the server offers; give a recording, or the server")
	default:
		changes, unread := l.Compare(d.subject.Observation)
		var texts []string
		for i := range changes {
			if i == 5 {
				texts = append(texts, fmt.Sprintf("%d changes more", len(changes)-i))
				break
			}
			texts = append(texts, changes[i].Title()+" "+string(changes[i].Kind))
		}
		for _, u := range unread {
			texts = append(texts, u.String())
		}
		d.require("lock", len(texts) == 0, "%s", cmp.Or(strings.Join(texts, "; "), "the server offers what was pinned"))
	}
}
