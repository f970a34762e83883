package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func newReplay(env *Env) *cobra.Command {
	f := &outputFlags{}
	waivers := &smokeWaivers{}
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE",
		Short: "Judge a recording again, without touching the server",
		Long: `Replay judges a recording that hallmark audit --record wrote. It opens no connection and starts nothing. The same version of hallmark
under the same roster gives the audit's report byte for byte; another version or roster shows what that one would have said.`,
		Example: `  hallmark replay audit.rec.json
  hallmark replay --policy roster_102 --json audit.rec.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Sprintf("replay takes one recording, %d were given", len(args)), "hallmark replay FILE, or - for standard input")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := errors.Join(f.check(), waivers.check()); err != nil {
				return err
			}
			p, err := policy.Load(f.policy)
			if err != nil {
				return usage(err.Error(), "")
			}
			if err := f.project.load(env, p, f.quiet); err != nil {
				return err
			}
			rec, err := readRecording(env, args[0])
			if err != nil {
				return err
			}
			r, err := f.project.judge(env, rec, p)
			if err != nil {
				return err
			}
			waivers.judge(r, rec)
			if err := f.finish(env, r, rec, nil); err != nil {
				return err
			}
			return smokeExit(r)
		},
	}
	f.register(cmd.Flags())
	waivers.register(cmd.Flags())
	return cmd
}

func readRecording(env *Env, name string) (*recording.Recording, error) {
	in := env.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, usage("cannot read "+name+": "+reason(err), "name a file that hallmark audit --record wrote")
		}
		defer file.Close()
		in = file
	}
	rec, err := recording.Read(in)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s: %v", name, err), "name a file that hallmark audit --record wrote")
	}
	return rec, nil
}
