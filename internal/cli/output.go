package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// outputFlags are the flags that audit and replay share: what to write where, and which gates to pass.
type outputFlags struct {
	json           bool
	outputs        []string
	sarif          []string
	policy         string
	verbose, quiet bool
	color          string
	project        projectFlags
	parsed         []output
	dir            string // in which the server's command starts
}

func (f *outputFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "write the report as JSON to standard output")
	flags.StringArrayVarP(&f.outputs, "output", "o", nil, "also write the report to `file`; the ending (.html .sarif .md .xml .svg .json .txt) or a prefix such as junit: chooses the format, see docs/outputs.md (repeatable)")
	flags.StringArrayVar(&f.sarif, "sarif", nil, "also write the report as SARIF to `file`, - for standard output; the same as --output sarif:FILE")
	flags.StringVar(&f.policy, "policy", "", "`roster` that says which rules count (roster_150, roster_102)")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "list passed and skipped rules too")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	flags.StringVar(&f.color, "color", "auto", "`auto`, always or never")
	f.project.register(flags)
}

func (f *outputFlags) check() error {
	if err := f.project.check(); err != nil {
		return err
	}
	switch f.color {
	case "auto", "always", "never":
	default:
		return usage(fmt.Sprintf("--color %q is not known", f.color), "use auto, always or never")
	}
	return f.parseOutputs()
}

// finish writes the report everywhere and turns its outcome into the exit code. A problem from before is told beside it.
func (f *outputFlags) finish(env *Env, r *report.Report, rec *recording.Recording, problem error) error {
	problem = errors.Join(problem, f.write(env, r, rec))
	if r.Failure != nil {
		if err := f.failed(env, r); err != nil {
			return errors.Join(err, problem)
		}
	}
	if problem != nil {
		return problem
	}
	return f.project.conclude(env, r)
}

// write writes the report to files and to standard output: to the files first, since whoever reads the output may stop reading, which ends
// the program. A file that cannot be written keeps none of the others from being written.
func (f *outputFlags) write(env *Env, r *report.Report, rec *recording.Recording) error {
	var problem error
	for _, o := range f.parsed {
		show := func(w io.Writer) error { return formats[o.format](w, document{report: r, rec: rec, dir: f.dir}) }
		if o.file == "-" {
			if err := show(env.Stdout); err != nil {
				problem = errors.Join(problem, usage("cannot write to standard output: "+reason(err), ""))
			}
			continue
		}
		problem = errors.Join(problem, writeWhole(o.file, 0o644, show))
	}
	switch {
	case f.json:
		if err := render.JSON(env.Stdout, r); err != nil {
			problem = errors.Join(problem, usage("cannot write to standard output: "+reason(err), ""))
		}
	case !f.quiet && !f.toStdout() && r.Ran():
		err := render.Terminal(env.Stdout, r, f.terminal(env))
		if err == nil && r.Smoke != nil {
			err = printSmoke(env.Stdout, r.Smoke, f.verbose)
		}
		if err != nil {
			problem = errors.Join(problem, usage("cannot write to standard output: "+reason(err), ""))
		}
	}
	return problem
}

// terminal says how standard output is written to.
func (f *outputFlags) terminal(env *Env) render.Options {
	width := env.Width(env.Stdout)
	opts := render.Options{Width: width, Verbose: f.verbose, Color: f.color == "always" || f.color == "auto" && width > 0 && env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb"}
	if width == 0 {
		opts.Width = 80
	}
	return opts
}

// failed says why an audit could not run, saw a part of the server only, or ended early.
func (f *outputFlags) failed(env *Env, r *report.Report) error {
	message := fmt.Sprintf("%s: %s", r.Target, r.Failure.Detail)
	if r.Failure.Phase != "" {
		message = fmt.Sprintf("%s: %s: %s", r.Target, r.Failure.Phase, r.Failure.Detail)
	}
	switch {
	case r.Failure.Class == recording.FailInterrupted && r.Ran():
		return &exitError{code: ExitInterrupted, message: message, hint: "the report holds what was read so far"}
	case r.Failure.Class == recording.FailInterrupted:
		return &exitError{code: ExitInterrupted, message: message}
	case r.Ran():
		fmt.Fprintf(env.Stderr, "hallmark: warning: %s\nhallmark: hint: %s\n", visible(message), visible(r.Failure.Remedy))
		return nil
	}
	return &exitError{code: ExitTarget, message: message, hint: r.Failure.Remedy}
}
