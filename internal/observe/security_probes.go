package observe

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/challenge"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/sse"
)

// decodeSecurityProbes fills in the probes of access control, message syntax and DNS rebinding. Facts besides http_status, error_code
// and error_message of the deciding answer:
//
//   - probe_unauthenticated: www_authenticate (all lines joined by ", "); the handshake serves when the audit holds no credential
//   - probe_auth_metadata: see auth_metadata.go
//   - probe_invalid_token: method, www_authenticate, anonymous_http_status
//   - probe_origin_validation, probe_host_validation: control_http_status, control_shape ("modern", "legacy-initialize"),
//     modern_control_http_status (after a fallback)
//   - probe_malformed_json: control_http_status, response_id_absent_or_null, body (what was answered, at most MaxLeakText bytes, for
//     scanning only: it may hold secrets and never goes into a report)
//   - probe_query_credential: credential_params (names), method, without_credential_http_status
//   - probe_local_bind: port, interfaces_checked, interfaces_listening, interfaces_serving, interfaces_unknown
func decodeSecurityProbes(rec *source, o *Observation) {
	if !o.OverHTTP() {
		for _, id := range []string{ProbeUnauthenticated, ProbeAuthMetadata, ProbeInvalidToken, ProbeOriginValidation, ProbeMalformedJSON,
			ProbeQueryCredential, ProbeHostValidation, ProbeLocalBind} {
			o.Probes[id] = Probe{ID: id}.as(NotApplicable, "the server runs over stdio, the probe is about HTTP")
		}
		return
	}
	unauthenticated := decodeUnauthenticated(rec)
	for _, p := range []Probe{
		unauthenticated,
		decodeAuthMetadata(rec, unauthenticated),
		decodeInvalidToken(rec, unauthenticated),
		decodeOrigin(rec),
		decodeHost(rec, o),
		decodeMalformedJSON(rec),
		decodeQueryCredential(rec),
		decodeLocalBind(rec, o),
		forwardedHostProbe(rec),
	} {
		if p.Outcome != NotTried {
			o.Probes[p.ID] = p
		}
	}
}

func decodeUnauthenticated(rec *source) Probe {
	r := replyTo(rec, "probe/unauthenticated")
	if !r.tried() && !rec.Target.Authenticated && len(rec.Target.HeaderNames) == 0 {
		r = replyTo(rec, "session/initialize") // nothing that this audit sends carries a credential
	}
	p := probeOf(ProbeUnauthenticated, r)
	switch {
	case !r.tried():
		return p
	case !r.answered():
		return p.unseen(r)
	}
	p.Facts["www_authenticate"] = joined(r.challenges())
	return p.as(Supported, "")
}

// joined writes several header lines as one, which RFC 9110 section 5.3 allows; nil when there is none.
func joined(lines []string) any {
	if len(lines) == 0 {
		return nil
	}
	return strings.Join(lines, ", ")
}

// tokenRefused reports whether a reply refuses the credential: 401, 403, or a client error whose challenge says invalid_token (RFC 6750
// section 3.1).
func tokenRefused(r reply) bool {
	if r.refused() {
		return true
	}
	if r.status < 400 || r.status >= 500 {
		return false
	}
	p, ok := challenge.Find(challenge.Parse(r.challenges()...), "error")
	return ok && p.Value == "invalid_token"
}

func plainClientError(r reply) bool {
	return r.status >= 400 && r.status < 500 && !r.busy()
}

