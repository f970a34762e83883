package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/score"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Build puts a report together. obs is what was decoded from rec, verdicts are the rules' on obs in the order of [rule.Sort]. obs may be
// nil when rec holds no more than the failure that kept the audit from running. The report names the engine that recorded; a caller that
// judges with another version sets Engine. The same arguments give the same report.
func Build(rec *recording.Recording, obs *observe.Observation, verdicts []rule.Verdict, pol *policy.Policy) *Report {
	if obs == nil {
		obs = &observe.Observation{Failure: rec.Failure}
	}
	ran := obs.Kind != ""
	r := &Report{
		SchemaVersion: SchemaVersion,
		Engine:        Engine(rec.Engine),
		GeneratedAt:   rec.AsOf.UTC().Format("2006-01-02T15:04:05.000000-07:00"),
		Target:        rec.Target.Display,
		Authenticated: rec.Target.Authenticated,
		Insecure:      rec.Target.Insecure,
		Proxied:       rec.Target.Proxied,
		Measurements:  measure(rec, obs),
		Policy:        Policy{Name: pol.Name, Digest: pol.Digest, Unscored: []string{}},
		Spec:          specOf(obs),
		Failure:       failureOf(obs, ran),

		IncompleteListings: []string{},
		ListingErrors:      map[string]ListingError{},
		Results:            []Result{},
		SkippedRules:       []SkippedRule{},
		Readiness:          ReadinessSum{Results: []Result{}},
		Categories:         []Category{},
		Experimental:       Experimental{Results: []Result{}, SkippedRules: []SkippedRule{}},
		FixPlan:            []FixStep{},
		Catalogs:           []Catalog{},
	}
	r.Package = packageOf(obs.Package)
	if !ran {
		return r
	}
	if obs.Transport != "" {
		r.Transport = &obs.Transport
	}
	if obs.Kind == observe.Partial {
		r.Partial = true
		reason := partialReason(rec)
		r.PartialReason = &reason
	}
	r.ServerInfo = serverInfo(obs)
	r.Skills = skillsEvidence(obs.Skills)
	r.listings(obs)
	b := &builder{report: r, policy: pol, evidence: newEvidence(rec, obs), reproducer: newReproducer(rec)}
	b.verdicts(verdicts)
	b.numbers(verdicts, obs)
	r.FixPlan = planFixes(r)
	return r
}

type builder struct {
	report     *Report
	policy     *policy.Policy
	evidence   *evidence
	reproducer *reproducer
}

// verdicts sorts what the rules said into the parts of the report.
func (b *builder) verdicts(verdicts []rule.Verdict) {
	r := b.report
	for i := range verdicts {
		v := &verdicts[i]
		place, scored := b.policy.Place(v.Rule.ID)
		if !scored {
			if v.Rule.Group != rule.Experimental {
				r.Policy.Unscored = append(r.Policy.Unscored, v.Rule.ID)
				continue
			}
			place = policy.Place{Severity: v.Rule.Severity}
		}
		if v.Result == rule.Skipped {
			s := skippedRule(v, place)
			if scored {
				r.SkippedRules = append(r.SkippedRules, s)
			} else {
				r.Experimental.SkippedRules = append(r.Experimental.SkippedRules, s)
			}
			continue
		}
		res := b.result(v, place)
		switch {
		case !scored:
			r.Experimental.Results = append(r.Experimental.Results, res)
		case place.Axis == policy.Readiness:
			r.Readiness.Results = append(r.Readiness.Results, res)
		default:
			r.Results = append(r.Results, res)
			r.Summary.count(&res)
		}
	}
	slices.Sort(r.Policy.Unscored)
}

