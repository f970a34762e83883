package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

const (
	lookEvery = 300 * time.Millisecond // files are looked at; also how long they must rest before an audit
	ownWrites = 3                      // audits in a row during which a file changes, after which the server is taken for its writer
	maxShown  = 5                      // changed files named before an audit
)

// A watcher audits one server again whenever files change.
type watcher struct {
	audit   auditFlags
	folders []string

	env    *Env
	stdio  *stdioCommand
	args   []string
	before *report.Report // the last audit that ran
	files  *watched
	during map[string]int // audits in a row during which a file changed
}

func newWatch(env *Env, stdio *stdioCommand) *cobra.Command {
	w := &watcher{env: env, stdio: stdio, during: map[string]int{}}
	cmd := &cobra.Command{
		Use:   "watch [flags] (TARGET | --stdio COMMAND [ARG...])",
		Short: "Audit a server again whenever its files change, and show what moved",
		Long: `Watch audits a server, waits until files of the project change, audits it again and says what moved: the score, the rules whose verdict is
another one, and the findings that came and went. It goes on until it is interrupted (Ctrl-C, exit code 130). An audit that cannot run, as in
the middle of an edit, is told and ends nothing; the next one is compared with the last that ran. Failed gates are told after each audit.

The working directory is watched, or each --watch. Folders whose name begins with a dot, node_modules, vendor, virtual environments and caches
are left out; files that the server's command names are watched wherever they are. A file that changes during three audits in a row is taken
for one that the server itself writes, and left out from then on. Report files are written anew after each audit.`,
		Example: `  hallmark watch --stdio node server.js
  hallmark watch --watch src --output report.html --stdio go run ./cmd/server
  hallmark watch --fail-under 90 http://127.0.0.1:8000/mcp`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			w.args = args
			return w.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&w.folders, "watch", nil, "`folder` or file to watch in place of the working directory (repeatable)")
	w.audit.register(flags)
	w.audit.targets.choose(flags)
	w.audit.out.register(flags)
	flags.Lookup("quiet").Usage = "do not show the first report"
	for _, refused := range []string{"json", "oauth", "oauth-timeout", "client-id", "callback-port", "browser"} {
		flags.Lookup(refused).Hidden = true
	}
	return cmd
}

func (w *watcher) run(ctx context.Context) error {
	if err := w.check(); err != nil {
		return err
	}
	files, err := w.watched()
	if err != nil {
		return err
	}
	w.files = files
	seen, err := files.look()
	if err != nil {
		return usage(err.Error(), "name a smaller folder with --watch")
	}
	if err := w.again(ctx); err != nil { // what is wrong with the command line now will not become right
		return err
	}
	w.leaveOut(seen)
	for {
		w.say("watching %s, Ctrl-C ends", counting(len(seen), "file"))
		changed, now, err := w.wait(ctx, seen)
		if err != nil {
			return err
		}
		w.say("%s", told(changed))
		if err := w.again(ctx); err != nil {
			var exit *exitError
			if !errors.As(err, &exit) || exit.code == ExitInterrupted {
				return err
			}
			w.say("error: %s", exit.message)
		}
		w.leaveOut(now)
		seen = now
	}
}

// check refuses what makes no sense when audits follow each other.
func (w *watcher) check() error {
	f := &w.audit
	if err := f.out.check(); err != nil {
		return err
	}
	switch {
	case f.out.toStdout():
		return usage("watch itself writes to standard output", "write reports to files with --output")
	case f.oauth.on:
		return usage("--oauth would ask for a sign-in before each audit", "sign in once and give --token")
	}
	return nil
}

// watched settles what is looked at.
func (w *watcher) watched() (*watched, error) {
	files := &watched{folders: w.folders, out: map[string]bool{}}
	if len(files.folders) == 0 {
		files.folders = []string{"."}
	}
	for _, name := range files.folders {
		if _, err := os.Stat(name); err != nil {
			return nil, usage("cannot watch "+name+": "+reason(err), "name a folder or a file that exists")
		}
	}
	for _, word := range slices.Concat(w.stdio.words, w.args) {
		name := word
		if !filepath.IsAbs(name) && len(w.stdio.words) > 0 {
			name = filepath.Join(w.audit.cwd, name)
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			files.named = append(files.named, name)
		}
	}
	for _, o := range w.audit.out.parsed {
		files.leaveOut(o.file)
	}
	return files, nil
}

