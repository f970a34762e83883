package observe

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// notificationProbe judges the answer to a notification: notifications/initialized of a handshake, or notifications/cancelled where
// there is no handshake. Facts: body_present (nil when the body was not read), shape.
func notificationProbe(rec *source) Probe {
	r := replyTo(rec, "probe/notification")
	opened := replyTo(rec, "probe/notification-initialize")
	if !r.tried() {
		if opened.tried() {
			if f := opened.unobserved(); f != nil {
				return opened.probe(ProbeNotificationAccepted).unobserved(f)
			}
		}
		return Probe{ID: ProbeNotificationAccepted}
	}
	p := r.probe(ProbeNotificationAccepted)
	shape := "legacy-initialized"
	if r.method("notifications/initialized") == "notifications/cancelled" {
		shape = "modern-cancelled"
	}
	p.Facts["shape"], p.Facts["body_present"] = shape, nil
	if f := r.withheld(); f != nil {
		return p.unobserved(f)
	}
	if r.status >= 400 {
		p.Outcome = Supported
		return p
	}
	body := r.Exchange.Response.Body
	if f := r.Exchange.Failure; r.status == 202 && body == nil && f != nil {
		return p.unobserved(f)
	}
	present := body != nil && body.Size > 0
	p.Facts["body_present"] = present
	p.Outcome = outcomeOf(r.status == 202 && !present)
	return p
}

// invalidRequestProbe judges a request whose method is a number, after a control request that must be served. Facts:
// control_http_status, shape, served, id_echoed_or_null, timed_out, body_unobservable (why the body of a refusal could not be read).
func invalidRequestProbe(rec *source) Probe {
	r := replyTo(rec, "probe/invalid-request")
	control := replyTo(rec, "probe/invalid-request-control")
	after := replyTo(rec, "probe/invalid-request-after")
	shape := "legacy-ping"
	if control.method("ping") == "server/discover" {
		shape = "modern-discover"
	}
	if control.tried() && !control.served() {
		p := control.probe(ProbeInvalidRequest)
		if f := control.unobserved(); f != nil {
			return p.unobserved(f)
		}
		p.Outcome, p.Reason = NotApplicable, "the control request was not served"
		return p
	}
	if !r.tried() {
		return Probe{ID: ProbeInvalidRequest}
	}
	p := r.probe(ProbeInvalidRequest)
	p.Facts["shape"], p.Facts["timed_out"], p.Facts["id_echoed_or_null"] = shape, false, nil
	if s := control.status; s != 0 {
		p.Facts["control_http_status"] = int64(s)
	}
	switch f := r.withheld(); {
	case r.status == 0 && f.Class == recording.FailTimeout && after.served():
		p.Facts["timed_out"], p.Outcome = true, Unsupported
		return p
	case r.status >= 500 && refusalClass(r.status) == "": // the control was served a moment earlier: it is this request that the server fails at
		p.Outcome = Unsupported
		return p
	case f != nil:
		return p.unobserved(f)
	case r.status == 404 && shape == "legacy-ping" && after.status == 404:
		p.Outcome, p.Reason = NotApplicable, "the session had ended before the request"
		return p
	}
	if unread := unreadBody(r); unread != "" {
		p.Facts["body_unobservable"] = unread
		if r.status >= 400 {
			p.Outcome = Supported
			return p
		}
		p.Outcome, p.Reason = Unobserved, "the body of the answer could not be read: "+unread
		return p
	}
	if r.rpcError().Exists() {
		p.Facts["id_echoed_or_null"] = echoesOrNull(r)
	}
	if r.result().Exists() {
		p.Facts["served"] = true
		p.Outcome = Unsupported
		return p
	}
	p.Outcome = outcomeOf(r.rpcError().Exists() || r.status >= 400)
	return p
}

// unreadBody says why a body could not be read, empty when it was.
func unreadBody(r reply) string {
	if r.msg.Exists() {
		return ""
	}
	if f := r.Exchange.Failure; f != nil {
		switch f.Class {
		case recording.FailEncoded:
			return "encoded"
		case recording.FailTooLarge:
			return "capped"
		case recording.FailTimeout, recording.FailReset, recording.FailNoAnswer, recording.FailDeadline:
			return "unfinished"
		}
	}
	if b := r.Exchange.Response.Body; b != nil && b.Cut {
		return "capped"
	}
	return ""
}

// echoesOrNull reports whether an error carries the request's id, null, or no id (JSON-RPC 2.0 section 5).
func echoesOrNull(r reply) bool {
	id := r.msg.Get("id")
	if id.Missing() {
		return true
	}
	sent := "24"
	if r.Exchange.Request != nil && r.Exchange.Request.ID != "" {
		sent = r.Exchange.Request.ID
	}
	want, _, err := jsondoc.Parse([]byte(sent))
	return err == nil && jsondoc.Equal(id, want)
}

// getStreamProbe judges a GET inside a session. Fact: content_type. The exchange probe/get-stream-after, if there is one, is a request in
// the same session that tells a lost session from a missing stream.
func getStreamProbe(rec *source) Probe {
	r := replyTo(rec, "probe/get-stream")
	return judgeStatus(r, ProbeGetStream, func(p *Probe) Outcome {
		p.Facts["content_type"] = r.header("Content-Type")
		status := r.status
		if status == 404 && replyTo(rec, "probe/get-stream-after").status == 404 {
			p.Reason = "the session had ended before the request"
			return NotApplicable
		}
		return outcomeOf(status == 405 || status < 300 && recording.MediaType(r.Response) == "text/event-stream")
	})
}

// sessionDeleteProbe judges a DELETE of a session and a ping after it. Fact: after_delete_http_status.
func sessionDeleteProbe(rec *source, o *Observation) Probe {
	r := replyTo(rec, "probe/session-delete")
	after := replyTo(rec, "probe/session-delete-ping")
	if !r.tried() {
		opened := replyTo(rec, "session/initialize")
		if o.Session != "" && rec.Transport == recording.StreamableHTTP && opened.overHTTP() && !sessionHeader(opened) {
			return notApplicable(ProbeSessionDelete, "the server issues no session id")
		}
		return Probe{ID: ProbeSessionDelete}
	}
	return judgeStatus(r, ProbeSessionDelete, func(p *Probe) Outcome {
		p.Facts["after_delete_http_status"] = nil
		if s := after.status; s != 0 {
			p.Facts["after_delete_http_status"] = int64(s)
		}
		status := r.status
		switch {
		case status == 405:
			return Supported
		case status == 404 && after.status == 404:
			p.Reason = "the session had ended before the request"
			return NotApplicable
		case status >= 300:
			return Unsupported
		case after.served():
			p.Reason = "the server accepts DELETE and keeps the session, which no revision forbids"
			return NotApplicable
		case after.status == 404:
			return Supported
		}
		f := after.unobserved()
		if !after.tried() {
			f = &recording.Failure{Class: recording.FailNoAnswer, Detail: "nothing was asked after the session's end"}
		}
		if f != nil {
			p.Class, p.Reason = f.Class, "no usable answer after the session's end: "+f.Detail
			return Unobserved
		}
		return Unsupported
	})
}
