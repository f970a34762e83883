package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// Version is set by the release build. Other builds take the module's version from the build information.
var Version = ""

// engine names this program.
func engine() recording.Engine {
	v := Version
	if v == "" {
		v = "0.1.0-dev"
		if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
			v = info.Main.Version
		}
	}
	return recording.Engine{Name: "hallmark", Version: v}
}

func newVersion(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noWords,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return json.NewEncoder(env.Stdout).Encode(map[string]any{
					"name": "hallmark", "version": engine().Version, "go": runtime.Version(),
					"report_schema": report.SchemaVersion, "recording_version": recording.Version,
				})
			}
			return printVersion(env)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func printVersion(env *Env) error {
	_, err := fmt.Fprintf(env.Stdout, "hallmark %s\n", engine().Version)
	return err
}
