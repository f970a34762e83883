package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
	"github.com/mcp-hallmark/hallmark/internal/spelling"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

//go:embed schemas
var schemas embed.FS

func schema(name string) (json.RawMessage, error) {
	text, err := schemas.ReadFile("schemas/" + name + ".json")
	return json.RawMessage(text), err
}

// addTools offers the tools. Each has its schemas below schemas/.
func (s *server) addTools(srv *mcp.Server) error {
	no, yes := false, true
	audit := &mcp.Tool{
		Name:  "audit_server",
		Title: "Audit an MCP server",
		Description: "Connects to an MCP server, reads what it offers, tries how it meets malformed requests, and returns its score with every rule that it fails. " +
			"Takes seconds, at most three minutes. Servers that want credentials are audited as far as they show themselves without.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &yes},
	}
	if s.opts.Commands { // started as the user, a command can do whatever the user can
		audit.Annotations.ReadOnlyHint, audit.Annotations.DestructiveHint, audit.Annotations.IdempotentHint = false, &yes, false
	}
	closed := func() *mcp.ToolAnnotations {
		return &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no}
	}
	explain := &mcp.Tool{
		Name:        "explain_rule",
		Title:       "Explain a rule",
		Description: "Says why a rule matters, how to repair what it finds, which text grounds it, and shows worked examples that pass and fail.",
		Annotations: closed(),
	}
	compare := &mcp.Tool{
		Name:  "compare_reports",
		Title: "Compare two reports",
		Description: "Says which verdicts differ between two audits, and whether the server, the rules, the roster or the kind of audit changed. " +
			"Call it after a repair with the report ids of the audits before and after.",
		Annotations: closed(),
	}
	for _, t := range []*mcp.Tool{audit, explain, compare} {
		in, err := schema(t.Name + ".input")
		if err != nil {
			return err
		}
		out, err := schema(t.Name + ".output")
		if err != nil {
			return err
		}
		if t == audit && s.opts.Commands {
			if in, err = withCommand(in); err != nil {
				return err
			}
		}
		t.InputSchema, t.OutputSchema = in, out
	}
	mcp.AddTool(srv, audit, s.audit)
	mcp.AddTool(srv, explain, explainRule)
	mcp.AddTool(srv, compare, s.compare)
	return nil
}

// withCommand lets the schema of audit_server take a command in place of the URL.
func withCommand(in json.RawMessage) (json.RawMessage, error) {
	command, err := schema("command")
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(in, &doc); err != nil {
		return nil, err
	}
	properties, ok := doc["properties"].(map[string]any)
	if !ok {
		return nil, errors.New("the schema of audit_server has no properties")
	}
	properties["command"] = command
	delete(doc, "required")
	return json.Marshal(doc)
}

type auditInput struct {
	URL        string   `json:"url"`
	Command    []string `json:"command"`
	FullReport bool     `json:"full_report"`
}

type auditOutput struct {
	Target            string          `json:"target"`
	Server            string          `json:"server"`
	ProtocolVersion   string          `json:"protocol_version"`
	Transport         string          `json:"transport"`
	Score             int             `json:"score"`
	MaxScore          int             `json:"max_score"`
	Percentage        *int            `json:"percentage"`
	ReadinessScore    int             `json:"readiness_score"`
	ReadinessMaxScore int             `json:"readiness_max_score"`
	Partial           bool            `json:"partial"`
	Caveat            string          `json:"caveat"`
	Categories        []categoryScore `json:"categories"`
	Failed            []failure       `json:"failed"`
	ReportID          string          `json:"report_id"`
	ReportURI         string          `json:"report_uri"`
	Report            json.RawMessage `json:"report,omitempty"`
}

type categoryScore struct {
	Name      string `json:"name"`
	Earned    int    `json:"earned"`
	Available int    `json:"available"`
}

type failure struct {
	RuleID   string        `json:"rule_id"`
	Severity rule.Severity `json:"severity"`
	Points   int           `json:"points"`
	Axis     string        `json:"axis"`
	Message  string        `json:"message"`
	Fix      string        `json:"fix"`
	Places   []string      `json:"places"`
}

