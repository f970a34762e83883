package observe

import (
	"slices"
	"strconv"

	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// cursorProbe judges a list request with a cursor that no server issued: in the session where there was one, else over the stateless
// lifecycle. Facts: response_kind ("page", "error" or "unexpected_response"), error_code.
func cursorProbe(rec *source, id string, s surface) Probe {
	lifecycle := "session"
	if rec.Find("session/"+s.method+"/invalid-cursor") == nil {
		lifecycle = "stateless"
	}
	r := replyTo(rec, lifecycle+"/"+s.method+"/invalid-cursor")
	return r.judge(id, func(p *Probe) Outcome {
		p.Facts["error_code"] = nil
		switch {
		case r.rpcError().Exists():
			p.Facts["response_kind"] = "error"
			if c := r.code(); c != nil {
				p.Facts["error_code"] = *c
			}
			if s.name == "resource_templates" && r.hasCode(spec.CodeMethodNotFound) {
				p.Reason = "the server does not implement " + s.method
				return NotApplicable
			}
			if r.hasCode(spec.CodeInvalidParams) {
				return Supported
			}
			if plain := replyTo(rec, lifecycle+"/"+s.method+"/1"); plain.code() != nil && r.hasCode(*plain.code()) {
				p.Reason = "the list is refused with the same error when no cursor is sent"
				return Unobserved
			}
			return Unsupported
		case p.Result.Get(s.member).IsArray():
			p.Facts["response_kind"] = "page"
			return Unsupported
		case r.msg.Exists():
			p.Facts["response_kind"] = "unexpected_response"
			return Unsupported
		}
		p.Reason = "the answer is no JSON-RPC message"
		if s := r.status; s != 0 {
			p.Reason += ", " + httpStatus(s)
		}
		return Unobserved
	})
}

// walk is one reading of a catalog over the stateless lifecycle.
type walk struct {
	pages    []reply // without their items
	items    []brief // of all pages
	complete bool
	reason   string // why it is not
}

// brief is what readings of a catalog are compared by. What an item does not have, or not as a string, is empty.
type brief struct{ name, uri, uriTemplate, description string }

// walkOf reads the pages "<prefix>/<method>/<n>". Several probes want the same ones.
func walkOf(rec *source, prefix string, s surface) walk {
	at := prefix + "/" + s.method
	w, known := rec.walks[at]
	if !known {
		w = readWalk(rec, prefix, s)
		rec.walks[at] = w
	}
	return w
}

func readWalk(rec *source, prefix string, s surface) walk {
	var w walk
	for page := 1; ; page++ {
		r := replyTo(rec, prefix+"/"+s.method+"/"+strconv.Itoa(page))
		if !r.tried() {
			break
		}
		for _, e := range r.result().Get(s.member).Elements() {
			text := func(name string) string { return e.Value.Get(name).TextOr("") }
			w.items = append(w.items, brief{text("name"), text("uri"), text("uriTemplate"), text("description")})
		}
		r.msg = r.msg.Hollow("result", s.member)
		w.pages = append(w.pages, r)
	}
	if len(w.pages) == 0 {
		w.reason = s.method + " was not read"
		return w
	}
	last := w.pages[len(w.pages)-1]
	next := last.result().Get("nextCursor")
	switch {
	case last.unobserved() != nil:
		w.reason = s.method + " could not be read: " + last.unobserved().Detail
	case !last.result().Get(s.member).IsArray():
		w.reason = "an answer to " + s.method + " holds no list"
	case next.Missing():
		w.complete = true
	default:
		w.reason = s.method + " did not end"
	}
	for _, l := range rec.Listings {
		if l.Lifecycle == prefix && l.Method == s.method && !l.Complete {
			w.complete = false
			if text := listingReason(l.Reason); w.reason == "" || l.Reason != "failed" {
				w.reason = s.method + ": " + text
			}
		}
	}
	return w
}

// cacheScopeProbe judges whether the pages of each listing agree on their cacheScope. Facts: surfaces (name -> implemented, complete,
// pages, cache_scopes, error_code), inconsistent_surfaces.
func cacheScopeProbe(rec *source, o *Observation) Probe {
	p := Probe{ID: ProbeCacheScope, Step: o.Discovered.Step, Facts: map[string]any{}}
	discover := replyTo(rec, "probe/discover")
	capabilities := o.Discovered.Get("capabilities")
	switch {
	case !discover.tried():
		return Probe{ID: ProbeCacheScope}
	case discover.unobserved() != nil:
		return p.unobserved(discover.unobserved())
	case !capabilities.IsObject():
		p.Outcome, p.Reason = NotApplicable, "server/discover names no capabilities"
		return p
	}
	read := map[string]any{}
	var inconsistent []string
	var incomplete string
	several, declared := false, false
	for _, s := range surfaces {
		if capabilities.Get(s.capability).Missing() {
			continue
		}
		declared = true
		w := walkOf(rec, "stateless", s)
		facts := map[string]any{"implemented": true, "complete": w.complete, "pages": int64(len(w.pages))}
		read[s.name] = facts
		if s.name == "resource_templates" && len(w.pages) == 1 && w.pages[0].hasCode(spec.CodeMethodNotFound) {
			read[s.name] = map[string]any{"implemented": false}
			continue
		}
		if !w.complete {
			if n := len(w.pages); n > 0 && w.pages[n-1].code() != nil {
				facts["error_code"] = *w.pages[n-1].code()
			}
			if incomplete == "" {
				incomplete = w.reason
			}
			continue
		}
		var scopes []any
		agree := true
		for _, page := range w.pages {
			scope := fact(page.result().Get("cacheScope"))
			scopes = append(scopes, scope)
			text, _ := scope.(string)
			first, _ := scopes[0].(string)
			agree = agree && (text == "public" || text == "private") && text == first
		}
		facts["cache_scopes"] = scopes
		if len(w.pages) < 2 {
			continue
		}
		several = true
		if !agree {
			inconsistent = append(inconsistent, s.name)
			if len(inconsistent) == 1 {
				p.Step = w.pages[len(w.pages)-1].Step
			}
		}
	}
	p.Facts["surfaces"], p.Facts["inconsistent_surfaces"] = read, inconsistent
	switch {
	case !declared:
		p.Outcome, p.Reason = NotApplicable, "server/discover declares nothing that could be listed"
	case len(inconsistent) > 0:
		p.Outcome = Unsupported
	case incomplete != "":
		p.Outcome, p.Reason = Unobserved, incomplete
	case !several:
		p.Outcome, p.Reason = NotApplicable, "every listing has one page"
	default:
		p.Outcome = Supported
	}
	return p
}

// maxDifferences bounds the identities that a comparison of catalogs names.
const maxDifferences = 10

// connectionProbe compares what two connections are told of one catalog: server/discover and the pages below "stateless" against those
// below "second". Facts: first_count, second_count, results_complete, only_first, only_second, differences_truncated; where only one
// side declares the capability first_declares_capability, second_declares_capability, reason.
//
// A set may change over time, so a difference only counts when a second reading shows it too: where capture read both sides again on a
// mismatch, the pages "stateless/again/<method>/<n>" and "second/again/<method>/<n>" are compared instead.
func connectionProbe(rec *source, id string, s surface) Probe {
	one, two := replyTo(rec, "probe/discover"), replyTo(rec, "second/server/discover")
	p := Probe{ID: id, Facts: map[string]any{}}
	for _, r := range []reply{one, two} {
		if !r.tried() {
			return Probe{ID: id}
		}
		p.Step = r.Step
		if f := r.unobserved(); f != nil {
			return p.unobserved(f)
		}
	}
	first, second := one.result().Get("capabilities"), two.result().Get("capabilities")
	if !first.IsObject() || !second.IsObject() {
		p.Outcome, p.Reason = NotApplicable, "server/discover names no capabilities"
		return p
	}
	has, hasToo := !first.Get(s.capability).Missing(), !second.Get(s.capability).Missing()
	switch {
	case !has && !hasToo:
		p.Outcome, p.Reason = NotApplicable, "the server does not declare the "+s.capability+" capability"
		return p
	case has != hasToo:
		p.Facts["first_declares_capability"], p.Facts["second_declares_capability"] = has, hasToo
		p.Facts["reason"] = "only one connection is told of the " + s.capability + " capability"
		p.Outcome = Unsupported
		return p
	}
	a, b := walkOf(rec, "stateless", s), walkOf(rec, "second", s)
	if rec.Find("stateless/again/"+s.method+"/1") != nil && rec.Find("second/again/"+s.method+"/1") != nil {
		a, b = walkOf(rec, "stateless/again", s), walkOf(rec, "second/again", s)
	}
	for _, w := range []walk{a, b} {
		if !w.complete {
			p.Outcome, p.Reason = Unobserved, w.reason
			return p
		}
	}
	p.Step = b.pages[len(b.pages)-1].Step
	key, of := "name", func(b brief) string { return b.name }
	if s.name == "resources" {
		key, of = "uri", func(b brief) string { return b.uri }
	}
	left, okLeft := identities(a, of)
	right, okRight := identities(b, of)
	if !okLeft || !okRight {
		p.Outcome, p.Reason = Unobserved, "an item has no "+key+" to tell it by"
		return p
	}
	onlyLeft, onlyRight := without(left, right), without(right, left)
	p.Facts["first_count"], p.Facts["second_count"] = int64(len(left)), int64(len(right))
	p.Facts["results_complete"] = saysCompleteThroughout(a) && saysCompleteThroughout(b)
	p.Facts["differences_truncated"] = len(onlyLeft) > maxDifferences || len(onlyRight) > maxDifferences
	p.Facts["only_first"], p.Facts["only_second"] = fewOf(onlyLeft), fewOf(onlyRight)
	p.Outcome = outcomeOf(len(onlyLeft)+len(onlyRight) == 0)
	return p
}

// fewOf returns the first identities of a list, for people to see.
func fewOf(ids []string) []string {
	few := make([]string, 0, maxDifferences)
	for _, id := range ids[:min(len(ids), maxDifferences)] {
		few = append(few, clip(id, 200))
	}
	return few
}

// identities returns the distinct identities of a catalog, sorted; ok is false when an item has none.
func identities(w walk, of func(brief) string) (ids []string, ok bool) {
	for _, item := range w.items {
		id := of(item)
		if id == "" {
			return nil, false
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), true
}

// without returns what a has and b has not; both are sorted.
func without(a, b []string) []string {
	var rest []string
	for _, s := range a {
		if _, found := slices.BinarySearch(b, s); !found {
			rest = append(rest, s)
		}
	}
	return rest
}

func saysCompleteThroughout(w walk) bool {
	for _, page := range w.pages {
		if page.result().Get("resultType").TextOr("") != "complete" {
			return false
		}
	}
	return true
}
