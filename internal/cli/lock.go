package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lock"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/tomldoc"
)

const lockFile = "hallmark.lock"

// lockFlags are the flags of lock.
type lockFlags struct {
	target auditFlags
	file   string
	only   []string
	check  bool
	json   bool
}

func newLock(env *Env, stdio *stdioCommand) *cobra.Command {
	f := &lockFlags{}
	cmd := &cobra.Command{
		Use:   "lock [flags] (URL | FILE | RECORDING | --stdio COMMAND [ARG...])",
		Short: "Pin what a server offers, or check it against what was pinned",
		Long: `Lock reads a server and writes a digest of every tool, prompt, resource and resource template and of the instructions to a file that you
review once and keep with your project. With --check, or with hallmark audit --lock, a later run shows what is no longer what was
reviewed, place by place and with hidden characters spelled out, and exits with 3.

The order of a listing and the spelling of its JSON do not matter, and neither does the server's version. What could not be read to its end
is never pinned, and counts as failed when it is checked.`,
		Example: `  hallmark lock https://example.com/mcp
  hallmark lock --check https://example.com/mcp
  hallmark lock -o github.lock --only tools,instructions --stdio docker run -i --rm some/mcp-server
  hallmark lock --check audit.rec.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, part := range f.only {
				if !slices.Contains(lock.Parts, part) {
					return usage(fmt.Sprintf("--only: nothing is called %q%s", part, tomldoc.OrOneOf(part, lock.Parts)), "")
				}
			}
			if f.check && len(f.only) > 0 {
				return usage("--only is for pinning: what is checked stands in the lock", "leave out --only, or --check")
			}
			if f.json && !f.check {
				return usage("--json is for --check: the lock itself is JSON already", "write it to standard output with -o -")
			}
			var pinned *lock.Lock
			if f.check {
				var err error
				if pinned, err = readLock(f.file); err != nil {
					return err
				}
			}
			rec, err := f.target.recorded(cmd.Context(), env, stdio, args)
			if err != nil {
				return err
			}
			if f.check {
				return f.compare(env, pinned, rec)
			}
			return f.pin(env, rec)
		},
	}
	flags := cmd.Flags()
	f.target.register(flags)
	f.target.targets.choose(flags)
	flags.StringVarP(&f.file, "output", "o", lockFile, "lock `file` to write, or to check against; - for standard output")
	flags.BoolVar(&f.check, "check", false, "compare with the lock instead of writing it")
	flags.StringSliceVar(&f.only, "only", nil, "pin these `parts` only: "+strings.Join(lock.Parts, ", "))
	flags.BoolVar(&f.json, "json", false, "with --check, write the changes as JSON")
	return cmd
}

func (f *lockFlags) pin(env *Env, rec *recording.Recording) error {
	l, unread := lock.New(observe.Decode(rec), f.only)
	if len(unread) > 0 {
		var reasons []string
		for _, u := range unread {
			reasons = append(reasons, u.String())
		}
		return &exitError{code: ExitTarget, message: rec.Target.Display + ": nothing was pinned: " + strings.Join(reasons, "; "),
			hint: "audit the server to see why, or pin the rest with --only"}
	}
	if f.file == "-" {
		return l.Write(env.Stdout)
	}
	if err := writeWhole(f.file, 0o644, l.Write); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s: pinned %s\n", visible(f.file), counted(l))
	return nil
}

// counted says how much a lock holds: "3 tools, 1 prompt".
func counted(l *lock.Lock) string {
	var parts []string
	for _, c := range []struct {
		noun  string
		items *[]lock.Item
	}{{"tool", l.Tools}, {"prompt", l.Prompts}, {"resource", l.Resources}, {"resource template", l.ResourceTemplates}} {
		if c.items != nil && len(*c.items) > 0 {
			parts = append(parts, number(len(*c.items), c.noun))
		}
	}
	if l.Instructions != nil && len(*l.Instructions) > 0 {
		parts = append(parts, "the instructions")
	}
	if parts == nil {
		return "an empty catalog"
	}
	return strings.Join(parts, ", ")
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (f *lockFlags) compare(env *Env, pinned *lock.Lock, rec *recording.Recording) error {
	changes, unread := pinned.Compare(observe.Decode(rec))
	if f.json {
		if err := writeJSON(env.Stdout, struct {
			Lock    string        `json:"lock"`
			Target  string        `json:"target"`
			Same    bool          `json:"same"`
			Changes []lock.Change `json:"changes"`
			Unread  []lock.Unread `json:"unread"`
		}{f.file, rec.Target.Display, len(changes)+len(unread) == 0, append([]lock.Change{}, changes...), append([]lock.Unread{}, unread...)}); err != nil {
			return err
		}
	} else {
		showChanges(env.Stdout, changes, unread)
		if len(changes)+len(unread) == 0 {
			fmt.Fprintf(env.Stdout, "%s: unchanged, %s\n", visible(f.file), counted(pinned))
		}
	}
	if len(changes)+len(unread) > 0 {
		fmt.Fprintf(env.Stderr, "hallmark: gate: %s: %s\n", visible(f.file), summary(changes, unread))
		return &exitError{code: ExitGate}
	}
	return nil
}

// summary says in one line what differs from a lock.
func summary(changes []lock.Change, unread []lock.Unread) string {
	var parts []string
	for _, kind := range []lock.Kind{lock.Changed, lock.Added, lock.Removed} {
		var names []string
		for i := range changes {
			if changes[i].Kind == kind {
				names = append(names, changes[i].Title())
			}
		}
		if more := len(names) - 5; more > 0 {
			names = append(names[:5], fmt.Sprintf("%d more", more))
		}
		if len(names) > 0 {
			parts = append(parts, string(kind)+": "+strings.Join(names, ", "))
		}
	}
	for _, u := range unread {
		parts = append(parts, u.String())
	}
	return strings.Join(parts, "; ")
}

// showChanges writes for a person what differs from a lock.
func showChanges(w io.Writer, changes []lock.Change, unread []lock.Unread) {
	for i := range changes {
		c := &changes[i]
		fmt.Fprintf(w, "%s %s\n", c.Kind, visible(c.Title()))
		for _, p := range c.Places {
			path := p.Path
			if path == "" {
				path = "as a whole"
			}
			fmt.Fprintf(w, "  %s\n", visible(path))
			if p.Old != "" {
				fmt.Fprintf(w, "    - %s\n", visible(p.Old))
			}
			if p.New != "" {
				fmt.Fprintf(w, "    + %s\n", visible(p.New))
			}
		}
	}
	for _, u := range unread {
		fmt.Fprintf(w, "unknown %s\n", visible(u.String()))
	}
}

// readLock reads a lock file.
func readLock(name string) (*lock.Lock, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usage("cannot read the lock "+name+": "+reason(err), "write one with hallmark lock")
	}
	defer file.Close()
	l, err := lock.Read(file)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s: %v", name, err), "write one with hallmark lock")
	}
	return l, nil
}

// pinnedCatalog is a lock as a gate of audits, of which several may run at once.
type pinnedCatalog struct {
	name    string // as the user wrote it
	lock    *lock.Lock
	mu      sync.Mutex
	changes map[*report.Report][]lock.Change
}

func (p *pinnedCatalog) gate(r *report.Report, rec *recording.Recording) report.Gate {
	changes, unread := p.lock.Compare(observe.Decode(rec))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changes == nil {
		p.changes = map[*report.Report][]lock.Change{}
	}
	p.changes[r] = changes
	if len(changes)+len(unread) == 0 {
		return report.Gate{Name: p.name, Passed: true, Message: "the server offers what was pinned"}
	}
	return report.Gate{Name: p.name, Message: summary(changes, unread)}
}

func (p *pinnedCatalog) explain(w io.Writer, r *report.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	showChanges(w, p.changes[r], nil)
}

// writeJSON writes a document in printable ASCII.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	if _, err := w.Write(jsondoc.ASCII(b.Bytes())); err != nil {
		return usage("cannot write to standard output: "+reason(err), "")
	}
	return nil
}
