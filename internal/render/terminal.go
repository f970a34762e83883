package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// Options say how a report is shown.
type Options struct {
	Width   int  // columns; anything below 40 counts as 40, above 120 as 120
	Color   bool // with colours
	Verbose bool // with passes, skips, every finding and how to reproduce it
}

const (
	shownFindings = 3 // findings shown under a failure, unless verbose
	shownNames    = 5 // items named in one finding
	shownReasons  = 3 // reasons why points could not be judged, unless verbose
	shownFixes    = 5 // steps of the fix plan shown, unless verbose
)

// Terminal writes a report for a person. The error is the writer's.
func Terminal(w io.Writer, r *report.Report, opts Options) error {
	s := &sheet{page: page{width: min(max(opts.Width, 40), 120), color: opts.Color}, r: r, verbose: opts.Verbose, reproduced: map[string]bool{}}
	s.heading()
	if r.Ran() {
		s.score()
		s.categories()
		s.gaps()
		s.failures()
		s.plan()
		s.readiness()
		s.experimental()
		if s.verbose {
			s.passes()
			s.skips()
		}
		s.ending()
	} else {
		s.failure()
	}
	_, err := io.WriteString(w, s.b.String())
	return err
}

type sheet struct {
	page
	r          *report.Report
	verbose    bool
	reproduced map[string]bool // steps whose commands stand above
}

func (s *sheet) heading() {
	s.block([]span{styled(dim, s.r.Engine.Name+" "+s.r.Engine.Version+"  ")}, bold, s.r.Target)
	about := append(facts(s.r), plural(s.r.Measurements.Requests, "request")+" in "+elapsed(s.r.Measurements.Elapsed))
	s.block(nil, dim, strings.Join(about, " · "))
	s.blank()
}

