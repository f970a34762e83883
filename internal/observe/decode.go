package observe

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Decode turns a recording into an observation. It never fails: what could not be seen is absent, with its reason where one is known.
func Decode(recorded *recording.Recording) *Observation {
	rec := newSource(recorded)
	o := &Observation{
		AsOf: rec.AsOf, Target: rec.Target, Transport: rec.Transport, Processes: rec.Processes,
		Requests: rec.Requests, Elapsed: rec.Elapsed.Span(), Probes: map[string]Probe{}, derived: &derived{values: map[any]any{}},
	}
	if rec.Target.Package != nil {
		decodePackage(rec, o)
		return o
	}
	decodeTLS(rec, o)
	decodeSession(rec, o)
	decodeDiscovery(rec, o)
	if o.Session == "" {
		adoptDiscovery(o)
	}
	decodeLifecycleProbes(rec, o)
	if o.Session == "" && o.Negotiated == "" && o.ModernSupport() {
		o.Negotiated = spec.Latest
	}
	decodeCatalogs(rec, o)
	decodeSecurityProbes(rec, o)
	o.Era = EraOf(o)
	o.Kind = kindOf(rec, o)
	if o.Kind == Partial {
		o.Transport = ""
	}
	o.Skills = decodeSkills(rec, o)
	o.Notes = decodeNotes(rec)
	o.FirstByte = firstByte(rec)
	switch {
	case o.Kind == "":
		o.Failure = failureOf(rec)
	case o.Kind == Partial && rec.Failure == nil:
		o.Failure = refusal(rec)
	default:
		o.Failure = rec.Failure
	}
	return o
}

// message returns the JSON-RPC message that answered a step, absent when none did.
func message(rec *source, step string) jsondoc.Value {
	v, _, ok := rec.message(rec.Find(step))
	if !ok {
		return jsondoc.Value{}
	}
	return v
}

func decodeSession(rec *source, o *Observation) {
	const step = "session/initialize"
	result := message(rec, step).Get("result")
	version, ok := result.Get("protocolVersion").Text()
	if !ok || version == "" {
		return
	}
	o.Session, o.Negotiated = spec.Revision(version), spec.Revision(version)
	o.Offered = offered(rec.Find(step))
	if refused := rec.Find("session/initialize-refused"); refused != nil {
		o.Refused = offered(refused)
	}
	o.ServerInfo = member(result, step, "/result", "serverInfo")
	o.Capabilities = member(result, step, "/result", "capabilities")
	o.Instructions = member(result, step, "/result", "instructions")
}

// offered is the revision that an initialize request asked for.
func offered(e *recording.Exchange) spec.Revision {
	if e == nil || e.Request == nil || e.Request.Body == nil {
		return ""
	}
	body, _, err := jsondoc.Parse(e.Request.Body.Bytes)
	if err != nil {
		return ""
	}
	return spec.Revision(body.Path("params", "protocolVersion").TextOr(""))
}

func member(parent jsondoc.Value, step string, at jsondoc.Pointer, name string) Field {
	v := parent.Get(name)
	if v.Missing() {
		return Field{}
	}
	return Field{Value: v, Step: step, Pointer: at.Child(name)}
}

func decodeDiscovery(rec *source, o *Observation) {
	e := rec.Find("probe/discover")
	if e == nil {
		return
	}
	if result := message(rec, e.Step).Get("result"); result.Get("supportedVersions").IsArray() {
		o.Discovered = Field{Value: result, Step: e.Step, Pointer: "/result"}
	}
}

// adoptDiscovery takes identity, capabilities and revision from server/discover, for a server without a handshake.
func adoptDiscovery(o *Observation) {
	d := o.Discovered
	if !d.IsObject() {
		return
	}
	o.Negotiated = newestOf(d.Get("supportedVersions"))
	o.ServerInfo = member(d.Get("_meta"), d.Step, "/result/_meta", spec.MetaServerInfo)
	if !o.ServerInfo.IsObject() {
		if top := member(d.Value, d.Step, "/result", "serverInfo"); top.IsObject() {
			o.ServerInfo = top
		}
	}
	o.Capabilities = member(d.Value, d.Step, "/result", "capabilities")
	o.Instructions = member(d.Value, d.Step, "/result", "instructions")
}

// newestOf picks the revision to judge a modern-only server under: the newest published one it lists, for a client can choose that;
// failing that the newest well-formed one; failing that whatever it lists first; the latest revision when it lists nothing.
func newestOf(versions jsondoc.Value) spec.Revision {
	var published, formed, first spec.Revision
	for _, e := range versions.Elements() {
		s, ok := e.Value.Text()
		if !ok {
			continue
		}
		r := spec.Revision(s)
		if first == "" {
			first = r
		}
		if r.Known() && r > published {
			published = r
		}
		if r.WellFormed() && r > formed {
			formed = r
		}
	}
	for _, r := range []spec.Revision{published, formed, first} {
		if r != "" {
			return r
		}
	}
	return spec.Latest
}

func kindOf(rec *source, o *Observation) Kind {
	switch {
	case o.Session != "":
		return Full
	case o.ModernSupport():
		return ModernOnly
	}
	if o.OverHTTP() && refusal(rec) != nil {
		return Partial
	}
	return ""
}

// refusal returns the first refusal for lack of credentials among the questions that open an audit, nil when there is none.
func refusal(rec *source) *recording.Failure {
	for _, step := range []string{"session/initialize", "probe/discover", "probe/unauthenticated"} {
		e := rec.Find(step)
		if !refused(e) {
			continue
		}
		f := recording.Failure{Class: recording.FailUnauthorized, Detail: fmt.Sprintf("HTTP status %d", e.Response.Status), Status: e.Response.Status}
		if e.Failure != nil {
			f = *e.Failure
		}
		f.Phase = "handshake"
		return &f
	}
	return nil
}

