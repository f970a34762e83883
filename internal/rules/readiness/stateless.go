// Package readiness judges how well a server speaks revision 2026-07-28, whose every request stands alone. Its points are an axis of
// their own, and count in the main score where the server speaks that revision.
package readiness

import (
	"fmt"
	"math"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// gateways are the two requests that show whether a server speaks the stateless lifecycle at all.
var gateways = []string{observe.ProbeDiscover, observe.ProbeStatelessList}

// detail are the needs of a rule that looks at one request of the stateless lifecycle. A legacy server may not have been sent it, so that
// comes last; before it stand the rule's own needs.
func detail(probe string, own ...rule.Need) []rule.Need {
	needs := append([]rule.Need{ifTried(probe), rule.NeedModern}, own...)
	return append(needs, rule.NeedProbe(probe))
}

// overHTTP is detail for rules about headers and statuses.
func overHTTP(probe string, own ...rule.Need) []rule.Need {
	return append([]rule.Need{rule.NeedHTTP}, detail(probe, own...)...)
}

// ifTried is NeedProbe for probes that may not have been tried.
func ifTried(probe string) rule.Need {
	need := rule.NeedProbe(probe)
	return func(o *observe.Observation) *rule.Skip {
		if o.Probe(probe).Outcome == observe.NotTried {
			return nil
		}
		return need(o)
	}
}

// withoutHandshake wants a server of the stateless lifecycle only: one that also serves older clients may do what the rule forbids.
func withoutHandshake(o *observe.Observation) *rule.Skip {
	if o.Session != "" {
		return rule.SkipFor(rule.NotApplicable, "the server also serves the handshake, whose clients may still ask for this")
	}
	return nil
}

// ifOffered makes a probe that was not tried inapplicable where the server does not declare what it is about.
func ifOffered(probe, capability string) rule.Need {
	return func(o *observe.Observation) *rule.Skip {
		if o.Probe(probe).Outcome != observe.NotTried {
			return nil
		}
		return offered(o, capability)
	}
}

// offered wants the capabilities of the stateless lifecycle to hold this one; unknown capabilities do not skip.
func offered(o *observe.Observation, capability string) *rule.Skip {
	if c := modernCapabilities(o); c.IsObject() && c.Get(capability).Missing() {
		return rule.SkipFor(rule.NotApplicable, "the server does not declare the %s capability", capability)
	}
	return nil
}

// refusal is the answer that a request must get.
type refusal struct {
	code   int64
	status int    // over HTTP
	what   string // the request, as it ends a sentence
}

func (r refusal) want(p observe.Probe) string {
	if p.Status == 0 {
		return fmt.Sprintf("error %d", r.code)
	}
	return fmt.Sprintf("HTTP status %d with error %d", r.status, r.code)
}

// judge fails when the probe was not answered as it must be.
func (r refusal) judge(probe string) func(*observe.Observation) []rule.Finding {
	return func(o *observe.Observation) []rule.Finding {
		p := o.Probe(probe)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason := "other_code"
		answered, _ := p.Bool("method_served") // a result of any type
		switch {
		case p.Code == nil && (p.Result.Exists() || answered):
			reason = "served"
		case p.Code == nil:
			reason = "no_error_code"
		case p.HasCode(r.code):
			reason = "other_status"
		}
		return []rule.Finding{rule.AtProbe(p, reason, seen(p)+" for "+r.what, r.want(p))}
	}
}

// expected is the value of that detail on failures.
func (r refusal) expected(p observe.Probe) map[string]any {
	e := map[string]any{"error_code": r.code}
	if p.Status != 0 {
		e["http_status"] = r.status
	}
	return e
}

// details are those of a rule about one refusal; citation is its "sep" or "spec".
func (r refusal) details(probe, citation, value string, more ...string) func(*observe.Observation) map[string]any {
	return func(o *observe.Observation) map[string]any {
		p := o.Probe(probe)
		d := facts(p, append(more, "http_status", "error_code", "error_message")...)
		d[citation], d["target_version"] = value, string(spec.Latest)
		if _, known := d["http_status"]; !known {
			d["http_status"] = nil
		}
		if p.Outcome == observe.Unsupported {
			d["expected"] = r.expected(p)
		}
		return d
	}
}

// facts copies what a probe knows of these.
func facts(p observe.Probe, names ...string) map[string]any {
	d := map[string]any{}
	for _, n := range names {
		if v, ok := p.Facts[n]; ok {
			d[n] = v
		}
	}
	return d
}

// seen describes the answer to a probe.
func seen(p observe.Probe) string {
	answer := "no JSON-RPC answer"
	switch {
	case p.Code != nil:
		answer = fmt.Sprintf("error %d", *p.Code)
	case p.Result.Exists():
		answer = "a result"
	case p.Facts["method_served"] == true:
		answer = "a result that is no object"
	case p.Message != "":
		answer = "an error without an integer code"
	}
	if p.Status == 0 {
		return answer
	}
	return fmt.Sprintf("HTTP status %d with %s", p.Status, answer)
}

// supportedGateways are the gateway probes that were answered with a result.
func supportedGateways(o *observe.Observation) []observe.Probe {
	var list []observe.Probe
	for _, id := range gateways {
		if p := o.Probe(id); p.Outcome == observe.Supported {
			list = append(list, p)
		}
	}
	return list
}

// observed maps gateway probes to one of their facts, or to all of them.
func observed(o *observe.Observation, fact string) map[string]any {
	all := map[string]any{}
	for _, p := range supportedGateways(o) {
		if fact == "" {
			all[p.ID] = p.Facts
			continue
		}
		all[p.ID] = p.Facts[fact]
	}
	return all
}

// resultFinding places a finding at a member of a probe's result.
func resultFinding(p observe.Probe, member, reason, seen, want string) rule.Finding {
	f := rule.AtProbe(p, reason, seen, want)
	f.Path, f.Pointer = "/"+member, "/result/"+member
	return f
}

// cacheHints judges ttlMs and cacheScope of an answered probe (MCP 2026-07-28, schema, CacheableResult).
func cacheHints(p observe.Probe) []rule.Finding {
	var found []rule.Finding
	if ttl := p.Facts["ttl_ms"]; !validTTL(ttl) {
		found = append(found, resultFinding(p, "ttlMs", missingOr(ttl), "ttlMs is "+shown(ttl), "an integer of milliseconds, 0 or more"))
	}
	if scope := p.Facts["cache_scope"]; scope != "public" && scope != "private" {
		found = append(found, resultFinding(p, "cacheScope", missingOr(scope), "cacheScope is "+shown(scope), `"public" or "private"`))
	}
	return found
}

func validTTL(v any) bool {
	switch n := v.(type) {
	case int64:
		return n >= 0
	case float64: // an integer too large for int64
		return n >= 0 && n == math.Trunc(n) && !math.IsInf(n, 0)
	}
	return false
}

func missingOr(v any) string {
	if v == nil {
		return "missing_or_null"
	}
	return "invalid_value"
}

// shown writes a fact in a few words.
func shown(v any) string {
	switch x := v.(type) {
	case nil:
		return "missing"
	case string:
		return fmt.Sprintf("%q", clip(x))
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return clip(fmt.Sprint(v))
}

func clip(s string) string {
	if runes := []rune(s); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return s
}

// modernCapabilities are the capabilities of the stateless lifecycle where server/discover names them, else those of the handshake.
func modernCapabilities(o *observe.Observation) observe.Field {
	c := o.Discovered.Get("capabilities")
	if !o.SpeaksModern() || !c.IsObject() {
		return o.Capabilities
	}
	return observe.Field{Value: c, Step: o.Discovered.Step, Pointer: o.Discovered.Pointer.Child("capabilities")}
}

// streamable cites a section of the Streamable HTTP page.
func streamable(section string, sep int) spec.Citation {
	return spec.MCP(spec.Rev20260728, "Basic › Transports › Streamable HTTP › "+section).WithSEP(sep)
}

func streamableURL(section string) string {
	return "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#" + strings.ToLower(strings.ReplaceAll(section, " ", "-"))
}

// headerMismatch is the refusal of a request whose headers are missing or contradict its body.
func headerMismatch(what string) refusal {
	return refusal{spec.CodeHeaderMismatch, 400, what}
}
