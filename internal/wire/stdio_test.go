package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

func TestMain(m *testing.M) {
	testserver.Main()
	os.Exit(m.Run())
}

// short is a budget for what is expected not to come; patience one for what is, on a busy machine.
const (
	short    = 150 * time.Millisecond
	patience = 20 * time.Second
)

const stdioInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func startStdio(t *testing.T, opts StdioOptions) *Stdio {
	t.Helper()
	opts.Connection = "session"
	if opts.Grace == 0 {
		opts.Grace = patience
	}
	s, failure := StartStdio(t.Context(), opts)
	if failure != nil {
		t.Fatalf("start: %+v", failure)
	}
	t.Cleanup(s.Close)
	return s
}

func startStdioServer(t *testing.T, behaviour string, args ...string) *Stdio {
	t.Helper()
	return startStdio(t, StdioOptions{Command: testserver.Command(t, behaviour, args...)})
}

func stdioRequest(id int, method string) Call {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s"}`, id, method)
	return Call{Step: "session/" + method, RPC: method, ID: strconv.Itoa(id), Body: []byte(body), Timeout: patience}
}

func stdioHandshake() Call {
	return Call{Step: "session/initialize", RPC: "initialize", ID: "0", Body: []byte(stdioInitialize), Timeout: patience}
}

func mustAnswer(t *testing.T, r Reply) jsondoc.Value {
	t.Helper()
	if r.Answer == nil || r.Exchange.Failure != nil {
		t.Fatalf("%s: no answer: %+v", r.Exchange.Step, r.Exchange.Failure)
	}
	msg, _, ok := r.Exchange.Message()
	if !ok {
		t.Fatalf("%s: the exchange has no message", r.Exchange.Step)
	}
	return msg
}

func mustFail(t *testing.T, r Reply, class recording.Class, detail string) {
	t.Helper()
	f := r.Exchange.Failure
	if f == nil || f.Class != class || !strings.Contains(f.Detail, detail) {
		t.Fatalf("failure %+v, want %s with %q", f, class, detail)
	}
	if r.Answer != nil {
		t.Fatalf("an answer besides the failure: %.200s", r.Answer)
	}
}

