package capture

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

func TestMain(m *testing.M) {
	testserver.Main()
	os.Exit(m.Run())
}

var asOf = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func options() Options {
	return Options{Engine: recording.Engine{Name: "hallmark", Version: "test"}, AsOf: asOf}
}

func run(t *testing.T, target Target, opts Options) (*recording.Recording, *observe.Observation) {
	t.Helper()
	rec, err := Run(context.Background(), target, opts)
	if err != nil {
		t.Fatal(err)
	}
	return rec, observe.Decode(rec)
}

func TestLegacyServerOverHTTP(t *testing.T) {
	web := &testserver.Web{Legacy: true, Sessions: true, StrictCursors: true, StrictOrigin: true}
	rec, o := run(t, Target{URL: web.Start(t)}, options())
	if o.Kind != observe.Full || o.Era != observe.Legacy || o.Session != "2025-11-25" {
		t.Fatalf("kind %q, era %q, session %q, failure %+v", o.Kind, o.Era, o.Session, o.Failure)
	}
	for _, c := range o.Catalogs() {
		if !c.Complete || len(c.Items) == 0 {
			t.Errorf("%s: complete %v, %d items, error %+v", c.Name, c.Complete, len(c.Items), c.Error)
		}
	}
	if rec.Find("probe/session-delete") == nil {
		t.Error("the session was not closed")
	}
	if p := o.Probe(observe.ProbeMadeUpSession); p.Outcome != observe.Supported || p.Status != 404 {
		t.Errorf("made-up session: outcome %q, status %d, %s", p.Outcome, p.Status, p.Reason)
	}
	if rec.Find("session/initialize-renewed") != nil {
		t.Error("the refusal of a made-up session was taken for the loss of the real one")
	}
}

// The stateful capture of catalogs with one page each takes at most five round trips: handshake, initialized, the listings with the cursor
// probes in two waves of at most six, and nothing else before the session's last probes.
func TestRoundTripsOfASession(t *testing.T) {
	web := &testserver.Web{Legacy: true, Delay: 100 * time.Millisecond, StrictCursors: true}
	run(t, Target{URL: web.Start(t)}, options())
	deepest := 0
	for _, r := range web.Requests() {
		if strings.HasSuffix(r.RPC, "/list") {
			deepest = max(deepest, r.Depth)
		}
	}
	if deepest > 5 {
		t.Errorf("the last listing came after %d round trips, want at most 5", deepest)
	}
	if web.Peak() > 6 {
		t.Errorf("%d requests were in flight at once, want at most 6", web.Peak())
	}
}

func TestRoundTripsOfADualEraServer(t *testing.T) {
	web := &testserver.Web{Legacy: true, Modern: true, Delay: 100 * time.Millisecond, StrictCursors: true, StrictOrigin: true}
	_, o := run(t, Target{URL: web.Start(t)}, options())
	if o.Era != observe.DualEra {
		t.Fatalf("era %q", o.Era)
	}
	if n := len(web.Requests()); n > 45 {
		t.Errorf("%d requests, want at most 45", n)
	}
	t.Logf("%d round trips, %d requests", web.Steps(), len(web.Requests()))
	if p := o.Probe(observe.ProbeLifecycles); p.Outcome != observe.Supported {
		t.Errorf("lifecycles: outcome %q, %s, %v", p.Outcome, p.Reason, p.Facts)
	}
	if web.Steps() > 9 {
		t.Errorf("%d sequential round trips, want at most 9", web.Steps())
	}
	if web.Peak() > 6 {
		t.Errorf("%d requests were in flight at once, want at most 6", web.Peak())
	}
	seen := map[string]bool{}
	for _, r := range web.Requests() {
		if r.ID != "" && seen[r.ID] {
			t.Errorf("request id %s was used twice", r.ID)
		}
		seen[r.ID] = true
	}
}

