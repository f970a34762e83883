package observe

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// The goldens of the rules test most of what these decoders do; here stands what an example cannot say.

func posted(step string, status int, mediaType, body string) recording.Exchange {
	return recording.Exchange{Step: step, Via: "http", Request: &recording.Request{ID: "1"}, Response: &recording.Response{
		Status: status, Headers: []recording.Header{{Name: "Content-Type", Value: mediaType}}, Body: recording.NewBody([]byte(body)),
	}}
}

func failing(e recording.Exchange, class recording.Class) recording.Exchange {
	e.Failure = &recording.Failure{Class: class}
	return e
}

func TestDiscoverOutcome(t *testing.T) {
	const result = `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":[]}}`
	cut := posted("probe/discover", 200, "application/json", result[:20])
	cut.Response.Body.Cut = true
	resumed := posted("probe/discover", 200, "text/event-stream", "id: 1\ndata:\n\n")
	resumed.Resumed = []recording.Response{{Status: 200, Headers: []recording.Header{{Name: "Content-Type", Value: "text/event-stream"}},
		Body: recording.NewBody([]byte("data: " + result + "\n\n"))}}
	tests := []struct {
		name  string
		e     recording.Exchange
		want  Outcome
		class recording.Class
	}{
		{"a crash that capture calls an HTTP error", failing(posted("probe/discover", 500, "text/plain", "x"), recording.FailHTTP), Unobserved, recording.FailServerError},
		{"a page for a wrong path", failing(posted("probe/discover", 404, "text/html", "<html>"), recording.FailHTML), Unsupported, ""},
		{"a page that hides the server", failing(posted("probe/discover", 200, "text/html", "<html>"), recording.FailHTML), Unobserved, recording.FailHTML},
		{"no JSON-RPC", failing(posted("probe/discover", 200, "application/json", "{}"), recording.FailNotMCP), Unsupported, ""},
		{"not implemented", posted("probe/discover", 501, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}`), Unsupported, ""},
		{"cut", cut, Unobserved, recording.FailTooLarge},
		{"the answer came on the resumed stream", resumed, Supported, ""},
		{"an unknown content coding", failing(posted("probe/discover", 200, "application/json", "?"), recording.FailEncoded), Unobserved, recording.FailEncoded},
		{"a whole answer before the stream broke", failing(posted("probe/discover", 200, "text/event-stream", "data: "+result+"\n\n"), recording.FailReset), Supported, ""},
		{"not sent in time", recording.Exchange{Step: "probe/discover", Failure: &recording.Failure{Class: recording.FailDeadline}}, Unobserved, recording.FailDeadline},
	}
	for _, tt := range tests {
		p := discoverProbe(newSource(&recording.Recording{Exchanges: []recording.Exchange{tt.e}}))
		if p.Outcome != tt.want || p.Class != tt.class {
			t.Errorf("%s: outcome %q, class %q, want %q, %q (%s)", tt.name, p.Outcome, p.Class, tt.want, tt.class, p.Reason)
		}
		if p.Outcome == Unobserved && p.Reason == "" {
			t.Errorf("%s: no reason", tt.name)
		}
	}
}

func TestWalkHeedsHowTheListingEnded(t *testing.T) {
	page := posted("stateless/tools/list/1", 200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	rec := newSource(&recording.Recording{Exchanges: []recording.Exchange{page}})
	if w := walkOf(rec, "stateless", surfaces[0]); !w.complete {
		t.Errorf("a last page without cursor ends a listing: %s", w.reason)
	}
	rec = newSource(&recording.Recording{Exchanges: []recording.Exchange{page}})
	rec.Listings = []recording.Listing{{Lifecycle: "stateless", Method: "tools/list", Pages: 1, Reason: "item-limit"}}
	if w := walkOf(rec, "stateless", surfaces[0]); w.complete || w.reason != "tools/list: the listing is larger than an audit reads" {
		t.Errorf("complete %v, reason %q", w.complete, w.reason)
	}
	if w := walkOf(rec, "second", surfaces[0]); w.complete || w.reason != "tools/list was not read" {
		t.Errorf("complete %v, reason %q", w.complete, w.reason)
	}
}

func TestSharedExchanges(t *testing.T) {
	rec := &recording.Recording{Target: recording.Target{URL: "https://example.com/mcp"}, Transport: recording.StreamableHTTP, Exchanges: []recording.Exchange{
		posted("session/initialize", 200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`),
		posted("session/initialized", 202, "", ""),
		{Step: "probe/notification-initialize", SameAs: "session/initialize"},
		{Step: "probe/notification", SameAs: "session/initialized"},
	}}
	p := notificationProbe(newSource(rec))
	want := map[string]any{"http_status": int64(202), "body_present": false, "shape": "legacy-initialized"}
	if p.Outcome != Supported || p.Step != "session/initialized" {
		t.Errorf("outcome %q at %q", p.Outcome, p.Step)
	}
	if diff := cmp.Diff(want, p.Facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestStatelessProbesNeedTheirTransport(t *testing.T) {
	rec := &recording.Recording{Target: recording.Target{URL: "https://example.com/sse"}, Transport: recording.SSE, Exchanges: []recording.Exchange{
		posted("detect/discover", 405, "text/plain", ""),
		{Step: "probe/unknown-version", Via: "sse", Request: &recording.Request{ID: "1"},
			Answer: recording.NewBody([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"x","data":{"supported":["2026-07-28"],"requested":"2099-01-01"}}}`))},
	}}
	o := &Observation{Session: "2025-11-25", Probes: map[string]Probe{}}
	DecodeProbes(rec, o)
	if era := EraOf(o); era != Legacy {
		t.Errorf("era %q, want %q", era, Legacy)
	}
	if p := o.Probe(ProbeDiscover); p.Outcome != Unsupported || p.Status != 405 {
		t.Errorf("discover %q, status %d", p.Outcome, p.Status)
	}
}

func TestFactsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	deep := strings.Repeat("[", 150) + strings.Repeat("]", 150)
	body := `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["` + strings.Repeat(long+`","`, 1500) + `"],"ttlMs":"` + long + `","cacheScope":` + deep + `}}`
	p := discoverProbe(newSource(&recording.Recording{Exchanges: []recording.Exchange{posted("probe/discover", 200, "application/json", body)}}))
	text, err := json.Marshal(p.Facts)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 600_000 {
		t.Errorf("the facts take %d bytes", len(text))
	}
}
