package wire

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestAtMostSixInFlightOverAllLinks(t *testing.T) {
	var now, peak atomic.Int32
	arrived := make(chan struct{}, 100)
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		arrived <- struct{}{}
		<-release
		now.Add(-1)
		io.WriteString(w, answer1)
	}))
	defer srv.Close()
	shared := NewLimiter()
	share := func(o *HTTPOptions) { o.Limiter = shared }
	links := []*HTTP{link(t, srv.URL, share), link(t, srv.URL, share)}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { wantAnswer(t, links[i%2].Do(t.Context(), post())) })
	}
	for range MaxInFlight {
		<-arrived
	}
	select {
	case <-arrived:
		t.Error("a seventh request was sent")
	case <-time.After(30 * time.Millisecond):
	}
	close(release)
	wg.Wait()
	if peak.Load() != MaxInFlight || shared.Requests() != 20 {
		t.Errorf("%d at once, %d counted", peak.Load(), shared.Requests())
	}
}

// A limit of 15 requests per second, told by nothing but 429: in the end every call is answered.
func TestRateLimitWithoutRetryAfter(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var times []time.Time
	refused := 0
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := time.Now()
		for len(times) > 0 && now.Sub(times[0]) >= time.Second {
			times = times[1:]
		}
		if len(times) >= 15 {
			refused++
			mu.Unlock()
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		times = append(times, now)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer1)
	})
	var wg sync.WaitGroup
	for range 45 {
		wg.Go(func() { wantAnswer(t, h.Do(t.Context(), post())) })
	}
	wg.Wait()
	if refused == 0 || refused > 20 {
		t.Errorf("%d requests were refused", refused)
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var times []time.Time
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		times = append(times, time.Now())
		if len(times) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, answer1)
	})
	r := h.Do(t.Context(), post())
	wantAnswer(t, r)
	if wait := times[1].Sub(times[0]); wait < time.Second {
		t.Errorf("retried after %v", wait)
	}
	if len(r.Exchange.Earlier) != 1 || r.Exchange.Earlier[0].Status != 503 || r.Exchange.Earlier[0].RetryAfter != "1" || r.Exchange.Earlier[0].Waited.Span() < 900*time.Millisecond {
		t.Errorf("earlier: %+v", r.Exchange.Earlier)
	}
}

// Case 82: a pause longer than the budget ends the call at once, and later ones without a request.
func TestLongRetryAfter(t *testing.T) {
	for _, value := range []string{"3600", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)} {
		var n atomic.Int32
		h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n.Add(1)
			w.Header().Set("Retry-After", value)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"slow down"}}`)
		})
		first, second := h.Do(t.Context(), post()), h.Do(t.Context(), post())
		if class(first) != recording.FailRateLimited || first.Exchange.Failure.Status != 429 || first.Answer != nil || first.Exchange.Response == nil {
			t.Errorf("first: %+v", first.Exchange.Failure)
		}
		if class(second) != recording.FailRateLimited || second.Exchange.Response != nil || n.Load() != 1 {
			t.Errorf("second: %+v, %d requests", second.Exchange.Failure, n.Load())
		}
	}
}

func TestRetryBudget(t *testing.T) {
	var n atomic.Int32
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		w.WriteHeader(http.StatusTooManyRequests)
	}, func(o *HTTPOptions) { o.RetryBudget = 800 * time.Millisecond })
	r := h.Do(t.Context(), post())
	if class(r) != recording.FailRateLimited || len(r.Exchange.Earlier) != 2 {
		t.Errorf("%+v, %d earlier", r.Exchange.Failure, len(r.Exchange.Earlier))
	}
	before := n.Load()
	if r := h.Do(t.Context(), post()); class(r) != recording.FailRateLimited {
		t.Errorf("%+v", r.Exchange.Failure)
	}
	if sent := n.Load() - before; sent > 1 {
		t.Errorf("%d more requests after one call gave up", sent)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if r := h.Do(ctx, post()); class(r) == "" {
		t.Error("no failure when the audit's time is up")
	}
}

// A 503 to one kind of request, while others are served, is not a matter of load.
func TestLonely503(t *testing.T) {
	t.Parallel()
	h, srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, answer1)
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			h.Do(ctx, post())
		}
	})
	broken := post()
	broken.URL = srv.URL + "/broken"
	r := h.Do(t.Context(), broken)
	cancel()
	wg.Wait()
	if class(r) != recording.FailRateLimited || len(r.Exchange.Earlier) != 2 {
		t.Errorf("%+v after %d", r.Exchange.Failure, len(r.Exchange.Earlier)+1)
	}
	wantAnswer(t, h.Do(t.Context(), post()))
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"120", "", 2 * time.Minute},
		{" 5 ", "", 5 * time.Second},
		{"0", "", 0},
		{"-1", "", 0},
		{"1.5", "", 0},
		{"soon", "", 0},
		{"99999999999999999999999", "", (1 << 31) * time.Second},
		{"Tue, 01 Sep 2026 12:01:00 GMT", "", time.Minute},
		{"Tuesday, 01-Sep-26 12:01:00 GMT", "", time.Minute},
		{"Tue Sep  1 12:01:00 2026", "", time.Minute},
		{"Tue, 01 Sep 2026 11:00:00 GMT", "", 0},
		{"Tue, 01 Sep 2026 13:00:30 GMT", "Tue, 01 Sep 2026 13:00:00 GMT", 30 * time.Second},
	}
	for _, tt := range tests {
		if got := retryAfter(http.Header{"Retry-After": {tt.value}, "Date": {tt.date}}, now); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.value, got, tt.want)
		}
	}
}

func TestOriginSlowsDownOncePerWave(t *testing.T) {
	o := NewLimiter().of(&url.URL{Scheme: "http", Host: "h"})
	var sent []time.Time
	for range MaxInFlight {
		at, err := o.acquire(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, at)
	}
	for _, at := range sent {
		o.putOff(at, 0)
	}
	if o.limit != MaxInFlight/2 || o.backoff != firstBackoff {
		t.Errorf("limit %d, backoff %v after one wave", o.limit, o.backoff)
	}
	var limits []int
	for range 4 {
		for range recoverAfter {
			o.answered(time.Now())
		}
		limits = append(limits, o.limit)
	}
	if diff := cmp.Diff([]int{4, 5, 6, 6}, limits); diff != "" {
		t.Error(diff)
	}
}

// One refusal after a handful of requests tells no rate, so what follows is not slowed down; a second one soon after does.
func TestOneRefusalTellsNoRate(t *testing.T) {
	o := NewLimiter().of(&url.URL{Scheme: "http", Host: "h"})
	now := time.Now()
	o.answered(now)
	o.answered(now)
	o.putOff(time.Now(), 0)
	if o.gap != 0 {
		t.Errorf("gap of %v after one refusal", o.gap)
	}
	o.putOff(time.Now(), 0)
	if o.gap == 0 {
		t.Error("no gap after a second refusal")
	}
}

// A server that says 503 to everything is down; the audit does not wait for it as long as for one that is busy.
func TestOutageIsGivenUpSoon(t *testing.T) {
	t.Parallel()
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	if r := h.Do(t.Context(), post()); class(r) != recording.FailRateLimited || len(r.Exchange.Earlier) != fewAttempts {
		t.Errorf("%+v after %d attempts", r.Exchange.Failure, len(r.Exchange.Earlier)+1)
	}
}