func (s *server) audit(ctx context.Context, req *mcp.CallToolRequest, in auditInput) (*mcp.CallToolResult, auditOutput, error) {
	target, err := s.target(in)
	if err != nil {
		return nil, auditOutput{}, err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, auditOutput{}, ctx.Err()
	}
	r, err := s.opts.Audit(ctx, target, progress(ctx, req))
	if err != nil {
		return nil, auditOutput{}, errors.New(textscan.Visible(err.Error()))
	}
	if !r.Ran() {
		return nil, auditOutput{}, errors.New(textscan.Visible(fmt.Sprintf("%s could not be audited: %s. %s", r.Target, r.Failure.Detail, r.Failure.Remedy)))
	}
	var text bytes.Buffer
	if err := render.JSON(&text, r); err != nil {
		return nil, auditOutput{}, err
	}
	out := summarized(r)
	out.ReportID = s.reports.add(text.Bytes())
	out.ReportURI = reportURI(out.ReportID)
	if in.FullReport {
		if out.Report, err = visibleJSON(text.Bytes()); err != nil {
			return nil, auditOutput{}, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out.text()}}}, out, nil
}

// visibleJSON spells out what cannot be seen in the strings of a document: a client decodes it before a model reads it.
func visibleJSON(text []byte) ([]byte, error) {
	var doc any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	return json.Marshal(visibleValue(doc))
}

func visibleValue(v any) any {
	switch v := v.(type) {
	case string:
		return textscan.Visible(v)
	case []any:
		for i := range v {
			v[i] = visibleValue(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, member := range v {
			clean[textscan.Visible(name)] = visibleValue(member)
		}
		return clean
	}
	return v
}

// target reads what is to be audited. The schema has checked types and sizes.
func (s *server) target(in auditInput) (Target, error) {
	switch {
	case in.URL != "" && len(in.Command) > 0:
		return Target{}, errors.New("give either url or command")
	case len(in.Command) > 0 && !s.opts.Commands: // the schema does not even know it then
		return Target{}, errors.New("this server runs no commands; its user can start it with --allow-commands")
	case len(in.Command) > 0:
		return Target{Command: in.Command}, nil
	}
	u, err := url.Parse(in.URL)
	if err != nil || u.Host == "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
		return Target{}, errors.New("url must be an absolute http or https URL such as https://example.com/mcp")
	}
	return Target{URL: in.URL}, nil
}

// progress passes on what an audit is doing to a client that asked for it.
func progress(ctx context.Context, req *mcp.CallToolRequest) func(string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(string) {}
	}
	var mu sync.Mutex
	step := 0
	return func(what string) {
		mu.Lock()
		defer mu.Unlock()
		if step++; step > 100 {
			return
		}
		// A client that cannot be told still gets the result.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Message: textscan.Visible(what)})
	}
}

// summarized is what somebody who wants to repair a server has to know of a report.
func summarized(r *report.Report) auditOutput {
	out := auditOutput{
		Target: textscan.Visible(r.Target), Score: r.Score, MaxScore: r.MaxScore, Percentage: r.Percentage,
		ReadinessScore: r.Readiness.Score, ReadinessMaxScore: r.Readiness.MaxScore, Partial: r.Partial,
		Categories: []categoryScore{}, Failed: []failure{},
	}
	if i := r.ServerInfo; i != nil {
		for _, part := range []*string{i.Name, i.Version} {
			if part != nil {
				out.Server = strings.TrimSpace(out.Server + " " + textscan.Visible(*part))
			}
		}
	}
	if v := r.Spec.NegotiatedVersion; v != nil {
		out.ProtocolVersion = textscan.Visible(string(*v))
	}
	if r.Transport != nil {
		out.Transport = string(*r.Transport)
	}
	switch {
	case r.PartialReason != nil:
		out.Caveat = textscan.Visible(*r.PartialReason)
	case r.Failure != nil:
		out.Caveat = textscan.Visible(r.Failure.Detail)
	}
	for _, c := range r.Categories {
		out.Categories = append(out.Categories, categoryScore{c.Name, c.Earned, c.Available})
	}
	for _, list := range []struct {
		axis    string
		results []report.Result
	}{{"main", r.Results}, {"readiness", r.Readiness.Results}, {"experimental", r.Experimental.Results}} {
		for i := range list.results {
			if f := &list.results[i]; !f.Passed {
				out.Failed = append(out.Failed, failed(f, list.axis))
			}
		}
	}
	slices.SortStableFunc(out.Failed, func(a, b failure) int { return cmp.Compare(b.Points, a.Points) })
	return out
}

const shownPlaces = 5