func elapsed(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// digits are the figures of the score, three lines high.
var digits = [10][3]string{
	{"█▀█", "█ █", "▀▀▀"}, {"▀█ ", " █ ", "▀▀▀"}, {"▀▀█", "█▀▀", "▀▀▀"}, {"▀▀█", "▀▀█", "▀▀▀"}, {"█ █", "▀▀█", "  ▀"},
	{"█▀▀", "▀▀█", "▀▀▀"}, {"█▀▀", "█▀█", "▀▀▀"}, {"▀▀█", "  █", "  ▀"}, {"█▀█", "█▀█", "▀▀▀"}, {"█▀█", "▀▀█", "▀▀▀"},
}

func (s *sheet) score() {
	r := s.r
	beside := []string{
		fmt.Sprintf("%d of %d points", r.Score, r.MaxScore),
		fmt.Sprintf("%d passed, %d failed, %d skipped", r.Summary.Passed, r.Summary.Failed, r.Summary.Skipped),
		"roster " + r.Policy.Name,
	}
	if r.Partial {
		beside[0] += ", of a PARTIAL audit"
	}
	if c := r.Config; c != nil {
		beside[2] += fmt.Sprintf(", %s: %d off, %d re-ranked", c.Source, len(c.Disabled), len(c.Reranked))
	}
	if r.Percentage == nil {
		s.block([]span{text("  ")}, bold, "No score: nothing could be judged.")
		return
	}
	var rows [3]string
	for _, d := range fmt.Sprint(*r.Percentage) {
		for i := range rows {
			rows[i] += digits[d-'0'][i] + " "
		}
	}
	rows[2] += "%"
	st := grade(*r.Percentage).bold()
	columns := width(rows[2])
	for i, row := range rows {
		s.line(text("  "), styled(st, pad(row, columns)), text("   "+cut(beside[i], s.width-columns-5)))
	}
	s.blank()
}

// grade is the colour of a percentage.
func grade(percentage int) style {
	switch {
	case percentage >= 90:
		return green
	case percentage >= 70:
		return yellow
	}
	return red
}

func (s *sheet) categories() {
	label, numbers := 0, 0
	for _, c := range s.r.Categories {
		label = max(label, width(c.Title))
		numbers = max(numbers, width(fmt.Sprintf("%d/%d", c.Earned, c.Available)))
	}
	label = min(label, s.width/2-4)
	columns := s.width - label - numbers - 14
	for _, c := range s.r.Categories {
		title := text("  " + pad(cut(c.Title, label), label) + "  ")
		if c.Percentage == nil {
			s.line(title, styled(dim, cut("nothing to judge", s.width-label-4)))
			continue
		}
		full := columns * c.Earned / c.Available
		s.line(title, styled(grade(*c.Percentage), strings.Repeat("█", full)), styled(dim, strings.Repeat("░", columns-full)),
			text(fmt.Sprintf("  %*s  %3d %%", numbers, fmt.Sprintf("%d/%d", c.Earned, c.Available), *c.Percentage)))
	}
}

// gaps says what the audit could not see. Points that cannot be judged leave the score and its maximum, which must not go unnoticed.
func (s *sheet) gaps() {
	sentences := gaps(s.r)
	if len(sentences) > 0 {
		s.blank()
	}
	for _, sentence := range sentences {
		s.block([]span{styled(yellow.bold(), "  ! ")}, plain, sentence)
	}
	if s.r.MaxScoreLost == 0 {
		return
	}
	reasons := unobserved(s.r)
	for i, reason := range reasons {
		if i == shownReasons && !s.verbose {
			s.block([]span{text("      ")}, dim, "and "+plural(len(reasons)-i, "more reason"))
			break
		}
		s.block([]span{text("      ")}, dim, fmt.Sprintf("%s (%s)", reason.text, plural(len(reason.rules), "rule")))
	}
}

func (s *sheet) title(name, facts string) {
	s.blank()
	s.block([]span{styled(bold, name+"  ")}, dim, facts)
}

// failures lists what costs points, dearest first.
func (s *sheet) failures() {
	failed, points := failuresThatCount(s.r)
	if len(failed) == 0 {
		return
	}
	s.title("FAILED", plural(len(failed), "rule")+", "+plural(points, "point"))
	for _, f := range failed {
		s.blank()
		s.result(f)
	}
}

func (s *sheet) result(f *report.Result) {
	points := fmt.Sprintf("%4s", fmt.Sprintf("-%d", f.SeverityValue))
	if f.SeverityValue == 0 {
		points = "   ·"
	}
	head := []span{styled(severityStyle(f.Severity).bold(), points+"  ")}
	tag := string(f.Severity)
	if room := s.width - 6 - width(f.RuleID) - len(tag); room >= 2 {
		s.line(append(head, styled(bold, f.RuleID), text(strings.Repeat(" ", room)), styled(severityStyle(f.Severity), tag))...)
	} else {
		s.line(append(head, styled(bold, cut(f.RuleID, s.width-6)))...)
	}
	shown := s.findings(f)
	if more := f.IssuesTotal() - shown; more > 0 {
		s.block([]span{text("      ")}, dim, "and "+plural(more, "more finding"))
	}
	if f.SuggestedFix != "" {
		s.block([]span{text("      "), styled(green, "fix ")}, plain, f.SuggestedFix)
	}
	if !s.verbose {
		return
	}
	if f.Why != "" {
		s.block([]span{text("      "), styled(dim, "why ")}, plain, f.Why)
	}
	for _, c := range f.Citations {
		s.block([]span{text("      "), styled(dim, "see ")}, dim, c.String())
	}
	for _, p := range f.Reproduce {
		if s.reproduced[p.Step] {
			s.block([]span{text("      "), styled(dim, "reproduce ")}, dim, p.Step+", as above")
			continue
		}
		s.reproduced[p.Step] = true
		s.block([]span{text("      "), styled(dim, "reproduce ")}, dim, p.Step)
		for _, l := range strings.Split(p.Command, "\n") { // never wrapped, so that it can be copied
			s.line(text("        "), styled(dim, l))
		}
	}
}

// findings writes what a rule found and returns how many findings that covers. Unless verbose, what was seen alike at several items takes
// one entry.
func (s *sheet) findings(f *report.Result) int {
	issues := f.Issues()
	if s.verbose {
		for _, i := range issues {
			s.finding(place(i), i)
			if i.Excerpt != "" {
				s.block([]span{text("        "), styled(dim, "> ")}, dim, i.Excerpt)
			}
		}
		return len(issues)
	}
	shown := 0
	for n, alike := range alikes(issues) {
		if n == shownFindings {
			break
		}
		shown += len(alike)
		where := place(alike[0])
		if len(alike) > 1 {
			where = places(alike)
		}
		s.finding(where, alike[0])
	}
	return shown
}

func (s *sheet) finding(where string, i report.Issue) {
	s.block([]span{text("      ")}, plain, where+": "+observed(i))
}

// alikes groups findings that differ in nothing but the item, in the order of their first.
func alikes(issues []report.Issue) [][]report.Issue {
	var groups [][]report.Issue
	for _, i := range issues {
		n := slices.IndexFunc(groups, func(g []report.Issue) bool {
			return i.EntityIndex != nil && g[0].EntityIndex != nil && g[0].EntityKind == i.EntityKind && path(g[0]) == path(i) && g[0].Seen == i.Seen &&
				g[0].Reason == i.Reason && g[0].Expected == i.Expected
		})
		if n < 0 {
			groups = append(groups, nil)
			n = len(groups) - 1
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}

func path(i report.Issue) string {
	if i.Path == nil {
		return ""
	}
	return *i.Path
}

// place names where a finding is: `tool 3 "read" /title`.
func place(i report.Issue) string {
	if i.EntityKind == "response" && i.Step != "" {
		return i.Step
	}
	where := strings.ReplaceAll(i.EntityKind, "_", " ")
	if i.EntityIndex != nil {
		where += fmt.Sprintf(" %d", *i.EntityIndex)
	}
	if i.Name != "" {
		where += ` "` + cut(i.Name, 30) + `"`
	}
	if path(i) != "" {
		where += " " + cut(path(i), 40)
	}
	return where
}

// places names several items with one field: `3 tools ("read", "write" and others) /title`.
func places(alike []report.Issue) string {
	var names []string
	for _, i := range alike {
		name := `"` + cut(i.Name, 30) + `"`
		if i.Name == "" {
			name = fmt.Sprint(*i.EntityIndex)
		}
		if len(names) == shownNames {
			names = append(names, "…")
			break
		}
		names = append(names, name)
	}
	where := fmt.Sprintf("%s (%s)", plural(len(alike), strings.ReplaceAll(alike[0].EntityKind, "_", " ")), strings.Join(names, ", "))
	if p := path(alike[0]); p != "" {
		where += " " + cut(p, 40)
	}
	return where
}

func severityStyle(severity rule.Severity) style {
	switch severity {
	case rule.Critical, rule.High:
		return red
	case rule.Medium:
		return yellow
	}
	return plain
}

func (s *sheet) plan() {
	steps := s.r.FixPlan
	if len(steps) == 0 {
		return
	}
	s.title("FIX FIRST", "")
	for n, step := range steps {
		if n == shownFixes && !s.verbose {
			last := steps[len(steps)-1]
			s.block([]span{text("      ")}, dim, fmt.Sprintf("and %s, up to %d/%d, %d %%", plural(len(steps)-n, "more step"), last.ScoreAfter, last.MaxScore, last.PercentageAfter))
			break
		}
		after := fmt.Sprintf("-> %d/%d, %d %%", step.ScoreAfter, step.MaxScore, step.PercentageAfter)
		if len(step.Rules) > 1 {
			after = plural(len(step.Rules), "rule") + " " + after
		}
		s.block([]span{styled(green.bold(), fmt.Sprintf("%4s  ", fmt.Sprintf("+%d", step.Points)))}, plain, step.Change)
		s.block([]span{text("      ")}, dim, after)
		if step.Note != "" {
			s.block([]span{text("      ")}, dim, step.Note)
		}
	}
}

func (s *sheet) readiness() {
	r := s.r.Readiness
	if r.Total == 0 {
		return
	}
	counts := "not counted in the score"
	if r.CountedInMain {
		counts = "counted in the score"
	}
	facts := fmt.Sprintf("%d/%d, %s, %d of %d rules assessed", r.Score, r.MaxScore, counts, r.Assessed, r.Total)
	if r.MaxScore == 0 {
		facts = fmt.Sprintf("not assessed, %s skipped", plural(r.Skipped, "rule"))
	}
	s.title("READINESS "+string(s.r.Spec.ReadinessTarget), facts)
	if r.CountedInMain {
		return
	}
	for i := range r.Results {
		if f := &r.Results[i]; !f.Passed {
			if s.verbose {
				s.result(f)
				continue
			}
			s.block([]span{styled(severityStyle(f.Severity), fmt.Sprintf("%4s  ", fmt.Sprintf("-%d", f.SeverityValue)))}, plain, f.RuleID+": "+f.Message)
		}
	}
}

func (s *sheet) experimental() {
	noticed := failures(s.r.Experimental.Results)
	if len(noticed) == 0 {
		return
	}
	s.title("ALSO NOTICED", "never counted")
	for _, f := range noticed {
		if s.verbose {
			s.result(f)
			continue
		}
		s.block([]span{text("   ·  ")}, plain, f.RuleID+": "+f.Message)
	}
}

func (s *sheet) passes() {
	var passed []report.Result
	for _, list := range [][]report.Result{s.r.Results, s.r.Readiness.Results, s.r.Experimental.Results} {
		for _, r := range list {
			if r.Passed {
				passed = append(passed, r)
			}
		}
	}
	if len(passed) == 0 {
		return
	}
	s.title("PASSED", plural(len(passed), "rule"))
	for _, r := range passed {
		s.block([]span{styled(green, fmt.Sprintf("%4s  ", fmt.Sprintf("+%d", r.SeverityValue)))}, plain, r.RuleID+": "+r.RuleName)
	}
}

// skips lists what gave no verdict, by reason.
func (s *sheet) skips() {
	skipped := append(slices.Clone(s.r.SkippedRules), s.r.Experimental.SkippedRules...)
	if len(skipped) == 0 {
		return
	}
	s.title("SKIPPED", plural(len(skipped), "rule"))
	for _, g := range skipGroups(skipped) {
		var ids []string
		for _, k := range g.rules {
			ids = append(ids, k.RuleID)
		}
		s.block([]span{text("   -  ")}, plain, string(g.reason)+": "+g.text)
		s.block([]span{text("      ")}, dim, strings.Join(ids, ", "))
	}
}

func (s *sheet) ending() {
	s.blank()
	var parts []string
	if n := s.r.Summary.Passed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d passed", n))
	}
	for _, reason := range []rule.SkipReason{rule.NotApplicable, rule.Insufficient, rule.RequiresModern, rule.Disabled} {
		n := 0
		for _, k := range s.r.SkippedRules {
			if k.Reason == reason && k.GroupName != rule.Readiness {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d skipped as %s", n, reason))
		}
	}
	hint := "hallmark explain RULE tells more about a rule."
	if !s.verbose {
		hint = "--verbose lists them all; " + hint
	}
	s.block(nil, dim, strings.Join(parts, ", ")+". "+hint)
}

// failure says why there is nothing to show.
func (s *sheet) failure() {
	f := s.r.Failure
	what := "No audit: " + string(f.Class)
	if f.Phase != "" {
		what += " (" + f.Phase + ")"
	}
	s.block([]span{text("  ")}, red.bold(), what)
	if f.Detail != "" {
		s.block([]span{text("  ")}, plain, f.Detail)
	}
	if f.Remedy != "" {
		s.block([]span{text("  "), styled(green, "do  ")}, plain, f.Remedy)
	}
}
