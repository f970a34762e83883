package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// A subject is what a command looks into besides a live server: a recording, or a report.
type subject struct {
	recording *recording.Recording
	report    *report.Report
}

// readSubject reads a file that an audit left behind. It returns nil when the name is no file of that kind, but a target.
func readSubject(name string) (*subject, error) {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	head, _ := in.Peek(64 << 10)
	switch {
	case !bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")):
		return nil, nil
	case bytes.Contains(head, []byte(`"`+recording.Format+`"`)):
		rec, err := recording.Read(in)
		if err != nil {
			return nil, usage(fmt.Sprintf("%s: %v", name, err), "name a file that hallmark audit --record wrote")
		}
		return &subject{recording: rec}, nil
	case bytes.Contains(head, []byte(`"schema_version"`)):
		r, err := report.Read(io.Reader(in))
		if err != nil {
			return nil, usage(fmt.Sprintf("%s: %v", name, err), "name a file that hallmark audit --json wrote")
		}
		return &subject{report: r}, nil
	}
	return nil, nil
}

// recorded is the recording that the command line names, or a new one of the server that it names.
func (f *auditFlags) recorded(ctx context.Context, env *Env, stdio *stdioCommand, args []string) (*recording.Recording, error) {
	if !stdio.given && len(args) == 1 {
		s, err := readSubject(args[0])
		switch {
		case err != nil:
			return nil, err
		case s != nil && s.recording != nil:
			return s.recording, unusable(s.recording)
		case s != nil:
			return nil, usage(args[0]+" is a report, which does not hold what the server offers", "name a recording, or the server")
		}
	}
	list, fleet, err := f.entries(env, stdio, args)
	switch {
	case err != nil:
		return nil, err
	case fleet:
		return nil, usage("several servers are named, and this is for one", "choose one of a client configuration with --server")
	case len(list) == 1 && list[0].pkg != nil:
		return nil, usage(list[0].name+" is a package, and this is for servers", "")
	}
	var rec *recording.Recording
	if len(list) == 1 {
		rec, _, err = f.collectEntry(ctx, env, &list[0])
	} else {
		rec, _, err = f.collect(ctx, env, stdio, args)
	}
	if err != nil {
		return nil, err
	}
	return rec, unusable(rec)
}

// unusable is the error of a recording in which no server can be seen, or that was interrupted.
func unusable(rec *recording.Recording) error {
	o := observe.Decode(rec)
	f := o.Failure
	switch {
	case f == nil:
		return nil
	case f.Class == recording.FailInterrupted:
		return &exitError{code: ExitInterrupted, message: rec.Target.Display + ": interrupted"}
	case o.Kind != "":
		return nil
	}
	message := rec.Target.Display + ": " + f.Detail
	if f.Phase != "" {
		message = rec.Target.Display + ": " + f.Phase + ": " + f.Detail
	}
	return &exitError{code: ExitTarget, message: message, hint: "hallmark audit says more"}
}

// judged is the report that the command line names, or a new one of the recording or server that it names.
func (f *auditFlags) judged(ctx context.Context, env *Env, p *policy.Policy, stdio *stdioCommand, args []string) (*report.Report, error) {
	if !stdio.given && len(args) == 1 {
		if s, err := readSubject(args[0]); err != nil || s != nil && s.report != nil {
			if err == nil && !s.report.Ran() {
				err = &exitError{code: ExitTarget, message: args[0] + ": the audit could not run: " + s.report.Failure.Detail}
			}
			if err != nil {
				return nil, err
			}
			return s.report, nil
		}
	}
	rec, err := f.recorded(ctx, env, stdio, args)
	if err != nil {
		return nil, err
	}
	return f.out.project.judge(env, rec, p)
}