func decodeInvalidToken(rec *source, unauthenticated Probe) Probe {
	r := replyTo(rec, "probe/invalid-token")
	p := probeOf(ProbeInvalidToken, r)
	p.Facts["anonymous_http_status"] = unauthenticated.Facts["http_status"]
	if unauthenticated.Outcome == Supported && !refused(rec.Find("probe/unauthenticated")) {
		return p.as(NotApplicable, "the server does not refuse requests without credentials")
	}
	if !r.tried() {
		return p
	}
	p.Facts["method"] = "tools/list"
	p.Facts["www_authenticate"] = joined(r.challenges())
	switch {
	case !r.answered():
		return p.unseen(r)
	case tokenRefused(r):
		return p.as(Supported, "")
	case r.success() && r.msg.Get("result").IsObject():
		return p.as(Unsupported, "")
	case r.busy():
		return p.as(Unobserved, fmt.Sprintf("the made-up token was answered with HTTP status %d, which is neither a refusal nor service", r.status))
	case r.redirect():
		return p.as(NotApplicable, "the request with a made-up token was redirected")
	}
	legacy := replyTo(rec, "probe/invalid-token-initialize")
	if !legacy.tried() {
		return p.as(NotApplicable, fmt.Sprintf("HTTP status %d without a result neither refuses the token nor serves the request", r.status))
	}
	twin := replyTo(rec, "probe/invalid-token-control")
	p = probeOf(ProbeInvalidToken, legacy)
	p.Facts["method"] = "initialize"
	p.Facts["www_authenticate"] = joined(legacy.challenges())
	p.Facts["anonymous_http_status"] = unauthenticated.Facts["http_status"]
	if twin.answered() {
		p.Facts["anonymous_http_status"] = int64(twin.status)
	}
	switch {
	case !legacy.answered():
		return p.unseen(legacy)
	case tokenRefused(legacy):
		return p.as(Supported, "")
	case legacy.serves("protocolVersion") && tokenRefused(twin):
		return p.as(Unsupported, "")
	case legacy.serves("protocolVersion"):
		return p.as(NotApplicable, "initialize is served with and without a token")
	}
	return p.as(NotApplicable, fmt.Sprintf("HTTP status %d to initialize neither refuses the token nor serves the request", legacy.status))
}

// spoofed is a request with one foreign header and the control it is compared with.
type spoofed struct {
	control, twin reply
	shape         string
	fellBack      reply // the modern control when the legacy one was used
}

func readSpoofed(rec *source, control, twin string) spoofed {
	modern := replyTo(rec, control, "probe/discover")
	s := spoofed{control: modern, shape: servedShape(modern), twin: replyTo(rec, twin)}
	if s.shape == "" && !modern.refused() {
		legacy := replyTo(rec, control+"-initialize", "session/initialize")
		if legacy.tried() {
			s.control, s.shape, s.fellBack = legacy, servedShape(legacy), modern
			s.twin = replyTo(rec, twin+"-initialize", twin)
		}
	}
	return s
}

// probe begins the probe; decided is true when the control already ends it.
func (s spoofed) probe(id string) (p Probe, decided bool) {
	p = probeOf(id, s.twin)
	if !s.control.tried() {
		return p, true
	}
	if s.control.answered() {
		p.Facts["control_http_status"] = int64(s.control.status)
	}
	if s.shape != "" {
		p.Facts["control_shape"] = s.shape
	}
	if s.fellBack.answered() {
		p.Facts["modern_control_http_status"] = int64(s.fellBack.status)
	}
	switch {
	case !s.control.answered():
		return p.unseen(s.control), true
	case s.control.busy():
		return p.as(Unobserved, fmt.Sprintf("the same request without the foreign header was answered with HTTP status %d", s.control.status)), true
	case s.shape == "":
		return p.as(NotApplicable, fmt.Sprintf("the same request without the foreign header is not served either (HTTP status %d)", s.control.status)), true
	case !s.twin.tried():
		return p, true
	case !s.twin.answered():
		return p.unseen(s.twin), true
	case s.twin.busy():
		return p.as(Unobserved, fmt.Sprintf("HTTP status %d says nothing about the foreign header", s.twin.status)), true
	}
	return p, false
}

func decodeOrigin(rec *source) Probe {
	s := readSpoofed(rec, "probe/origin-control", "probe/foreign-origin")
	p, decided := s.probe(ProbeOriginValidation)
	if decided {
		return p
	}
	if p.Status == 403 {
		return p.as(Supported, "")
	}
	return p.as(Unsupported, "")
}

func decodeHost(rec *source, o *Observation) Probe {
	if !o.TLS.Loopback {
		return Probe{ID: ProbeHostValidation}.as(NotApplicable, "the server is not reached under a loopback address")
	}
	s := readSpoofed(rec, "probe/host-control", "probe/foreign-host")
	p, decided := s.probe(ProbeHostValidation)
	switch {
	case decided:
		return p
	case s.twin.redirect():
		return p.as(Unobserved, "the request with a foreign Host was redirected, which is neither service nor refusal")
	case p.Status >= 400:
		return p.as(Supported, "")
	}
	return p.as(Unsupported, "")
}

