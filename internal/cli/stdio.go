package cli

import (
	"slices"
	"strings"
)

// stdioCommand is a server command taken from the command line.
type stdioCommand struct {
	words    []string
	given    bool
	misfiled []string // options of ours that stand after the command and so go to the server
}

// splitStdio takes "--stdio" and every word after it from the arguments of audit: what follows belongs to the server, whatever it looks
// like. "--stdio=CMD ARGS" works too.
func splitStdio(args []string) ([]string, *stdioCommand) {
	c := &stdioCommand{}
	if len(args) == 0 || !slices.Contains([]string{"audit", "watch", "lock", "baseline", "policy"}, args[0]) {
		return args, c
	}
	for i, arg := range args {
		if arg == "--" {
			break
		}
		first, joined := strings.CutPrefix(arg, "--stdio=")
		if arg != "--stdio" && !joined {
			continue
		}
		c.given = true
		if joined && first != "" {
			c.words = append(c.words, first)
		}
		c.words = append(c.words, args[i+1:]...)
		for _, w := range c.words[min(1, len(c.words)):] {
			name, _, _ := strings.Cut(w, "=")
			if slices.Contains([]string{"--fail-under", "--fail-under-readiness", "--fail-under-category", "--fail-on", "--config", "--no-config", "--baseline", "--lock", "--output", "--record", "--stdio", "--policy", "--smoke", "--call-all", "--smoke-dry-run", "--smoke-waive", "--smoke-timeout", "--env", "--timeout", "--oauth", "--client-id", "--callback-port", "--browser"}, name) {
				c.misfiled = append(c.misfiled, name)
			}
		}
		return args[:i], c
	}
	return args, c
}
