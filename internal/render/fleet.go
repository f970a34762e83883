package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/report"
)

// FleetJSON writes a summary of several audits in the form of [JSON].
func FleetJSON(w io.Writer, f *report.Fleet) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(f); err != nil {
		return err
	}
	_, err := w.Write(ascii(b.Bytes()))
	return err
}

// Fleet writes a summary of several audits as a table.
func Fleet(w io.Writer, f *report.Fleet, opts Options) error {
	p := &page{width: min(max(opts.Width, 40), 120), color: opts.Color}
	n := f.Summary
	facts := []string{plural(n.Targets, "target"), fmt.Sprintf("%d audited", n.Audited)}
	for _, c := range []struct {
		n    int
		what string
	}{{n.GatesFailed, "failed a gate"}, {n.Failed, "could not be audited"}, {n.Skipped, "left out"}} {
		if c.n > 0 {
			facts = append(facts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	p.block([]span{styled(dim, f.Engine.Name+" "+f.Engine.Version+"  ")}, bold, strings.Join(facts, ", "))
	p.blank()
	names := 0
	for _, m := range f.Targets {
		names = max(names, width(m.Name))
	}
	names = min(names, p.width/2-6)
	for _, m := range f.Targets {
		label := text("  " + pad(cut(m.Name, names), names) + "  ")
		room := p.width - names - 13
		switch m.Status {
		case report.Audited, report.GateFailed:
			score, st := "     -", plain
			if m.Percentage != nil {
				score, st = fmt.Sprintf("%4d %%", *m.Percentage), grade(*m.Percentage)
			}
			p.line(label, styled(st.bold(), score), text("   "), styled(dim, cut(memberFacts(m), room)))
		case report.Skipped:
			p.line(label, styled(dim, "left out "+cut(m.Reason, room)))
		default:
			p.block([]span{label, styled(red.bold(), "failed   ")}, plain, m.Reason)
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func memberFacts(m report.Member) string {
	var facts []string
	if m.Status == report.GateFailed {
		facts = append(facts, "gate failed")
	}
	if m.Partial {
		facts = append(facts, "partial")
	}
	facts = append(facts, fmt.Sprintf("%d of %d points", m.Score, m.MaxScore), plural(m.Failed, "rule")+" failed")
	if m.Critical > 0 {
		facts = append(facts, fmt.Sprintf("%d critical", m.Critical))
	}
	if m.High > 0 {
		facts = append(facts, fmt.Sprintf("%d high", m.High))
	}
	return strings.Join(facts, ", ")
}
