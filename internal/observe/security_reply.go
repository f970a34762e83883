package observe

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// reply is what came back in one exchange, as the probes of this file's neighbours read it. The zero reply is an exchange that was
// never made.
type reply struct {
	*recording.Exchange
	status int           // HTTP status, 0 when none came
	msg    jsondoc.Value // JSON-RPC message, absent when none came
}

// replyTo returns the reply of the first of these steps that was recorded.
func replyTo(rec *source, steps ...string) reply {
	for _, step := range steps {
		e := rec.Find(step)
		if e == nil {
			continue
		}
		r := reply{Exchange: e}
		if e.Response != nil {
			r.status = e.Response.Status
		}
		if msg, _, ok := rec.message(e); ok {
			r.msg = msg
		}
		return r
	}
	return reply{}
}

// tried reports whether the exchange was made, answered whether an HTTP status came back.
func (r reply) tried() bool    { return r.Exchange != nil }
func (r reply) answered() bool { return r.status != 0 }

func (r reply) success() bool  { return r.status >= 200 && r.status < 300 }
func (r reply) redirect() bool { return r.status >= 300 && r.status < 400 }

// refused reports a refusal for lack of credentials by status alone.
func (r reply) refused() bool { return r.status == 401 || r.status == 403 }

// busy reports a status that says nothing about what the server does with such a request: it, or something in front of it, was out of
// time, out of capacity or out of order.
func (r reply) busy() bool { return r.status == 408 || r.status == 429 || r.status >= 500 }

// serves reports a success whose result has this member.
func (r reply) serves(member string) bool {
	return r.success() && !r.msg.Path("result", member).Missing()
}

// challenges are the values of WWW-Authenticate, one per header line.
func (r reply) challenges() []string {
	if r.Exchange == nil {
		return nil
	}
	return r.Response.Values("WWW-Authenticate")
}

// missing explains a reply without a status, for Probe.Reason.
func (r reply) missing() (recording.Class, string) {
	if r.Exchange == nil || r.Failure == nil {
		return "", "no answer came"
	}
	if r.Failure.Detail != "" {
		return r.Failure.Class, r.Failure.Detail
	}
	return r.Failure.Class, string(r.Failure.Class)
}

// probeOf begins a probe that is decided by a reply: status, error and place are filled in, the outcome is not.
func probeOf(id string, r reply) Probe {
	p := Probe{ID: id, Facts: map[string]any{}}
	if r.Exchange == nil {
		return p
	}
	p.Step, p.Status = r.Step, r.status
	if r.status != 0 {
		p.Facts["http_status"] = int64(r.status)
	}
	p.Result = r.msg.Get("result")
	if err := r.msg.Get("error"); err.IsObject() {
		if code, ok := err.Get("code").Int(); ok {
			p.Code = &code
			p.Facts["error_code"] = code
		}
		p.Message = err.Get("message").TextOr("")
		if p.Message != "" {
			p.Facts["error_message"] = p.Message
		}
	}
	return p
}

// as ends a probe with an outcome and the reason for it.
func (p Probe) as(outcome Outcome, reason string) Probe {
	p.Outcome, p.Reason = outcome, reason
	return p
}

// unseen ends a probe whose reply never came.
func (p Probe) unseen(r reply) Probe {
	p.Class, p.Reason = r.missing()
	p.Outcome = Unobserved
	return p
}

// servedShape tells in which shape a control request was accepted: "modern", "legacy-initialize", empty when it was not.
func servedShape(r reply) string {
	switch {
	case r.serves("supportedVersions"):
		return "modern"
	case r.serves("protocolVersion"):
		return "legacy-initialize"
	}
	return ""
}

// rpcAnswer reports whether v is a JSON-RPC 2.0 answer to the request with this id, other than a complaint about its syntax.
func rpcAnswer(v jsondoc.Value, id string) bool {
	if v.Get("jsonrpc").TextOr("") != "2.0" || strings.TrimSpace(string(v.Get("id").Raw())) != strings.TrimSpace(id) {
		return false
	}
	if v.Get("result").Exists() {
		return true
	}
	code, ok := v.Path("error", "code").Int()
	return v.Get("error").IsObject() && !(ok && code == spec.CodeParseError)
}
