package report

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// reproducer writes, for an exchange of a recording, the shell commands that have it again.
type reproducer struct {
	rec  *recording.Recording
	done map[string]string
}

func newReproducer(rec *recording.Recording) *reproducer {
	return &reproducer{rec: rec, done: map[string]string{}}
}

// command returns the commands for a step, empty when the step cannot be had again from a shell. They hold no secret: what the user
// gave appears as shell variables, a session id is taken from the answer to initialize.
func (r *reproducer) command(step string) string {
	if text, ok := r.done[step]; ok {
		return text
	}
	text := r.build(r.rec.Find(step))
	r.done[step] = text
	return text
}

func (r *reproducer) build(e *recording.Exchange) string {
	switch {
	case e == nil:
		return ""
	case e.Via == "stdio":
		return r.overStdio(e)
	case e.Via == "tls" && r.rec.Target.URL != "":
		return "curl -sSv -o /dev/null -m 30 " + word(r.rec.Target.URL)
	case e.Request == nil || e.Request.URL == "":
		return ""
	case e.Via == "sse" && e.Request.Method == "POST":
		return r.overSSE(e)
	}
	return r.overHTTP(e)
}

// handshake returns the request for initialize that opened the session in which e was sent, and the notification that followed it. Both
// are nil when e does not belong to a session.
func (r *reproducer) handshake(e *recording.Exchange) (initialize, initialized *recording.Exchange) {
	if e.Request == nil || e.Request.RPC == "initialize" {
		return nil, nil
	}
	for i := range r.rec.Exchanges {
		x := &r.rec.Exchanges[i]
		if x.Request == nil || x.Connection != e.Connection {
			continue
		}
		if x.Request.RPC == "initialize" && initialize == nil {
			if msg, _, ok := x.Message(); ok && msg.Get("result").Exists() {
				initialize = x
			}
		}
		if x.Request.RPC == "notifications/initialized" && initialized == nil && x.Step != e.Step {
			initialized = x
		}
	}
	if initialize == nil {
		return nil, nil
	}
	return initialize, initialized
}

// overStdio pipes the messages into the command. The pipe stays open for a while after the last one: many servers stop when their
// standard input ends, answered or not.
func (r *reproducer) overStdio(e *recording.Exchange) string {
	if e.Request == nil || e.Request.Body == nil || len(r.rec.Target.Command) == 0 {
		return ""
	}
	var lines []string
	initialize, initialized := r.handshake(e)
	for _, x := range []*recording.Exchange{initialize, initialized, e} {
		if x != nil && x.Request.Body != nil {
			lines = append(lines, message(x.Request.Body))
		}
	}
	var command []string
	for _, name := range r.rec.Target.EnvNames {
		if variableName(name) {
			command = append(command, name+`="$`+name+`"`)
		}
	}
	for _, arg := range r.rec.Target.Command {
		command = append(command, word(arg))
	}
	return fmt.Sprintf(`{ printf '%%s\n' %s; sleep %d; } | %s`, strings.Join(lines, " "), r.patience(), strings.Join(command, " "))
}

// patience is how many seconds a command gets to start and answer: one of three values, so that two audits of one server agree.
func (r *reproducer) patience() int {
	longest := recording.Duration(0)
	for _, p := range r.rec.Processes {
		longest = max(longest, p.FirstByte)
	}
	switch seconds := longest.Span().Seconds(); {
	case seconds < 2:
		return 5
	case seconds < 10:
		return 20
	}
	return 60
}

func (r *reproducer) overHTTP(e *recording.Exchange) string {
	if !hasHeader(e, "Mcp-Session-Id") {
		return r.curl(e, "-i", "", word(e.Request.URL))
	}
	initialize, initialized := r.handshake(e)
	if initialize == nil {
		return r.curl(e, "-i", "Mcp-Session-Id: 00000000-0000-4000-8000-000000000000", word(e.Request.URL))
	}
	const session = "Mcp-Session-Id: $session"
	commands := []string{"session=$(" + r.curl(initialize, "-D - -o /dev/null", "", word(initialize.Request.URL)) +
		` | awk 'tolower($1) == "mcp-session-id:" { print $2 }' | tr -d '\r')`}
	if initialized != nil {
		commands = append(commands, r.curl(initialized, "-o /dev/null", session, word(initialized.Request.URL)))
	}
	return strings.Join(append(commands, r.curl(e, "-i", session, word(e.Request.URL))), "\n")
}

