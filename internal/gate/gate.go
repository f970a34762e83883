// Package gate decides whether an audit reaches what was asked of it: percentages, no failure of some severity, nothing new against a
// baseline. It reads the report and recomputes nothing.
package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/score"
)

// Gates is what is asked of an audit. What is nil or empty is not asked for.
type Gates struct {
	Score      *Percent
	Readiness  *Percent
	Categories []Percent
	FailOn     *Severity
	Baseline   *Against
}

// Percent asks for a least percentage.
type Percent struct {
	Name     string // as the user wrote it, for people
	Category string // of Categories only
	Least    int
}

// Severity asks for no failure at or above a severity.
type Severity struct {
	Name  string
	Least rule.Severity
}

// Against asks for no failure that a baseline does not know. Where a severity is asked for as well, new failures below it are let pass, and
// known ones at or above it.
type Against struct {
	Name     string
	Baseline *Baseline
}

// Check tests every gate, in the order of the fields. It returns the outcomes and the rules that fail at or above FailOn.
func Check(r *report.Report, g Gates) (gates []report.Gate, failedOn []string) {
	c := &checker{report: r}
	if g.Score != nil {
		c.score(g.Score)
	}
	if g.Readiness != nil {
		c.readiness(g.Readiness)
	}
	for i := range g.Categories {
		c.category(&g.Categories[i])
	}
	failedOn = []string{}
	switch {
	case g.Baseline != nil:
		failedOn = c.baseline(g.Baseline, g.FailOn)
	case g.FailOn != nil:
		failedOn = c.failOn(g.FailOn)
	}
	return c.gates, failedOn
}

type checker struct {
	report *report.Report
	gates  []report.Gate
}

func (c *checker) add(name string, passed bool, format string, args ...any) {
	c.gates = append(c.gates, report.Gate{Name: name, Passed: passed, Message: fmt.Sprintf(format, args...)})
}

const partial = "the audit is partial, its score says little about the server"

func (c *checker) score(g *Percent) {
	percentage := 0
	if c.report.Percentage != nil {
		percentage = *c.report.Percentage
	}
	if c.report.Partial {
		c.add(g.Name, false, partial)
		return
	}
	c.add(g.Name, percentage >= g.Least, "the score is %d %%", percentage)
}

func (c *checker) readiness(g *Percent) {
	s := c.report.Readiness
	percentage, ok := score.Percent(s.Score, s.MaxScore)
	if !ok {
		c.add(g.Name, true, "readiness could not be assessed, so nothing is asked of it")
		return
	}
	c.add(g.Name, percentage >= g.Least, "readiness is %d %%", percentage)
}

func (c *checker) category(g *Percent) {
	if c.report.Partial {
		c.add(g.Name, false, partial)
		return
	}
	i := slices.IndexFunc(c.report.Categories, func(x report.Category) bool { return x.Name == g.Category })
	if i < 0 {
		c.add(g.Name, true, "no rule of %s concerns the server", g.Category)
		return
	}
	switch x := &c.report.Categories[i]; {
	case x.Percentage != nil:
		c.add(g.Name, *x.Percentage >= g.Least, "%s is %d %%", g.Category, *x.Percentage)
	case x.Unobserved > 0:
		c.add(g.Name, false, "nothing of %s could be observed", g.Category)
	default:
		c.add(g.Name, true, "no rule of %s concerns the server", g.Category)
	}
}

func (c *checker) failOn(g *Severity) []string {
	failed := []string{}
	for _, f := range counted(c.report) {
		if AtLeast(f.Severity, g.Least) {
			failed = append(failed, f.RuleID)
		}
	}
	if len(failed) == 0 {
		c.add(g.Name, true, "no rule of that severity failed")
	} else {
		c.add(g.Name, false, "%s failed: %s", rulesCount(len(failed)), strings.Join(failed, ", "))
	}
	return failed
}

func (c *checker) baseline(g *Against, on *Severity) []string {
	name, failed := g.Name, []string{}
	if on != nil {
		name += ", " + on.Name
	}
	if c.report.Partial && !g.Baseline.Partial {
		c.add(name, false, "the audit is partial and the baseline is not, so there is nothing to compare")
		return failed
	}
	var news []string
	for _, n := range g.Baseline.News(c.report) {
		if on == nil || AtLeast(n.Severity, on.Least) {
			news = append(news, n.String())
			failed = append(failed, n.RuleID)
		}
	}
	if len(news) == 0 {
		c.add(name, true, "nothing fails that the baseline does not know")
	} else {
		c.add(name, false, "new: %s", strings.Join(news, "; "))
	}
	if on == nil {
		return []string{}
	}
	return failed
}

// counted returns the failures that a gate looks at: those on the main axis, and those of readiness where it counts.
func counted(r *report.Report) []*report.Result {
	var failed []*report.Result
	lists := [][]report.Result{r.Results}
	if r.Readiness.CountedInMain {
		lists = append(lists, r.Readiness.Results)
	}
	for _, list := range lists {
		for i := range list {
			if !list[i].Passed {
				failed = append(failed, &list[i])
			}
		}
	}
	return failed
}

var ranks = map[rule.Severity]int{rule.Low: 1, rule.Medium: 2, rule.High: 3, rule.Critical: 4}

// AtLeast reports whether a severity is as severe as another, or more.
func AtLeast(s, least rule.Severity) bool { return ranks[s] >= ranks[least] }

func rulesCount(n int) string {
	if n == 1 {
		return "1 rule"
	}
	return fmt.Sprintf("%d rules", n)
}
