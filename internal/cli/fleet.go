package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http/httpguts"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// gathered is what came of an entry: a recording, or why there is none.
type gathered struct {
	rec *recording.Recording
	err error
}

// auditAll audits several entries side by side, each within limits of its own, and ends in a summary.
func (f *auditFlags) auditAll(ctx context.Context, env *Env, p *policy.Policy, list []entry) error {
	f.out.project.forSeveral(env)
	outcomes := f.collectAll(ctx, env, list)
	fleet := &report.Fleet{SchemaVersion: report.SchemaVersion, Engine: report.Engine(engine()), GeneratedAt: env.Now().UTC().Format("2006-01-02T15:04:05.000000-07:00")}
	var problem error
	if f.targets.outputDir != "" {
		if err := os.MkdirAll(f.targets.outputDir, 0o755); err != nil {
			return usage("cannot make the folder "+f.targets.outputDir+": "+reason(err), "")
		}
	}
	files := fileNames(list)
	for i, o := range outcomes {
		m, err := f.member(env, p, &list[i], o, files[i])
		problem = errors.Join(problem, err)
		fleet.Targets = append(fleet.Targets, m)
	}
	fleet.Count()
	return errors.Join(f.summarise(env, fleet), problem)
}

func (f *auditFlags) collectAll(ctx context.Context, env *Env, list []entry) []gathered {
	outcomes := make([]gathered, len(list))
	progress := newProgress(env, f.out.quiet || f.out.toStdout())
	defer progress.done()
	var done atomic.Int32
	say := func() { progress.say(fmt.Sprintf("%d of %d targets done", done.Load(), len(list))) }
	say()
	slots := make(chan struct{}, f.targets.jobs)
	var all sync.WaitGroup
	for i := range list {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			outcomes[i] = f.collectOne(ctx, env, &list[i])
			done.Add(1)
			say()
		})
	}
	all.Wait()
	return outcomes
}

func (f *auditFlags) collectOne(ctx context.Context, env *Env, e *entry) gathered {
	switch {
	case e.err != nil || e.skip != "":
		return gathered{err: e.err}
	case ctx.Err() != nil:
		return gathered{err: &exitError{code: ExitInterrupted, message: "interrupted before its turn"}}
	}
	opts, err := f.options(withoutToken(env))
	if err != nil {
		return gathered{err: err}
	}
	if e.pkg != nil {
		rec, err := collectPackage(ctx, env, *e.pkg, e.base, opts)
		return gathered{rec, err}
	}
	rec, err := capture.Run(ctx, e.target, e.apply(opts))
	if err != nil {
		err = usage(fmt.Sprintf("cannot audit %s: %v", e.shown(), err), "")
	}
	return gathered{rec, err}
}

// member judges what came of an entry and writes its reports.
func (f *auditFlags) member(env *Env, p *policy.Policy, e *entry, o gathered, file string) (report.Member, error) {
	if e.skip != "" {
		return report.Member{Name: e.name, Target: e.shown(), Status: report.Skipped, Reason: e.skip}, nil
	}
	rec := o.rec
	if o.err != nil {
		rec = refusal(env, e.shown(), o.err)
	}
	r, err := f.out.project.judge(env, rec, p)
	if err != nil {
		return report.Member{Name: e.name, Target: e.shown(), Status: report.NotAudited, Reason: err.Error()}, err
	}
	m := report.NewMember(e.name, r)
	for _, g := range r.Gates {
		if !g.Passed {
			fmt.Fprintf(env.Stderr, "hallmark: gate: %s: %s: %s\n", visible(e.name), visible(g.Name), visible(g.Message))
		}
	}
	if m.Status == report.NotAudited || m.Status == report.Interrupted {
		fmt.Fprintf(env.Stderr, "hallmark: error: %s: %s\n", visible(e.name), visible(m.Reason))
	}
	if f.out.json {
		m.Report = r
	}
	if f.targets.outputDir == "" {
		return m, nil
	}
	var problem error
	wanted := f.targets.formats
	if len(wanted) == 0 {
		wanted = []string{"json"}
	}
	for _, format := range wanted {
		name := file + extension(format)
		write, mode := func(w io.Writer) error { return formats[format](w, document{report: r, rec: rec, dir: e.target.Dir}) }, os.FileMode(0o644)
		if format == "recording" {
			write, mode = func(w io.Writer) error { return recording.Write(w, rec) }, 0o600
		}
		if err := writeWhole(filepath.Join(f.targets.outputDir, name), mode, write); err != nil {
			problem = errors.Join(problem, err)
			continue
		}
		m.Files = append(m.Files, name)
	}
	return m, problem
}