// refused reports whether an exchange ended in a refusal for lack of credentials: 401, 402, 403, or any client error that carries a
// challenge (RFC 9110 section 11.6.1).
func refused(e *recording.Exchange) bool {
	if e == nil || e.Response == nil {
		return false
	}
	switch s := e.Response.Status; {
	case s == 401 || s == 402 || s == 403:
		return true
	case s >= 400 && s < 500:
		_, challenged := e.Response.Get("WWW-Authenticate")
		return challenged
	}
	return false
}

func decodeTLS(rec *source, o *Observation) {
	u, err := url.Parse(rec.Target.URL)
	if err != nil || rec.Target.URL == "" {
		return
	}
	o.TLS.HTTPS = strings.EqualFold(u.Scheme, "https")
	o.TLS.Loopback = LoopbackHost(u.Hostname())
	o.TLS.Proxied = rec.Target.Proxied
	for i := range rec.Exchanges {
		e := &rec.Exchanges[i]
		if e.Discovered() {
			continue
		}
		if e.Response != nil && e.Response.TLS != nil && o.TLS.Version == "" {
			verified := e.Response.TLS.Verified
			o.TLS.Verified, o.TLS.Version, o.TLS.PrivateRoot = &verified, e.Response.TLS.Version, e.Response.TLS.PrivateRoot
		}
		if e.Failure != nil && e.Failure.Class == recording.FailTLS && o.TLS.Verified == nil {
			no := false
			o.TLS.Verified = &no
		}
	}
}

// LoopbackHost reports whether a URL's host is this machine without asking DNS: localhost and names below it (RFC 6761 section 6.3),
// 127.0.0.0/8, ::1, and the IPv4 range mapped into IPv6.
func LoopbackHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// decodeNotes collects what was odd about the messages that carry the session and the catalogs. Probes that send malformed requests
// may be answered in any way and are left out.
func decodeNotes(rec *source) []Note {
	var notes []Note
	for i := range rec.Exchanges {
		e := &rec.Exchanges[i]
		if e.SameAs != "" || !strings.HasPrefix(e.Step, "session/") && !strings.HasPrefix(e.Step, "stateless/") && e.Step != "probe/discover" && e.Step != "probe/stateless-list" {
			continue
		}
		msg, n, ok := rec.head(e)
		if !ok {
			continue
		}
		if kind, detail := otherID(e, msg); kind != "" && (!strings.HasPrefix(e.Step, "probe/") || msg.Get("result").Exists()) {
			notes = append(notes, Note{Kind: kind, Step: e.Step, Pointer: "/id", Detail: detail})
		}
		for _, list := range []struct {
			kind     string
			pointers []string
		}{{"duplicate-key", n.Duplicates}, {"invalid-text", n.InvalidText}, {"too-deep", n.Deep}} {
			for _, p := range list.pointers {
				notes = append(notes, Note{Kind: list.kind, Step: e.Step, Pointer: p})
			}
		}
		for _, offset := range n.ControlBytes {
			notes = append(notes, Note{Kind: "control-byte", Step: e.Step, Pointer: bytePointer(offset)})
		}
	}
	return notes
}

// failureRank orders failure classes by how much they tell a person; the most telling one of several attempts is reported.
var failureRank = []recording.Class{
	recording.FailInternal, recording.FailNoAnswer, recording.FailNotMCP, recording.FailHTTP, recording.FailHTML, recording.FailTimeout,
	recording.FailReset, recording.FailServerError, recording.FailRateLimited, recording.FailTooLarge, recording.FailEncoded, recording.FailRPC, recording.FailVersion,
	recording.FailRedirected, recording.FailPayment, recording.FailForbidden, recording.FailUnauthorized, recording.FailTLS, recording.FailRefused, recording.FailDNS,
	recording.FailUnreachable,
}

// failureOf explains why nothing could be audited. Our own limits and the start of a process are known to capture; otherwise the most
// telling failure of the attempts to connect is taken.
func failureOf(rec *source) *recording.Failure {
	if rec.Failure != nil {
		return rec.Failure
	}
	var best *recording.Failure
	rank := -1
	for _, step := range []string{"session/initialize", "session/initialize-refused", "detect/sse", "probe/discover"} {
		e := rec.Find(step)
		f := handshakeFailure(rec, e, step)
		if f == nil {
			continue
		}
		if step == "detect/sse" && best != nil && f.Status != 0 && f.Class != recording.FailTimeout {
			continue // a GET that is answered with a status or a page says no more than that this transport is not spoken here
		}
		if r := slices.Index(failureRank, f.Class); r > rank || best == nil {
			best, rank = f, r
		}
	}
	if best == nil {
		return &recording.Failure{Class: recording.FailNoAnswer, Phase: "handshake", Detail: "nothing answered"}
	}
	return best
}

func handshakeFailure(rec *source, e *recording.Exchange, step string) *recording.Failure {
	if e == nil {
		return nil
	}
	if e.Failure != nil {
		f := *e.Failure
		if f.Phase == "" {
			f.Phase = "handshake"
		}
		return &f
	}
	if step == "probe/discover" {
		return nil
	}
	msg, _, ok := rec.message(e)
	if !ok {
		return nil
	}
	if err := msg.Get("error"); err.IsObject() {
		return &recording.Failure{Class: recording.FailRPC, Phase: "handshake",
			Detail: "initialize was answered with an error: " + clip(err.Get("message").TextOr(string(err.Raw())), 200)}
	}
	return &recording.Failure{Class: recording.FailNotMCP, Phase: "handshake", Detail: "the answer to initialize has no protocolVersion: " + clip(string(msg.Raw()), 200)}
}

func clip(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit]) + "…"
}
