package observe

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Plain converts a JSON value to the types that Probe.Facts holds. Numbers without fraction that fit become int64,
// others float64, and what no float64 can hold (1e400) stays text, for JSON has no infinity.
func Plain(v jsondoc.Value) any {
	switch v.Kind() {
	case jsondoc.Bool:
		return v.True()
	case jsondoc.Number:
		if n, ok := v.Int(); ok {
			return n
		}
		if f, ok := v.Float(); ok {
			return f
		}
		return string(v.Raw())
	case jsondoc.String:
		s, _ := v.Text()
		return s
	case jsondoc.Array:
		list := make([]any, 0, v.Len())
		for _, e := range v.Elements() {
			list = append(list, Plain(e.Value))
		}
		return list
	case jsondoc.Object:
		m := make(map[string]any, v.Len())
		for _, e := range v.Members() {
			m[e.Name] = Plain(e.Value)
		}
		return m
	}
	return nil
}

// EraOf derives the era from what was observed (MCP 2026-07-28, Basic › Versioning): a handshake shows the legacy lifecycle; the
// stateless one shows in an answer that only it gives, or in the refusal of an unknown version with the code and data that it
// defines.
func EraOf(o *Observation) Era {
	legacy := o.Session != ""
	unknown := o.Probe(ProbeUnknownVersion)
	modern := o.ModernSupport() || unknown.Outcome == Supported || unknown.HasCode(spec.CodeUnsupportedVersion) && wellFormedRefusal(unknown)
	switch {
	case legacy && modern:
		return DualEra
	case modern:
		return Modern
	case legacy:
		return Legacy
	}
	return ""
}

// wellFormedRefusal reports whether a version refusal says what it must: a bare code may as well come from a proxy.
func wellFormedRefusal(p Probe) bool {
	ok, _ := p.Bool("data_well_formed")
	return ok
}
