package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// Limits of a stdio link where StdioOptions does not say otherwise.
const (
	DefaultMaxLine     = 32 << 20        // bytes of one line on standard output
	DefaultStderrTail  = 64 << 10        // bytes of standard error that are kept
	DefaultGrace       = 2 * time.Second // for each step of ending a process
	DefaultCallTimeout = 60 * time.Second
)

// Other bounds of a stdio link, in bytes unless they count something.
const (
	maxNoiseBytes    = 2 << 10  // kept of one line that is no message
	maxIncomingBytes = 64 << 10 // kept of one request or notification of the server
	maxProgressBytes = 1 << 10  // of one line of standard error given to OnStderr
	maxLate          = 256      // ids of calls that were given up, whose late answers are no noise
	maxRelayed       = 64       // callbacks that wait; more are dropped
	maxDetailRunes   = 300      // of a line quoted in Failure.Detail
)

// settle is how long to wait for what must follow at once: the end of output after the exit, the exit after the end of output.
const settle = 300 * time.Millisecond

// StdioOptions say what to start and how to talk to it. Only Command is required.
type StdioOptions struct {
	Command    []string // program and arguments, run without a shell; a bare program name is looked up in our own PATH
	Dir        string   // working directory, ours when empty
	Env        []string // NAME=VALUE pairs besides the inherited InheritedVariables
	Connection string   // recorded connection name
	// Redact removes what we hold from everything recorded and from every failure detail. nil removes nothing.
	Redact     *recording.Redactor
	Began      time.Time     // when the audit began; recorded times count from there. Zero means now
	Timeout    time.Duration // of a call that names none, DefaultCallTimeout when 0
	MaxLine    int64         // bytes of a line on stdout, DefaultMaxLine when 0; longer lines are skipped
	MaxBody    int64         // bytes of an answer, recording.MaxBody when 0; of longer ones only a cut record is kept
	StderrTail int           // DefaultStderrTail when 0
	Grace      time.Duration // DefaultGrace when 0

	// OnMessage is told about each request and notification of the server, in order, on a goroutine of its own. It may call Do (to
	// answer a ping) but not Close. When it is slower than the server by some dozens of messages, messages are dropped.
	OnMessage func(Incoming)
	// OnStderr is told about lines on standard error, redacted and made printable, for progress ("installing ..."). Same rules.
	OnStderr func(line string)
}

// Incoming is a request or notification that the server sent.
type Incoming struct {
	Method string // empty when it is not a string
	ID     string // as JSON, empty for notifications
	Body   recording.Body
}

// Stdio is a Link to a server process over its standard streams.
//
// It knows no start budget of its own: a call's Timeout counts from Do, so whoever plans gives the first call the budget for starting
// plus that of the handshake, and may watch Alive and LastOutput meanwhile.
//
// For a call with an ID, Do waits for the answer. Without one it waits until the process took the bytes, or, with ReadBody, for an
// error without an id, the only answer that text which is no JSON-RPC can get.
type Stdio struct {
	opts    StdioOptions
	proc    *process
	started time.Time
	urgent  <-chan struct{} // the context of StartStdio ended: do not wait for a polite end

	writes   chan *write
	messages *relay
	progress *relay

	exited    chan struct{} // the process ended
	outEnded  chan struct{} // its standard output ended
	errEnded  chan struct{} // its standard error ended
	over      chan struct{} // no call can be answered any more; ending says why
	swept     chan struct{} // nobody of the group is left
	closing   chan struct{}
	closeOnce sync.Once

	outBytes   atomic.Int64
	lastOutput atomic.Int64 // UnixNano
	openLine   atomic.Bool  // the last byte on stdout was no line end

	mu      sync.Mutex
	waiting []*waiter // oldest first
	late    []string  // ids of calls that were given up
	strays  []recording.Body
	rec     recording.Process
	lines   int
	stderr  tail
	told    bool // the process was told to end
	ending  *recording.Failure
}

// waiter is a call that waits for its answer.
type waiter struct {
	id     string
	others []recording.Body
	done   chan outcome
}

