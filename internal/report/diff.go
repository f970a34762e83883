package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// Cause is why a verdict is another one.
type Cause string

// The causes, in the order in which they are shown.
const (
	ByEngine        Cause = "engine"            // another version of the rules
	ByPolicy        Cause = "policy"            // another roster
	ByConfiguration Cause = "configuration"     // another project file
	ByAudit         Cause = "audit"             // another kind of audit: partial, with credentials, over another transport
	ByAnswers       Cause = "answers"           // the server answered otherwise
	ByEither        Cause = "engine-or-answers" // two reports alone cannot tell
)

// Causes lists the causes in order.
var Causes = []Cause{ByEngine, ByPolicy, ByConfiguration, ByAudit, ByAnswers, ByEither}

// Diff explains why two reports differ.
type Diff struct {
	Old     Side         `json:"old"`
	New     Side         `json:"new"`
	Audits  []Difference `json:"audits"` // what differs about the audits themselves
	Effects []Effect     `json:"effects"`
	Rules   []RuleChange `json:"rules"` // in the order of the causes, then as in the new report
}

// Side is one of the two reports.
type Side struct {
	Target      string `json:"target"`
	GeneratedAt string `json:"generated_at"`
	Engine      Engine `json:"engine"`
	Score       int    `json:"score"`
	MaxScore    int    `json:"max_score"`
	Percentage  *int   `json:"percentage"`
}

