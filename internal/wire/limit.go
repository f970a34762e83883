package wire

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// MaxInFlight is how many requests to one origin may wait for their answers at the same time.
const MaxInFlight = 6

const (
	firstBackoff = 250 * time.Millisecond
	lastBackoff  = 4 * time.Second
	longestGap   = time.Second
	recoverAfter = 10 // answers in a row until one more request may be in flight
	tellingRate  = 5  // answers within a second that tell a rate
	longMemory   = 10 * time.Second
	fewAttempts  = 4 // at a 503 that asks for no pause: more is an outage, not load
)

// Limiter keeps an audit from overloading the servers it talks to. It is shared by all links of an audit, and knows for each origin
// how many requests are in flight, and until when the server wants to be left alone.
//
// A server that answers 429 or 503 is left alone for as long as Retry-After says, or else for 250 ms, doubled each time up to 4 s.
// From then on half as many requests may be in flight, and they are spaced at three quarters of the rate that the server had just
// accepted, unless this happened once only and after too few requests to tell a rate. Both recover slowly.
type Limiter struct {
	mu      sync.Mutex
	origins map[string]*origin
	sent    atomic.Int64
}

// NewLimiter returns a Limiter for one audit.
func NewLimiter() *Limiter { return &Limiter{origins: map[string]*origin{}} }

// Requests counts the HTTP requests sent, retries and redirects included.
func (l *Limiter) Requests() int { return int(l.sent.Load()) }

func (l *Limiter) of(u *url.URL) *origin {
	key := originOf(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.origins[key]
	if o == nil {
		o = &origin{limit: MaxInFlight, changed: make(chan struct{})}
		l.origins[key] = o
	}
	return o
}

// origin is what a Limiter knows of one origin.
type origin struct {
	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when a waiting request may look again
	line     []*byte       // who waits, first come first served
	inFlight int
	limit    int
	resume   time.Time     // no request before
	next     time.Time     // no request before, for the gap's sake
	gap      time.Duration // between two requests
	backoff  time.Duration // the last wait without Retry-After
	slowed   time.Time     // when the limit was last lowered
	accepted []time.Time   // when the last answers came, at most maxAccepted
	row      int           // answers in a row
	answers  int
	givenUp  bool // a call used up its patience, and no answer has come since
}

const maxAccepted = 64

// errPaused is returned when the server wants to be left alone for longer than the caller would wait.
var errPaused = errors.New("the server asked for a longer pause than the budget for retries")

// acquire waits in line until a request may be sent and returns when that is. It fails when ctx ends, and with errPaused at once when
// the pause is longer than patience.
func (o *origin) acquire(ctx context.Context, patience time.Duration) (time.Time, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	me := new(byte)
	o.line = append(o.line, me)
	defer func() {
		i := slices.Index(o.line, me)
		o.line = slices.Delete(o.line, i, i+1)
		o.wake()
	}()
	for {
		now := time.Now()
		if o.resume.Sub(now) > patience {
			return now, errPaused
		}
		wait := max(o.resume.Sub(now), o.next.Sub(now))
		blocked := o.line[0] != me || o.inFlight >= o.limit
		if wait <= 0 && !blocked {
			o.inFlight++
			o.next = now.Add(o.gap)
			return now, nil
		}
		if blocked {
			wait = time.Hour
		}
		if !o.sleep(ctx, wait) {
			return now, ctx.Err()
		}
	}
}

// sleep waits until something changes, without holding o.mu. It reports false when ctx ended.
func (o *origin) sleep(ctx context.Context, limit time.Duration) bool {
	changed := o.changed
	o.mu.Unlock()
	defer o.mu.Lock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-changed:
	case <-timer.C:
	}
	return true
}

func (o *origin) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inFlight--
	o.wake()
}

func (o *origin) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// answered notes that a request sent at this time was neither limited nor put off.
func (o *origin) answered(sent time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answers++
	o.givenUp = false
	if len(o.accepted) == maxAccepted {
		o.accepted = append(o.accepted[:0], o.accepted[1:]...)
	}
	o.accepted = append(o.accepted, time.Now())
	if sent.Before(o.slowed) {
		return
	}
	o.row++
	if o.row == 3 {
		o.backoff = 0
	}
	if o.row%recoverAfter == 0 {
		o.limit = min(o.limit+1, MaxInFlight)
		if o.gap = o.gap * 9 / 10; o.gap < 5*time.Millisecond {
			o.gap = 0
		}
		o.wake()
	}
}

// putOff notes that the server answered 429 or 503 to a request sent at this time, and returns how long it wants to be left alone.
// Answers to requests that were on their way when the limit was lowered lower it no further.
func (o *origin) putOff(sent time.Time, retryAfter time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if !sent.Before(o.slowed) {
		o.backoff = min(max(2*o.backoff, firstBackoff), lastBackoff)
		o.limit = max(1, o.limit/2)
		recent := 0
		for _, at := range o.accepted {
			if now.Sub(at) <= time.Second {
				recent++
			}
		}
		again := !o.slowed.IsZero() && now.Sub(o.slowed) < longMemory
		if recent >= tellingRate || recent > 0 && again {
			o.gap = max(o.gap, min(longestGap, time.Second*4/time.Duration(3*recent)))
		}
		o.slowed = now
		o.row = 0
	}
	if until := now.Add(max(retryAfter, o.backoff)); until.After(o.resume) {
		o.resume = until
	}
	o.wake() // who waits may not want to wait that long
	return o.resume.Sub(now)
}

func (o *origin) answerCount() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.answers
}

// hopeless reports whether another call has just been retried in vain.
func (o *origin) hopeless() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.givenUp
}

func (o *origin) giveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.givenUp = true
}

// retryAfter reads a Retry-After header (RFC 9110 section 10.2.3), either a number of seconds or a date. A date is compared with the
// server's own clock where the response tells it.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 63); err == nil {
		return time.Duration(min(seconds, 1<<31)) * time.Second
	}
	if strings.Trim(value, "0123456789") == "" {
		return (1 << 31) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), (1<<31)*time.Second)
}
