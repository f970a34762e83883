package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	project     = "https://github.com/mcp-hallmark/hallmark"
)

// The types of a SARIF log that we write. go-sarif's, which the tests read our logs with, put some twenty empty arrays into each result.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool              sarifTool         `json:"tool"`
		AutomationDetails sarifAutomation   `json:"automationDetails"`
		Invocations       []sarifInvocation `json:"invocations"`
		Artifacts         []sarifArtifact   `json:"artifacts"`
		Results           []sarifResult     `json:"results"`
		ColumnKind        string            `json:"columnKind"`
		Properties        map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string             `json:"id"`
		Name                 string             `json:"name"`
		ShortDescription     sarifText          `json:"shortDescription"`
		FullDescription      sarifText          `json:"fullDescription"`
		HelpURI              string             `json:"helpUri"`
		Help                 sarifText          `json:"help"`
		DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
		Properties           map[string]any     `json:"properties"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifConfiguration struct {
		Enabled *bool  `json:"enabled,omitempty"`
		Level   string `json:"level,omitempty"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		ExecutionSuccessful            bool                `json:"executionSuccessful"`
		StartTimeUTC                   string              `json:"startTimeUtc,omitempty"`
		EndTimeUTC                     string              `json:"endTimeUtc,omitempty"`
		ExitCodeDescription            string              `json:"exitCodeDescription,omitempty"`
		ToolExecutionNotifications     []sarifNotification `json:"toolExecutionNotifications,omitempty"`
		ToolConfigurationNotifications []sarifNotification `json:"toolConfigurationNotifications,omitempty"`
		RuleConfigurationOverrides     []sarifOverride     `json:"ruleConfigurationOverrides,omitempty"`
	}
	sarifNotification struct {
		Descriptor     *sarifReference `json:"descriptor,omitempty"`
		AssociatedRule *sarifReference `json:"associatedRule,omitempty"`
		Level          string          `json:"level"`
		Message        sarifText       `json:"message"`
	}
	sarifOverride struct {
		Descriptor    sarifReference     `json:"descriptor"`
		Configuration sarifConfiguration `json:"configuration"`
	}
	sarifReference struct {
		ID string `json:"id"`
	}
	sarifArtifact struct {
		Location    sarifArtifactLocation `json:"location"`
		Description sarifText             `json:"description"`
	}
	sarifArtifactLocation struct {
		URI   string `json:"uri"`
		Index *int   `json:"index,omitempty"`
	}
	sarifResult struct {
		RuleID              string             `json:"ruleId"`
		RuleIndex           int                `json:"ruleIndex"`
		Level               string             `json:"level"`
		Message             sarifText          `json:"message"`
		Locations           []sarifLocation    `json:"locations"`
		PartialFingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions        []sarifSuppression `json:"suppressions"` // empty says that nobody waived it
		Properties          map[string]any     `json:"properties"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysicalLocation  `json:"physicalLocation"`
		LogicalLocations []sarifLogicalLocation `json:"logicalLocations,omitempty"`
	}
	sarifPhysicalLocation struct {
		ArtifactLocation sarifArtifactLocation `json:"artifactLocation"`
		Region           sarifRegion           `json:"region"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifLogicalLocation struct {
		Name               string `json:"name,omitempty"`
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

// SARIF writes the failed rules as a SARIF 2.1.0 log for code scanning. file is the file of the project that stands for the server, as a
// slash-separated path relative to the project's root; when it is empty, the target gives every result one stable path instead. The error
// is the writer's.
func SARIF(w io.Writer, r *report.Report, file string) error {
	s := sarifWriter{r: r, target: shownTarget(r), rules: []sarifRule{}, index: map[string]int{}}
	if s.uri = relativeURI(file); file == "" || s.uri == "" {
		s.uri = artifactURI(r.Target, s.target)
	}
	log := sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{s.run()}}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(log); err != nil {
		return err
	}
	_, err := w.Write(ascii(b.Bytes()))
	return err
}

type sarifWriter struct {
	r      *report.Report
	target string // as shown
	uri    string
	rules  []sarifRule
	index  map[string]int
}

func (s *sarifWriter) run() sarifRun {
	r := s.r
	results := []sarifResult{}
	for _, list := range [][]report.Result{r.Results, r.Readiness.Results} {
		for i := range list {
			if !list[i].Passed {
				results = append(results, s.result(&list[i]))
			}
		}
	}
	return sarifRun{
		Tool:              sarifTool{sarifDriver{Name: r.Engine.Name, Version: harmless(r.Engine.Version), InformationURI: project, Rules: s.rules}},
		AutomationDetails: sarifAutomation{"hallmark/" + slug(r.Target) + "/audit"},
		Invocations:       []sarifInvocation{s.invocation()},
		Artifacts:         []sarifArtifact{{Location: sarifArtifactLocation{URI: s.uri}, Description: sarifMessage(s.target)}},
		Results:           results,
		ColumnKind:        "unicodeCodePoints",
		Properties:        s.properties(),
	}
}

func (s *sarifWriter) result(f *report.Result) sarifResult {
	readiness := f.GroupName == rule.Readiness
	counted := !readiness || s.r.Readiness.CountedInMain
	level := sarifLevel(f.Severity)
	if !counted {
		level = "note"
	}
	at, known := s.index[f.RuleID]
	if !known {
		at = len(s.rules)
		s.index[f.RuleID] = at
		s.rules = append(s.rules, sarifDescriptor(f))
	}
	message := f.Message
	if f.SuggestedFix != "" {
		message += "\n" + f.SuggestedFix
	}
	sum := sha256.Sum256([]byte(f.RuleID + "\n" + fingerprintTarget(s.target)))
	zero := 0
	return sarifResult{
		RuleID: f.RuleID, RuleIndex: at, Level: level, Message: sarifMessage(message),
		Locations: []sarifLocation{{
			PhysicalLocation: sarifPhysicalLocation{ArtifactLocation: sarifArtifactLocation{URI: s.uri, Index: &zero}, Region: sarifRegion{1, 1, 1, 1}},
			LogicalLocations: logicalLocations(f.Issues()),
		}},
		PartialFingerprints: map[string]string{"primaryLocationLineHash": hex.EncodeToString(sum[:])[:32]},
		Suppressions:        []sarifSuppression{},
		Properties: map[string]any{
			"severity": f.Severity, "severity_value": f.SeverityValue, "readiness": readiness, "counted_in_score": counted, "findings": f.IssuesTotal(),
		},
	}
}

// logicalLocations names the items and fields that the findings are about.
func logicalLocations(issues []report.Issue) []sarifLogicalLocation {
	var locations []sarifLogicalLocation
	for _, i := range issues {
		l := sarifLogicalLocation{Name: harmless(i.Name), Kind: harmless(i.EntityKind), FullyQualifiedName: harmless(i.EntityKind)}
		if i.EntityIndex != nil {
			l.FullyQualifiedName += fmt.Sprintf("/%d", *i.EntityIndex)
		}
		l.FullyQualifiedName += harmless(path(i))
		if !slices.Contains(locations, l) {
			locations = append(locations, l)
		}
	}
	return locations
}

func sarifDescriptor(f *report.Result) sarifRule {
	basis, _ := f.Details["basis"].(string)
	full := harmless(f.RuleName) + "."
	if basis != "" {
		full += " Grounded in " + harmless(basis) + "."
	}
	d := sarifRule{
		ID: f.RuleID, Name: pascalCase(f.RuleID), ShortDescription: sarifText{Text: harmless(f.RuleName)}, FullDescription: sarifText{Text: full},
		HelpURI: project, DefaultConfiguration: sarifConfiguration{Level: sarifLevel(defaultSeverity(f))},
	}
	text, md := harmless(f.RuleName)+".\n", "# "+escapeMarkdown(f.RuleName)+"\n"
	section := func(title, body string) {
		if body != "" {
			text += "\n" + title + ": " + harmless(body) + "\n"
			md += "\n**" + title + ".** " + escapeMarkdown(body) + "\n"
		}
	}
	section("Why it matters", f.Why)
	section("How to fix", f.SuggestedFix)
	for n, c := range f.Citations {
		if n == 0 {
			text += "\nSources:\n"
			md += "\nSources:\n"
		}
		text += "- " + harmless(c.String())
		md += "- "
		if link := httpURL(c.URL); link != "" {
			if d.HelpURI == project {
				d.HelpURI = link
			}
			text += ": " + link
			md += "[" + escapeMarkdown(c.String()) + "](" + link + ")"
		} else {
			md += escapeMarkdown(c.String())
		}
		text += "\n"
		md += "\n"
	}
	text += "\nhallmark explain " + f.RuleID + " shows examples.\n"
	md += "\n`hallmark explain " + f.RuleID + "` shows examples.\n"
	d.Help = sarifText{Text: text, Markdown: md}
	d.Properties = map[string]any{"category": f.GroupName, "tags": append([]string{string(f.GroupName)}, f.OWASP...), "precision": "very-high"}
	if f.GroupName == rule.Security {
		d.Properties["security-severity"] = map[rule.Severity]string{rule.Critical: "9.0", rule.High: "7.0", rule.Medium: "5.0", rule.Low: "2.0"}[f.Severity]
	}
	return d
}

// defaultSeverity is the severity that a rule has of its own.
func defaultSeverity(f *report.Result) rule.Severity {
	if s, ok := f.Details["severity_default"].(string); ok {
		return rule.Severity(s)
	}
	return f.Severity
}

func sarifLevel(s rule.Severity) string {
	switch s {
	case rule.Critical, rule.High:
		return "error"
	case rule.Low:
		return "note"
	}
	return "warning"
}

// invocation tells how the audit went: what kept it from running or from seeing everything, and which rules were turned off.
func (s *sarifWriter) invocation() sarifInvocation {
	r := s.r
	inv := sarifInvocation{ExecutionSuccessful: r.Failure == nil || r.Refused()}
	if start, err := time.Parse(time.RFC3339Nano, r.GeneratedAt); err == nil {
		const form = "2006-01-02T15:04:05.000Z"
		inv.StartTimeUTC = start.UTC().Format(form)
		inv.EndTimeUTC = start.UTC().Add(time.Duration(r.Measurements.Elapsed * float64(time.Millisecond))).Format(form)
	}
	notify := func(id, level, text string) {
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, sarifNotification{
			Descriptor: &sarifReference{id}, Level: level, Message: sarifMessage(text),
		})
	}
	if f := r.Failure; f != nil && !r.Refused() {
		inv.ExitCodeDescription = harmless(scrubURLs(string(f.Class) + ": " + f.Detail))
		notify(string(f.Class), "error", strings.TrimSpace(f.Detail+"\n"+f.Remedy))
	}
	if r.PartialReason != nil {
		notify("partial-audit", "warning", *r.PartialReason)
	}
	for _, name := range r.IncompleteListings {
		notify("incomplete-listing", "warning", "The list of "+strings.ReplaceAll(name, "_", " ")+" was not read to its end.")
	}
	for _, k := range r.SkippedRules {
		n := sarifNotification{
			Descriptor: &sarifReference{string(k.Reason)}, AssociatedRule: &sarifReference{k.RuleID}, Level: "note", Message: sarifMessage(k.ReasonText),
		}
		switch k.Reason {
		case rule.Insufficient:
			inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, n)
		case rule.Disabled:
			inv.ToolConfigurationNotifications = append(inv.ToolConfigurationNotifications, n)
		}
	}
	if c := r.Config; c != nil {
		off := false
		for _, id := range slices.Sorted(slices.Values(c.Disabled)) {
			inv.RuleConfigurationOverrides = append(inv.RuleConfigurationOverrides, sarifOverride{sarifReference{harmless(id)}, sarifConfiguration{Enabled: &off}})
		}
		for _, id := range slices.Sorted(maps.Keys(c.Reranked)) {
			inv.RuleConfigurationOverrides = append(inv.RuleConfigurationOverrides, sarifOverride{sarifReference{harmless(id)}, sarifConfiguration{Level: sarifLevel(c.Reranked[id].To)}})
		}
	}
	return inv
}

