package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// Format and Version identify the file format of a baseline. Version counts incompatible changes.
const (
	Format  = "hallmark-baseline"
	Version = 1
)

// maxPrints is the number of fingerprints kept per rule. Of what exceeds it only the number is known.
const maxPrints = 1000

// Baseline is what failed at some time and is let pass until it is repaired.
type Baseline struct {
	Format  string        `json:"format"`
	Version int           `json:"version"`
	Target  string        `json:"target"`
	Engine  report.Engine `json:"engine"`
	Policy  string        `json:"policy"` // name of the roster
	Partial bool          `json:"partial"`
	Rules   []Known       `json:"rules"` // sorted by id
}

// Known is a rule that failed.
type Known struct {
	RuleID       string        `json:"rule_id"`
	Severity     rule.Severity `json:"severity"`
	Findings     int           `json:"findings"`
	Fingerprints []string      `json:"fingerprints"` // sorted; see report.Result.Fingerprints
}

// NewBaseline takes the failures of a report, readiness included.
func NewBaseline(r *report.Report) *Baseline {
	b := &Baseline{
		Format: Format, Version: Version, Target: r.Target, Engine: r.Engine, Policy: r.Policy.Name, Partial: r.Partial, Rules: []Known{},
	}
	for _, list := range [][]report.Result{r.Results, r.Readiness.Results} {
		for i := range list {
			if f := &list[i]; !f.Passed {
				prints, _ := f.Fingerprints()
				prints = slices.Clone(prints)
				slices.Sort(prints)
				b.Rules = append(b.Rules, Known{
					RuleID: f.RuleID, Severity: f.Severity, Findings: max(f.IssuesTotal(), len(prints)),
					Fingerprints: append([]string{}, prints[:min(len(prints), maxPrints)]...),
				})
			}
		}
	}
	slices.SortFunc(b.Rules, byID)
	return b
}

// ReadBaseline decodes a baseline. The error says what the file is not.
func ReadBaseline(in io.Reader) (*Baseline, error) {
	var text json.RawMessage
	if err := json.NewDecoder(io.LimitReader(in, report.MaxFile)).Decode(&text); err != nil {
		return nil, fmt.Errorf("not a baseline: %w", err)
	}
	var b Baseline
	err := json.Unmarshal(text, &b)
	if b.Format != Format {
		return nil, errors.New("not a baseline: its format is not " + Format)
	}
	if b.Version != Version {
		return nil, fmt.Errorf("baseline version %d is not supported, this program reads version %d", b.Version, Version)
	}
	if err != nil {
		return nil, fmt.Errorf("not a baseline: %w", err)
	}
	slices.SortFunc(b.Rules, byID)
	return &b, nil
}

func byID(x, y Known) int { return strings.Compare(x.RuleID, y.RuleID) }

// Write encodes a baseline as one JSON document in printable ASCII.
func (b *Baseline) Write(out io.Writer) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(jsondoc.ASCII(text), '\n'))
	return err
}

// New is a failure that a baseline does not know, in whole or in part.
type New struct {
	RuleID   string
	Severity rule.Severity
	Findings int      // that are new
	Examples []string // where, of at most three
	Whole    bool     // the rule did not fail before
}

func (n New) String() string {
	text := n.RuleID
	if len(n.Examples) > 0 {
		text += " at " + strings.Join(n.Examples, ", ")
	}
	if more := n.Findings - len(n.Examples); more > 0 && len(n.Examples) > 0 {
		text += fmt.Sprintf(" and %d more", more)
	} else if more > 0 {
		text += fmt.Sprintf(" (findings more than before: %d)", more)
	}
	return text
}

// News returns the failures that count and that the baseline does not know, in the order of the report. Where one of the two does not know
// all findings of a rule, what is new is told from their number alone.
func (b *Baseline) News(r *report.Report) []New {
	var news []New
	for _, f := range counted(r) {
		i, known := slices.BinarySearchFunc(b.Rules, f.RuleID, func(k Known, id string) int { return strings.Compare(k.RuleID, id) })
		if !known {
			n := New{RuleID: f.RuleID, Severity: f.Severity, Findings: f.IssuesTotal(), Whole: true}
			n.Examples = examples(f, nil)
			news = append(news, n)
			continue
		}
		was := &b.Rules[i]
		prints, complete := f.Fingerprints()
		if !complete || len(was.Fingerprints) < was.Findings {
			if grown := f.IssuesTotal() - was.Findings; grown > 0 {
				news = append(news, New{RuleID: f.RuleID, Severity: f.Severity, Findings: grown})
			}
			continue
		}
		left := map[string]int{}
		for _, p := range was.Fingerprints {
			left[p]++
		}
		fresh := map[int]bool{} // positions of the new findings
		for at, p := range prints {
			if left[p]--; left[p] < 0 {
				fresh[at] = true
			}
		}
		if len(fresh) > 0 {
			n := New{RuleID: f.RuleID, Severity: f.Severity, Findings: len(fresh), Examples: examples(f, fresh)}
			news = append(news, n)
		}
	}
	return news
}

// examples names where some findings are; only those at the given positions when there are any.
func examples(f *report.Result, only map[int]bool) []string {
	var places []string
	for i, issue := range f.Issues() {
		if len(places) == 3 {
			break
		}
		if only == nil || only[i] {
			places = append(places, issue.Place())
		}
	}
	return places
}

// Repaired returns the rules of the baseline that were judged and pass now, sorted: entries that can go.
func (b *Baseline) Repaired(r *report.Report) []string {
	passed := map[string]bool{}
	for _, list := range [][]report.Result{r.Results, r.Readiness.Results} {
		for i := range list {
			passed[list[i].RuleID] = list[i].Passed
		}
	}
	var ids []string
	for _, k := range b.Rules {
		if passed[k.RuleID] {
			ids = append(ids, k.RuleID)
		}
	}
	return ids
}
