package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/gate"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

func newBaseline(env *Env, stdio *stdioCommand) *cobra.Command {
	f := &auditFlags{}
	var file string
	cmd := &cobra.Command{
		Use:   "baseline [flags] (URL | FILE | RECORDING | REPORT | --stdio COMMAND [ARG...])",
		Short: "Take down what fails today, so that only new failures fail a build",
		Long: `Baseline writes the failures of an audit to a file: each rule that failed, with a fingerprint of each of its findings. Afterwards
hallmark audit --baseline FILE exits with 3 only when something fails that the file does not know.

A fingerprint covers the rule, the item, the place in it and the kind of trouble, not the wording that was found there. A report shows twenty
findings of a rule at most; take the baseline of a server with more from the server itself or from a recording.`,
		Example: `  hallmark baseline -o hallmark-baseline.json https://example.com/mcp
  hallmark audit --baseline hallmark-baseline.json https://example.com/mcp`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.out.project.check(); err != nil {
				return err
			}
			p, err := policy.Load(f.out.policy)
			if err != nil {
				return usage(err.Error(), "")
			}
			if err := f.out.project.load(env, p, true); err != nil {
				return err
			}
			r, err := f.judged(cmd.Context(), env, p, stdio, args)
			if err != nil {
				return err
			}
			return writeBaseline(env, file, r)
		},
	}
	flags := cmd.Flags()
	f.register(flags)
	f.targets.choose(flags)
	flags.StringVarP(&file, "output", "o", "hallmark-baseline.json", "`file` to write, - for standard output")
	flags.StringVar(&f.out.policy, "policy", "", "`roster` that says which rules count")
	flags.StringVar(&f.out.project.config, "config", "", "configuration `file`")
	flags.BoolVar(&f.out.project.noConfig, "no-config", false, "look for no configuration")
	f.out.project.failUnder, f.out.project.failUnderReadiness = -1, -1
	return cmd
}

func writeBaseline(env *Env, file string, r *report.Report) error {
	b := gate.NewBaseline(r)
	if file == "-" {
		return b.Write(env.Stdout)
	}
	if err := writeWhole(file, 0o644, b.Write); err != nil {
		return err
	}
	findings := 0
	for _, k := range b.Rules {
		findings += k.Findings
	}
	fmt.Fprintf(env.Stdout, "%s: %s in %s\n", visible(file), number(findings, "finding"), number(len(b.Rules), "failed rule"))
	return nil
}

func readBaseline(name string) (*gate.Baseline, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usage("cannot read the baseline "+name+": "+reason(err), "write one with hallmark baseline")
	}
	defer file.Close()
	b, err := gate.ReadBaseline(file)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s: %v", name, err), "write one with hallmark baseline")
	}
	return b, nil
}