// MaxLeakText is how much of an error body is looked at, in bytes.
const MaxLeakText = 16 << 10

func decodeMalformedJSON(rec *source) Probe {
	control, r := replyTo(rec, "probe/malformed-control", "probe/discover"), replyTo(rec, "probe/malformed-json")
	p := Probe{ID: ProbeMalformedJSON, Facts: map[string]any{}}
	const noControl = "the same request in proper JSON is not answered in JSON-RPC either"
	switch {
	case r.tried():
	case rec.Transport == recording.SSE:
		return p.as(NotApplicable, "over HTTP+SSE there is no request of the stateless lifecycle to compare with")
	case control.answered() && !rpcAnswer(control.msg, requestID(control)):
		return p.as(NotApplicable, noControl)
	default:
		return p
	}
	msg, text, whole := malformedAnswer(r)
	r.msg = msg
	p = probeOf(ProbeMalformedJSON, r)
	if control.answered() {
		p.Facts["control_http_status"] = int64(control.status)
	}
	if text != nil {
		p.Facts["body"] = *text
	}
	if msg.IsObject() {
		p.Facts["response_id_absent_or_null"] = msg.Get("id").Missing()
		p.Facts["response_id"] = idWord(msg.Get("id"))
	}
	proper := properParseError(msg)
	switch {
	case control.tried() && !control.answered():
		return p.unseen(control)
	case !rpcAnswer(control.msg, requestID(control)):
		return p.as(NotApplicable, noControl)
	case !r.answered():
		return p.unseen(r)
	case proper:
		return p.as(Supported, "")
	case r.refused():
		return p.as(NotApplicable, fmt.Sprintf("HTTP status %d: the request was refused before its body was read", r.status))
	case r.busy() && r.status != 500:
		return p.as(Unobserved, fmt.Sprintf("HTTP status %d says nothing about the malformed body", r.status))
	case !msg.IsObject() && !whole:
		return p.as(NotApplicable, "the answer could not be read to its end")
	}
	return p.as(Unsupported, "")
}

// idWord tells what the id of an answer to a text that is no JSON is: "absent", "null" or "other".
func idWord(id jsondoc.Value) string {
	switch {
	case !id.Exists():
		return "absent"
	case id.Missing():
		return "null"
	}
	return "other"
}

// malformedAnswer reads the answer to a request without an id: the JSON document, the text for leak scanning (nil when nothing readable
// came), and whether it is all of it.
func malformedAnswer(r reply) (msg jsondoc.Value, text *string, whole bool) {
	body := r.Answer
	media := ""
	if body == nil && r.Response != nil {
		body, media = r.Response.Body, recording.MediaType(r.Response)
	}
	if r.Failure != nil && r.Failure.Class == recording.FailEncoded {
		return jsondoc.Value{}, nil, false
	}
	if body == nil {
		empty := ""
		if !r.answered() {
			return jsondoc.Value{}, nil, false
		}
		return jsondoc.Value{}, &empty, true
	}
	kept := string(body.Bytes[:min(len(body.Bytes), MaxLeakText)])
	data := body.Bytes
	if media == "text/event-stream" {
		data = nil
		for _, ev := range sse.Events(body.Bytes) {
			if len(strings.TrimSpace(string(ev.Data))) > 0 {
				data = ev.Data
				break
			}
		}
	}
	if v, _, err := jsondoc.Parse(data); err == nil {
		msg = v
	}
	return msg, &kept, !body.Cut
}

// properParseError knows the answer that JSON-RPC 2.0 section 5 asks for. An absent id counts as null (MCP 2025-11-25 Schema has the id of
// an error optional).
func properParseError(v jsondoc.Value) bool {
	code, ok := v.Path("error", "code").Int()
	return v.Get("jsonrpc").TextOr("") == "2.0" && v.Get("id").Missing() && ok && code == spec.CodeParseError &&
		v.Path("error", "message").IsString() && !v.Get("result").Exists()
}

func requestID(r reply) string {
	if !r.tried() || r.Request == nil {
		return ""
	}
	return r.Request.ID
}