// Every way of writing to stdout that a client must get along with gives the same answers.
func TestStdioAnswers(t *testing.T) {
	type facts struct {
		BOM, CRLF bool
		Noise     []string // "line kind"
		Total     int
	}
	tests := []struct {
		behaviour string
		want      facts
	}{
		{"server", facts{}},
		{"crlf", facts{CRLF: true}},
		{"bom", facts{BOM: true}},
		{"chatty", facts{
			Noise: strings.Split("1 text,2 text,4 json,5 text,6 text,8 text,10 json,11 text,12 text,13 text,15 json,16 text,17 text,19 text,21 json,22 text,23 text", ","),
			Total: 17,
		}},
		{"batch", facts{}},
		{"stderr-flood", facts{}},
		{"slow-start", facts{}},
		{"string-ids", facts{}},
		{"null-ids", facts{}},
		{"speaks-first", facts{}},
		{"ignores-early", facts{}},
		{"answers-twice", facts{Noise: []string{"2 unmatched", "4 unmatched", "6 unmatched"}, Total: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.behaviour, func(t *testing.T) {
			s := startStdioServer(t, tt.behaviour)
			init := mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
			if got := init.Path("result", "protocolVersion").TextOr(""); got != "2025-11-25" {
				t.Errorf("protocol version %q", got)
			}
			if r := s.Do(t.Context(), Call{Body: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)}); r.Exchange.Failure != nil {
				t.Errorf("notification: %+v", r.Exchange.Failure)
			}
			if n := mustAnswer(t, s.Do(t.Context(), stdioRequest(1, "tools/list"))).Path("result", "tools").Len(); n != 2 {
				t.Errorf("%d tools", n)
			}
			bad := mustAnswer(t, s.Do(t.Context(), stdioRequest(2, "no/such/method")))
			if code, _ := bad.Path("error", "code").Int(); code != -32601 {
				t.Errorf("error code %d", code)
			}
			s.Close()
			p := s.Record()
			got := facts{BOM: p.BOM, CRLF: p.CRLF, Total: p.NoiseTotal}
			for _, n := range p.Noise {
				got.Noise = append(got.Noise, fmt.Sprintf("%d %s", n.Line, n.Kind))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
			if p.Stopped != "stdin-closed" || p.Exit != nil || p.Connection != "session" || p.FirstByte <= 0 {
				t.Errorf("process %+v", p)
			}
		})
	}
}

func TestStdioPrettyNoiseDoesNotBreakLaterLines(t *testing.T) {
	s := startStdioServer(t, "pretty-noise")
	mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
	mustAnswer(t, s.Do(t.Context(), stdioRequest(1, "tools/list")))
	mustAnswer(t, s.Do(t.Context(), stdioRequest(2, "prompts/list")))
	s.Close()
	p := s.Record()
	if p.NoiseTotal != 27 || len(p.Noise) != recording.MaxNoise {
		t.Errorf("noise %d, kept %d", p.NoiseTotal, len(p.Noise))
	}
	want := recording.Noise{Line: 2, Kind: "text", Bytes: *recording.NewBody([]byte(`  "level": "info",`))}
	if diff := cmp.Diff(want, p.Noise[1]); diff != "" {
		t.Errorf("second line of noise (-want +got):\n%s", diff)
	}
}

func TestStdioExchange(t *testing.T) {
	began := time.Now().Add(-time.Hour)
	s := startStdio(t, StdioOptions{Command: testserver.Command(t, "slow-start", "40ms"), Began: began})
	r := s.Do(t.Context(), stdioHandshake())
	mustAnswer(t, r)
	e := r.Exchange
	if e.Started.Span() < time.Hour || e.Started.Span() > time.Hour+time.Minute {
		t.Errorf("started %v", e.Started.Span())
	}
	if e.First <= 0 || e.First > e.Duration {
		t.Errorf("first byte %v, duration %v", e.First.Span(), e.Duration.Span())
	}
	e.Started, e.First, e.Duration = 0, 0, 0
	want := recording.Exchange{
		Step: "session/initialize", Via: "stdio", Connection: "session",
		Request: &recording.Request{RPC: "initialize", ID: "0", Body: recording.NewBody([]byte(stdioInitialize))},
		Answer:  recording.NewBody(r.Answer),
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("exchange (-want +got):\n%s", diff)
	}
}

// Many calls in flight are told apart by their ids, whatever the order of the answers.
func TestStdioPipelining(t *testing.T) {
	s := startStdioServer(t, "reversed", "4")
	mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
	lists := map[string]string{"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts"}
	var wg sync.WaitGroup
	id := 0
	for method, member := range lists {
		id++
		call := stdioRequest(id, method)
		wg.Go(func() {
			r := s.Do(t.Context(), call)
			if msg, _, ok := r.Exchange.Message(); !ok || !msg.Path("result", member).IsArray() {
				t.Errorf("%s: %s %+v", method, r.Answer, r.Exchange.Failure)
			}
		})
	}
	wg.Wait()
}

func TestStdioErrorWithoutID(t *testing.T) {
	t.Run("answers the only call", func(t *testing.T) {
		s := startStdioServer(t, "null-ids")
		r := s.Do(t.Context(), stdioRequest(7, "no/such/method"))
		if code, _ := mustAnswer(t, r).Path("error", "code").Int(); code != -32601 {
			t.Errorf("answer %s", r.Answer)
		}
	})
	t.Run("answers text that is no JSON", func(t *testing.T) {
		s := startStdioServer(t, "server")
		r := s.Do(t.Context(), Call{Body: []byte(`{"jsonrpc":`), Read: ReadBody, Timeout: patience})
		if code, _ := mustAnswer(t, r).Path("error", "code").Int(); code != -32700 {
			t.Errorf("answer %s", r.Answer)
		}
	})
	t.Run("is nobody's among several", func(t *testing.T) {
		s := startStdioServer(t, "null-ids")
		mustAnswer(t, s.Do(t.Context(), stdioRequest(1, "ping")))
		var wg sync.WaitGroup
		other := s.await("99") // never answered
		for id := 2; id < 4; id++ {
			call := stdioRequest(id, "no/such/method")
			call.Timeout = short
			wg.Go(func() { mustFailLater(t, s.Do(t.Context(), call), recording.FailTimeout) })
		}
		wg.Wait()
		s.forget(other, true)
		s.Close()
		if p := s.Record(); p.NoiseTotal != 2 || p.Noise[0].Kind != "unmatched" {
			t.Errorf("noise %+v", p.Noise)
		}
	})
}

// mustFailLater is mustFail for other goroutines than the test's.
func mustFailLater(t *testing.T, r Reply, class recording.Class) {
	t.Helper()
	if f := r.Exchange.Failure; f == nil || f.Class != class {
		t.Errorf("failure %+v, want %s", f, class)
	}
}

func TestStdioServerTraffic(t *testing.T) {
	var s *Stdio
	ready := make(chan struct{})
	var mu sync.Mutex
	var seen []string
	s = startStdio(t, StdioOptions{
		Command: testserver.Command(t, "early-traffic"),
		OnMessage: func(in Incoming) {
			<-ready
			mu.Lock()
			seen = append(seen, in.Method+" "+in.ID)
			mu.Unlock()
			if in.Method == "ping" {
				s.Do(t.Context(), Call{Body: []byte(`{"jsonrpc":"2.0","id":` + in.ID + `,"result":{}}`)})
			}
		},
	})
	close(ready)
	r := s.Do(t.Context(), stdioHandshake())
	mustAnswer(t, r)
	mu.Lock()
	if diff := cmp.Diff([]string{"notifications/message ", `ping "s1"`}, seen); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	mu.Unlock()
	if n := len(r.Exchange.Others); n != 2 || !bytes.Contains(r.Exchange.Others[1].Bytes, []byte(`"ping"`)) {
		t.Errorf("others %+v", r.Exchange.Others)
	}
	if r := s.Do(t.Context(), stdioRequest(1, "tools/list")); len(r.Exchange.Others) != 0 {
		t.Errorf("others recorded twice: %+v", r.Exchange.Others)
	}
}

// What the server says before anybody asks stands with the first call.
func TestStdioStrayMessage(t *testing.T) {
	came := make(chan struct{}, 1)
	s := startStdio(t, StdioOptions{Command: testserver.Command(t, "speaks-first"), OnMessage: func(Incoming) { came <- struct{}{} }})
	<-came
	if r := s.Do(t.Context(), stdioHandshake()); len(r.Exchange.Others) != 1 {
		t.Errorf("others %+v", r.Exchange.Others)
	}
}

func TestStdioLongLines(t *testing.T) {
	tests := []struct {
		name    string
		size    int
		maxLine int64
		maxBody int64
		args    []string
		class   recording.Class
	}{
		{name: "5 MB", size: 5_000_000},
		{name: "above the cap", size: 300_000, maxLine: 100_000, class: recording.FailTooLarge},
		{name: "above the cap, id last", size: 300_000, maxLine: 100_000, args: []string{"last"}, class: recording.FailTooLarge},
		{name: "above what is kept", size: 100_000, maxBody: 64 << 10, class: recording.FailTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{strconv.Itoa(tt.size)}, tt.args...)
			s := startStdio(t, StdioOptions{Command: testserver.Command(t, "long-line", args...), MaxLine: tt.maxLine, MaxBody: tt.maxBody})
			mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
			// Another call in flight must not be taken for the one that was too large.
			other := s.await("99")
			r := s.Do(t.Context(), stdioRequest(1, "tools/list"))
			if tt.class == "" {
				if a := r.Exchange.Answer; len(r.Answer) != tt.size || a == nil || len(a.Bytes) != tt.size || a.Cut {
					t.Errorf("%d bytes, %+v", len(r.Answer), r.Exchange.Failure)
				}
			} else {
				mustFail(t, r, tt.class, "bytes, more than")
				if a := r.Exchange.Answer; a == nil || !a.Cut || a.Size < int64(tt.size) {
					t.Errorf("answer not marked as cut: %+v", a != nil)
				}
			}
			s.forget(other, true)
			mustAnswer(t, s.Do(t.Context(), stdioRequest(2, "ping")))
		})
	}
}