// numbers adds up the score. Readiness is promoted into it once the server was seen to speak the lifecycle that it is about, unless the
// audit saw only a part of the server.
func (b *builder) numbers(verdicts []rule.Verdict, obs *observe.Observation) {
	r := b.report
	promoted := obs.SpeaksModern() && obs.Kind != observe.Partial
	s := score.Add(verdicts, b.policy, promoted)
	r.Score, r.MaxScore, r.MaxScoreLost = s.Total.Earned, s.Total.Available, s.Total.Unobserved
	r.Percentage = percentage(s.Total)
	r.Summary.Skipped = s.Total.Skipped
	r.Readiness.Score, r.Readiness.MaxScore, r.Readiness.CountedInMain = s.Readiness.Earned, s.Readiness.Available, promoted
	r.Readiness.Assessed, r.Readiness.Skipped = s.Readiness.Passed+s.Readiness.Failed, s.Readiness.Skipped
	r.Readiness.Total = r.Readiness.Assessed + r.Readiness.Skipped
	for _, c := range s.Categories {
		r.Categories = append(r.Categories, Category{
			Name: c.Name, Title: c.Title, Earned: c.Earned, Available: c.Available, Percentage: percentage(c.Sum),
			Passed: c.Passed, Failed: c.Failed, Skipped: c.Skipped, Unobserved: c.Unobserved,
		})
	}
}

func percentage(s score.Sum) *int {
	percent, ok := s.Percentage()
	if !ok {
		return nil
	}
	return &percent
}

// result writes a verdict that passed or failed.
func (b *builder) result(v *rule.Verdict, place policy.Place) Result {
	res := Result{
		RuleID: v.Rule.ID, RuleName: v.Rule.Title, GroupName: v.Rule.Group, Category: place.Category,
		Severity: place.Severity, SeverityValue: place.Points, Passed: v.Result == rule.Pass,
		Citations: slices.Clone(v.Rule.Basis), OWASP: slices.Clone(v.Rule.OWASP),
	}
	if res.Citations == nil {
		res.Citations = []spec.Citation{}
	}
	res.Details = plainDetails(v.Details)
	if len(v.Rule.Basis) > 0 && res.Details["basis"] == nil {
		res.Details["basis"] = v.Rule.Basis[0].String()
	}
	if sep := proposals(v.Rule); sep != "" {
		res.Details["sep"] = sep
	}
	if place.Severity != v.Rule.Severity {
		res.Details["severity_default"] = string(v.Rule.Severity)
	}
	res.Message = v.Rule.Title
	if res.Passed {
		return res
	}
	issues := b.evidence.issues(v.Findings)
	res.Found = fingerprintsOf(v)
	res.Details["issues"] = issues
	res.Details["issues_total"] = len(v.Findings)
	res.Details["issues_omitted"] = len(v.Findings) - len(issues)
	res.Message = b.evidence.message(v.Findings)
	res.SuggestedFix, res.Why = v.Rule.Fix, v.Rule.Why
	for _, issue := range issues {
		step := issue.Step
		if slices.ContainsFunc(res.Reproduce, func(p Reproduction) bool { return p.Step == step }) {
			continue
		}
		if command := b.reproducer.command(step); command != "" {
			res.Reproduce = append(res.Reproduce, Reproduction{step, command})
		}
	}
	return res
}

// proposals names the proposals behind a readiness rule: "SEP-2640, SEP-2549".
func proposals(r *rule.Rule) string {
	if r.Group != rule.Readiness {
		return ""
	}
	text := ""
	var seen []int
	for _, c := range r.Basis {
		if c.SEP == 0 || slices.Contains(seen, c.SEP) {
			continue
		}
		seen = append(seen, c.SEP)
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("SEP-%d", c.SEP)
	}
	return text
}

func skippedRule(v *rule.Verdict, place policy.Place) SkippedRule {
	s := SkippedRule{
		RuleID: v.Rule.ID, RuleName: v.Rule.Title, GroupName: v.Rule.Group, Category: place.Category,
		Severity: place.Severity, SeverityValue: place.Points,
	}
	if v.Skip != nil {
		s.Reason, s.ReasonText = v.Skip.Reason, bounded(v.Skip.Text, maxMessage)
	}
	return s
}

func (s *Summary) count(r *Result) {
	n := &s.BySeverity.Low
	switch r.Severity {
	case rule.Critical:
		n = &s.BySeverity.Critical
	case rule.High:
		n = &s.BySeverity.High
	case rule.Medium:
		n = &s.BySeverity.Medium
	}
	n.Total++
	s.Total++
	if r.Passed {
		n.Passed++
		s.Passed++
	} else {
		n.Failed++
		s.Failed++
	}
}

