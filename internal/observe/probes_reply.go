package observe

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// method is the JSON-RPC method that was asked, with a fallback for requests whose method is not recorded.
func (r reply) method(fallback string) string {
	if r.Exchange == nil || r.Exchange.Request == nil || r.Exchange.Request.RPC == "" {
		return fallback
	}
	return r.Exchange.Request.RPC
}

// overHTTP reports whether the answer came as an HTTP response, so that its status can be judged.
func (r reply) overHTTP() bool { return r.Exchange != nil && r.Exchange.Response != nil }

// result is the result object, absent when the answer has none of that type.
func (r reply) result() jsondoc.Value {
	if v := r.msg.Get("result"); v.IsObject() {
		return v
	}
	return jsondoc.Value{}
}

// rpcError is the error object, absent when the answer has none of that type. An OAuth error document ({"error":"invalid_token"}) is none.
func (r reply) rpcError() jsondoc.Value {
	if v := r.msg.Get("error"); v.IsObject() {
		return v
	}
	return jsondoc.Value{}
}

// code is the JSON-RPC error code, nil when there is no error or its code is no integer.
func (r reply) code() *int64 {
	if n, ok := r.rpcError().Get("code").Int(); ok {
		return &n
	}
	return nil
}

func (r reply) hasCode(code int64) bool { c := r.code(); return c != nil && *c == code }

// served reports whether a request that wants an answer got a result.
func (r reply) served() bool { return r.result().Exists() && (!r.overHTTP() || r.status < 300) }

// unobserved tells why the reply shows nothing about the server: a refusal for lack of credentials, a limit, a redirect, a page put in
// front of the server, a broken connection. It is nil when the server answered, be it wrongly.
func (r reply) unobserved() *recording.Failure {
	if r.Exchange == nil {
		return nil
	}
	f := unusable(r.Exchange, r.msg, r.msg.Exists())
	if f == nil {
		if r.status >= 500 && !r.result().Exists() && (r.code() == nil || r.hasCode(spec.CodeInternalError)) {
			return statusFailure(r.status) // a crash, with a body that says no more
		}
		return nil
	}
	switch f.Class {
	case recording.FailNotMCP, recording.FailHTTP, recording.FailRPC, recording.FailHTML:
		if f := statusFailure(r.status); f != nil {
			return f
		}
		return r.inFront()
	}
	return f
}

// withheld is unobserved for questions that the status alone answers: the body is not read, so a stream that stays open is no failure.
func (r reply) withheld() *recording.Failure {
	if r.status != 0 {
		if f := r.botWall(); f != nil {
			return f
		}
		return statusFailure(r.status)
	}
	if r.Exchange != nil && r.Failure != nil {
		return r.Failure
	}
	return &recording.Failure{Class: recording.FailNoAnswer, Detail: "no response came"}
}

// statusFailure names the statuses that show nothing about the server: refusals, redirects and 5xx. 501 is an answer about the request.
func statusFailure(status int) *recording.Failure {
	class := refusalClass(status)
	switch {
	case class != "":
	case status >= 300 && status < 400:
		class = recording.FailRedirected
	case status >= 500 && status != 501:
		class = recording.FailServerError
	default:
		return nil
	}
	return &recording.Failure{Class: class, Status: status, Detail: httpStatus(status)}
}

func httpStatus(status int) string { return fmt.Sprintf("HTTP status %d", status) }

// inFront recognises answers that did not come from the server itself: pages of bot walls, and streams that ended early.
func (r reply) inFront() *recording.Failure {
	if f := r.botWall(); f != nil || r.Response == nil {
		return f
	}
	media, success := recording.MediaType(r.Response), r.status < 300
	switch {
	case success && (media == "text/html" || media == "application/xhtml+xml"):
		return &recording.Failure{Class: recording.FailHTML, Status: r.status, Detail: "a web page came instead of a message"}
	case success && media == "text/event-stream":
		return &recording.Failure{Class: recording.FailNoAnswer, Status: r.status, Detail: "the stream ended before the answer"}
	case success && r.Response.Body != nil && r.Response.Body.Cut:
		return &recording.Failure{Class: recording.FailTooLarge, Status: r.status, Detail: "the answer is larger than what is kept"}
	}
	return nil
}

// botWall recognises the challenges of walls that name themselves (Cloudflare, AWS WAF), whatever their status.
func (r reply) botWall() *recording.Failure {
	for _, name := range []string{"Cf-Mitigated", "X-Amzn-Waf-Action"} {
		if _, ok := r.Response.Get(name); ok {
			return &recording.Failure{Class: recording.FailHTML, Status: r.status, Detail: httpStatus(r.status) + " from a bot wall"}
		}
	}
	return nil
}

