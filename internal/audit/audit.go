// Package audit is the use case of auditing one server: a recording goes in, a report comes out. Collecting and judging meet here and
// nowhere else; where the recording comes from is the caller's business.
package audit

import (
	"slices"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
)

// Judge decodes a recording, judges it with every rule there is and scores the verdicts under a roster. It is a pure function: the same
// recording and roster give the same report, byte for byte, whenever and wherever it runs. Engine names the program whose rules judge,
// which need not be the one that recorded.
func Judge(rec *recording.Recording, p *policy.Policy, engine recording.Engine) *report.Report {
	o := observe.Decode(rec)
	r := report.Build(rec, o, rule.Judge(applicable(o), o), p)
	r.Engine = report.Engine{Name: engine.Name, Version: engine.Version}
	return r
}

// applicable are the rules for what was looked at: a package or a server. The others are not even listed, so that the two kinds of audit
// share no denominator.
func applicable(o *observe.Observation) []rule.Rule {
	return slices.DeleteFunc(rules.All(), func(r rule.Rule) bool { return (r.Group == rule.Packaging) != (o.Package != nil) })
}
