package observe

import (
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// headerProbe judges a request whose headers are wrong: it must be refused with HeaderMismatch and HTTP 400 (MCP 2026-07-28,
// Streamable HTTP, Server Validation).
func headerProbe(rec *source, id, step string) Probe {
	r := replyTo(rec, step)
	return r.judge(id, func(*Probe) Outcome { return outcomeOf(r.status == 400 && r.hasCode(spec.CodeHeaderMismatch)) })
}

// nameHeaderProbe judges a request whose Mcp-Name contradicts its body, after a control request whose headers were right. Facts:
// control_http_status, control_error_code.
func nameHeaderProbe(rec *source, id, kind string) Probe {
	control := replyTo(rec, "probe/"+kind+"-name-control")
	if control.tried() {
		p := control.probe(id)
		if f := control.unobserved(); f != nil {
			p = p.unobserved(f)
			p.Reason = "the control request got " + p.Reason
			return p
		}
		switch {
		case control.hasCode(spec.CodeMethodNotFound):
			p.Outcome, p.Reason = NotApplicable, "the server does not implement the method"
			return p
		case control.status >= 500:
			p.Outcome, p.Class, p.Reason = Unobserved, recording.FailServerError, "the control request failed inside the server"
			return p
		case control.hasCode(spec.CodeHeaderMismatch):
			p.Outcome, p.Reason = Unobserved, "the control request was refused for its headers although they agree with its body"
			return p
		}
	}
	p := headerProbe(rec, id, "probe/"+kind+"-name-mismatch")
	if p.Outcome == Supported || p.Outcome == Unsupported {
		p.Facts["control_http_status"], p.Facts["control_error_code"] = nil, nil
		if s := control.status; s != 0 {
			p.Facts["control_http_status"] = int64(s)
		}
		if c := control.code(); c != nil {
			p.Facts["control_error_code"] = *c
		}
	}
	return p
}

// getStreamRemovedProbe judges a bare GET of the endpoint.
func getStreamRemovedProbe(rec *source) Probe {
	r := replyTo(rec, "probe/get-stream-removed")
	return judgeStatus(r, ProbeGetStreamRemoved, func(*Probe) Outcome { return outcomeOf(r.status == 405) })
}

// judgeStatus decides a probe by the status alone.
func judgeStatus(r reply, id string, decide func(*Probe) Outcome) Probe {
	if !r.tried() {
		return Probe{ID: id}
	}
	p := r.probe(id)
	if f := r.withheld(); f != nil {
		return p.unobserved(f)
	}
	p.Outcome = decide(&p)
	return p
}