type outcome struct {
	answer  []byte
	body    *recording.Body // of an answer that is not kept whole
	began   time.Time
	failure *recording.Failure
}

// StartStdio starts the server process. The failure tells why it could not be started; what the process does afterwards is the
// business of Do. When ctx ends the process group is ended too, as by Close but at once.
func StartStdio(ctx context.Context, opts StdioOptions) (*Stdio, *recording.Failure) {
	opts = opts.withDefaults()
	if len(opts.Command) == 0 || opts.Command[0] == "" {
		return nil, startFailure(opts.Command, opts.Dir, nil)
	}
	if ctx.Err() != nil {
		return nil, contextFailure(ctx, "start")
	}
	s := &Stdio{
		opts:     opts,
		started:  time.Now(),
		urgent:   ctx.Done(),
		writes:   make(chan *write),
		exited:   make(chan struct{}),
		outEnded: make(chan struct{}),
		errEnded: make(chan struct{}),
		over:     make(chan struct{}),
		swept:    make(chan struct{}),
		closing:  make(chan struct{}),
		stderr:   tail{keep: opts.StderrTail},
	}
	proc, err := startProcess(opts.Command, opts.Dir, Environment(os.Environ(), opts.Env))
	if err != nil {
		f := startFailure(opts.Command, opts.Dir, err)
		f.Detail = s.clean(f.Detail)
		return nil, f
	}
	s.proc, s.messages, s.progress = proc, newRelay(), newRelay()
	s.rec = recording.Process{Connection: opts.Connection, Started: recording.Micros(s.started.Sub(opts.Began))}
	go s.readOutput()
	go s.readErrors()
	go s.writeInput()
	go s.supervise()
	go func() {
		select {
		case <-ctx.Done():
			s.Close()
		case <-s.closing:
		}
	}()
	return s, nil
}