func failed(r *report.Result, axis string) failure {
	f := failure{RuleID: r.RuleID, Severity: r.Severity, Points: r.SeverityValue, Axis: axis, Message: textscan.Visible(r.Message), Fix: r.SuggestedFix, Places: []string{}}
	for _, issue := range r.Issues() {
		if len(f.Places) == shownPlaces {
			break
		}
		place := issue.EntityKind
		if issue.Name != "" {
			place += " " + issue.Name
		}
		if issue.Path != nil && *issue.Path != "" {
			place += " at " + *issue.Path
		}
		if place = textscan.Visible(place); place != "" && !slices.Contains(f.Places, place) {
			f.Places = append(f.Places, place)
		}
	}
	return f
}

// text is the summary for clients that show text.
func (o *auditOutput) text() string {
	var b strings.Builder
	score := "no score"
	if o.Percentage != nil {
		score = fmt.Sprintf("%d of %d points, %d %%", o.Score, o.MaxScore, *o.Percentage)
	}
	fmt.Fprintf(&b, "%s: %s; readiness %d of %d.\n", o.Target, score, o.ReadinessScore, o.ReadinessMaxScore)
	if o.Caveat != "" {
		fmt.Fprintf(&b, "Note: %s.\n", o.Caveat)
	}
	if len(o.Failed) == 0 {
		b.WriteString("No rule fails.\n")
	}
	for _, f := range o.Failed {
		fmt.Fprintf(&b, "\n- %s (%s, %d points, %s): %s\n  Fix: %s\n", f.RuleID, f.Severity, f.Points, f.Axis, f.Message, f.Fix)
		if len(f.Places) > 0 {
			fmt.Fprintf(&b, "  At: %s\n", strings.Join(f.Places, "; "))
		}
	}
	fmt.Fprintf(&b, "\nReport id: %s\n", o.ReportID)
	return b.String()
}

type explainInput struct {
	RuleID string `json:"rule_id"`
}

// explanation is a rule as tools and resources show it.
type explanation struct {
	ID        string        `json:"id"`
	Title     string        `json:"title"`
	Group     rule.Group    `json:"group"`
	Severity  rule.Severity `json:"severity"`
	Category  string        `json:"category"`
	Points    int           `json:"points"`
	Revisions string        `json:"revisions"`
	Why       string        `json:"why"`
	Fix       string        `json:"fix"`
	Sources   []source      `json:"sources"`
	OWASP     []string      `json:"owasp"`
	Examples  []example     `json:"examples"`
}

type source struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

type example struct {
	Name    string   `json:"name"`
	Input   string   `json:"input"`
	Verdict string   `json:"verdict"`
	Finds   []string `json:"finds"`
}

func explainRule(_ context.Context, _ *mcp.CallToolRequest, in explainInput) (*mcp.CallToolResult, explanation, error) {
	e, err := explained(in.RuleID)
	if err != nil {
		return nil, explanation{}, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: e.markdown()}}}, *e, nil
}

// errNoRule is wrapped by the error about an id that no rule has.
var errNoRule = errors.New("there is no such rule")

func explained(id string) (*explanation, error) {
	all := rules.All()
	at := slices.IndexFunc(all, func(r rule.Rule) bool { return r.ID == id })
	if at < 0 {
		ids := make([]string, len(all))
		for i, r := range all {
			ids[i] = r.ID
		}
		return nil, fmt.Errorf("%w: %q%s; hallmark://rules lists all", errNoRule, textscan.Visible(id), spelling.DidYouMean(id, ids))
	}
	r := all[at]
	cases, err := rules.Cases(id)
	if err != nil {
		return nil, err
	}
	roster, err := policy.Load("")
	if err != nil {
		return nil, err
	}
	e := &explanation{ID: r.ID, Title: r.Title, Group: r.Group, Severity: r.Severity, Revisions: window(r), Why: r.Why, Fix: r.Fix,
		Sources: []source{}, OWASP: append([]string{}, r.OWASP...), Examples: []example{}}
	if place, ok := roster.Place(id); ok {
		e.Category, e.Severity, e.Points = place.Category, place.Severity, place.Points
	}
	for _, c := range r.Basis {
		e.Sources = append(e.Sources, source{c.String(), c.URL})
	}
	for _, c := range cases {
		shown := example{Name: c.Name, Input: visibleLines(c.Input), Verdict: c.Verdict, Finds: []string{}}
		for _, f := range c.Finds {
			shown.Finds = append(shown.Finds, textscan.Visible(f))
		}
		e.Examples = append(e.Examples, shown)
	}
	return e, nil
}