func TestModernOnlyServerIsReadWhole(t *testing.T) {
	catalog := testserver.DefaultCatalog()
	catalog.PageSize = 1
	web := &testserver.Web{Modern: true, Catalog: catalog, StrictCursors: true}
	_, o := run(t, Target{URL: web.Start(t)}, options())
	if o.Kind != observe.ModernOnly || o.Era != observe.Modern || o.Negotiated != "2026-07-28" {
		t.Fatalf("kind %q, era %q, negotiated %q", o.Kind, o.Era, o.Negotiated)
	}
	if len(o.Tools.Items) != 2 || !o.Tools.Complete || len(o.Prompts.Items) != 1 || len(o.ResourceTemplates.Items) != 1 {
		t.Errorf("tools %d (complete %v), prompts %d, templates %d", len(o.Tools.Items), o.Tools.Complete, len(o.Prompts.Items), len(o.ResourceTemplates.Items))
	}
}

func TestGatedServer(t *testing.T) {
	web := &testserver.Web{Legacy: true, Modern: true, Token: "right"}
	_, o := run(t, Target{URL: web.Start(t)}, options())
	if o.Kind != observe.Partial || o.Era != "" {
		t.Errorf("without a token: kind %q, era %q", o.Kind, o.Era)
	}
	opts := options()
	opts.Header = http.Header{"Authorization": {"Bearer right"}}
	rec, o := run(t, Target{URL: web.Start(t)}, opts)
	if o.Kind != observe.Full || !rec.Target.Authenticated {
		t.Errorf("with a token: kind %q, authenticated %v, failure %+v", o.Kind, rec.Target.Authenticated, o.Failure)
	}
}

// Two audits of one server send the same requests, whatever order they arrive in.
func TestTwoAuditsSendTheSame(t *testing.T) {
	web := &testserver.Web{Legacy: true, Modern: true, StrictCursors: true}
	url := web.Start(t)
	run(t, Target{URL: url}, options())
	first := sentBodies(web)
	run(t, Target{URL: url}, options())
	second := sentBodies(web)[len(first):]
	slices.Sort(first)
	slices.Sort(second)
	if !slices.Equal(first, second) {
		t.Errorf("the second audit sent other bytes:\n%s\n---\n%s", strings.Join(first, "\n"), strings.Join(second, "\n"))
	}
}

func sentBodies(web *testserver.Web) []string {
	var list []string
	for _, r := range web.Requests() {
		list = append(list, r.HTTP+" "+r.Body)
	}
	return list
}

func TestHostThatIsNoServerGetsAHandful(t *testing.T) {
	web := &testserver.Web{Intercept: func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		http.NotFound(w, r)
		return true
	}}
	_, o := run(t, Target{URL: web.Start(t)}, options())
	if o.Kind != "" || o.Failure == nil {
		t.Fatalf("kind %q, failure %+v", o.Kind, o.Failure)
	}
	if n := len(web.Requests()); n > 6 {
		t.Errorf("%d requests were spent on it", n)
	}
}

func TestVersionRefusalIsTriedOnce(t *testing.T) {
	catalog := testserver.DefaultCatalog()
	catalog.Revisions = []string{"2025-06-18"}
	refusing := &testserver.Web{Legacy: true, Catalog: catalog}
	refusing.Intercept = func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if !strings.Contains(string(body), `"protocolVersion":"2025-11-25"`) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2025-06-18","2024-11-05"]}}}`)
		return true
	}
	rec, o := run(t, Target{URL: refusing.Start(t)}, options())
	if o.Session != "2025-06-18" || o.Offered != "2025-06-18" || o.Refused != "2025-11-25" {
		t.Errorf("session %q, offered %q, refused %q", o.Session, o.Offered, o.Refused)
	}
	if rec.Find("session/initialize-refused") == nil {
		t.Error("the refusal is not in the recording")
	}
}

