package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

//go:embed html/report.gohtml
var htmlTemplate string

//go:embed html/style.css
var htmlStyle string

//go:embed html/script.js
var htmlScript string

// Limits of what one page shows of a recording.
const (
	pagePlan      = 6         // steps of the fix plan that are not folded away
	pageExchanges = 400       // exchanges
	pageHeaders   = 40        // header fields of a message
	pageBody      = 6_000     // characters of a message body
	pageBodies    = 1_000_000 // characters of all bodies together
	pageStderr    = 4_000     // characters of a process's standard error
)

// HTML writes a report as one page that needs nothing else: no network, no script to read it. rec, when given, is the recording that the
// report was made from; the page then shows its exchanges, credentials masked. The error is the writer's.
func HTML(w io.Writer, r *report.Report, rec *recording.Recording) error {
	p := newPage(r, rec)
	var b bytes.Buffer
	if err := parsedPage().Execute(&b, p); err != nil {
		return err
	}
	// Every text has been made visible where it entered the page. This holds whatever a later change of the template forgets, and
	// breaks what the log of a build that prints the page would take for a command.
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		line = strings.ReplaceAll(visible(line), "##[", "#&#35;[")
		if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "::") {
			line = line[:len(line)-len(rest)] + "&#58;" + rest[1:]
		}
		lines[i] = line
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

// parsedPage is parsed on first use: few runs of the program write HTML.
var parsedPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"v": shown, "plural": plural, "elapsed": elapsed, "place": place, "link": httpURL, "tone": tone, "percent": func(p *int) int { return *p },
		"inc": func(n int) int { return n + 1 }, "lower": func(s any) string { return strings.ToLower(fmt.Sprint(s)) },
		"spaced": func(s any) string { return strings.ReplaceAll(fmt.Sprint(s), "_", " ") },
	}).Parse(htmlTemplate))
})

// shown makes a word of the report visible; a pointer that is nil is empty.
func shown(word any) string {
	if s, ok := word.(*string); ok {
		if s == nil {
			return ""
		}
		word = *s
	}
	return visible(fmt.Sprint(word))
}

// htmlPage is what the template reads.
type htmlPage struct {
	CSS             template.CSS
	JS              template.JS
	Policy          string // of the Content-Security-Policy
	R               *report.Report
	Day             string
	Facts           []string
	Gaps            []string
	Plan, LaterPlan []report.FixStep
	Groups          []htmlGroup
	Failed          int
	Passed          int
	Unseen          int // rules that lacked data
	Inapplicable    int // rules skipped for any other reason
	Unobserved      []htmlSkips
	Noticed         []htmlRule
	Exchanges       []htmlExchange
	ExchangesLeft   int
	HasExchanges    bool
	Processes       []htmlProcess
	Experimental    int // experimental rules that looked
}

// htmlGroup is the rules of one category.
type htmlGroup struct {
	ID       string
	Category report.Category
	Counted  bool
	Rules    []htmlRule
}

// htmlRule is one rule with its verdict.
type htmlRule struct {
	Verdict       string // "failed", "passed", "unseen", "inapplicable"
	ID, Name      string
	Severity      rule.Severity
	Points        int
	Counted       bool
	Message       string
	Reason        string // of a skip
	Result        *report.Result
	Issues        []htmlIssue
	More          int // findings that are not shown
	Facts         string
	Reproductions []htmlReproduction
}

type htmlIssue struct {
	report.Issue
	Where    string
	Exchange string // fragment of the exchange, empty when it is not on the page
}

type htmlReproduction struct {
	Step, Command string
	Exchange      string
}

type htmlSkips struct {
	Text   string
	Points int
	Rules  []report.SkippedRule
}

// htmlExchange is one exchange of the recording.
type htmlExchange struct {
	ID, Step, Via, Method string
	SameAs, SameAsID      string
	Status                string
	Tone                  string
	Took                  string
	Parts                 []htmlPart
	Notes                 []string
}

// htmlPart is one message of an exchange.
type htmlPart struct {
	Title       string
	Headers     []recording.Header
	HeadersLeft int
	Body        string
	Note        string // what is not shown of the body
}

type htmlProcess struct {
	Connection, Ending string
	Stderr             string
	Note               string
	Noise              []string
	NoiseLeft          int
}