// again audits once, says what moved since the last audit that ran, and writes the report files. The error is one of the command line, of
// the configuration, or the interruption.
func (w *watcher) again(ctx context.Context) error {
	f, env := &w.audit, w.env
	p, err := policy.Load(f.out.policy)
	if err != nil {
		return usage(err.Error(), "")
	}
	if err := f.out.project.load(env, p, f.out.quiet || w.before != nil); err != nil {
		return err
	}
	rec, err := w.collect(ctx)
	switch {
	case ctx.Err() != nil:
		return &exitError{code: ExitInterrupted}
	case err != nil:
		return err
	}
	r, err := f.out.project.judge(env, rec, p)
	if err != nil {
		return err
	}
	out := f.out
	if w.before != nil {
		out.quiet = true // what moved stands there in place of the whole report
	}
	if w.before != nil && r.Ran() {
		showDiff(env.Stdout, report.Compare(w.before, r, nil))
		fmt.Fprintln(env.Stdout)
	}
	if err := out.write(env, r, rec); err != nil {
		return err
	}
	if !r.Ran() {
		var failed *exitError
		if errors.As(f.out.failed(env, r), &failed) && failed.message != "" {
			w.say("%s", failed.message)
		}
		return nil
	}
	w.before = r
	_ = f.out.project.conclude(env, r) // says which gates failed; that ends nothing here
	return nil
}

// collect records the one server that the command line names.
func (w *watcher) collect(ctx context.Context) (*recording.Recording, error) {
	f := &w.audit
	list, fleet, err := f.entries(w.env, w.stdio, w.args)
	switch {
	case err != nil:
		return nil, err
	case fleet:
		return nil, usage("several servers are named, and watch is for one", "choose one of a client configuration with --server")
	case len(list) == 1 && list[0].pkg != nil:
		return nil, usage(list[0].name+" is a package, and watch is for servers", "")
	}
	var rec *recording.Recording
	if len(list) == 1 {
		rec, _, err = f.collectEntry(ctx, w.env, &list[0])
	} else {
		rec, _, err = f.collect(ctx, w.env, w.stdio, w.args)
	}
	return rec, err
}

// wait returns when something differs from what was seen and has come to rest.
func (w *watcher) wait(ctx context.Context, seen snapshot) (changed []string, now snapshot, err error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last := seen
	for {
		select {
		case <-ctx.Done():
			return nil, nil, &exitError{code: ExitInterrupted}
		case <-tick.C:
		}
		if now, err = w.files.look(); err != nil {
			return nil, nil, usage(err.Error(), "name a smaller folder with --watch")
		}
		changed = now.since(seen)
		if len(changed) > 0 && len(now.since(last)) == 0 {
			return changed, now, nil
		}
		last = now
	}
}

// leaveOut stops watching files that change whenever the server runs. Otherwise its log would set off audits for ever.
func (w *watcher) leaveOut(before snapshot) {
	after, err := w.files.look()
	if err != nil {
		return // the next look says it
	}
	during := map[string]int{}
	for _, name := range after.since(before) {
		if during[name] = w.during[name] + 1; during[name] < ownWrites {
			continue
		}
		delete(during, name)
		w.files.leaveOut(name)
		delete(before, name)
		w.say("%s changes with every audit and is not watched any more", name)
	}
	w.during = during
}

func (w *watcher) say(format string, args ...any) {
	fmt.Fprintln(w.env.Stderr, "hallmark: "+visible(fmt.Sprintf(format, args...)))
}

// told names what has changed: "changed: a.py, b.py and 3 more files".
func told(changed []string) string {
	text := "changed: " + strings.Join(changed[:min(len(changed), maxShown)], ", ")
	if more := len(changed) - maxShown; more > 0 {
		text += " and " + counting(more, "more file")
	}
	return text
}

func counting(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