func window(r rule.Rule) string {
	switch {
	case r.Since == "" && r.Until == "":
		return "all"
	case r.Until == "":
		return "from " + string(r.Since)
	case r.Since == "":
		return "up to " + string(r.Until)
	}
	return string(r.Since) + " to " + string(r.Until)
}

func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = textscan.Visible(strings.TrimRight(l, " \t\r"))
	}
	return strings.Join(lines, "\n")
}

func (e *explanation) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", e.ID, e.Title)
	counts := "never counts"
	if e.Points > 0 {
		counts = fmt.Sprintf("%d points in %s", e.Points, e.Category)
	}
	fmt.Fprintf(&b, "%s, %s, group %s, revisions: %s\n\n## Why it matters\n\n%s\n\n## How to fix\n\n%s\n\n## Grounded in\n\n", e.Severity, counts, e.Group, e.Revisions, e.Why, e.Fix)
	for _, s := range e.Sources {
		b.WriteString("- " + strings.TrimSpace(s.Text+" "+s.URL) + "\n")
	}
	if len(e.OWASP) > 0 {
		fmt.Fprintf(&b, "\nOWASP MCP Top 10: %s\n", strings.Join(e.OWASP, ", "))
	}
	b.WriteString("\n## Examples\n")
	for _, x := range e.Examples {
		fmt.Fprintf(&b, "\n%s: %s\n\n```json\n%s\n```\n", x.Name, x.Verdict, x.Input)
		for _, f := range x.Finds {
			fmt.Fprintf(&b, "\n- %s\n", f)
		}
	}
	return b.String()
}

type compareInput struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

func (s *server) compare(_ context.Context, _ *mcp.CallToolRequest, in compareInput) (*mcp.CallToolResult, *report.Diff, error) {
	before, err := s.report("before", in.Before)
	if err != nil {
		return nil, nil, err
	}
	after, err := s.report("after", in.After)
	if err != nil {
		return nil, nil, err
	}
	d := report.Compare(before, after, nil)
	clean(d)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: compared(d)}}}, d, nil
}

// report finds a report by its id, or reads it.
func (s *server) report(name, given string) (*report.Report, error) {
	text := []byte(given)
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		kept, ok := s.reports.get(given)
		if !ok {
			return nil, fmt.Errorf("%s: no report has this id any more, or ever had; audit again, or give the whole report as JSON text", name)
		}
		text = kept
	}
	r, err := report.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, textscan.Visible(err.Error()))
	}
	if !r.Ran() {
		return nil, fmt.Errorf("%s: the report is of an audit that could not run", name)
	}
	return r, nil
}

// clean makes the texts of a comparison harmless: the reports may come from anywhere.
func clean(d *report.Diff) {
	for _, s := range []*report.Side{&d.Old, &d.New} {
		s.Target, s.GeneratedAt = textscan.Visible(s.Target), textscan.Visible(s.GeneratedAt)
		s.Engine.Name, s.Engine.Version = textscan.Visible(s.Engine.Name), textscan.Visible(s.Engine.Version)
	}
	for i := range d.Audits {
		a := &d.Audits[i]
		a.What, a.Old, a.New = textscan.Visible(a.What), textscan.Visible(a.Old), textscan.Visible(a.New)
	}
	for i := range d.Rules {
		c := &d.Rules[i]
		c.RuleID, c.Because, c.Old.Text, c.New.Text = textscan.Visible(c.RuleID), textscan.Visible(c.Because), textscan.Visible(c.Old.Text), textscan.Visible(c.New.Text)
		for _, list := range [][]string{c.Gone, c.Came} {
			for j := range list {
				list[j] = textscan.Visible(list[j])
			}
		}
	}
}

func compared(d *report.Diff) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d points before, %d of %d after.\n", d.Old.Score, d.Old.MaxScore, d.New.Score, d.New.MaxScore)
	if d.Same() {
		b.WriteString("Nothing differs that was judged.\n")
	}
	for _, a := range d.Audits {
		fmt.Fprintf(&b, "- %s: %s before, %s after\n", a.What, a.Old, a.New)
	}
	for _, c := range d.Rules {
		fmt.Fprintf(&b, "- %s: %s before, %s after: %s\n", c.RuleID, c.Old.Verdict, c.New.Verdict, c.Because)
	}
	return b.String()
}
