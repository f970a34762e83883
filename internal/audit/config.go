package audit

import (
	"fmt"
	"slices"

	"github.com/mcp-hallmark/hallmark/internal/config"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
)

// Vocabulary is what a configuration may name under a roster: every rule there is or that some roster counts, and the roster's categories.
// A retired rule is named to no purpose, unless this roster still counts it.
func Vocabulary(p *policy.Policy) (config.Vocabulary, error) {
	v := config.Vocabulary{Groups: map[string]rule.Group{}, Retired: rules.Retired}
	for _, name := range policy.Names() {
		roster, err := policy.Load(name)
		if err != nil {
			return v, err
		}
		for _, c := range roster.Categories {
			for _, e := range c.Rules {
				v.Groups[e.ID] = e.Group
			}
		}
	}
	for _, r := range rules.All() {
		v.Groups[r.ID] = r.Group
	}
	for id := range rules.Retired {
		if _, counts := p.Place(id); !counts {
			delete(v.Groups, id)
		}
	}
	for _, c := range p.Categories {
		v.Categories = append(v.Categories, c.Name)
	}
	return v, nil
}

// JudgeUnder is [Judge] under a project's configuration, nil for none: rules that it turns off give no verdict, others count with the
// severity that it gives them, and the report says so. Waivers end by the clock of the recording.
func JudgeUnder(rec *recording.Recording, p *policy.Policy, engine recording.Engine, c *config.Config) (*report.Report, error) {
	if c == nil {
		return Judge(rec, p, engine), nil
	}
	v, err := Vocabulary(p)
	if err != nil {
		return nil, err
	}
	o := observe.Decode(rec)
	verdicts := rule.Judge(applicable(o), o)
	ruling := c.Ruling(v, rec.AsOf)
	for i := range verdicts {
		// What does not concern the server, or could not be seen, says more than that it is off.
		if id := verdicts[i].Rule.ID; verdicts[i].Result != rule.Skipped && slices.Contains(ruling.Off, id) {
			verdicts[i] = rule.Verdict{Rule: verdicts[i].Rule, Result: rule.Skipped, Skip: rule.SkipFor(rule.Disabled, "%s", why(c, &ruling, id))}
		}
	}
	r := report.Build(rec, o, verdicts, p.Rerank(ruling.Reranked))
	r.Engine = report.Engine{Name: engine.Name, Version: engine.Version}
	r.Config = described(c, &ruling, p)
	return r, nil
}

// why says why a rule is off.
func why(c *config.Config, ruling *config.Ruling, id string) string {
	text := "turned off in " + c.Source
	for _, a := range ruling.Applied {
		if !a.Expired && slices.Contains(a.Rules, id) {
			if a.Reason != "" {
				text += ": " + a.Reason
			}
			if !a.Expires.IsZero() {
				text += " (until " + a.Expires.Format("2006-01-02") + ")"
			}
		}
	}
	return text
}

// described is the report's account of a configuration.
func described(c *config.Config, ruling *config.Ruling, p *policy.Policy) *report.Config {
	d := &report.Config{
		Source: c.Source, SHA256: c.SHA256, Disabled: append([]string{}, ruling.Off...), Reranked: map[string]report.Reranking{},
		Unknown: append([]string{}, c.Unknown...), Waivers: []report.Waiver{},
	}
	own := map[string]rule.Severity{}
	for _, r := range rules.All() {
		own[r.ID] = r.Severity
	}
	for id, to := range ruling.Reranked {
		from := own[id]
		if place, ok := p.Place(id); ok {
			from = place.Severity
		}
		d.Reranked[id] = report.Reranking{From: from, To: to}
	}
	for _, a := range ruling.Applied {
		w := report.Waiver{Setting: a.Name, Level: a.Level(), Rules: append([]string{}, a.Rules...), Reason: a.Reason, Owner: a.Owner, Expired: a.Expired}
		if !a.Expires.IsZero() {
			w.Expires = a.Expires.Format("2006-01-02")
		}
		d.Waivers = append(d.Waivers, w)
	}
	return d
}

// ConfigWarnings are what a person should know about a configuration that was applied: waivers that have expired.
func ConfigWarnings(c *config.Config, r *report.Report) []string {
	if r.Config == nil {
		return nil
	}
	var warnings []string
	for i, w := range r.Config.Waivers {
		if !w.Expired {
			continue
		}
		line, n := 0, 0
		for _, s := range c.Settings {
			if s.Waiver == (config.Waiver{}) {
				continue
			}
			if n == i {
				line = s.Line
			}
			n++
		}
		owner := ""
		if w.Owner != "" {
			owner = ", owner " + w.Owner
		}
		warnings = append(warnings, fmt.Sprintf("%s:%d: the waiver of %s expired on %s and no longer holds (%s%s)", c.Source, line, w.Setting, w.Expires, w.Reason, owner))
	}
	return warnings
}