func newPage(r *report.Report, rec *recording.Recording) *htmlPage {
	p := &htmlPage{CSS: template.CSS(htmlStyle), JS: template.JS(htmlScript), R: r, Day: utcMinute(r.GeneratedAt), Facts: facts(r)}
	p.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(htmlStyle), digest(htmlScript))
	p.exchanges(rec)
	if !r.Ran() {
		return p
	}
	p.Gaps = gaps(r)
	p.Plan = r.FixPlan[:min(len(r.FixPlan), pagePlan)]
	p.LaterPlan = r.FixPlan[len(p.Plan):]
	for _, c := range sections(r) {
		g := htmlGroup{ID: "category-" + fragment(c.Name), Category: c.Category, Counted: c.Counted}
		for _, f := range c.Results {
			g.Rules = append(g.Rules, p.rule(f, c.Counted))
		}
		for _, k := range c.Skipped {
			g.Rules = append(g.Rules, skipped(k, c.Counted))
		}
		slices.SortStableFunc(g.Rules, func(a, b htmlRule) int { return rank(a) - rank(b) })
		p.Groups = append(p.Groups, g)
		for _, k := range g.Rules {
			switch k.Verdict {
			case "failed":
				p.Failed++
			case "passed":
				p.Passed++
			case "unseen":
				p.Unseen++
			default:
				p.Inapplicable++
			}
		}
	}
	for _, g := range unobserved(r) {
		p.Unobserved = append(p.Unobserved, htmlSkips{Text: g.text, Points: g.points, Rules: g.rules})
	}
	for _, f := range failures(r.Experimental.Results) {
		p.Noticed = append(p.Noticed, p.rule(f, false))
	}
	p.Experimental = len(r.Experimental.Results)
	return p
}

// rank puts what needs attention first: failures by points, then what was not seen, passes, and what does not apply.
func rank(r htmlRule) int {
	switch r.Verdict {
	case "failed":
		return -r.Points
	case "unseen":
		return 1
	case "passed":
		return 2
	}
	return 3
}

// digest names an inline script or style in a Content-Security-Policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// fragment makes a text fit into an id.
func fragment(text string) string {
	return strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, text)
}

// tone is the class that colours a percentage.
func tone(percentage *int) string {
	switch {
	case percentage == nil:
		return "none"
	case grade(*percentage) == green:
		return "good"
	case grade(*percentage) == yellow:
		return "fair"
	}
	return "poor"
}

func (p *htmlPage) rule(f *report.Result, counted bool) htmlRule {
	r := htmlRule{
		Verdict: "passed", ID: f.RuleID, Name: f.RuleName, Severity: f.Severity, Points: f.SeverityValue, Result: f, Counted: counted,
	}
	if facts := ownFacts(f.Details); len(facts) > 0 {
		text, err := json.MarshalIndent(facts, "", "  ")
		if err == nil {
			r.Facts = visibleLines(limited(string(text), pageBody))
		}
	}
	if f.Passed {
		return r
	}
	r.Verdict, r.Message = "failed", f.Message
	for _, i := range f.Issues() {
		r.Issues = append(r.Issues, htmlIssue{Issue: i, Where: place(i), Exchange: p.anchor(i.Step)})
	}
	r.More = f.IssuesTotal() - len(f.Issues())
	for _, x := range f.Reproduce {
		r.Reproductions = append(r.Reproductions, htmlReproduction{Step: x.Step, Command: visibleLines(x.Command), Exchange: p.anchor(x.Step)})
	}
	return r
}

// ownFacts are the details that a rule adds to what every result has.
func ownFacts(details map[string]any) map[string]any {
	own := map[string]any{}
	for name, value := range details {
		switch name {
		case "basis", "sep", "issues", "issues_total", "issues_omitted", "severity_default":
		default:
			own[name] = value
		}
	}
	return own
}

func skipped(k report.SkippedRule, counted bool) htmlRule {
	s := htmlRule{
		Verdict: "inapplicable", ID: k.RuleID, Name: k.RuleName, Severity: k.Severity, Points: k.SeverityValue, Message: k.ReasonText, Reason: string(k.Reason),
		Counted: counted,
	}
	if k.Reason == rule.Insufficient {
		s.Verdict = "unseen"
	}
	return s
}

// anchor is the fragment of a step's exchange, empty when the page does not show it.
func (p *htmlPage) anchor(step string) string {
	for _, x := range p.Exchanges {
		if x.Step == step && step != "" {
			return x.ID
		}
	}
	return ""
}