func (s *sarifWriter) properties() map[string]any {
	r := s.r
	p := map[string]any{
		"score": r.Score, "max_score": r.MaxScore, "percentage": r.Percentage, "max_score_lost_to_unobserved": r.MaxScoreLost,
		"partial": r.Partial, "authenticated": r.Authenticated, "policy": r.Policy.Name,
		"readiness": map[string]any{"score": r.Readiness.Score, "max_score": r.Readiness.MaxScore, "counted_in_main": r.Readiness.CountedInMain},
	}
	if r.PartialReason != nil {
		p["partial_reason"] = harmless(scrubURLs(*r.PartialReason))
	}
	if r.Transport != nil {
		p["transport"] = *r.Transport
	}
	if len(r.IncompleteListings) > 0 {
		p["incomplete_listings"] = r.IncompleteListings
	}
	if r.Package != nil {
		p["package"] = scrubbed(r.Package)
	}
	if c := r.Config; c != nil {
		p["config"] = map[string]any{"source": harmless(c.Source), "sha256": c.SHA256}
	}
	skipped := map[rule.SkipReason][]string{}
	for _, k := range r.SkippedRules {
		skipped[k.Reason] = append(skipped[k.Reason], k.RuleID)
	}
	if len(skipped) > 0 {
		p["skipped_rules"] = skipped
	}
	return p
}