func (o StdioOptions) withDefaults() StdioOptions {
	if o.Began.IsZero() {
		o.Began = time.Now()
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultCallTimeout
	}
	if o.MaxLine == 0 {
		o.MaxLine = DefaultMaxLine
	}
	if o.MaxBody == 0 {
		o.MaxBody = recording.MaxBody
	}
	if o.StderrTail == 0 {
		o.StderrTail = DefaultStderrTail
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	return o
}

// Do implements Link. Several calls may be in flight at once; answers are matched by id and may come in any order.
func (s *Stdio) Do(ctx context.Context, call Call) Reply {
	sent := time.Now()
	limit := call.Timeout
	if limit == 0 {
		limit = s.opts.Timeout
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()

	var w *waiter
	var answered chan outcome
	if call.ID != "" && call.Read <= ReadBody || call.ID == "" && call.Read == ReadBody {
		w = s.await(call.ID)
		answered = w.done
	}
	wr := &write{data: withLineEnd(call.Body), done: make(chan error, 1)}
	queue, written := s.writes, wr.done
	var closed <-chan time.Time // the process closed its stdin: its end or answer must be near
	var out outcome
wait:
	for {
		select {
		case queue <- wr:
			queue = nil
		case err := <-written:
			written = nil
			if err == nil && w == nil {
				break wait
			}
			if err != nil {
				closed = time.After(2 * settle)
			}
		case out = <-answered:
			break wait
		case <-closed:
			out.failure = s.failure(recording.FailNotReading, "the process closed its standard input")
			break wait
		case <-s.over:
			out.failure = s.endedWith()
			if ctx.Err() != nil { // it also ended the process
				out.failure = contextFailure(ctx, "")
			}
			break wait
		case <-timer.C:
			out.failure = s.overdue(call, limit, written != nil)
			break wait
		case <-ctx.Done():
			out.failure = contextFailure(ctx, "")
			break wait
		}
	}
	wr.abandoned.Store(true)
	select {
	case out = <-answered: // in the same moment: an answer that is there counts
	default:
	}
	return s.reply(call, w, out, sent)
}

// reply records what came of a call.
func (s *Stdio) reply(call Call, w *waiter, out outcome, sent time.Time) Reply {
	now := time.Now()
	e := recording.Exchange{
		Step: call.Step, Via: "stdio", Connection: s.opts.Connection,
		Request:  &recording.Request{RPC: call.RPC, ID: call.ID},
		Started:  recording.Micros(sent.Sub(s.opts.Began)),
		Duration: recording.Micros(now.Sub(sent)),
		Failure:  out.failure,
	}
	e.Request.Body = s.opts.Redact.Body(call.Body, int64(len(call.Body)), false)
	if w != nil {
		e.Others = s.forget(w, out.answer == nil && out.body == nil)
	}
	if !out.began.IsZero() {
		e.First = recording.Micros(max(0, out.began.Sub(sent)))
	}
	if out.body != nil {
		e.Answer = out.body
		return Reply{Exchange: e}
	}
	if out.answer == nil {
		return Reply{Exchange: e}
	}
	limit := call.MaxBody
	if limit == 0 {
		limit = s.opts.MaxBody
	}
	size := int64(len(out.answer))
	if size > limit {
		e.Answer = s.excerpt(out.answer, size, int(limit))
		e.Failure = s.failure(recording.FailTooLarge, "the answer has %d bytes, more than the %d that are kept", size, limit)
		return Reply{Exchange: e}
	}
	e.Answer = s.opts.Redact.Body(out.answer, size, false)
	return Reply{Exchange: e, Answer: out.answer}
}

// await registers a call before it is sent, since the answer may be there before the write returns.
func (s *Stdio) await(id string) *waiter {
	w := &waiter{id: id, done: make(chan outcome, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.others, s.strays = s.strays, nil
	s.waiting = append(s.waiting, w)
	return w
}

// forget takes a call off the list and returns what the server sent besides. When it was given up, an answer may still come; that
// it comes late makes it no noise.
func (s *Stdio) forget(w *waiter, unanswered bool) []recording.Body {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(w)
	if unanswered && w.id != "" && len(s.late) < maxLate {
		s.late = append(s.late, w.id)
	}
	return w.others
}

func (s *Stdio) remove(w *waiter) {
	for i, other := range s.waiting {
		if other == w {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			return
		}
	}
}

// Alive reports whether the process runs.
func (s *Stdio) Alive() bool {
	select {
	case <-s.exited:
		return false
	default:
		return true
	}
}

// LastOutput returns when the process last printed anything on stdout or stderr, or when it was started.
func (s *Stdio) LastOutput() time.Time {
	if n := s.lastOutput.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return s.started
}

// Record returns the facts about the process so far; they are complete after Close.
func (s *Stdio) Record() recording.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.rec
	p.Noise = append([]recording.Noise(nil), s.rec.Noise...)
	p.Stderr = s.stderr.body(s.opts.Redact)
	return p
}

// Close ends the process: its stdin is closed, then, each after the grace, the group gets SIGTERM and SIGKILL (on Windows Ctrl-Break,
// then the end of the job). It returns as soon as the group is gone. Calls in flight fail.
func (s *Stdio) Close() {
	s.closeOnce.Do(s.shutdown)
}

func (s *Stdio) shutdown() {
	close(s.closing)
	s.mu.Lock()
	s.told = true
	s.mu.Unlock()

	go s.proc.stdin.Close() // on Windows this can wait for a write that is stuck
	ended := "stdin-closed"
	if !s.exitsWithin(s.opts.Grace, s.urgent) {
		ended = "terminated"
		s.proc.group.terminate()
		if !s.exitsWithin(s.opts.Grace, nil) {
			ended = "killed"
			s.proc.group.kill()
			s.exitsWithin(DefaultGrace, nil)
		}
	}
	s.mu.Lock()
	if s.rec.Stopped == "" {
		s.rec.Stopped = ended
	}
	s.mu.Unlock()
	select {
	case <-s.swept:
	case <-time.After(s.opts.Grace + 2*DefaultGrace): // a process the kernel does not let go, in device input or output
	}
	s.drained(settle, nil) // the last words, unless somebody outside the group holds the pipes
	s.proc.stdout.Close()
	s.proc.stderr.Close()
	s.drained(settle, nil)
	s.messages.close()
	s.progress.close()
}

// exitsWithin waits for the exit of the process until the limit or until hurry is closed.
func (s *Stdio) exitsWithin(limit time.Duration, hurry <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.exited:
		return true
	case <-timer.C:
	case <-hurry:
	}
	select {
	case <-s.exited:
		return true
	default:
		return false
	}
}

// supervise reaps the process, says why calls can no longer be answered, and ends the rest of the group.
func (s *Stdio) supervise() {
	go func() {
		_ = s.proc.cmd.Wait() // the state is read from ProcessState
		s.mu.Lock()
		if !s.told {
			s.rec.Stopped = "exited"
			if state := s.proc.cmd.ProcessState; state != nil {
				code := exitCode(state)
				s.rec.Exit = &code
			}
		}
		s.mu.Unlock()
		close(s.exited)
	}()
	select {
	case <-s.exited:
	case <-s.outEnded:
		if !s.exitsWithin(settle, nil) {
			s.end(recording.FailNoAnswer, "the process closed its standard output and still runs")
			<-s.exited
		}
	}
	// Output printed just before the exit may still be in the pipes, which stay open when a descendant holds them.
	s.drained(settle, s.closing)
	s.end(recording.FailExited, "the process ended (%s) before it answered%s", s.proc.cmd.ProcessState, s.lastWords())
	s.proc.sweep(min(s.opts.Grace, settle))
	close(s.swept)
}

// drained waits for the end of both outputs, until the limit or until hurry is closed.
func (s *Stdio) drained(limit time.Duration, hurry <-chan struct{}) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, ended := range []chan struct{}{s.outEnded, s.errEnded} {
		select {
		case <-ended:
		case <-hurry:
			return
		case <-timer.C:
			return
		}
	}
}

// end records why no call can be answered any more; the first reason stays.
func (s *Stdio) end(class recording.Class, format string, args ...any) {
	f := s.failure(class, format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending != nil {
		return
	}
	if s.told {
		f = &recording.Failure{Class: recording.FailInterrupted, Detail: "the connection was closed"}
	}
	s.ending = f
	close(s.over)
}

func (s *Stdio) endedWith() *recording.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := *s.ending
	return &f
}

// overdue says what a call ran into whose time is up.
func (s *Stdio) overdue(call Call, limit time.Duration, unwritten bool) *recording.Failure {
	nothing := s.outBytes.Load() == 0
	if unwritten {
		return s.failure(recording.FailNotReading, "the process did not take the request from its standard input within %v%s", limit, s.lastWords())
	}
	if n, ok := unread(s.proc.stdin); ok && n > 0 && nothing {
		return s.failure(recording.FailNotReading, "the process has neither read its standard input nor printed anything within %v%s", limit, s.lastWords())
	}
	if nothing {
		return s.failure(recording.FailSilent, "the process runs but printed nothing on its standard output within %v%s", limit, s.lastWords())
	}
	what := call.RPC
	if what == "" {
		what = "the request"
	}
	detail := fmt.Sprintf("no answer to %s within %v", what, limit)
	s.mu.Lock()
	noise := s.rec.NoiseTotal
	s.mu.Unlock()
	if noise > 0 {
		detail += fmt.Sprintf("; standard output carried %d lines that are no messages or no answers", noise)
	}
	if s.openLine.Load() {
		detail += "; the last line of standard output has no line end"
	}
	return s.failure(recording.FailTimeout, "%s", detail)
}

func (s *Stdio) failure(class recording.Class, format string, args ...any) *recording.Failure {
	return &recording.Failure{Class: class, Detail: s.clean(fmt.Sprintf(format, args...))}
}

// clean makes text fit for Failure.Detail.
func (s *Stdio) clean(text string) string { return textscan.Visible(s.opts.Redact.String(text)) }

// excerpt records at most keep bytes of text, which is the beginning of a message of size bytes.
func (s *Stdio) excerpt(text []byte, size int64, keep int) *recording.Body {
	part := firstBytes(text, keep)
	cut := int64(len(part)) < size
	if cut {
		part = wholeRunes(part)
	}
	return s.opts.Redact.Body(bytes.Clone(part), size, cut)
}

// contextFailure tells a deadline from an interruption.
func contextFailure(ctx context.Context, phase string) *recording.Failure {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &recording.Failure{Class: recording.FailDeadline, Phase: phase, Detail: "the time for the whole audit is up"}
	}
	return &recording.Failure{Class: recording.FailInterrupted, Phase: phase, Detail: "interrupted"}
}

