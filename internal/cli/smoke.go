package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/smoke"
)

// smokeFlags say whether tools are called, which ones, and which failures are accepted.
type smokeFlags struct {
	on      bool
	callAll bool
	dryRun  bool
	timeout time.Duration
	waivers smokeWaivers
}

func (f *smokeFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "smoke", false, "after the audit, call the tools that are declared read-only and see whether they keep what their schemas promise; exit with 4 when they do not")
	flags.BoolVar(&f.callAll, "call-all", false, "with --smoke, call every tool, whatever that changes")
	flags.BoolVar(&f.dryRun, "smoke-dry-run", false, "show the calls that --smoke would make, and make none")
	flags.DurationVar(&f.timeout, "smoke-timeout", 30*time.Second, "limit for one call of --smoke")
	f.waivers.register(flags)
}

// check tests what can be told from the command line alone.
func (f *smokeFlags) check() error {
	switch {
	case f.callAll && !f.on && !f.dryRun:
		return usage("--call-all is a part of smoke mode", "add --smoke")
	case f.timeout <= 0:
		return usage("--smoke-timeout must be longer than nothing", "for example --smoke-timeout 30s")
	}
	f.on = f.on || f.dryRun
	return f.waivers.check()
}

// options asks for the calls, nil when there are to be none.
func (f *smokeFlags) options() *capture.Smoke {
	if !f.on {
		return nil
	}
	return &capture.Smoke{CallAll: f.callAll, DryRun: f.dryRun, Timeout: f.timeout, Plan: func(rec *recording.Recording) ([]capture.ToolCall, bool) {
		plan := smoke.NewPlan(rec, f.callAll)
		var calls []capture.ToolCall
		for _, c := range plan.Calls() {
			calls = append(calls, capture.ToolCall{Step: c.Step, Tool: c.Tool, Arguments: c.Arguments, Params: c.Params})
		}
		return calls, plan.Stateless
	}}
}

// smokeWaivers are failures of smoke checks that the user accepts: "CHECK" or "CHECK:TOOL".
type smokeWaivers struct{ list []string }

func (w *smokeWaivers) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&w.list, "smoke-waive", nil, "smoke `CHECK[:TOOL]` that may fail: it is still shown, and does not lead to exit code 4 (repeatable)")
}

func (w *smokeWaivers) check() error {
	for _, text := range w.list {
		id, _, _ := strings.Cut(text, ":")
		if !slices.Contains(smoke.Checks, id) {
			return usage(fmt.Sprintf("--smoke-waive: no check is called %q%s", id, didYouMean(id, smoke.Checks)), "the checks are "+strings.Join(smoke.Checks, ", "))
		}
	}
	return nil
}

func (w *smokeWaivers) waived(check, tool string) bool {
	return slices.Contains(w.list, check) || slices.Contains(w.list, check+":"+tool)
}

// judge puts what the calls have shown into the report.
func (w *smokeWaivers) judge(r *report.Report, rec *recording.Recording) {
	if r.Ran() {
		r.Smoke = smoke.Judge(rec, w.waived)
	}
}

// smokeExit turns failed smoke checks into an exit code, where nothing before has led to one.
func smokeExit(r *report.Report) error {
	if r.Smoke.Failed() {
		return &exitError{code: ExitSmoke}
	}
	return nil
}

// printSmoke shows what the calls have shown, beneath the report.
func printSmoke(w io.Writer, s *report.Smoke, verbose bool) error {
	var b strings.Builder
	sum := s.Summary
	fmt.Fprintf(&b, "\nSMOKE  %d passed, %d failed, %d skipped; %d of %s answered; not scored\n", sum.Passed, sum.Failed, sum.Skipped, s.Coverage.ToolsCalled, count(s.Coverage.ToolsTotal, "tool"))
	if s.Reason != "" {
		fmt.Fprintf(&b, "  %s\n", s.Reason)
	}
	for _, c := range s.Checks {
		if !verbose && c.Verdict != "fail" && !(s.DryRun && c.Details.Arguments != nil) {
			continue
		}
		verdict := c.Verdict
		switch {
		case c.Waived:
			verdict = "waived"
		case s.DryRun && c.Details.Arguments != nil:
			verdict = "call"
		}
		name := c.Details.RequestedTool
		if c.ToolName != nil {
			name = *c.ToolName
		}
		fmt.Fprintf(&b, "\n  %-6s %s  %s\n", verdict, c.CheckID, name)
		if verdict != "call" {
			fmt.Fprintln(&b, "  "+strings.ReplaceAll(wrapped(c.Message, 76), "\n", "\n  "))
		}
		for _, line := range []struct{ label, text string }{{"sent", deref(c.Details.Arguments)}, {"fault", c.Details.Violation}, {"note", c.Details.Note}} {
			if line.text != "" {
				fmt.Fprintf(&b, "    %-5s %s\n", line.label, line.text)
			}
		}
		if c.Verdict == "fail" {
			fmt.Fprintf(&b, "    see   %s\n", c.Details.Basis)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