func decodeQueryCredential(rec *source) Probe {
	p := Probe{ID: ProbeQueryCredential, Facts: map[string]any{}}
	if len(rec.Target.CredentialParams) == 0 {
		return p.as(NotApplicable, "the URL's query holds no credential")
	}
	var names []string
	for _, n := range rec.Target.CredentialParams[:min(5, len(rec.Target.CredentialParams))] {
		names = append(names, clip(n, 40))
	}
	p.Facts["credential_params"] = names
	given, stripped := replyTo(rec, "probe/query-given"), replyTo(rec, "probe/query-stripped")
	if !given.tried() {
		return p
	}
	legacyGiven, legacyStripped := replyTo(rec, "probe/query-given-initialize"), replyTo(rec, "probe/query-stripped-initialize")
	method, member := "tools/list", ""
	if plainClientError(given) && !tokenRefused(given) && plainClientError(stripped) && legacyGiven.tried() {
		given, stripped, method, member = legacyGiven, legacyStripped, "initialize", "protocolVersion"
	}
	decided := probeOf(ProbeQueryCredential, stripped)
	decided.Facts = p.Facts
	p = decided
	p.Facts["method"] = method
	p.Status = given.status
	if given.answered() {
		p.Facts["http_status"] = int64(given.status)
	}
	if stripped.answered() {
		p.Facts["without_credential_http_status"] = int64(stripped.status)
	}
	served := func(r reply) bool {
		return r.success() && r.msg.Get("result").IsObject() && (member == "" || r.serves(member))
	}
	switch {
	case !given.answered():
		return p.unseen(given)
	case !stripped.answered():
		return p.unseen(stripped)
	case served(given) && tokenRefused(stripped):
		return p.as(Unsupported, "")
	case served(given) && served(stripped) && method == "tools/list":
		return p.as(Supported, "")
	}
	return p.as(NotApplicable, fmt.Sprintf("HTTP status %d with the credential and %d without it do not tell whether the server takes it from the query", given.status, stripped.status))
}

func decodeLocalBind(rec *source, o *Observation) Probe {
	p := Probe{ID: ProbeLocalBind, Facts: map[string]any{}}
	switch {
	case !o.TLS.Loopback:
		return p.as(NotApplicable, "the server is not reached under a loopback address")
	case o.TLS.HTTPS:
		return p.as(NotApplicable, "the server is reached over https, where another address would not match its certificate")
	}
	control := replyTo(rec, "probe/bind-control", "probe/host-control", "probe/discover")
	if servedShape(control) == "" && !control.refused() {
		control = replyTo(rec, "probe/bind-control-initialize", "probe/host-control-initialize", "session/initialize")
	}
	var checked, listening, serving, unknown int64
	for n := 1; ; n++ {
		dial := replyTo(rec, fmt.Sprintf("tcp/%d", n))
		if !dial.tried() {
			break
		}
		checked++
		if dial.Failure != nil {
			if dial.Failure.Class != recording.FailRefused {
				unknown++
			}
			continue
		}
		listening++
		replay := replyTo(rec, fmt.Sprintf("probe/bind/%d", n))
		switch {
		case servedShape(replay) != "":
			if serving == 0 {
				decided := probeOf(ProbeLocalBind, replay)
				decided.Facts = p.Facts
				p = decided
			}
			serving++
		case !replay.answered() || replay.busy() || replay.refused() && rec.Target.Authenticated: // the replay carries no credential
			unknown++
		}
	}
	switch {
	case checked == 0 && control.tried():
		return p.as(NotApplicable, "this machine has no other address to try")
	case checked == 0:
		return p
	}
	p.Facts["interfaces_checked"], p.Facts["interfaces_listening"] = checked, listening
	p.Facts["interfaces_serving"], p.Facts["interfaces_unknown"] = serving, unknown
	if u, err := url.Parse(rec.Target.URL); err == nil {
		p.Facts["port"] = portOf(u)
	}
	switch {
	case !control.answered():
		return p.unseen(control)
	case serving > 0:
		return p.as(Unsupported, "")
	case servedShape(control) == "":
		return p.as(NotApplicable, fmt.Sprintf("the request is not served under the loopback address either (HTTP status %d)", control.status))
	case unknown > 0:
		return p.as(Unobserved, "whether the server answers under every address of this machine could not be seen")
	}
	return p.as(Supported, "")
}

// portOf is the TCP port of an http or https URL.
func portOf(u *url.URL) any {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	var n int64
	if _, err := fmt.Sscan(port, &n); err != nil {
		return nil
	}
	return n
}