// refusal is the recording of an entry that could not be tried.
func refusal(env *Env, named string, err error) *recording.Recording {
	class, phase, message := recording.FailInvalidTarget, "target", err.Error()
	var exit *exitError
	if errors.As(err, &exit) && exit.code == ExitInterrupted {
		class, phase = recording.FailInterrupted, ""
	}
	rec := &recording.Recording{Format: recording.Format, Version: recording.Version, Engine: engine(), AsOf: env.Now().UTC()}
	rec.Target.Display = named
	rec.Failure = &recording.Failure{Class: class, Phase: phase, Detail: message}
	return rec
}

// summarise writes the summary and turns it into the exit code.
func (f *auditFlags) summarise(env *Env, fleet *report.Fleet) error {
	var problem error
	if dir := f.targets.outputDir; dir != "" {
		bare := *fleet
		bare.Targets = nil
		for _, m := range fleet.Targets {
			m.Report = nil
			bare.Targets = append(bare.Targets, m)
		}
		problem = writeWhole(filepath.Join(dir, "summary.json"), 0o644, func(w io.Writer) error { return render.FleetJSON(w, &bare) })
	}
	show := func() error { return nil }
	switch {
	case f.out.json:
		show = func() error { return render.FleetJSON(env.Stdout, fleet) }
	case !f.out.quiet:
		show = func() error { return render.Fleet(env.Stdout, fleet, f.out.terminal(env)) }
	}
	if err := show(); err != nil {
		problem = errors.Join(problem, usage("cannot write to standard output: "+reason(err), ""))
	}
	interrupted := false
	for _, m := range fleet.Targets {
		interrupted = interrupted || m.Status == report.Interrupted
	}
	n := fleet.Summary
	switch {
	case interrupted:
		return errors.Join(&exitError{code: ExitInterrupted, message: "interrupted", hint: "the summary holds what was audited so far"}, problem)
	case n.GatesFailed > 0:
		return errors.Join(&exitError{code: ExitGate}, problem)
	case n.Failed > 0 && n.Audited == 0:
		return errors.Join(&exitError{code: ExitTarget, message: "no target could be audited"}, problem)
	case n.Failed > 0:
		return errors.Join(&exitError{code: ExitPartly, message: fmt.Sprintf("%d of %d targets could not be audited", n.Failed, n.Targets)}, problem)
	}
	return problem
}

// apply adds what belongs to an entry alone to the options of its audit. What the command line gives counts before the file.
func (e *entry) apply(opts capture.Options) capture.Options {
	header := opts.Header.Clone()
	for name, values := range e.header {
		if _, given := header[http.CanonicalHeaderKey(name)]; !given {
			header[http.CanonicalHeaderKey(name)] = values
		}
	}
	opts.Header = header
	opts.Secrets = append(opts.Secrets, e.secrets...)
	return opts
}

// environment is where the token for an entry may come from. A server that a file describes gets what the file says.
func (e *entry) environment(env *Env) *Env {
	if e.fromFile || e.pkg != nil {
		return withoutToken(env)
	}
	return env
}

func withoutToken(env *Env) *Env {
	bare := *env
	bare.Getenv = func(name string) string {
		if name == "HALLMARK_TOKEN" || name == "MCPSCORE_TOKEN" {
			return ""
		}
		return env.Getenv(name)
	}
	return &bare
}

// validHeader tells which header of a file cannot be sent, without its value.
func validHeader(header http.Header) error {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		values := header[name]
		if !httpguts.ValidHeaderFieldName(name) {
			return errors.New("one of its headers has a name with characters that no header name may have")
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return fmt.Errorf("its header %s has a line break or another control character in its value", name)
			}
		}
	}
	return nil
}

// fileNames are names for the reports of entries: letters, digits, dots and dashes of their names, made unique by numbers.
func fileNames(list []entry) []string {
	taken := map[string]bool{"summary": true}
	names := make([]string, len(list))
	for i, e := range list {
		base := strings.Trim(strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
				return r
			}
			return '-'
		}, strings.TrimPrefix(strings.TrimPrefix(e.name, "https://"), "http://")), "-.")
		base = base[:min(len(base), 80)]
		if base == "" {
			base = "target"
		}
		name := base
		for n := 2; taken[strings.ToLower(name)]; n++ { // some file systems fold case
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// extension is the ending of a report's file.
func extension(format string) string {
	switch format {
	case "recording":
		return ".rec.json"
	case "sarif":
		return ".sarif"
	case "readiness-badge":
		return ".readiness.svg"
	}
	for _, e := range endings {
		if e.format == format {
			return e.ending
		}
	}
	return "." + format
}
