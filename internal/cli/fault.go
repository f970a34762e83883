package cli

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// guarded judges. A fault of ours in judging must not take the report away from whoever waits for one, nor let a server that causes it
// pass for audited: it becomes a failure of class internal. The recording, if one was asked for, is written by then and shows the fault.
func guarded(rec *recording.Recording, p *policy.Policy, judge func() (*report.Report, error)) (r *report.Report, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			bare := &recording.Recording{Format: rec.Format, Version: rec.Version, Engine: rec.Engine, AsOf: rec.AsOf, Elapsed: rec.Elapsed, Requests: rec.Requests}
			bare.Target.Display = rec.Target.Display
			bare.Failure = &recording.Failure{Class: recording.FailInternal, Phase: "judging", Detail: fmt.Sprintf("this program failed: %v", fault)}
			r, err = audit.Judge(bare, p, engine()), nil
		}
	}()
	return judge()
}