// exchanges shows the recording: masked, bounded, harmless.
func (p *htmlPage) exchanges(rec *recording.Recording) {
	if rec == nil {
		return
	}
	s := shower{left: pageBodies}
	p.HasExchanges = len(rec.Exchanges) > 0
	ids := map[string]string{}
	for n := range rec.Exchanges {
		ids[rec.Exchanges[n].Step] = fmt.Sprintf("x%d", n+1)
	}
	for n := range rec.Exchanges {
		if n == pageExchanges {
			p.ExchangesLeft = len(rec.Exchanges) - n
			break
		}
		x := s.exchange(&rec.Exchanges[n])
		x.ID = fmt.Sprintf("x%d", n+1)
		x.SameAsID = ids[x.SameAs]
		p.Exchanges = append(p.Exchanges, x)
	}
	for i := range rec.Processes {
		p.Processes = append(p.Processes, s.process(&rec.Processes[i]))
	}
}

// shower shows messages as long as there is room for them.
type shower struct{ left int }

func (s *shower) exchange(e *recording.Exchange) htmlExchange {
	x := htmlExchange{Step: e.Step, SameAs: e.SameAs, Via: e.Via, Took: elapsed(float64(e.Duration) / 1000)}
	if e.Connection != "" && e.Connection != e.Via {
		x.Via += ", connection " + e.Connection
	}
	if q := e.Request; q != nil {
		x.Method = q.RPC
		if x.Method == "" {
			x.Method = q.Method
		}
		part := htmlPart{Title: "Sent"}
		if q.URL != "" {
			part.Title = "Sent " + q.Method + " " + limited(textscan.Mask(q.URL), 300)
		}
		s.fill(&part, q.Headers, q.Body)
		x.Parts = append(x.Parts, part)
	}
	for _, a := range e.Earlier {
		note := fmt.Sprintf("put off with HTTP %d", a.Status)
		if a.RetryAfter != "" {
			note += ", Retry-After " + limited(a.RetryAfter, 60)
		}
		x.Notes = append(x.Notes, note)
	}
	for _, h := range e.Hops {
		note := fmt.Sprintf("HTTP %d led to %s", h.Status, limited(textscan.Mask(h.Location), 300))
		if h.Refused != "" {
			note += ", not followed: " + h.Refused
		}
		x.Notes = append(x.Notes, note)
	}
	if e.Response != nil {
		x.Status = fmt.Sprint(e.Response.Status)
		x.Parts = append(x.Parts, s.response("Received", e.Response))
	}
	for i := range e.Resumed {
		x.Parts = append(x.Parts, s.response("Received after resuming the stream", &e.Resumed[i]))
	}
	if e.Answer != nil {
		part := htmlPart{Title: "Received"}
		s.fill(&part, nil, e.Answer)
		x.Parts = append(x.Parts, part)
		if x.Status == "" {
			x.Status = "answered"
		}
	}
	for i := range e.Others {
		part := htmlPart{Title: "Sent by the server meanwhile"}
		s.fill(&part, nil, &e.Others[i])
		x.Parts = append(x.Parts, part)
	}
	if e.Failure != nil {
		x.Status, x.Tone = string(e.Failure.Class), "poor"
		x.Notes = append(x.Notes, string(e.Failure.Class)+": "+limited(textscan.Mask(e.Failure.Detail), 300))
	}
	return x
}

func (s *shower) response(title string, r *recording.Response) htmlPart {
	part := htmlPart{Title: fmt.Sprintf("%s HTTP %d", title, r.Status)}
	if t := r.TLS; t != nil {
		part.Title += ", " + t.Version
		if !t.Verified {
			part.Title += " (not verified)"
		}
	}
	s.fill(&part, r.Headers, r.Body)
	return part
}

func (s *shower) fill(part *htmlPart, headers []recording.Header, body *recording.Body) {
	for n, h := range headers {
		if n == pageHeaders {
			part.HeadersLeft = len(headers) - n
			break
		}
		part.Headers = append(part.Headers, recording.Header{Name: limited(h.Name, 80), Value: limited(textscan.Mask(limited(h.Value, pageBody)), 500)})
	}
	if body == nil || len(body.Bytes) == 0 {
		return
	}
	if s.left < pageBody {
		part.Note = fmt.Sprintf("Not shown, the page is large enough: %d bytes.", body.Size)
		return
	}
	text, whole := shownBody(body.Bytes, pageBody)
	part.Body = text
	s.left -= len(text)
	if !whole || body.Cut {
		part.Note = fmt.Sprintf("The beginning of %d bytes.", body.Size)
	}
}