// overSSE opens the event stream of the transport of 2024-11-05, takes the message endpoint from its first event, and posts there.
// The endpoint is only followed on the server's own origin, for the user's headers go along.
func (r *reproducer) overSSE(e *recording.Exchange) string {
	u, err := url.Parse(r.rec.Target.URL)
	if err != nil || u.Host == "" {
		return ""
	}
	origin := word(u.Scheme + "://" + u.Host)
	stream := &recording.Exchange{Request: &recording.Request{Method: "GET", Headers: []recording.Header{{Name: "Accept", Value: "text/event-stream"}}}}
	for _, h := range e.Request.Headers {
		if strings.Contains(h.Value, recording.Redacted) {
			stream.Request.Headers = append(stream.Request.Headers, h)
		}
	}
	commands := []string{
		"events=$(mktemp)",
		r.curl(stream, "-N", "", word(r.rec.Target.URL)) + ` >"$events" &`,
		`for i in 1 2 3 4 5 6 7 8 9 10; do grep -q '^data:' "$events" && break; sleep 1; done`,
		`endpoint=$(sed -n 's/^data: *//p' "$events" | head -n 1 | tr -d '\r')`,
		`case $endpoint in ` + origin + `/*) ;; *) endpoint=` + origin + `"$endpoint" ;; esac`,
	}
	initialize, initialized := r.handshake(e)
	for _, x := range []*recording.Exchange{initialize, initialized, e} {
		if x != nil {
			commands = append(commands, r.curl(x, "", "", `"$endpoint"`))
		}
	}
	return strings.Join(append(commands, `sleep 2; cat "$events"; kill $!; rm "$events"`), "\n")
}

// curl writes one request. session is the session header to send instead of the recorded one, for double quotes.
func (r *reproducer) curl(e *recording.Exchange, options, session, target string) string {
	args := []string{"curl", "-sSg", "-m", "30"}
	if r.rec.Target.Insecure {
		args = append(args, "-k")
	}
	if options != "" {
		args = append(args, options)
	}
	body := e.Request.Body
	if m := e.Request.Method; m != "" && m != "GET" && (m != "POST" || body == nil) {
		args = append(args, "-X", word(m))
	}
	for _, h := range e.Request.Headers {
		args = append(args, r.header(h)...)
	}
	if session != "" {
		args = append(args, "-H", `"`+session+`"`)
	}
	// What curl would add on its own.
	if !hasHeader(e, "Accept") {
		args = append(args, "-H", "Accept:")
	}
	if body != nil {
		if !hasHeader(e, "Content-Type") {
			args = append(args, "-H", "Content-Type:")
		}
		args = append(args, "--data-raw", message(body))
	}
	return strings.Join(append(args, target), " ")
}

// header writes the option for one header field, nothing for those that curl or the session takes care of.
func (r *reproducer) header(h recording.Header) []string {
	switch strings.ToLower(h.Name) {
	case "content-length", "connection", "cookie", "mcp-session-id":
		return nil
	case "accept-encoding":
		switch h.Value {
		case "identity":
			return nil
		case "gzip":
			return []string{"--compressed"}
		}
	case "user-agent":
		if strings.HasPrefix(h.Value, "hallmark/") {
			return nil
		}
	}
	if strings.Contains(h.Value, recording.Redacted) {
		return []string{"-H", word(h.Name+": ") + `"$` + variable(h.Name) + `"`}
	}
	if h.Value == "" {
		return []string{"-H", word(h.Name + ";")} // curl's way to send a field without a value
	}
	return []string{"-H", word(h.Name + ": " + h.Value)}
}

func hasHeader(e *recording.Exchange, name string) bool {
	for _, h := range e.Request.Headers {
		if strings.EqualFold(h.Name, name) {
			return true
		}
	}
	return false
}

// message writes the body of a request as one shell word, of printable ASCII where JSON allows it.
func message(body *recording.Body) string {
	text := strings.TrimRight(string(body.Bytes), "\n")
	if escaped, ok := asciiJSON(text); ok {
		text = escaped
	}
	return word(text)
}