// scrubbed copies a value as plain JSON with the URLs in its strings reduced to their shown form.
func scrubbed(v any) any {
	text, err := json.Marshal(v)
	var plain any
	if err != nil || json.Unmarshal(text, &plain) != nil {
		return nil
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return harmless(scrubURLs(v))
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	return walk(plain)
}

// sarifMessage makes a text ready for a message. In messages brackets make links and braces make placeholders (SARIF 2.1.0 sections
// 3.11.6 and 3.11.5), so what a server wrote must not hold them bare.
func sarifMessage(text string) sarifText {
	lines := strings.Split(scrubURLs(text), "\n")
	for i := range lines {
		lines[i] = harmless(lines[i])
	}
	return sarifText{Text: sarifEscapes.Replace(strings.Join(lines, "\n"))}
}

var sarifEscapes = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `{`, `{{`, `}`, `}}`)

func pascalCase(id string) string {
	var b strings.Builder
	for _, word := range strings.Split(id, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// httpURL returns a URL that may become a link, empty when it is none of http or https.
func httpURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(u.String())
}

// unreadableURL stands for a URL that cannot be taken apart, and so cannot be cleared of credentials.
const unreadableURL = "unreadable-url"

// shownTarget is the target without what may be private or may change from run to run: of a URL scheme, host and path, of a command the
// base name of its program.
func shownTarget(r *report.Report) string {
	target := r.Target
	switch {
	case r.Transport != nil && *r.Transport == recording.Stdio:
		words := strings.Fields(target)
		if len(words) == 0 {
			return target
		}
		program := strings.Trim(words[0], `'"`)
		if strings.HasPrefix(target, "'") { // a quoted program may hold blanks
			if end := strings.IndexByte(target[1:], '\''); end >= 0 {
				program = target[1 : 1+end]
			}
		}
		return program[strings.LastIndexAny(program, `/\`)+1:]
	case strings.Contains(target, "://"):
		return shownURL(target)
	}
	return target
}

func shownURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return unreadableURL
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// fingerprintTarget drops the slash at the end of a URL, with which it names the same server.
func fingerprintTarget(target string) string {
	if strings.Contains(target, "://") {
		return strings.TrimSuffix(target, "/")
	}
	return target
}

var urlInText = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://\S+`)

// scrubURLs reduces every URL in a text to its shown form. Punctuation behind a URL is kept where it cannot be a part of a query.
func scrubURLs(text string) string {
	return urlInText.ReplaceAllStringFunc(text, func(found string) string {
		body := strings.TrimRight(found, `.,;:!?)]}'"`)
		tail := found[len(body):]
		if strings.ContainsAny(body, "?#") {
			tail = ""
		}
		return shownURL(body) + tail
	})
}

// artifactURI is a relative path that stands for a target: host and path of a URL, registry and name of a package.
func artifactURI(target, shown string) string {
	name := shown
	if _, rest, isURL := strings.Cut(shown, "://"); isURL {
		name, _ = url.PathUnescape(rest)
		if name == "" {
			name = rest
		}
	} else if registry, pkg, ok := strings.Cut(shown, ":"); ok && (registry == "npm" || registry == "pypi") {
		name = registry + "/" + pkg
	}
	if uri := relativeURI(name); uri != "" {
		return uri
	}
	return "mcp-server/" + slug(target)
}

// relativeURI writes a path as a relative URI reference, empty when nothing of it is left.
func relativeURI(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if len(name) >= 2 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z' {
		name = name[2:]
	}
	var parts []string
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || part == ".." {
			continue
		}
		var b strings.Builder
		for _, c := range []byte(part) {
			if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("@+.-_~=", c) >= 0 {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		parts = append(parts, b.String())
	}
	return strings.Join(parts, "/")
}

// slug is a short name for a target that is one step of a path and differs between targets.
func slug(target string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(target) {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	sum := sha256.Sum256([]byte(target))
	return strings.Trim(b.String()+"-"+hex.EncodeToString(sum[:4]), "-.")
}