func (s *shower) process(p *recording.Process) htmlProcess {
	x := htmlProcess{Connection: p.Connection, Ending: strings.ReplaceAll(p.Stopped, "-", " ")}
	if p.Exit != nil {
		x.Ending = fmt.Sprintf("exited with %d", *p.Exit)
	}
	tail := p.Stderr.Bytes[max(0, len(p.Stderr.Bytes)-2*pageStderr):]
	masked := []rune(strings.ToValidUTF8(textscan.Mask(string(tail)), "\ufffd"))
	if len(masked) > pageStderr {
		masked = masked[len(masked)-pageStderr:]
	}
	x.Stderr = visibleLines(string(masked))
	if p.Stderr.Size > int64(len(masked)) {
		x.Note = fmt.Sprintf("The end of %d bytes.", p.Stderr.Size)
	}
	for _, n := range p.Noise {
		text, _ := shownBody(n.Bytes.Bytes, 300)
		x.Noise = append(x.Noise, fmt.Sprintf("line %d (%s): %s", n.Line, n.Kind, text))
	}
	x.NoiseLeft = p.NoiseTotal - len(p.Noise)
	return x
}

// shownBody shows the beginning of a message: JSON with line breaks, credentials masked, every line harmless. whole is false when some of
// it is left out.
func shownBody(body []byte, limit int) (text string, whole bool) {
	window := 2 * limit
	laid, complete := layOut(body, window)
	masked := textscan.Mask(laid)
	if !complete {
		// A credential that the window cuts in two may not be known for one.
		masked = masked[:max(0, len(masked)-limit/2)]
	}
	out := limited(masked, limit)
	return visibleLines(out), complete && out == masked
}

// layOut writes JSON, also in the data lines of an event stream, with line breaks and indentation, and anything else as it is, up to a
// number of bytes. It looks only at quotes and brackets, so it takes any text.
func layOut(body []byte, limit int) (text string, complete bool) {
	const deepest = 12 // indentation stops to grow here
	var out []byte
	lineStart := true
	for i := 0; i < len(body); {
		if len(out) >= limit {
			return string(out), false
		}
		rest := body[i:]
		if lineStart {
			lineStart = false
			if after, ok := bytes.CutPrefix(rest, []byte("data:")); ok {
				out = append(out, "data: "...)
				rest = bytes.TrimLeft(after, " ")
				i = len(body) - len(rest)
				if len(rest) == 0 {
					break
				}
			}
			if rest[0] == '{' || rest[0] == '[' {
				n, whole := layOutValue(&out, rest, limit, deepest)
				if !whole {
					return string(out), false
				}
				i += n
				continue
			}
		}
		lineStart = body[i] == '\n'
		out = append(out, body[i])
		i++
	}
	return strings.TrimRight(string(out), "\r\n"), true
}

// layOutValue writes one JSON value and returns how many bytes it took. whole is false when the limit came first.
func layOutValue(out *[]byte, in []byte, limit, deepest int) (n int, whole bool) {
	depth, inString, escaped := 0, false, false
	breakLine := func() {
		*out = append(*out, '\n')
		for range min(depth, deepest) {
			*out = append(*out, ' ', ' ')
		}
	}
	for i, c := range in {
		if len(*out) >= limit {
			return i, false
		}
		switch {
		case inString:
			*out = append(*out, c)
			inString = escaped || c != '"'
			escaped = !escaped && c == '\\'
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case c == '{' || c == '[':
			depth++
			*out = append(*out, c)
			if next := bytes.TrimLeft(in[i+1:min(len(in), i+64)], " \t\r\n"); len(next) == 0 || next[0] != '}' && next[0] != ']' {
				breakLine()
			}
			continue
		case c == '}' || c == ']':
			depth--
			if last := (*out)[len(*out)-1]; last != '{' && last != '[' {
				breakLine()
			}
			*out = append(*out, c)
			if depth <= 0 {
				return i + 1, true
			}
			continue
		case c == '"':
			inString = true
		}
		*out = append(*out, c)
		switch c {
		case ',':
			breakLine()
		case ':':
			*out = append(*out, ' ')
		}
	}
	return len(in), true
}

// limited cuts a text to a number of characters.
func limited(text string, characters int) string {
	n := 0
	for i := range text {
		if n == characters {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// visibleLines makes every line of a text visible and keeps them apart.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = visible(strings.TrimSuffix(lines[i], "\r"))
	}
	return strings.Join(lines, "\n")
}