// 200 MB on one line are skipped without being held.
func TestStdioHugeLineIsBounded(t *testing.T) {
	const size = 200_000_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := newLineReader(io.LimitReader(endless{}, size), 1<<20, maxNoiseBytes, nil)
	l, ok := r.next()
	runtime.ReadMemStats(&after)
	if !ok || !l.cut || l.size != size || len(l.text) != maxNoiseBytes || len(l.tail) != maxLineTail {
		t.Errorf("line of %d bytes, kept %d and %d", l.size, len(l.text), len(l.tail))
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

type endless struct{}

var filler = bytes.Repeat([]byte("x"), lineChunk)

func (endless) Read(p []byte) (int, error) {
	n := copy(p, filler)
	return n, nil
}

func TestStdioFailures(t *testing.T) {
	tests := []struct {
		behaviour string
		args      []string
		call      Call
		class     recording.Class
		detail    string
	}{
		{behaviour: "silent", class: recording.FailSilent, detail: "printed nothing"},
		{behaviour: "exits", class: recording.FailExited, detail: "(exit status 3) before it answered; standard error says: ModuleNotFoundError: No module named 'weather'"},
		{behaviour: "exits", args: []string{"1", "bad \x1b[2Jthing"}, class: recording.FailExited, detail: "bad <U+001B>[2Jthing"},
		{behaviour: "orphans", args: []string{"PIDFILE"}, class: recording.FailExited, detail: "(exit status 0)"},
		{behaviour: "closes-stdout", class: recording.FailNoAnswer, detail: "closed its standard output and still runs"},
		{behaviour: "pretty-answers", class: recording.FailTimeout, detail: "carried"},
		{behaviour: "no-line-end", class: recording.FailTimeout, detail: "no line end"},
		{behaviour: "ignores-early", call: stdioRequest(4, "ping"), class: recording.FailSilent, detail: "printed nothing"},
		{behaviour: "never-reads", call: Call{ID: "1", Body: bytes.Repeat([]byte("x"), 2<<20)}, class: recording.FailNotReading, detail: "did not take"},
		{behaviour: "never-reads", call: Call{Body: bytes.Repeat([]byte("x"), 2<<20)}, class: recording.FailNotReading, detail: "did not take"},
	}
	if runtime.GOOS == "linux" {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.behaviour, last.class, last.detail = "never-reads", recording.FailNotReading, "neither read its standard input"
	}
	for _, tt := range tests {
		t.Run(tt.behaviour+" "+string(tt.class), func(t *testing.T) {
			t.Parallel()
			for i, arg := range tt.args {
				if arg == "PIDFILE" {
					tt.args[i] = filepath.Join(t.TempDir(), "pid")
				}
			}
			s := startStdio(t, StdioOptions{Command: testserver.Command(t, tt.behaviour, tt.args...), Grace: 20 * time.Millisecond})
			call := tt.call
			if call.Body == nil {
				call = stdioHandshake()
			}
			call.Timeout = 6 * short
			if tt.class == recording.FailExited || tt.class == recording.FailNoAnswer {
				call.Timeout = patience // these must not wait for it
			}
			mustFail(t, s.Do(t.Context(), call), tt.class, tt.detail)
		})
	}
}

func TestStdioClosedStdin(t *testing.T) {
	s := startStdio(t, StdioOptions{Command: testserver.Command(t, "closes-stdin"), Grace: 20 * time.Millisecond})
	for s.Record().FirstByte == 0 {
		time.Sleep(time.Millisecond)
	}
	mustFail(t, s.Do(t.Context(), stdioHandshake()), recording.FailNotReading, "closed its standard input")
}

func TestStdioExitOnMalformedMessage(t *testing.T) {
	s := startStdioServer(t, "exits-on-malformed")
	mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
	if !s.Alive() {
		t.Error("not alive after the handshake")
	}
	bad := Call{ID: "9", Body: []byte(`{"jsonrpc":"2.0","id":9,"method":42}`), Timeout: patience}
	mustFail(t, s.Do(t.Context(), bad), recording.FailExited, "(exit status 70) before it answered, with nothing on standard error")
	mustFail(t, s.Do(t.Context(), stdioRequest(10, "ping")), recording.FailExited, "exit status 70")
	if s.Alive() {
		t.Error("alive after its end")
	}
	s.Close()
	if p := s.Record(); p.Exit == nil || *p.Exit != 70 || p.Stopped != "exited" {
		t.Errorf("process %+v", p)
	}
}

// An answer that comes after its call was given up is neither noise nor anybody else's.
func TestStdioLateAnswer(t *testing.T) {
	s := startStdioServer(t, "reversed", "2")
	mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
	late := stdioRequest(1, "tools/list")
	late.Timeout = short
	mustFail(t, s.Do(t.Context(), late), recording.FailTimeout, "no answer to tools/list within 150ms")
	msg := mustAnswer(t, s.Do(t.Context(), stdioRequest(2, "prompts/list")))
	if !msg.Path("result", "prompts").IsArray() {
		t.Errorf("answer %s", msg.Raw())
	}
	mustAnswer(t, s.Do(t.Context(), stdioRequest(3, "ping")))
	if p := s.Record(); p.NoiseTotal != 0 {
		t.Errorf("noise %+v", p.Noise)
	}
}

func TestStdioStderr(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	done := make(chan struct{})
	s := startStdio(t, StdioOptions{
		Command: testserver.Command(t, "slow-start", "20ms"),
		OnStderr: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			if lines = append(lines, line); line == "installed" {
				close(done)
			}
		},
	})
	mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
	<-done
	want := []string{"installing 0%", "installing 25%", "installing 50%", "installing 75%", "installed"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if !s.LastOutput().After(s.started) {
		t.Error("output was not noticed")
	}

	flood := startStdio(t, StdioOptions{Command: testserver.Command(t, "stderr-flood"), StderrTail: 1 << 10})
	mustAnswer(t, flood.Do(t.Context(), stdioHandshake()))
	flood.Close()
	if e := flood.Record().Stderr; e.Size < 256<<10 || len(e.Bytes) != 1<<10 || !e.Cut {
		t.Errorf("stderr of %d bytes, kept %d, cut %v", e.Size, len(e.Bytes), e.Cut)
	}
}

// A secret of the server's environment shows neither in what it answers nor in what it says when it dies.
func TestStdioRedacts(t *testing.T) {
	const secret = "s3cr3t-value-of-the-user"
	opts := StdioOptions{
		Command: testserver.Command(t, "environment"),
		Env:     []string{"TOKEN=" + secret},
		Redact:  recording.NewRedactor(secret),
	}
	r := startStdio(t, opts).Do(t.Context(), stdioRequest(1, "anything"))
	mustAnswer(t, r)
	if !bytes.Contains(r.Answer, []byte(secret)) {
		t.Error("the server did not get its variable")
	}
	opts.Command = testserver.Command(t, "exits", "1", "cannot log in with "+secret)
	s := startStdio(t, opts)
	died := s.Do(t.Context(), stdioRequest(1, "anything"))
	s.Close()
	mustFail(t, died, recording.FailExited, "cannot log in with "+recording.Redacted)
	for _, text := range [][]byte{r.Exchange.Answer.Bytes, s.Record().Stderr.Bytes} {
		if bytes.Contains(text, []byte(secret)) || !bytes.Contains(text, []byte(recording.Redacted)) {
			t.Errorf("not redacted: %s", text)
		}
	}
}

func TestStdioEnvironment(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	t.Setenv("GITHUB_TOKEN", "y")
	t.Setenv("LC_TIME", "C")
	s := startStdio(t, StdioOptions{Command: testserver.Command(t, "environment"), Env: []string{"GIVEN=1=2"}, Dir: t.TempDir()})
	var names []string
	for _, el := range mustAnswer(t, s.Do(t.Context(), stdioRequest(1, "env"))).Get("result").Elements() {
		name, value, _ := strings.Cut(el.Value.TextOr(""), "=")
		names = append(names, name)
		if name == "GIVEN" && value != "1=2" {
			t.Errorf("GIVEN is %q", value)
		}
		if name != "GIVEN" && !inherits(name) {
			t.Errorf("the server inherited %s", name)
		}
	}
	for _, name := range []string{"GIVEN", "LC_TIME", "PATH"} {
		if !slices.Contains(names, name) {
			t.Errorf("the server did not get %s", name)
		}
	}
}

func TestStdioContext(t *testing.T) {
	s := startStdioServer(t, "silent")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	mustFail(t, s.Do(ctx, stdioHandshake()), recording.FailInterrupted, "interrupted")
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	mustFail(t, s.Do(ctx, stdioHandshake()), recording.FailDeadline, "")

	done := make(chan Reply)
	go func() { done <- s.Do(t.Context(), stdioHandshake()) }()
	for len(s.inFlight()) == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	mustFail(t, <-done, recording.FailInterrupted, "closed")
	mustFail(t, s.Do(t.Context(), stdioHandshake()), recording.FailInterrupted, "closed")
}

// The end of the whole audit ends process and calls alike, and the calls say so.
func TestStdioDeadlineOfTheAudit(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*short)
	defer cancel()
	s, failure := StartStdio(ctx, StdioOptions{Command: testserver.Command(t, "silent")})
	if failure != nil {
		t.Fatalf("start: %+v", failure)
	}
	mustFail(t, s.Do(ctx, stdioHandshake()), recording.FailDeadline, "")
	<-s.over
	mustFail(t, s.Do(ctx, stdioHandshake()), recording.FailDeadline, "")
	s.Close()
	if _, failure := StartStdio(ctx, StdioOptions{Command: testserver.Command(t, "silent")}); failure == nil || failure.Class != recording.FailDeadline {
		t.Errorf("started after the deadline: %+v", failure)
	}
}

// inFlight returns the ids of the calls that wait.
func (s *Stdio) inFlight() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, w := range s.waiting {
		ids = append(ids, w.id)
	}
	return ids
}