func TestSessionLostOnceIsRenewed(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			web := &testserver.Web{Legacy: true, Sessions: true}
			lost := false
			web.Intercept = func(w http.ResponseWriter, r *http.Request, body []byte) bool {
				if !lost && strings.Contains(string(body), `"prompts/list"`) {
					lost = true
					http.Error(w, "session not found", status)
					return true
				}
				return false
			}
			rec, o := run(t, Target{URL: web.Start(t)}, Options{Engine: options().Engine, AsOf: asOf, InFlight: 1})
			if rec.Find("session/initialize-renewed") == nil {
				t.Fatal("no new session was opened")
			}
			for _, c := range o.Catalogs() {
				if !c.Complete {
					t.Errorf("%s is incomplete: %+v", c.Name, c.Error)
				}
			}
		})
	}
}

func TestListingsThatNeverEnd(t *testing.T) {
	item := `{"name":"t","description":"d","inputSchema":{"type":"object"}}`
	tests := []struct {
		name, page, reason string
		items              int
	}{
		{"the cursor never advances", `{"tools":[` + item + `],"nextCursor":"8"}`, "page-repeated", 1},
		{"an empty cursor for ever", `{"tools":[` + item + `],"nextCursor":""}`, "page-repeated", 1},
		{"a cursor that is a number", `{"tools":[` + item + `],"nextCursor":8}`, "cursor-invalid", 1},
		{"an empty page with a cursor for ever", `{"tools":[],"nextCursor":"again"}`, "cursor-repeated", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			web := &testserver.Web{Legacy: true}
			web.Intercept = answering("tools/list", tt.page)
			_, o := run(t, Target{URL: web.Start(t)}, options())
			if o.Tools.Complete || len(o.Tools.Items) != tt.items || o.Tools.Error == nil || o.Tools.Error.Outcome != tt.reason {
				t.Errorf("complete %v, %d items, error %+v", o.Tools.Complete, len(o.Tools.Items), o.Tools.Error)
			}
		})
	}
}

// answering answers one method with a result of its own.
func answering(method, result string) func(http.ResponseWriter, *http.Request, []byte) bool {
	return func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if !strings.Contains(string(body), `"method":"`+method+`"`) {
			return false
		}
		id := string(body[strings.Index(string(body), `"id":`)+5:])
		id = id[:strings.IndexByte(id, ',')]
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		return true
	}
}

func TestAnswersAsEventStreams(t *testing.T) {
	web := &testserver.Web{Legacy: true, Modern: true, Events: true}
	_, o := run(t, Target{URL: web.Start(t)}, options())
	if o.Era != observe.DualEra || !o.Tools.Complete {
		t.Errorf("era %q, tools %+v", o.Era, o.Tools.Error)
	}
}

// A server that allows 15 requests a second and says nothing about waiting is seen as it is.
func TestRateLimitedServerIsSeenWhole(t *testing.T) {
	free := &testserver.Web{Legacy: true, Modern: true, StrictCursors: true, StrictOrigin: true}
	_, want := run(t, Target{URL: free.Start(t)}, options())
	limited := &testserver.Web{Legacy: true, Modern: true, StrictCursors: true, StrictOrigin: true, PerSecond: 15}
	_, got := run(t, Target{URL: limited.Start(t)}, options())
	if got.Era != want.Era {
		t.Errorf("era %q, without the limit %q", got.Era, want.Era)
	}
	for id, p := range want.Probes {
		if q := got.Probe(id); q.Outcome != p.Outcome {
			t.Errorf("%s: %s (%s), without the limit %s", id, q.Outcome, q.Reason, p.Outcome)
		}
	}
}

func TestTotalDeadline(t *testing.T) {
	web := &testserver.Web{Legacy: true, Delay: time.Minute}
	web.Delay = 3 * time.Second
	opts := options()
	opts.Budgets = Budgets{Total: 200 * time.Millisecond}
	rec, o := run(t, Target{URL: web.Start(t)}, opts)
	if o.Kind != "" || rec.Failure == nil || rec.Failure.Class != recording.FailDeadline {
		t.Errorf("kind %q, failure %+v", o.Kind, rec.Failure)
	}
}