// probe starts a probe with what its deciding reply shows in any case. The fact http_status is nil on stdio, error_code is nil when the
// code of an error is no integer.
func (r reply) probe(id string) Probe {
	p := probeOf(id, r)
	if p.Status == 0 {
		p.Facts["http_status"] = nil
	}
	p.Result, p.Message = r.result(), clip(p.Message, 200)
	if r.rpcError().Exists() && p.Code == nil {
		p.Facts["error_code"] = nil
	}
	if p.Message != "" {
		p.Facts["error_message"] = p.Message
	}
	return p
}

// judge decides a probe by one reply. The zero Probe's outcome is kept when the request was not sent, and a reply that shows nothing is
// Unobserved; decide is asked otherwise.
func (r reply) judge(id string, decide func(p *Probe) Outcome) Probe {
	p := r.probe(id)
	if !r.tried() {
		return Probe{ID: id}
	}
	if f := r.unobserved(); f != nil {
		return p.unobserved(f)
	}
	p.Outcome = decide(&p)
	return p
}

func (p Probe) unobserved(f *recording.Failure) Probe {
	p.Outcome, p.Class, p.Reason = Unobserved, f.Class, "no usable answer: "+f.Detail
	if f.Detail == "" {
		p.Reason = "no usable answer: " + string(f.Class)
	}
	return p
}

func notApplicable(id, reason string) Probe {
	return Probe{ID: id, Outcome: NotApplicable, Reason: reason}
}

func outcomeOf(supported bool) Outcome {
	if supported {
		return Supported
	}
	return Unsupported
}

// refusedWith reports whether a reply is an error with this code and, over HTTP, this status.
func (r reply) refusedWith(code int64, status int) bool {
	return r.hasCode(code) && (!r.overHTTP() || r.status == status)
}

// header returns a header of the response as a fact, nil when there is none.
func (r reply) header(name string) any {
	if r.Exchange == nil {
		return nil
	}
	if v, ok := r.Exchange.Response.Get(name); ok {
		return v
	}
	return nil
}

// sentMeta returns a member of the _meta envelope that the request carried, empty when the body was not kept.
func (r reply) sentMeta(key string) string {
	if r.Exchange == nil || r.Exchange.Request == nil || r.Exchange.Request.Body == nil {
		return ""
	}
	body, _, err := jsondoc.Parse(r.Exchange.Request.Body.Bytes)
	if err != nil {
		return ""
	}
	return body.Path("params", "_meta", key).TextOr("")
}

// fact converts a JSON value of an answer to a fact of bounded size, for facts end up in reports: what no honest answer needs is cut off.
func fact(v jsondoc.Value) any { return cut(Plain(v), 4) }

func cut(v any, depth int) any {
	switch x := v.(type) {
	case string:
		return clip(x, 500)
	case []any:
		if depth == 0 {
			return "array"
		}
		x = x[:min(len(x), 1000)]
		for i := range x {
			x[i] = cut(x[i], depth-1)
		}
		return x
	case map[string]any:
		if depth == 0 || len(x) > 50 {
			return "object"
		}
		for k := range x {
			x[k] = cut(x[k], depth-1)
		}
	}
	return v
}

// surfaceOf finds the catalog that a list method serves.
func surfaceOf(method string) (surface, bool) {
	for _, s := range surfaces {
		if s.method == method {
			return s, true
		}
	}
	return surface{}, false
}

// answers reports whether a result is what a method of the stateless lifecycle returns: the list of a list method, the versions of
// server/discover.
func answers(method string, result jsondoc.Value) bool {
	if s, ok := surfaceOf(method); ok {
		return result.Get(s.member).IsArray()
	}
	if method == "server/discover" {
		return result.Get("supportedVersions").IsArray()
	}
	return result.Exists()
}

// undeclared reports whether a reply is "method not found" for a list whose capability server/discover does not declare, which is the
// answer that MCP 2026-07-28 prescribes (schema, MethodNotFoundError).
func undeclared(o *Observation, r reply, method string) bool {
	s, ok := surfaceOf(method)
	capabilities := o.Discovered.Get("capabilities")
	return ok && capabilities.IsObject() && capabilities.Get(s.capability).Missing() && r.hasCode(spec.CodeMethodNotFound)
}

func sessionHeader(r reply) (present bool) {
	if r.Exchange == nil || r.Exchange.Response == nil {
		return false
	}
	_, present = r.Exchange.Response.Get("Mcp-Session-Id")
	return present || r.Exchange.Response.Session != ""
}

func httpReason(rec *source) string {
	if rec.Transport == recording.Stdio || rec.Target.URL == "" {
		return "the server runs over stdio, the rule is about HTTP"
	}
	return ""
}
