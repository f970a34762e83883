package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/report"
)

// The elements of the XML that build servers read as test results. The order of members is that of the common schema (junit-10.xsd of the
// xUnit plugin of Jenkins).
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Time     string       `xml:"time,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		ClassName string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		Skipped   *junitOutcome `xml:"skipped"`
		Error     *junitOutcome `xml:"error"`
		Failure   *junitOutcome `xml:"failure"`
	}
	junitOutcome struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a report as test results: a suite for each category, a case for each rule. Failed readiness rules that do not count are
// skipped cases, so that they fail no build; an audit that could not run is one case with an error. The error is the writer's.
func JUnit(w io.Writer, r *report.Report) error {
	doc := junitSuites{Name: "hallmark " + harmless(r.Target), Time: seconds(r.Measurements.Elapsed)}
	if r.Ran() {
		for _, c := range sections(r) {
			doc.add(r, c.Title, junitCases(c))
		}
	}
	doc.add(r, "Gates", gateCases(r.Gates))
	if f := r.Failure; f != nil && !r.Refused() {
		text := f.Detail
		if f.Remedy != "" {
			text += "\n" + f.Remedy
		}
		doc.add(r, "Audit", []junitCase{{
			Name: "audit", ClassName: "hallmark.audit", Time: "0", Error: &junitOutcome{Type: string(f.Class), Message: harmless(f.Detail), Text: logLines(text)},
		}})
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

func (d *junitSuites) add(r *report.Report, name string, cases []junitCase) {
	if len(cases) == 0 {
		return
	}
	s := junitSuite{Name: harmless(name), Time: "0", Timestamp: timestamp(r.GeneratedAt), Cases: cases, Tests: len(cases)}
	if len(d.Suites) == 0 {
		s.Time = d.Time
		s.Properties = junitProperties(r)
	}
	for _, c := range cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	d.Tests += s.Tests
	d.Failures += s.Failures
	d.Errors += s.Errors
	d.Suites = append(d.Suites, s)
}

func junitProperties(r *report.Report) []junitProperty {
	list := []junitProperty{{"target", harmless(r.Target)}, {"engine", harmless(r.Engine.Name + " " + r.Engine.Version)}, {"policy", harmless(r.Policy.Name)}}
	if r.Ran() {
		list = append(list, junitProperty{"score", fmt.Sprint(r.Score)}, junitProperty{"max_score", fmt.Sprint(r.MaxScore)})
	}
	if r.Percentage != nil {
		list = append(list, junitProperty{"percentage", fmt.Sprint(*r.Percentage)})
	}
	if r.Readiness.MaxScore > 0 {
		list = append(list, junitProperty{"readiness_score", fmt.Sprint(r.Readiness.Score)}, junitProperty{"readiness_max_score", fmt.Sprint(r.Readiness.MaxScore)})
	}
	if r.Partial {
		list = append(list, junitProperty{"partial", "true"})
	}
	return list
}

// junitCases lists the rules of a category: those with a verdict, then those without.
func junitCases(s section) []junitCase {
	var cases []junitCase
	for _, f := range s.Results {
		c := junitCase{Name: harmless(f.RuleID), ClassName: "hallmark." + harmless(string(f.GroupName)), Time: "0"}
		switch {
		case f.Passed:
		case !s.Counted:
			c.Skipped = &junitOutcome{Type: "informative", Message: "not counted: " + harmless(f.Message), Text: failureText(f)}
		default:
			c.Failure = &junitOutcome{Type: string(f.Severity), Message: harmless(f.Message), Text: failureText(f)}
		}
		cases = append(cases, c)
	}
	for _, k := range s.Skipped {
		cases = append(cases, junitCase{
			Name: harmless(k.RuleID), ClassName: "hallmark." + harmless(string(k.GroupName)), Time: "0",
			Skipped: &junitOutcome{Type: string(k.Reason), Message: harmless(k.ReasonText)},
		})
	}
	return cases
}

// gateCases makes a case of each gate, so that a build that stops says why.
func gateCases(gates []report.Gate) []junitCase {
	var cases []junitCase
	for _, g := range gates {
		c := junitCase{Name: harmless(g.Name), ClassName: "hallmark.gates", Time: "0"}
		if !g.Passed {
			c.Failure = &junitOutcome{Type: "gate", Message: harmless(g.Message)}
		}
		cases = append(cases, c)
	}
	return cases
}

// failureText tells about a failure what a person needs: findings, why they matter, the fix.
func failureText(f *report.Result) string {
	text := f.RuleName
	for _, i := range f.Issues() {
		text += "\n- " + harmless(place(i)+": "+observed(i))
	}
	if more := f.IssuesTotal() - len(f.Issues()); more > 0 {
		text += "\n- and " + plural(more, "more finding")
	}
	if f.Why != "" {
		text += "\nwhy: " + harmless(f.Why)
	}
	if f.SuggestedFix != "" {
		text += "\nfix: " + harmless(f.SuggestedFix)
	}
	return logLines(text)
}

// logLines makes every line of a text harmless, for build servers print such texts into their logs.
func logLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = harmless(lines[i])
	}
	return strings.Join(lines, "\n")
}

// seconds writes milliseconds as the schema wants a time.
func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }

// timestamp cuts a report's time to seconds, without a zone: the schema's readers take it as UTC.
func timestamp(generated string) string {
	if len(generated) < 19 {
		return generated
	}
	return generated[:19]
}
