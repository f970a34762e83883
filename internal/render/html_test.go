package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
)

// checkPage parses a page and reports what it must not hold or lacks: elements and attributes that load, run or post something, links that
// lead elsewhere than to http and https, ids that are not there or not unique, inline code that the policy does not allow.
func checkPage(t failer, what string, out []byte) {
	doc, err := html.Parse(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	elements := strings.Fields(`html head body meta title style script a header main section footer nav p h1 h2 h3 h4 ul ol li dl dt dd div span b bdi code pre time fieldset legend
		input label button details summary svg path circle text tspan rect`)
	ids, links, inline, policy := map[string]int{}, []string{}, []string{}, ""
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("%s: a comment: %q", what, n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(elements, n.Data) {
			t.Errorf("%s: element %s", what, n.Data)
		}
		attributes := map[string]string{}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || slices.Contains([]string{"src", "srcset", "action", "formaction", "style", "srcdoc", "data", "xlink:href"}, a.Key) {
				t.Errorf("%s: attribute %s of %s", what, a.Key, n.Data)
			}
			attributes[a.Key] = a.Val
		}
		if id := attributes["id"]; id != "" {
			ids[id]++
		}
		switch href := attributes["href"]; {
		case href == "":
		case strings.HasPrefix(href, "#"):
			links = append(links, href[1:])
		case httpURL(href) == "" || attributes["rel"] != "nofollow noopener noreferrer":
			t.Errorf("%s: link to %q with rel %q", what, href, attributes["rel"])
		}
		for _, reference := range []string{"aria-labelledby", "for"} {
			if id := attributes[reference]; id != "" {
				links = append(links, id)
			}
		}
		if n.Data == "style" || n.Data == "script" {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			inline = append(inline, fmt.Sprintf("'sha256-%s'", base64.StdEncoding.EncodeToString(sum[:])))
		}
		if attributes["http-equiv"] == "Content-Security-Policy" {
			policy = attributes["content"]
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s: %d elements have the id %s", what, n, id)
		}
	}
	for _, link := range links {
		if ids[link] == 0 {
			t.Errorf("%s: nothing has the id %s", what, link)
		}
	}
	if len(inline) != 2 || !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: %d inline elements under policy %s", what, len(inline), policy)
	}
	for _, hash := range inline {
		if !strings.Contains(policy, hash) {
			t.Errorf("%s: the policy does not allow %s: %s", what, hash, policy)
		}
	}
}

func TestPagesAreSafe(t *testing.T) {
	everyReport(t, func(name string, r *report.Report, rec *recording.Recording) {
		checkPage(t, name, rendered(t, HTML, r, rec))
		checkPage(t, name+" without a recording", rendered(t, HTML, r, nil))
	})
}

// pageText is what a page shows.
func pageText(t *testing.T, out []byte) string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// A page tells everything that the report holds.
func TestPageIsComplete(t *testing.T) {
	everyReport(t, func(name string, r *report.Report, rec *recording.Recording) {
		out := rendered(t, HTML, r, rec)
		text := pageText(t, out)
		want := func(what, part string) {
			if part = strings.Join(strings.Fields(visible(part)), " "); !strings.Contains(text, part) {
				t.Errorf("%s: the page lacks %s %q", name, what, part)
			}
		}
		want("the target", r.Target)
		if r.Failure != nil && !r.Ran() {
			want("the failure", r.Failure.Detail)
			want("the remedy", r.Failure.Remedy)
		}
		for _, list := range [][]report.Result{r.Results, r.Readiness.Results} {
			for i := range list {
				f := &list[i]
				if !bytes.Contains(out, []byte(`id="rule-`+f.RuleID+`"`)) {
					t.Errorf("%s: the page lacks rule %s", name, f.RuleID)
				}
				want("a fix", f.SuggestedFix)
				for _, issue := range f.Issues() {
					want("what was seen", issue.Seen)
					want("evidence", issue.Excerpt)
					want("a step", issue.Step)
				}
				for _, c := range f.Reproduce {
					want("a command", strings.ReplaceAll(c.Command, "\n", " "))
				}
			}
		}
		for _, k := range r.SkippedRules {
			want("a reason", k.ReasonText)
		}
		for _, step := range r.FixPlan {
			want("a change", step.Change)
		}
		if r.Ran() {
			for _, g := range gaps(r) {
				want("a gap", g)
			}
		}
		for _, g := range r.Gates {
			want("a gate", g.Message)
		}
		for _, f := range failures(r.Experimental.Results) {
			want("an observation", f.Message)
		}
		for i := range rec.Exchanges {
			want("an exchange", rec.Exchanges[i].Step)
		}
	})
}

func TestPageShowsExchangesOnlyOfARecording(t *testing.T) {
	s := reporttest.Legacy()
	if text := pageText(t, rendered(t, HTML, s.Report(), nil)); strings.Contains(text, "Exchanges") {
		t.Error("a page without a recording has a section for exchanges")
	}
}

func TestShownBody(t *testing.T) {
	tests := []struct {
		name, in string
		want     string
		whole    bool
	}{
		{"object", `{"a":1,"b":[true,null],"c":{},"d":[ ]}`, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {},\n  \"d\": []\n}", true},
		{"brackets in strings", `{"a":"{[\"\\"}`, "{\n  \"a\": \"{[\\\"\\\\\"\n}", true},
		{"event stream", "event: message\ndata: {\"a\":1}\n\ndata: x\n", "event: message\ndata: {\n  \"a\": 1\n}\n\ndata: x", true},
		{"carriage returns", "one\r\ntwo\r\n", "one\ntwo", true},
		{"invisible characters", "a\x1b[2J\u202eb\xff", `a<U+001B>[2J<U+202E>b\xff`, true},
		{"credential", `{"token":"` + reporttest.Secret + `"}`, "{\n  \"token\": \"[redacted]\"\n}", true},
		{"too long", strings.Repeat("x", 500), strings.Repeat("x", 200) + "…", false},
		{"never closed", `[[[`, "[\n  [\n    [\n      ", true},
		{"closed too often", `]]]`, "]]]", true},
		{"empty data line", "data:", "data:", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, whole := shownBody([]byte(tt.in), 200)
			if diff := cmp.Diff(strings.TrimRight(tt.want, " \n"), strings.TrimRight(got, " \n")); diff != "" || whole != tt.whole {
				t.Errorf("whole: %v (-want +got):\n%s", whole, diff)
			}
		})
	}
}

// No cut shows a part of a credential.
func TestShownBodyNeverCutsASecretInTwo(t *testing.T) {
	for at := 100; at < 900; at += 7 {
		body := strings.Repeat("x", at) + " " + reporttest.Secret + " " + strings.Repeat("y", 2000)
		if got, _ := shownBody([]byte(body), 200); strings.Contains(got, reporttest.Secret[:12]) {
			t.Fatalf("with the credential at %d: %s", at, got)
		}
	}
}

// Any body is shown in bounded time and space, however deep its brackets.
func FuzzShownBody(f *testing.F) {
	f.Add([]byte(`data: {"a":[1,{"b":"c\""}]}` + "\n"))
	f.Add(bytes.Repeat([]byte("["), 5000))
	f.Add([]byte("}]{[\"\\"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, _ := shownBody(body, 300)
		if len(got) > 300*12+10 {
			t.Errorf("%d bytes", len(got))
		}
		checkFile(t, "body", strings.ReplaceAll(got, "::", "")) // on a page, nothing is a command to a build
	})
}