// Difference is one fact about two audits that is not the same.
type Difference struct {
	Cause Cause  `json:"cause"`
	What  string `json:"what"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// Effect is what a cause did to the score. The effects of all causes sum up to the difference of the two scores.
type Effect struct {
	Cause     Cause `json:"cause"`
	Rules     int   `json:"rules"`
	Earned    int   `json:"earned"`
	Available int   `json:"available"`
}

// RuleChange is a rule whose verdict, weight or findings are not the same.
type RuleChange struct {
	RuleID  string   `json:"rule_id"`
	Cause   Cause    `json:"cause"`
	Because string   `json:"because"` // one clause
	Old     Standing `json:"old"`
	New     Standing `json:"new"`
	// Gone and Came are findings of a rule that fails in both reports, as places; at most 20 each.
	Gone []string `json:"findings_gone,omitempty"`
	Came []string `json:"findings_new,omitempty"`
}

// Standing is how a rule stands in a report.
type Standing struct {
	Verdict   string          `json:"verdict"` // "pass", "fail", "skip"; "unscored" when the roster does not name it, "absent"
	Reason    rule.SkipReason `json:"reason,omitempty"`
	Text      string          `json:"text,omitempty"` // message of a failure, or why it was skipped
	Severity  rule.Severity   `json:"severity,omitempty"`
	Findings  int             `json:"findings,omitempty"`
	Earned    int             `json:"earned"` // what it adds to the score
	Available int             `json:"available"`

	result *Result
}

// Compare explains the differences between two reports. rejudged is the recording behind the old one as the new one's engine and roster
// judge it, nil when there is none; with it, what the engine changed and what the server changed can always be told apart.
func Compare(old, now, rejudged *Report) *Diff {
	d := &Diff{Old: side(old), New: side(now), Audits: []Difference{}, Effects: []Effect{}, Rules: []RuleChange{}}
	c := &comparer{old: old, now: now, was: standings(old), is: standings(now)}
	if rejudged != nil {
		c.rejudged = standings(rejudged)
	}
	d.Audits = append(d.Audits, c.audits()...)
	effects := map[Cause]*Effect{}
	for _, id := range order(now, old) {
		change, ok := c.rule(id)
		if !ok {
			continue
		}
		d.Rules = append(d.Rules, change)
		e := effects[change.Cause]
		if e == nil {
			e = &Effect{Cause: change.Cause}
			effects[change.Cause] = e
		}
		e.Rules++
		e.Earned += change.New.Earned - change.Old.Earned
		e.Available += change.New.Available - change.Old.Available
	}
	for _, cause := range Causes {
		if e := effects[cause]; e != nil {
			d.Effects = append(d.Effects, *e)
		}
	}
	slices.SortStableFunc(d.Rules, func(a, b RuleChange) int {
		return cmp.Compare(slices.Index(Causes, a.Cause), slices.Index(Causes, b.Cause))
	})
	return d
}

// Same reports whether nothing differs that was judged.
func (d *Diff) Same() bool { return len(d.Rules) == 0 }

func side(r *Report) Side {
	return Side{Target: r.Target, GeneratedAt: r.GeneratedAt, Engine: r.Engine, Score: r.Score, MaxScore: r.MaxScore, Percentage: r.Percentage}
}

// order lists the rules of two reports, those of the first one first.
func order(reports ...*Report) []string {
	var ids []string
	seen := map[string]bool{}
	for _, r := range reports {
		for _, id := range ruleIDs(r) {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func ruleIDs(r *Report) []string {
	var ids []string
	for _, list := range [][]Result{r.Results, r.Readiness.Results, r.Experimental.Results} {
		for i := range list {
			ids = append(ids, list[i].RuleID)
		}
	}
	for _, list := range [][]SkippedRule{r.SkippedRules, r.Experimental.SkippedRules} {
		for i := range list {
			ids = append(ids, list[i].RuleID)
		}
	}
	return append(ids, r.Policy.Unscored...)
}

// standings says how every rule stands in a report.
func standings(r *Report) map[string]Standing {
	all := map[string]Standing{}
	for _, list := range []struct {
		results []Result
		counts  bool
	}{{r.Results, true}, {r.Readiness.Results, r.Readiness.CountedInMain}, {r.Experimental.Results, false}} {
		for i := range list.results {
			res := &list.results[i]
			s := Standing{Verdict: "fail", Severity: res.Severity, result: res}
			if list.counts {
				s.Available = res.SeverityValue
			}
			if res.Passed {
				s.Verdict, s.Earned = "pass", s.Available
			} else {
				s.Text = res.Message
				s.Findings = max(res.IssuesTotal(), len(res.Issues()))
			}
			all[res.RuleID] = s
		}
	}
	for _, list := range [][]SkippedRule{r.SkippedRules, r.Experimental.SkippedRules} {
		for _, k := range list {
			all[k.RuleID] = Standing{Verdict: "skip", Reason: k.Reason, Text: k.ReasonText, Severity: k.Severity}
		}
	}
	for _, id := range r.Policy.Unscored {
		all[id] = Standing{Verdict: "unscored"}
	}
	return all
}

type comparer struct {
	old, now *Report
	was, is  map[string]Standing
	rejudged map[string]Standing
}

// audits lists what differs about the audits.
func (c *comparer) audits() []Difference {
	var all []Difference
	add := func(cause Cause, what, old, now string) {
		if old != now {
			all = append(all, Difference{cause, what, old, now})
		}
	}
	o, n := c.old, c.now
	add(ByEngine, "engine", o.Engine.Name+" "+o.Engine.Version, n.Engine.Name+" "+n.Engine.Version)
	add(ByPolicy, "roster", rosterOf(o), rosterOf(n))
	add(ByConfiguration, "configuration", configOf(o), configOf(n))
	add(ByAudit, "target", o.Target, n.Target)
	add(ByAudit, "kind of audit", kindOf(o), kindOf(n))
	add(ByAudit, "transport", transportOf(o), transportOf(n))
	add(ByAudit, "credentials", credentials(o), credentials(n))
	add(ByAnswers, "server", serverOf(o), serverOf(n))
	add(ByAnswers, "revision", revisionOf(o), revisionOf(n))
	add(ByAnswers, "listings that are incomplete", orNone(o.IncompleteListings), orNone(n.IncompleteListings))
	sizes := func(r *Report) map[string]int {
		m := map[string]int{}
		for _, k := range r.Catalogs {
			m[k.Name] = k.Items
		}
		return m
	}
	before, after := sizes(o), sizes(n)
	for _, name := range []string{"tools", "resources", "resource_templates", "prompts"} {
		add(ByAnswers, strings.ReplaceAll(name, "_", " "), fmt.Sprint(before[name]), fmt.Sprint(after[name]))
	}
	for i := range all {
		all[i].Old, all[i].New = textscan.Visible(all[i].Old), textscan.Visible(all[i].New)
	}
	return all
}

func rosterOf(r *Report) string {
	return strings.TrimSpace(r.Policy.Name + " " + r.Policy.Digest[:min(len(r.Policy.Digest), len("sha256:")+12)])
}

func configOf(r *Report) string {
	if r.Config == nil {
		return "none"
	}
	return r.Config.Source + " " + r.Config.SHA256[:min(len(r.Config.SHA256), 12)]
}

func kindOf(r *Report) string {
	switch {
	case !r.Ran():
		return "could not run"
	case r.Partial:
		return "partial"
	}
	return "full"
}

func transportOf(r *Report) string {
	if r.Transport == nil {
		return "none"
	}
	return string(*r.Transport)
}

func credentials(r *Report) string {
	if r.Authenticated {
		return "given"
	}
	return "none"
}

func serverOf(r *Report) string {
	if r.ServerInfo == nil {
		return "unknown"
	}
	var parts []string
	for _, p := range []*string{r.ServerInfo.Name, r.ServerInfo.Version} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	return strings.Join(parts, " ")
}

func revisionOf(r *Report) string {
	text := "none"
	if v := r.Spec.NegotiatedVersion; v != nil {
		text = string(*v)
	}
	if r.Spec.Era != nil {
		text += " (" + *r.Spec.Era + ")"
	}
	return text
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// rule compares how one rule stands; ok is false when nothing differs.
func (c *comparer) rule(id string) (change RuleChange, ok bool) {
	was, is := standing(c.was, id), standing(c.is, id)
	change = RuleChange{RuleID: id, Old: was, New: is}
	change.Gone, change.Came = findings(was, is)
	if sameVerdict(was, is) && was.Severity == is.Severity && was.Available == is.Available {
		return change, false
	}
	change.Cause, change.Because = c.cause(id, was, is)
	return change, true
}

func standing(all map[string]Standing, id string) Standing {
	s, ok := all[id]
	if !ok {
		s.Verdict = "absent"
	}
	return s
}

// sameVerdict reports whether a rule said the same, and found the same.
func sameVerdict(a, b Standing) bool {
	if a.Verdict != b.Verdict || a.Reason != b.Reason {
		return false
	}
	gone, came := findings(a, b)
	return len(gone)+len(came) == 0 && a.Findings == b.Findings
}

// cause says why a rule stands otherwise. What two reports state about themselves decides first; what is left was judged on both sides.
func (c *comparer) cause(id string, was, is Standing) (Cause, string) {
	engines := c.old.Engine != c.now.Engine
	rosters := c.old.Policy.Digest != c.now.Policy.Digest
	switch {
	case (was.Reason == rule.Disabled) != (is.Reason == rule.Disabled):
		if is.Reason == rule.Disabled {
			return ByConfiguration, "it is turned off now"
		}
		return ByConfiguration, "it is no longer turned off"
	case was.Verdict == "unscored" || is.Verdict == "unscored":
		if rosters {
			return ByPolicy, "only one of the rosters names it"
		}
		return ByEngine, "only one of the versions counts it"
	case was.Verdict == "absent":
		return c.missing(engines, rosters, "it is new")
	case is.Verdict == "absent":
		return c.missing(engines, rosters, "it is gone")
	case sameVerdict(was, is) && was.Severity != is.Severity:
		switch {
		case c.reranked(id):
			return ByConfiguration, "its severity was changed"
		case rosters:
			return ByPolicy, "the rosters give it different severities"
		}
		return ByEngine, "the versions give it different severities"
	case sameVerdict(was, is):
		return ByAnswers, "readiness counts for one of the two, since the server speaks the revision that it is about"
	}
	if c.rejudged != nil && engines {
		switch judged := standing(c.rejudged, id); {
		case sameVerdict(judged, is):
			return ByEngine, "this version says the same about the old recording"
		case sameVerdict(judged, was):
			return ByAnswers, "this version says of the old recording what the old one said"
		}
		return ByEither, "both have a part in it: this version judges the old recording otherwise, and the server answers otherwise"
	}
	judged := func(s Standing) bool { return s.Verdict == "pass" || s.Verdict == "fail" }
	if judged(was) != judged(is) && c.audited() {
		return ByAudit, c.seen(was, is)
	}
	if engines {
		return ByEither, "give the recording behind the old report to tell"
	}
	return ByAnswers, c.seen(was, is)
}

func (c *comparer) missing(engines, rosters bool, what string) (Cause, string) {
	switch {
	case rosters && !engines:
		return ByPolicy, what + " in the roster"
	case !engines:
		return ByAudit, what + " in this kind of audit"
	}
	return ByEngine, what + " in this version"
}

// audited reports whether the two audits could see different parts of a server.
func (c *comparer) audited() bool {
	return kindOf(c.old) != kindOf(c.now) || transportOf(c.old) != transportOf(c.now) || credentials(c.old) != credentials(c.now)
}

func (c *comparer) reranked(id string) bool {
	to := func(r *Report) rule.Severity {
		if r.Config == nil {
			return ""
		}
		return r.Config.Reranked[id].To
	}
	return to(c.old) != to(c.now)
}

// seen says in a clause what happened to a verdict.
func (c *comparer) seen(was, is Standing) string {
	switch {
	case is.Reason == rule.Insufficient:
		return "it cannot be observed now"
	case was.Reason == rule.Insufficient:
		return "it can be observed now"
	case is.Verdict == "skip" && was.Verdict == "skip":
		return "it is skipped for another reason"
	case is.Verdict == "skip":
		return "it concerns the server no longer"
	case was.Verdict == "skip":
		return "it concerns the server now"
	case was.Verdict == "fail" && is.Verdict == "fail":
		return "the findings are others"
	case is.Verdict == "pass":
		return "it was repaired"
	}
	return "it broke"
}

// findings lists, as places, what a rule that fails on both sides found on one side only.
func findings(was, is Standing) (gone, came []string) {
	if was.Verdict != "fail" || is.Verdict != "fail" || was.result == nil || is.result == nil {
		return nil, nil
	}
	return lacking(was.result, is.result), lacking(is.result, was.result)
}

// lacking lists the findings shown of a that b does not have. Where b does not know all of its findings, nothing can be said about those.
func lacking(a, b *Result) []string {
	have, complete := b.Fingerprints()
	if !complete {
		return nil
	}
	left := map[string]int{}
	for _, p := range have {
		left[p]++
	}
	var places []string
	for i := range a.Issues() {
		issue := &a.Issues()[i]
		if p := fingerprint(a.RuleID, issue); left[p] > 0 {
			left[p]--
		} else {
			places = append(places, issue.Place())
		}
	}
	return places
}

// Place names where a finding is: `tool "read" /title`. Hidden characters are spelled out.
func (i *Issue) Place() string {
	text := strings.ReplaceAll(i.EntityKind, "_", " ")
	switch {
	case i.EntityKind == "catalog":
		text = "list of " + strings.ReplaceAll(i.Name, "_", " ")
	case i.Name != "":
		text += ` "` + i.Name + `"`
	case i.EntityIndex != nil:
		text += fmt.Sprintf(" %d", *i.EntityIndex)
	}
	if i.Path != nil && *i.Path != "" {
		text += " " + *i.Path
	}
	return textscan.Visible(text)
}
