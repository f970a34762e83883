package rule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Result is how a rule ended.
type Result string

// The results.
const (
	Pass    Result = "pass"
	Fail    Result = "fail"
	Skipped Result = "skip"
)

// Verdict is the outcome of one rule on one observation.
type Verdict struct {
	Rule     *Rule
	Result   Result
	Findings []Finding      // of a failure, in the order of Judge, none lost
	Skip     *Skip          // set when Result is Skipped
	Details  map[string]any // from the rule's Details, nil when it has none or was skipped
}

// Judge runs rules over an observation and returns one verdict each, in the order of Sort.
func Judge(rules []Rule, o *observe.Observation) []Verdict {
	sorted := slices.Clone(rules)
	Sort(sorted)
	verdicts := make([]Verdict, len(sorted))
	for i := range sorted {
		verdicts[i] = judgeOne(&sorted[i], o)
	}
	return verdicts
}

// Sort orders rules the way every listing shows them: by group, then by order, then by id.
func Sort(rules []Rule) {
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(groupOrder[a.Group], groupOrder[b.Group]), cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
}

// judgeOne never panics: a fault of ours in one rule must not cost the others their verdicts, nor the server a point.
func judgeOne(r *Rule, o *observe.Observation) (v Verdict) {
	v = Verdict{Rule: r}
	defer func() {
		if fault := recover(); fault != nil {
			v = Verdict{Rule: r, Result: Skipped, Skip: SkipFor(Insufficient, "internal error while judging: %s", fmt.Sprint(fault))}
		}
	}()
	if s := r.outsideWindow(o); s != nil {
		v.Result, v.Skip = Skipped, s
		return v
	}
	for _, need := range r.Needs {
		if s := need(o); s != nil {
			v.Result, v.Skip = Skipped, s
			return v
		}
	}
	v.Findings = r.Judge(o)
	v.Result = Pass
	if len(v.Findings) > 0 {
		v.Result = Fail
	}
	if r.Details != nil {
		v.Details = r.Details(o)
	}
	return v
}

// outsideWindow tests the revisions that a rule judges. An unknown revision never excludes.
func (r *Rule) outsideWindow(o *observe.Observation) *Skip {
	at := o.Negotiated
	for _, c := range o.Catalogs() {
		if r.Catalog == c.Name && c.Recovered {
			at = c.Revision
		}
	}
	if r.ByEvidence && o.SpeaksModern() {
		at = spec.Latest
	}
	if !at.WellFormed() {
		return nil
	}
	if r.Since != "" && at < r.Since {
		return SkipFor(NotApplicable, "the requirement came with revision %s, the server is judged under %s", r.Since, at)
	}
	if r.Until != "" && at > r.Until {
		return SkipFor(NotApplicable, "the requirement ended with revision %s, the server is judged under %s", r.Until, at)
	}
	return nil
}
