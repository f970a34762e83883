package observe

import (
	"bytes"
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// Probes of the experimental rules.
const (
	ProbeMadeUpSession = "probe_made_up_session"
	ProbeLifecycles    = "probe_lifecycles_agree"
	ProbeForwardedHost = "probe_forwarded_host"
)

// madeUpSessionProbe judges a ping with a session id that the server never issued. Supported is the answer to an ended session, status
// 404. Fact: served.
func madeUpSessionProbe(rec *source, o *Observation) Probe {
	r := replyTo(rec, "probe/made-up-session")
	if !r.tried() {
		opened := replyTo(rec, "session/initialize")
		if o.Session != "" && rec.Transport == recording.StreamableHTTP && opened.overHTTP() && !sessionHeader(opened) {
			return notApplicable(ProbeMadeUpSession, "the server issues no session id")
		}
		return Probe{ID: ProbeMadeUpSession}
	}
	return judgeStatus(r, ProbeMadeUpSession, func(p *Probe) Outcome {
		p.Facts["served"] = r.served()
		return outcomeOf(r.status == 404)
	})
}

// ForeignHost is the host that spoofed requests of an audit name. Nobody can own it (RFC 6761 section 6.4).
const ForeignHost = "hallmark-audit.invalid"

// forwardedHostProbe looks whether the metadata of the resource names ForeignHost when X-Forwarded-Host does, which is then Unsupported.
// Facts: metadata_url, resource and forwarded_resource (what the document says without and with that header).
func forwardedHostProbe(rec *source) Probe {
	twin := replyTo(rec, "probe/forwarded-host")
	if !twin.tried() {
		return Probe{ID: ProbeForwardedHost}
	}
	p := probeOf(ProbeForwardedHost, twin)
	for n := 1; ; n++ {
		control := replyTo(rec, fmt.Sprintf("auth/resource-metadata/%d", n))
		if !control.tried() {
			break
		}
		if doc, ok := metadataDocument(control); ok && doc.Get("resource").IsString() {
			p.Facts["metadata_url"], p.Facts["resource"] = requestURL(control), clip(doc.Get("resource").TextOr(""), 200)
			break
		}
	}
	doc, ok := metadataDocument(twin)
	switch {
	case !twin.answered():
		return p.unseen(twin)
	case ok:
		p.Facts["forwarded_resource"] = clip(doc.Get("resource").TextOr(""), 200)
		return p.as(outcomeOf(!bytes.Contains(bytes.ToLower(doc.Raw()), []byte(ForeignHost))), "")
	case twin.status >= 400 && !twin.busy():
		return p.as(Supported, "")
	}
	return p.as(Unobserved, fmt.Sprintf("HTTP status %d without metadata says nothing about the host", twin.status))
}

// lifecyclesProbe compares what the session and the stateless lifecycle list, of a server that speaks both: which items there are, and
// how they are described. Facts: compared (names of the catalogs), differences (catalog, id, kind: "only_session", "only_stateless" or
// "other_description"; at most maxDifferences per catalog) and differences_total.
func lifecyclesProbe(rec *source, o *Observation) Probe {
	if o.Session == "" || !o.ModernSupport() {
		return notApplicable(ProbeLifecycles, "the server was not seen to speak both lifecycles")
	}
	p := Probe{ID: ProbeLifecycles, Facts: map[string]any{}}
	compared := []string{}
	differences := []any{}
	var total int64
	for _, s := range surfaces {
		left, right := walkOf(rec, "session", s), walkOf(rec, "stateless", s)
		capabilities := o.Discovered.Get("capabilities")
		undeclared := capabilities.IsObject() && capabilities.Get(s.capability).Missing() && len(right.pages) == 0
		if !left.complete || !right.complete && !undeclared {
			continue
		}
		one, okOne := described(left, s)
		other, okOther := described(right, s)
		if !okOne || !okOther {
			continue
		}
		compared = append(compared, s.name)
		if n := len(right.pages); n > 0 {
			p.Step = right.pages[n-1].Step
		}
		kept := 0
		add := func(id, kind string) {
			total++
			if kept++; kept <= maxDifferences {
				differences = append(differences, map[string]any{"catalog": s.name, "id": clip(id, 200), "kind": kind})
			}
		}
		for _, id := range one.ids {
			switch text, found := other.descriptions[id]; {
			case !found:
				add(id, "only_session")
			case text != one.descriptions[id]:
				add(id, "other_description")
			}
		}
		for _, id := range other.ids {
			if _, found := one.descriptions[id]; !found {
				add(id, "only_stateless")
			}
		}
	}
	p.Facts["compared"], p.Facts["differences"], p.Facts["differences_total"] = compared, differences, total
	if len(compared) == 0 {
		return p.as(Unobserved, "no catalog could be read to its end in both lifecycles")
	}
	return p.as(outcomeOf(total == 0), "")
}

// listing is a reading of a catalog as two readings are compared by.
type listing struct {
	ids          []string // in the order of the catalog
	descriptions map[string]string
}

// described reads a listing; ok is false when an item has nothing to tell it by, or shares it with another.
func described(w walk, s surface) (l listing, ok bool) {
	l.descriptions = map[string]string{}
	for _, item := range w.items {
		id := item.name
		switch s.name {
		case "resources":
			id = item.uri
		case "resource_templates":
			id = item.uriTemplate
		}
		if _, seen := l.descriptions[id]; seen || id == "" {
			return listing{}, false
		}
		l.ids = append(l.ids, id)
		l.descriptions[id] = item.description
	}
	return l, true
}

// otherID says how the id of an answer differs from that of its request: "id-type" for the same digits as another JSON type, "other-id"
// for anything else, and both values. An error without id, or with null, belongs to a request whose id could not be read (JSON-RPC 2.0
// section 5) and is fine.
func otherID(e *recording.Exchange, msg jsondoc.Value) (kind, detail string) {
	if e.Request == nil || e.Request.ID == "" || !msg.IsObject() {
		return "", ""
	}
	want, _, err := jsondoc.Parse([]byte(e.Request.ID))
	got := msg.Get("id")
	if err != nil || jsondoc.Equal(want, got) || got.Missing() && msg.Get("error").Exists() {
		return "", ""
	}
	shown := "no id"
	if got.Exists() {
		shown = clip(string(got.Raw()), 80)
	}
	kind = "other-id"
	if text, isText := got.Text(); isText && text == string(want.Raw()) || want.IsString() && want.TextOr("") == string(got.Raw()) {
		kind = "id-type"
	}
	return kind, "sent " + string(want.Raw()) + ", got " + shown
}
