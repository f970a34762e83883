package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/admission"
	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

func newPolicy(env *Env, stdio *stdioCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Decide by an organisation's policy which servers are let in",
	}
	cmd.AddCommand(newPolicyCheck(env, stdio))
	return cmd
}

// checkFlags are the flags of policy check.
type checkFlags struct {
	target auditFlags
	json   bool
	quiet  bool
}

func newPolicyCheck(env *Env, stdio *stdioCommand) *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [flags] FILE [TARGET | RECORDING | REPORT]... [--stdio COMMAND [ARG...]]",
		Short: "Admit or refuse servers by a policy",
		Long: `Check audits servers, or takes recordings and reports of earlier audits, and says for each whether the policy in FILE lets it in: rules that
must pass, least scores, findings that are forbidden, a catalog that is pinned, and waivers with an owner, a reason and an end. Without a
target it checks every server that the policy lists, several at once. No project's configuration takes part.

It exits with 0 when every server is admitted and with 3 when one is refused; when none is, with 2 where no server could be audited, and with 5
where some could not. A report says what its maker wanted it to say; recordings and servers are judged here.`,
		Example: `  hallmark policy check servers.toml
  hallmark policy check servers.toml https://example.com/mcp nightly/*.rec.json
  hallmark policy check --json servers.toml mcp.json
  hallmark policy check servers.toml --stdio npx -y some-mcp-server`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("policy check needs a policy", "hallmark policy check FILE [TARGET...]")
			}
			return f.run(cmd.Context(), env, stdio, args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	f.target.register(flags)
	f.target.targets.choose(flags)
	flags.IntVar(&f.target.targets.jobs, "jobs", 4, "most servers audited at once")
	flags.BoolVar(&f.json, "json", false, "write the decisions as JSON")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	return cmd
}

// candidate is a server that is to be decided on, and where what is known of it comes from.
type candidate struct {
	name   string
	lock   string // file, empty for none
	rec    *recording.Recording
	report *report.Report
	entry  *entry // to be audited
	err    error  // why nothing is known of it
}

func (f *checkFlags) run(ctx context.Context, env *Env, stdio *stdioCommand, file string, args []string) error {
	p, roster, err := readPolicy(file)
	if err != nil {
		return err
	}
	if f.target.targets.jobs < 1 || f.target.targets.jobs > 64 {
		return usage("--jobs must be between 1 and 64", "")
	}
	list, err := f.candidates(env, p, filepath.Dir(file), stdio, args)
	if err != nil {
		return err
	}
	if err := f.collect(ctx, env, stdio, list); err != nil {
		return err
	}
	verdicts := decisions{Policy: policyRef{Source: p.Source, SHA256: p.SHA256, Title: p.Title}, AsOf: env.Now().UTC().Format(time.RFC3339)}
	for i := range list {
		d, err := list[i].decide(p, roster, env.Now())
		if err != nil {
			return err
		}
		verdicts.add(d)
	}
	switch {
	case f.json:
		err = writeJSON(env.Stdout, verdicts)
	case !f.quiet:
		err = verdicts.show(env.Stdout)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return &exitError{code: ExitInterrupted, message: "interrupted", hint: "what was known so far was decided"}
	case verdicts.Summary.Refused > 0:
		return &exitError{code: ExitGate}
	case verdicts.Summary.Unknown == len(list):
		return &exitError{code: ExitTarget, message: "no server could be audited"}
	case verdicts.Summary.Unknown > 0:
		return &exitError{code: ExitPartly, message: fmt.Sprintf("%d of %d servers could not be audited", verdicts.Summary.Unknown, len(list))}
	}
	return nil
}

// readPolicy reads a policy and the roster that it judges by.
func readPolicy(file string) (*admission.Policy, *policy.Policy, error) {
	text, err := readText(file)
	if err != nil {
		return nil, nil, usage("cannot read the policy "+file+": "+reason(err), "see docs/policy-check.md for what stands in one")
	}
	roster, err := policy.Load("")
	if err != nil {
		return nil, nil, err
	}
	v, err := audit.Vocabulary(roster)
	if err != nil {
		return nil, nil, err
	}
	p, err := admission.Parse(file, text, v)
	if err != nil {
		return nil, nil, usage(err.Error(), "see docs/policy-check.md for what stands in a policy")
	}
	if roster, err = policy.Load(p.Roster); err != nil {
		return nil, nil, usage(file+": "+err.Error(), "")
	}
	return p, roster, nil
}

