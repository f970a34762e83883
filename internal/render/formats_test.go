package render

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// fileFormats are the formats of this package that are written to files, by the ending of their goldens.
var fileFormats = []struct {
	ending string
	write  func(io.Writer, *report.Report, *recording.Recording) error
}{
	{".sarif", func(w io.Writer, r *report.Report, _ *recording.Recording) error { return SARIF(w, r, "") }},
	{".md", func(w io.Writer, r *report.Report, _ *recording.Recording) error { return Markdown(w, r) }},
	{".xml", func(w io.Writer, r *report.Report, _ *recording.Recording) error { return JUnit(w, r) }},
	{".svg", func(w io.Writer, r *report.Report, _ *recording.Recording) error { return Badge(w, r) }},
	{".readiness.svg", func(w io.Writer, r *report.Report, _ *recording.Recording) error { return ReadinessBadge(w, r) }},
	{".html", HTML},
}

func rendered(t testing.TB, write func(io.Writer, *report.Report, *recording.Recording) error, r *report.Report, rec *recording.Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r, rec); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Style and script stand in files of their own; in the goldens they would only repeat them.
func withoutAssets(page []byte) []byte {
	return []byte(strings.NewReplacer(htmlStyle, "…", htmlScript, "…", digest(htmlStyle), "sha256-…", digest(htmlScript), "sha256-…",
		strings.ReplaceAll(digest(htmlStyle), "+", "&#43;"), "sha256-…", strings.ReplaceAll(digest(htmlScript), "+", "&#43;"), "sha256-…").Replace(string(page)))
}

func TestFileGoldens(t *testing.T) {
	for _, s := range append(reporttest.Samples(), configured()) {
		for _, f := range fileFormats {
			t.Run(s.Name+f.ending, func(t *testing.T) {
				out := rendered(t, f.write, reportOf(s), s.Recording)
				if f.ending == ".html" {
					out = withoutAssets(out)
				}
				golden(t, s.Name+f.ending, out)
			})
		}
	}
}

// configured is the legacy sample under a configuration with gates.
func configured() reporttest.Sample {
	s := reporttest.Legacy()
	s.Name = "configured"
	return s
}

func reportOf(s reporttest.Sample) *report.Report {
	r := s.Report()
	if s.Name != "configured" {
		return r
	}
	r.Gates = []report.Gate{
		{Name: "--fail-under 80", Passed: true, Message: "the score is 84 %"},
		{Name: "fail_on high of hallmark.toml", Message: "security_origin_validation fails"},
	}
	r.Config = &report.Config{
		Source: "hallmark.toml", SHA256: strings.Repeat("0a", 32), Disabled: []string{"server_icons_present"}, Unknown: []string{},
		Reranked: map[string]report.Reranking{"server_title_present": {From: rule.Medium, To: rule.Low}},
		Waivers: []report.Waiver{
			{Setting: "server_icons_present", Level: "off", Rules: []string{"server_icons_present"}, Reason: "no icons yet", Owner: "docs", Expires: "2027-01-31"},
			{Setting: "tools", Level: "low", Rules: []string{}, Reason: "legacy", Expires: "2026-01-31", Expired: true},
		},
	}
	for i := range r.Results {
		if r.Results[i].RuleID == "server_title_present" {
			r.Results[i].Severity = rule.Low
			r.Results[i].Details["severity_default"] = string(rule.Medium)
		}
	}
	for i := range r.Results {
		if r.Results[i].RuleID == "server_icons_present" {
			off := r.Results[i]
			r.Results = append(r.Results[:i:i], r.Results[i+1:]...)
			r.SkippedRules = append(r.SkippedRules, report.SkippedRule{
				RuleID: off.RuleID, RuleName: off.RuleName, Reason: rule.Disabled, ReasonText: "turned off in hallmark.toml: no icons yet (until 2027-01-31)",
				GroupName: off.GroupName, Category: off.Category, Severity: off.Severity, SeverityValue: off.SeverityValue,
			})
			break
		}
	}
	return r
}

// one is a report with the recording that it was made from.
type one struct {
	name   string
	report *report.Report
	rec    *recording.Recording
}

// makeReports builds the samples and judges the recordings of real servers.
func makeReports() ([]one, error) {
	var list []one
	for _, s := range append(reporttest.Samples(), configured()) {
		list = append(list, one{s.Name, reportOf(s), s.Recording})
	}
	files, err := filepath.Glob("../../testdata/recordings/*.rec.json")
	if err != nil {
		return nil, err
	}
	if len(files) < 2 {
		return nil, fmt.Errorf("%d recordings of real servers", len(files))
	}
	roster, err := policy.Load("")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		rec, err := recording.Read(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		list = append(list, one{strings.TrimSuffix(filepath.Base(name), ".rec.json"), audit.Judge(rec, roster, rec.Engine), rec})
	}
	return list, nil
}

var reports = sync.OnceValues(makeReports)

// everyReport visits all of them; nobody changes them.
func everyReport(t testing.TB, visit func(name string, r *report.Report, rec *recording.Recording)) {
	t.Helper()
	list, err := reports()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		visit(x.name, x.report, x.rec)
	}
}

func TestFilesAreTheSameTwice(t *testing.T) {
	again, err := makeReports()
	if err != nil {
		t.Fatal(err)
	}
	everyReport(t, func(name string, r *report.Report, rec *recording.Recording) {
		x := again[slices.IndexFunc(again, func(x one) bool { return x.name == name })]
		for _, f := range fileFormats {
			if !bytes.Equal(rendered(t, f.write, r, rec), rendered(t, f.write, x.report, x.rec)) {
				t.Errorf("%s%s differs the second time", name, f.ending)
			}
		}
	})
}