// write is a message on its way to the process.
type write struct {
	data      []byte
	abandoned atomic.Bool // nobody waits for it: do not begin it
	done      chan error
}

func withLineEnd(body []byte) []byte {
	if bytes.HasSuffix(body, []byte("\n")) {
		return body
	}
	return append(bytes.Clone(body), '\n')
}

// writeInput writes one message after the other. A process that does not read blocks it, but never a call.
func (s *Stdio) writeInput() {
	for {
		select {
		case w := <-s.writes:
			if w.abandoned.Load() {
				continue
			}
			_, err := s.proc.stdin.Write(w.data)
			w.done <- err
		case <-s.closing:
			return
		}
	}
}

// readOutput takes standard output apart until it ends.
func (s *Stdio) readOutput() {
	defer close(s.outEnded)
	lines := newLineReader(s.proc.stdout, s.opts.MaxLine, maxNoiseBytes, func(at time.Time, piece []byte) {
		if s.outBytes.Add(int64(len(piece))) == int64(len(piece)) {
			s.mu.Lock()
			s.rec.FirstByte = recording.Micros(at.Sub(s.started))
			s.mu.Unlock()
		}
		s.openLine.Store(piece[len(piece)-1] != '\n')
		s.lastOutput.Store(at.UnixNano())
	})
	for {
		l, ok := lines.next()
		if !ok {
			return
		}
		s.receive(l)
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// receive handles one line. Blank ones are passed over.
func (s *Stdio) receive(l line) {
	bom := false
	if s.lines == 0 {
		l.text, bom = bytes.CutPrefix(l.text, byteOrderMark)
	}
	s.mu.Lock()
	s.lines++
	s.rec.BOM = s.rec.BOM || bom
	s.rec.CRLF = s.rec.CRLF || l.crlf
	s.mu.Unlock()
	if l.cut {
		s.receiveCut(l)
		return
	}
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 {
		return
	}
	found, noise := messages(text)
	if noise != "" {
		s.note(noise, l.text, int64(len(l.text)))
	}
	for _, m := range found {
		switch {
		case m.incoming():
			s.receiveIncoming(m)
		case !s.answer(m, l.began):
			s.note("unmatched", m.raw, int64(len(m.raw)))
		}
	}
}

// note records a line that is no message.
func (s *Stdio) note(kind string, text []byte, size int64) {
	s.mu.Lock()
	s.rec.NoiseTotal++
	full := len(s.rec.Noise) >= recording.MaxNoise
	n := s.lines
	s.mu.Unlock()
	if full {
		return
	}
	body := s.excerpt(text, size, maxNoiseBytes)
	s.mu.Lock()
	s.rec.Noise = append(s.rec.Noise, recording.Noise{Line: n, Bytes: *body, Kind: kind})
	s.mu.Unlock()
}

// answer gives m to the call it answers, or lets it go when that call was given up.
func (s *Stdio) answer(m message, began time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.match(m.head)
	if w == nil {
		return s.isLate(string(m.head.Get("id").Raw()))
	}
	s.remove(w)
	w.done <- outcome{answer: m.raw, began: began}
	return true
}

func (s *Stdio) match(head jsondoc.Value) *waiter {
	id := head.Get("id")
	if id.Missing() {
		// Only an error may lack the id, and whose it is shows only when there is one call.
		if len(s.waiting) == 1 && head.Get("error").Exists() {
			return s.waiting[0]
		}
		return nil
	}
	for _, w := range s.waiting {
		if w.id == string(id.Raw()) {
			return w
		}
	}
	for _, w := range s.waiting {
		if w.id != "" && recording.Answers(head, w.id) {
			return w
		}
	}
	return nil
}

func (s *Stdio) isLate(id string) bool {
	if id == "" {
		return false
	}
	for i, late := range s.late {
		if late == id || sameID(id, late) {
			s.late = append(s.late[:i:i], s.late[i+1:]...)
			return true
		}
	}
	return false
}

// receiveCut handles a line longer than the cap. The call that it answers fails, when that can be told.
func (s *Stdio) receiveCut(l line) {
	s.note("too-long", l.text, l.size)
	id, answer := cutAnswer(l.text, l.tail)
	if !answer {
		return
	}
	body := s.excerpt(l.text, l.size, maxNoiseBytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	var w *waiter
	for _, other := range s.waiting {
		if id != "" && (other.id == id || other.id != "" && sameID(id, other.id)) {
			w = other
			break
		}
	}
	if w == nil && id == "" && len(s.waiting) == 1 {
		w = s.waiting[0]
	}
	if w == nil {
		return
	}
	s.remove(w)
	f := s.failure(recording.FailTooLarge, "the answer has %d bytes, more than the %d that are read", l.size, s.opts.MaxLine)
	w.done <- outcome{body: body, began: l.began, failure: f}
}

// receiveIncoming records a message of the server's own with the oldest call in flight, or with the next when there is none, so that
// each stands in the recording once.
func (s *Stdio) receiveIncoming(m message) {
	body := s.excerpt(m.raw, int64(len(m.raw)), maxIncomingBytes)
	s.mu.Lock()
	others := &s.strays
	if len(s.waiting) > 0 {
		others = &s.waiting[0].others
	}
	if len(*others) < recording.MaxOthers {
		*others = append(*others, *body)
	}
	s.mu.Unlock()
	if s.opts.OnMessage != nil {
		in := Incoming{Method: m.head.Get("method").TextOr(""), ID: string(m.head.Get("id").Raw()), Body: *body}
		s.messages.post(func() { s.opts.OnMessage(in) })
	}
}

// readErrors drains standard error, so that a full pipe never stops the server, and keeps its tail.
func (s *Stdio) readErrors() {
	defer close(s.errEnded)
	buf := make([]byte, 32<<10)
	var progress progressLines
	for {
		n, err := s.proc.stderr.Read(buf)
		if n > 0 {
			s.lastOutput.Store(time.Now().UnixNano())
			s.mu.Lock()
			s.stderr.add(buf[:n])
			s.mu.Unlock()
			if s.opts.OnStderr != nil {
				progress.add(buf[:n], s.showProgress)
			}
		}
		if err != nil {
			return
		}
	}
}

func (s *Stdio) showProgress(text []byte, size int64) {
	body := s.excerpt(text, size, maxProgressBytes)
	line := strings.TrimSpace(string(body.Bytes))
	if line == "" {
		return
	}
	line = textscan.Visible(line)
	s.progress.post(func() { s.opts.OnStderr(line) })
}

// lastWords quotes the most telling line of standard error's tail.
func (s *Stdio) lastWords() string {
	s.mu.Lock()
	body := s.stderr.body(s.opts.Redact)
	s.mu.Unlock()
	line := tellingLine(string(body.Bytes))
	if line == "" {
		return ", with nothing on standard error"
	}
	if r := []rune(line); len(r) > maxDetailRunes {
		line = string(r[:maxDetailRunes]) + "..."
	}
	return "; standard error says: " + line
}

// relay runs callbacks in order on one goroutine and never makes the caller wait: what does not fit is dropped.
type relay struct {
	mu     sync.Mutex
	queue  chan func()
	closed bool
}

func newRelay() *relay {
	r := &relay{queue: make(chan func(), maxRelayed)}
	go func() {
		for f := range r.queue {
			f()
		}
	}()
	return r
}

func (r *relay) post(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	select {
	case r.queue <- f:
	default:
	}
}

func (r *relay) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.queue)
	}
}