// candidates lists what is to be decided on. Files that the policy names are looked for beside it.
func (f *checkFlags) candidates(env *Env, p *admission.Policy, folder string, stdio *stdioCommand, args []string) ([]candidate, error) {
	if stdio.given {
		if len(args) > 0 {
			return nil, usage(fmt.Sprintf("both %q and --stdio name a server", recording.MaskURL(args[0])), "check them one after the other")
		}
		return []candidate{{name: f.target.named(stdio, nil)}}, nil
	}
	var list []candidate
	if len(args) == 0 {
		for i := range p.Servers {
			s := &p.Servers[i]
			c, err := f.listed(env, s, folder)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
		if len(list) == 0 {
			return nil, usage(p.Source+" lists no servers and none is named", "hallmark policy check "+p.Source+" TARGET...")
		}
		return list, nil
	}
	for _, arg := range args {
		if i := slices.IndexFunc(p.Servers, func(s admission.Server) bool { return s.Name == arg || s.Target == arg }); i >= 0 {
			c, err := f.listed(env, &p.Servers[i], folder)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
			continue
		}
		more, err := f.named(env, p, folder, arg)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// listed is a server of the policy's list.
func (f *checkFlags) listed(env *Env, s *admission.Server, folder string) (candidate, error) {
	c := candidate{name: s.Name}
	if s.Lock != "" {
		c.lock = beside(folder, s.Lock)
	}
	target := s.Target
	if kindOf(target) != urlTarget {
		target = beside(folder, target)
	}
	known, err := readSubject(target)
	switch {
	case err != nil:
		c.err = err
	case known != nil:
		c.rec, c.report = known.recording, known.report
	default:
		e := entry{name: s.Name, fromFile: true}
		if err := positional(&e.target, target); err != nil {
			return c, usage(fmt.Sprintf("the policy's server %s: %s", s.Name, message(err)), "a target is a URL, a script, a recording or a report")
		}
		if s.TokenEnv != "" {
			token := env.Getenv(s.TokenEnv)
			if token == "" {
				c.err = fmt.Errorf("the variable %s, which holds its token, is not set", s.TokenEnv)
				return c, nil
			}
			e.header = http.Header{"Authorization": {"Bearer " + token}}
			e.secrets = []string{token}
		}
		c.entry = &e
	}
	return c, nil
}

// named is what an argument names: a recording, a report, or one or more servers.
func (f *checkFlags) named(env *Env, p *admission.Policy, folder, arg string) ([]candidate, error) {
	known, err := readSubject(arg)
	if err != nil {
		return nil, err
	}
	if known != nil {
		c := candidate{name: arg, rec: known.recording, report: known.report}
		target := ""
		if c.rec != nil {
			target = c.rec.Target.Display
		} else {
			target = c.report.Target
		}
		c.adopt(p, folder, target)
		return []candidate{c}, nil
	}
	entries := []entry{{}}
	if kindOf(arg) == fileTarget {
		inputs, err := f.target.targets.answers(env)
		if err != nil {
			return nil, err
		}
		if entries, err = f.target.targets.configured(env, arg, inputs); err != nil {
			return nil, err
		}
	} else {
		entries[0].name = recording.MaskURL(arg)
		if err := positional(&entries[0].target, arg); err != nil {
			return nil, err
		}
	}
	var list []candidate
	for i := range entries {
		e := &entries[i]
		c := candidate{name: e.name, entry: e}
		switch {
		case e.err != nil:
			c.err = e.err
		case e.skip != "":
			c.err = errors.New(e.skip)
		case e.pkg != nil:
			c.err = errors.New("a policy is about servers, and this is a package")
		}
		c.adopt(p, folder, e.name)
		list = append(list, c)
	}
	return list, nil
}

// adopt gives a candidate the name and the lock under which the policy lists it.
func (c *candidate) adopt(p *admission.Policy, folder, as string) {
	for _, s := range p.Servers {
		if s.Target == as || s.Name == as {
			c.name = s.Name
			if s.Lock != "" {
				c.lock = beside(folder, s.Lock)
			}
			return
		}
	}
}

// collect audits the candidates of which nothing is known yet.
func (f *checkFlags) collect(ctx context.Context, env *Env, stdio *stdioCommand, list []candidate) error {
	f.target.out.quiet, f.target.out.json = f.quiet, f.json
	var live []*candidate
	for i := range list {
		if c := &list[i]; c.err == nil && c.rec == nil && c.report == nil {
			live = append(live, c)
		}
	}
	if len(live) > 0 {
		if _, err := f.target.options(env); err != nil {
			return err
		}
	}
	if len(live) == 1 {
		c := live[0]
		if c.entry == nil {
			c.rec, _, c.err = f.target.collect(ctx, env, stdio, nil)
		} else {
			c.rec, _, c.err = f.target.collectEntry(ctx, env, c.entry)
		}
		var exit *exitError
		if errors.As(c.err, &exit) && exit.code == ExitUsage && c.entry == nil {
			return c.err
		}
		return nil
	}
	if len(live) > 1 {
		if err := f.target.apart(); err != nil {
			return err
		}
	}
	entries := make([]entry, len(live))
	for i, c := range live {
		entries[i] = *c.entry
	}
	for i, o := range f.target.collectAll(ctx, env, entries) {
		live[i].rec, live[i].err = o.rec, o.err
	}
	return nil
}

// decide applies the policy to what is known of a candidate.
func (c *candidate) decide(p *admission.Policy, roster *policy.Policy, at time.Time) (admission.Decision, error) {
	if c.err != nil {
		target := c.name
		if c.entry != nil {
			target = c.entry.shown()
		}
		return admission.Decision{Server: visible(c.name), Target: visible(target), Outcome: admission.Unknown, Requirements: []admission.Requirement{}, Problem: visible(message(c.err))}, nil
	}
	s := &admission.Subject{Name: c.name, Report: c.report}
	if c.rec != nil {
		s.Report = audit.Judge(c.rec, roster, engine())
		s.Observation = observe.Decode(c.rec)
	}
	if c.lock != "" {
		l, err := readLock(c.lock)
		if err != nil {
			return admission.Decision{}, err
		}
		s.Lock = l
	}
	return admission.Decide(p, s, at), nil
}

// message is what an error says, without its hint.
func message(err error) string {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.message
	}
	return err.Error()
}

// decisions is the outcome of a check.
type decisions struct {
	Policy    policyRef            `json:"policy"`
	AsOf      string               `json:"as_of"`
	Summary   checkSummary         `json:"summary"`
	Decisions []admission.Decision `json:"decisions"`
}

type policyRef struct {
	Source string `json:"source"`
	SHA256 string `json:"sha256"`
	Title  string `json:"title,omitempty"`
}

type checkSummary struct {
	Servers  int `json:"servers"`
	Admitted int `json:"admitted"`
	Refused  int `json:"refused"`
	Unknown  int `json:"unknown"`
}

func (v *decisions) add(d admission.Decision) {
	v.Decisions = append(v.Decisions, d)
	v.Summary.Servers++
	switch d.Outcome {
	case admission.Admitted:
		v.Summary.Admitted++
	case admission.Refused:
		v.Summary.Refused++
	default:
		v.Summary.Unknown++
	}
}

// show writes the decisions as a table: for each server the outcome, and below it what is not met.
func (v *decisions) show(w io.Writer) error {
	var b strings.Builder
	title := v.Policy.Source
	if v.Policy.Title != "" {
		title = v.Policy.Title + " (" + v.Policy.Source + ")"
	}
	fmt.Fprintf(&b, "%s\n\n", visible(title))
	for _, d := range v.Decisions {
		percentage := ""
		if d.Percentage != nil {
			percentage = fmt.Sprintf("%d %%", *d.Percentage)
		}
		fmt.Fprintf(&b, "%-9s %5s  %s\n", d.Outcome, percentage, visible(d.Server))
		if d.Problem != "" {
			fmt.Fprintf(&b, "                 %s\n", visible(d.Problem))
		}
		for _, q := range d.Requirements {
			switch {
			case q.Waived != nil:
				fmt.Fprintf(&b, "                 waived until %s by %s: %s: %s\n", q.Waived.Expires, visible(q.Waived.Owner), visible(q.ID), visible(q.Waived.Reason))
			case !q.Met:
				fmt.Fprintf(&b, "                 %s: %s\n", visible(q.ID), visible(q.Detail))
			}
		}
	}
	s := v.Summary
	fmt.Fprintf(&b, "\n%s: %d admitted, %d refused, %d unknown\n", number(s.Servers, "server"), s.Admitted, s.Refused, s.Unknown)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return usage("cannot write to standard output: "+reason(err), "")
	}
	return nil
}
