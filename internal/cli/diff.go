package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

func newDiff(env *Env) *cobra.Command {
	var asJSON, failing bool
	var roster, behind string
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Explain why two reports differ",
		Long: `Diff compares two audits rule by rule and says why each verdict is another one: another version of the rules, another roster, another
configuration, another kind of audit (without credentials, over another transport), or other answers of the server. The points that each
cause moved sum up to the difference of the two scores.

OLD and NEW are reports (hallmark audit --json) or recordings (hallmark audit --record). Recordings are judged by this version, so between two
of them only the server can have changed. Two reports of different versions cannot always tell; with the recording behind the old one they can.
Reports of mcpscore are read as well.`,
		Example: `  hallmark diff monday.json tuesday.json
  hallmark diff --old-recording monday.rec.json monday.json tuesday.json
  hallmark diff --json monday.rec.json tuesday.rec.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(fmt.Sprintf("diff takes two reports or recordings, %d were given", len(args)), "hallmark diff OLD NEW")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var sides [2]*report.Report
			for i, name := range args {
				r, err := comparable(name, roster)
				if err != nil {
					return err
				}
				sides[i] = r
			}
			old, now := sides[0], sides[1]
			var rejudged *report.Report
			if behind != "" {
				if ours := engine(); now.Engine != (report.Engine{Name: ours.Name, Version: ours.Version}) {
					return usage(fmt.Sprintf("--old-recording: %s comes from %s %s and this is %s %s", args[1], now.Engine.Name, now.Engine.Version, ours.Name, ours.Version),
						"use the version that made the new report, or give its recording instead")
				}
				rec, err := readRecordingFile(behind)
				if err != nil {
					return err
				}
				if rejudged, err = judgeAs(rec, now.Policy.Name); err != nil {
					return err
				}
			}
			d := report.Compare(old, now, rejudged)
			if asJSON {
				if err := writeJSON(env.Stdout, d); err != nil {
					return err
				}
			} else {
				showDiff(env.Stdout, d)
			}
			if failing && !d.Same() {
				return &exitError{code: ExitGate}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&asJSON, "json", false, "write JSON")
	flags.BoolVar(&failing, "exit-code", false, "exit with 3 when a rule stands otherwise")
	flags.StringVar(&behind, "old-recording", "", "`recording` behind the old report, to tell what the new version changed from what the server changed")
	flags.StringVar(&roster, "policy", "", "`roster` under which recordings are judged")
	return cmd
}

// comparable reads a report, or judges a recording.
func comparable(name, roster string) (*report.Report, error) {
	s, err := readSubject(name)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, usage(fmt.Sprintf("%q is neither a report nor a recording", recording.MaskURL(name)), "write one with hallmark audit --json or --record")
	case s.report != nil:
		return s.report, nil
	}
	return judgeAs(s.recording, roster)
}

func readRecordingFile(name string) (*recording.Recording, error) {
	s, err := readSubject(name)
	switch {
	case err != nil:
		return nil, err
	case s == nil || s.recording == nil:
		return nil, usage(fmt.Sprintf("%q is no recording", name), "name a file that hallmark audit --record wrote")
	}
	return s.recording, nil
}

func judgeAs(rec *recording.Recording, roster string) (*report.Report, error) {
	p, err := policy.Load(roster)
	if err != nil {
		return nil, usage(err.Error(), "")
	}
	return audit.Judge(rec, p, engine()), nil
}

// showDiff writes a comparison for a person.
func showDiff(w io.Writer, d *report.Diff) {
	say := func(format string, args ...any) { fmt.Fprintln(w, visible(fmt.Sprintf(format, args...))) }
	say("old  %s  %s  %s", scored(&d.Old), d.Old.GeneratedAt, d.Old.Target)
	say("new  %s  %s  %s", scored(&d.New), d.New.GeneratedAt, d.New.Target)
	if len(d.Audits) > 0 {
		fmt.Fprintln(w, "\nThe audits")
		for _, a := range d.Audits {
			say("  %s: %s -> %s", a.What, a.Old, a.New)
		}
	}
	if d.Same() {
		fmt.Fprintln(w, "\nEvery rule stands as it did.")
		return
	}
	fmt.Fprintln(w, "\nThe score")
	for _, e := range d.Effects {
		say("  %s: %s", titles[e.Cause], points(e.Earned, e.Available))
	}
	var cause report.Cause
	for _, r := range d.Rules {
		if r.Cause != cause {
			cause = r.Cause
			fmt.Fprintln(w)
			say("%s", strings.ToUpper(titles[cause][:1])+titles[cause][1:])
		}
		say("  %s: %s -> %s, %s%s", r.RuleID, stands(&r.Old), stands(&r.New), r.Because, moved(&r))
		if r.New.Verdict == "fail" && r.Old.Verdict != "fail" || r.New.Verdict == "skip" {
			say("    %s", r.New.Text)
		}
		for _, place := range r.Gone {
			say("    - %s", place)
		}
		for _, place := range r.Came {
			say("    + %s", place)
		}
	}
}

// titles name the causes for people.
var titles = map[report.Cause]string{
	report.ByEngine: "another version of the rules", report.ByPolicy: "another roster", report.ByConfiguration: "another configuration",
	report.ByAudit: "another kind of audit", report.ByAnswers: "other answers of the server",
	report.ByEither: "another version of the rules, or other answers: the reports cannot tell",
}

func scored(s *report.Side) string {
	percentage := "  - "
	if s.Percentage != nil {
		percentage = fmt.Sprintf("%3d%%", *s.Percentage)
	} else if s.MaxScore > 0 {
		percentage = fmt.Sprintf("%3d%%", 100*s.Score/s.MaxScore)
	}
	return fmt.Sprintf("%s (%d/%d)  %s %s", percentage, s.Score, s.MaxScore, s.Engine.Name, s.Engine.Version)
}

func stands(s *report.Standing) string {
	switch {
	case s.Reason != "":
		return "skip (" + string(s.Reason) + ")"
	case s.Findings > 1:
		return fmt.Sprintf("%s (%d findings)", s.Verdict, s.Findings)
	}
	return s.Verdict
}

// moved says how many points a change is worth, empty when none.
func moved(r *report.RuleChange) string {
	earned, available := r.New.Earned-r.Old.Earned, r.New.Available-r.Old.Available
	if earned == 0 && available == 0 {
		return ""
	}
	return " (" + points(earned, available) + ")"
}

func points(earned, available int) string {
	if available == 0 {
		return fmt.Sprintf("%+d earned", earned)
	}
	return fmt.Sprintf("%+d earned, %+d available", earned, available)
}
