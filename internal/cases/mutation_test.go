package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// TestMutatedServers audits servers whose answers had random members replaced by values of other types, dropped, doubled or cut. Whatever
// they say, an audit ends with a report and never blames itself. HALLMARK_MUTATIONS sets how many are tried.
func TestMutatedServers(t *testing.T) {
	count := 12
	if n, err := strconv.Atoi(os.Getenv("HALLMARK_MUTATIONS")); err == nil {
		count = n
	}
	p, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range count {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(uint64(seed), 7))
			web := &testserver.Web{Legacy: seed%3 != 1, Modern: seed%3 != 0, Sessions: seed%2 == 0, Events: seed%5 == 0, Catalog: testserver.DefaultCatalog()}
			srv := httptest.NewServer(mutating(web, rnd, 1+seed%4))
			defer srv.Close()
			opts := capture.Options{Engine: recording.Engine{Name: "hallmark", Version: "test"}, AsOf: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
				Budgets: capture.Budgets{Total: 20 * time.Second, Handshake: time.Second, Request: time.Second, Listing: 2 * time.Second, Probe: 500 * time.Millisecond}}
			rec, err := capture.Run(context.Background(), capture.Target{URL: srv.URL + "/mcp"}, opts)
			if err != nil {
				t.Fatal(err)
			}
			r := audit.Judge(rec, p, opts.Engine)
			for _, s := range append(r.SkippedRules, r.Experimental.SkippedRules...) {
				if strings.Contains(s.ReasonText, "internal error") {
					t.Errorf("%s: %s", s.RuleID, s.ReasonText)
				}
			}
			if r.Failure != nil && r.Failure.Class == recording.FailInternal {
				t.Errorf("failure %+v", r.Failure)
			}
			var out strings.Builder
			if err := render.JSON(&out, r); err != nil || !json.Valid([]byte(out.String())) {
				t.Errorf("the report is no JSON: %v", err)
			}
			if err := render.Terminal(io.Discard, r, render.Options{Width: 80, Verbose: true}); err != nil {
				t.Error(err)
			}
		})
	}
}

// mutating changes some of the answers of a server.
func mutating(h http.Handler, rnd *rand.Rand, strength int) http.Handler {
	turn := make(chan *rand.Rand, 1)
	turn <- rnd
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := httptest.NewRecorder()
		h.ServeHTTP(seen, r)
		rnd := <-turn
		defer func() { turn <- rnd }()
		body := seen.Body.String()
		var doc any
		if rnd.IntN(3) == 0 && json.Unmarshal([]byte(body), &doc) == nil {
			for range strength {
				doc = mutate(doc, rnd, 0)
			}
			changed, _ := json.Marshal(doc)
			body = string(changed)
			if rnd.IntN(12) == 0 {
				body = body[:rnd.IntN(len(body)+1)]
			}
		}
		for name, values := range seen.Header() {
			w.Header()[name] = values
		}
		status := seen.Code
		if rnd.IntN(25) == 0 {
			status = []int{200, 202, 204, 302, 400, 404, 418, 500, 502}[rnd.IntN(9)]
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
}

// mutate changes one place of a document: the deeper it goes, the likelier it stops.
func mutate(v any, rnd *rand.Rand, depth int) any {
	if rnd.IntN(6) < depth-2 || depth > 7 {
		return odd(rnd)
	}
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		if len(keys) == 0 {
			return odd(rnd)
		}
		slices.Sort(keys)
		k := keys[rnd.IntN(len(keys))]
		switch rnd.IntN(8) {
		case 0:
			delete(x, k)
		case 1:
			x[strings.ToUpper(k)] = x[k]
		default:
			x[k] = mutate(x[k], rnd, depth+1)
		}
		return x
	case []any:
		if len(x) == 0 || rnd.IntN(6) == 0 {
			return append(x, odd(rnd))
		}
		i := rnd.IntN(len(x))
		x[i] = mutate(x[i], rnd, depth+1)
		return x
	}
	return odd(rnd)
}

func odd(rnd *rand.Rand) any {
	values := []any{nil, true, false, 0, -1, 1.5, json.Number("1e400"), "", " ", "\u0000\u001b[2J", "http://[::", "data:image/png;base64,AAAA", strings.Repeat("a", 5000),
		[]any{}, map[string]any{}, []any{nil, 1, "x"}, map[string]any{"$ref": "#"}, map[string]any{"type": "object", "properties": map[string]any{"$ref": 5}},
		map[string]any{"allOf": []any{map[string]any{"$ref": "#/allOf/0"}}}, "2099-99-99", "\u202eevil", []any{[]any{[]any{}}}}
	return values[rnd.IntN(len(values))]
}