// Nothing that a server says, and none of its secrets, has an effect in any file.
func TestFilesAreHarmless(t *testing.T) {
	everyReport(t, func(name string, r *report.Report, rec *recording.Recording) {
		for _, f := range fileFormats {
			out := string(rendered(t, f.write, r, rec))
			checkFile(t, name+f.ending, out)
			if strings.Contains(out, reporttest.Secret[:20]) {
				t.Errorf("%s%s shows a credential that the server published", name, f.ending)
			}
		}
	})
}

// checkFile reports control and invisible characters, and lines that a build would take for commands.
func checkFile(t interface{ Errorf(string, ...any) }, what, out string) {
	if !utf8.ValidString(out) {
		t.Errorf("%s: not UTF-8", what)
	}
	for n, line := range strings.Split(out, "\n") {
		if shown := visible(line); shown != line {
			t.Errorf("%s: line %d holds what does not show: %q", what, n+1, shown)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("%s: line %d is a command to a build: %q", what, n+1, line)
		}
	}
}

// Any text in any place of a report or a recording leaves every file harmless.
func TestAnyTextIsHarmlessInFiles(t *testing.T) {
	nasty := rapid.OneOf(
		rapid.SampledFrom([]string{
			"::add-mask::", "##[error]", "\x1b[2J", "\r\n", "\n::error::", "\u202e", "\u0085", "\u200b", "\ufeff", "\xff", "</script>", "</style>", "<!--", "-->", "]]>", "&#x202e;",
			`"onload="alert(1)`, "javascript:alert(1)", "https://u:p@evil.example/?token=x", "@someone", "#1", "[x](data:text/html,x)", "`", "|", "{0}", "\ufffe", "日本", "\u2028",
		}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string { return strings.Join(rapid.SliceOfN(nasty, 0, 3).Draw(t, name), "") }
		s := reporttest.Legacy()
		r := s.Report()
		r.Results, r.SkippedRules = slices.DeleteFunc(r.Results, func(f report.Result) bool { return f.Passed })[:3], r.SkippedRules[:3]
		r.FixPlan = r.FixPlan[:1]
		r.FixPlan[0].Rules = []string{r.Results[0].RuleID}
		name, reason := draw("name"), draw("partial")
		r.ServerInfo.Name, r.Target, r.PartialReason = &name, draw("target"), &reason
		f := &r.Results[0]
		f.Message, f.RuleName, f.SuggestedFix, f.Why = "m"+draw("message"), "n"+draw("rule name"), draw("fix"), draw("why")
		f.Details["extra"] = draw("detail")
		if issues := f.Issues(); len(issues) > 0 {
			pointer := draw("pointer")
			issues[0].Name, issues[0].Seen, issues[0].Excerpt, issues[0].Expected, issues[0].Pointer, issues[0].Path = draw("item"), draw("seen"), draw("excerpt"), draw("expected"), &pointer, &pointer
			issues[0].EntityKind = draw("kind")
		}
		f.Citations[0].URL, f.Citations[0].Section = draw("url"), draw("section")
		r.SkippedRules[0].ReasonText, r.SkippedRules[0].Reason = draw("reason"), rule.Insufficient
		r.FixPlan[0].Change = draw("change")
		r.Gates = []report.Gate{{Name: draw("gate"), Message: draw("gate message")}}
		r.Failure = &report.Failure{Class: recording.FailTimeout, Detail: draw("failure")}
		e := &s.Recording.Exchanges[0]
		e.Step, e.Response.Headers[0].Value, e.Response.Body = draw("step"), draw("header"), recording.NewBody([]byte(draw("body")))
		e.Request.URL = draw("request url")
		for _, format := range fileFormats {
			var out bytes.Buffer
			if err := format.write(&out, r, s.Recording); err != nil {
				t.Fatal(err)
			}
			checkFile(t, format.ending, out.String())
			switch format.ending {
			case ".sarif":
				checkSARIF(t, "SARIF", out.Bytes())
			case ".html":
				checkPage(t, "page", out.Bytes())
			case ".md":
				checkComment(t, "comment", out.Bytes())
			default:
				checkXML(t, format.ending, out.Bytes())
			}
		}
	})
}

func TestFileWriterErrorsAreReturned(t *testing.T) {
	s := reporttest.Legacy()
	for _, f := range fileFormats {
		if f.write(brokenPipe{}, s.Report(), s.Recording) == nil {
			t.Errorf("%s: the writer's error is lost", f.ending)
		}
	}
}

// A report with as many findings, and a recording with as many exchanges, as there can be stays of a size that people can open.
func TestFilesAreBounded(t *testing.T) {
	s := reporttest.Hostile()
	r := s.Report()
	for i := range 150 {
		f := r.Results[0]
		for _, other := range r.Results {
			if !other.Passed {
				f = other
			}
		}
		f.RuleID = fmt.Sprintf("rule_%d", i)
		r.Results = append(r.Results, f)
	}
	big := bytes.Repeat([]byte(`{"name":"`+strings.Repeat("a", 200)+`"},`), 500)
	e := s.Recording.Exchanges[0]
	for i := range 600 {
		e.Step = fmt.Sprintf("probe/%d", i)
		e.Response = &recording.Response{Status: 200, Body: recording.NewBody(big)}
		s.Recording.Exchanges = append(s.Recording.Exchanges, e)
	}
	for ending, most := range map[string]int{".html": 16 << 20, ".md": 65_536, ".sarif": 10 << 20, ".xml": 4 << 20, ".svg": 2_000} {
		for _, f := range fileFormats {
			if f.ending != ending {
				continue
			}
			if n := len(rendered(t, f.write, r, s.Recording)); n > most {
				t.Errorf("%s takes %d bytes, more than %d", ending, n, most)
			}
		}
	}
}