func (r *Report) listings(obs *observe.Observation) {
	r.IncompleteListings = append(r.IncompleteListings, obs.Incomplete()...)
	slices.Sort(r.IncompleteListings)
	for _, c := range obs.Catalogs() {
		if !c.Attempted {
			continue
		}
		entry := Catalog{Name: c.Name, Items: len(c.Items), Pages: len(c.PageSteps), Complete: c.Complete, Revision: c.Revision}
		if c.Error != nil {
			if !c.Complete {
				entry.Reason = bounded(c.Error.Text, maxMessage)
			}
			if slices.Contains([]string{"collection_error", "timeout", "rpc_error", "invalid_response"}, c.Error.Outcome) {
				r.ListingErrors[c.Name] = ListingError{
					Outcome: c.Error.Outcome, PageIndex: c.Error.PageIndex, ErrorCode: c.Error.Code, Class: c.Error.Class,
					Text: bounded(c.Error.Text, maxMessage), Step: c.Error.Step,
				}
			}
		}
		r.Catalogs = append(r.Catalogs, entry)
		if c.Recovered {
			r.Spec.CatalogVersions[c.Name] = c.Revision
		}
	}
}

func specOf(obs *observe.Observation) Spec {
	s := Spec{LatestVersion: spec.Latest, ReadinessTarget: spec.Latest, CatalogVersions: map[string]spec.Revision{}}
	s.NegotiatedVersion = revision(obs.Negotiated)
	s.SessionProtocolVersion = revision(obs.Session)
	if obs.Era != "" {
		era := string(obs.Era)
		s.Era = &era
	}
	return s
}

// revision bounds what a server calls its revision; nil when there is none.
func revision(r spec.Revision) *spec.Revision {
	if r == "" {
		return nil
	}
	r = spec.Revision(bounded(string(r), maxExcerpt))
	return &r
}

func serverInfo(obs *observe.Observation) *ServerInfo {
	if !obs.ServerInfo.IsObject() {
		return nil
	}
	text := func(v jsondoc.Value) *string {
		s, ok := v.Text()
		if !ok {
			return nil
		}
		s = bounded(s, maxText)
		return &s
	}
	return &ServerInfo{Name: text(obs.ServerInfo.Get("name")), Version: text(obs.ServerInfo.Get("version"))}
}

func measure(rec *recording.Recording, obs *observe.Observation) Measurements {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return Measurements{Elapsed: ms(rec.Elapsed.Span()), FirstAnswer: ms(obs.FirstByte), Requests: rec.Requests, Exchanges: len(rec.Exchanges)}
}

func failureOf(obs *observe.Observation, ran bool) *Failure {
	f := obs.Failure
	if f == nil {
		if ran {
			return nil
		}
		f = &recording.Failure{Class: recording.FailInternal, Detail: "the audit ended without a result and without a reason"}
	}
	return &Failure{Class: f.Class, Phase: f.Phase, Detail: bounded(f.Detail, maxText), Remedy: remedy(f), Status: f.Status}
}

// partialReason says why the server could not be read. It tells apart credentials that were not given, were refused, and were never
// put to the test because the handshake failed in another way.
func partialReason(rec *recording.Recording) string {
	e := rec.Find("session/initialize")
	refused := e != nil && e.Response != nil && (e.Response.Status == 401 || e.Response.Status == 403)
	switch {
	case e != nil && e.Response != nil && e.Response.Status == 402:
		return "the server wants payment first (HTTP status 402); only what it shows without it was audited"
	case !rec.Target.Authenticated && refused && e.Response.Status == 403:
		return "the server refuses access (HTTP status 403) and no credentials were given; only what it shows to everybody was audited"
	case !rec.Target.Authenticated:
		return "the server wants credentials and none were given; only what it shows without them was audited"
	case refused:
		return fmt.Sprintf("the server refused the credentials that were given (HTTP status %d); only what it shows without them was audited", e.Response.Status)
	}
	return "the server wants credentials; those that were given could not be tried, because the handshake failed in another way"
}
