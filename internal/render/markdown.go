package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/report"
)

const (
	maxComment      = 60_000 // bytes; GitHub takes comments of 65,536 characters, GitLab of 1,000,000
	commentFailures = 45_000 // bytes after which failures are only counted
	commentFindings = 3      // findings shown under a failure
	commentFixes    = 5      // steps of the fix plan shown
)

// Markdown writes a report as a comment for a pull request: the score, what costs points, and what to do first, in folds. The comment
// begins with [CommentMarker], by which the next run finds it. Nothing that a server wrote becomes markup, a link or a mention. The error
// is the writer's.
func Markdown(w io.Writer, r *report.Report) error {
	c := &comment{r: r}
	c.f("%s\n", CommentMarker(r))
	c.heading()
	if r.Ran() {
		c.gates()
		c.gaps()
		c.categories()
		c.failures()
		c.plan()
		c.readiness()
		c.noticed()
	}
	c.f("\n<sub>%s, %s. `hallmark explain RULE` tells more about a rule.</sub>\n", escapeMarkdown(r.Engine.Name+" "+r.Engine.Version), escapeMarkdown(utcMinute(r.GeneratedAt)))
	_, err := io.WriteString(w, c.b.String())
	return err
}

// CommentMarker is an HTML comment that is the same for every report about one target.
func CommentMarker(r *report.Report) string {
	sum := sha256.Sum256([]byte(r.Target))
	return "<!-- hallmark-report " + hex.EncodeToString(sum[:8]) + " -->"
}

type comment struct {
	b strings.Builder
	r *report.Report
}

func (c *comment) f(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

func (c *comment) heading() {
	r := c.r
	switch {
	case !r.Ran():
		c.f("### Hallmark could not audit %s\n\n", escapeMarkdown(r.Target))
		c.f("**%s**: %s\n", escapeMarkdown(string(r.Failure.Class)), escapeMarkdown(r.Failure.Detail))
		if r.Failure.Remedy != "" {
			c.f("\n%s\n", escapeMarkdown(r.Failure.Remedy))
		}
	case r.Percentage == nil:
		c.f("### Hallmark: no score for %s\n\nNothing could be judged.\n", escapeMarkdown(r.Target))
	default:
		c.f("### Hallmark: %d %% for %s\n\n", *r.Percentage, escapeMarkdown(r.Target))
		c.f("**%d of %d points** · %d passed · %d failed · %d skipped", r.Score, r.MaxScore, r.Summary.Passed, r.Summary.Failed, r.Summary.Skipped)
		if r.Readiness.MaxScore > 0 {
			c.f(" · readiness for %s: %d of %d", r.Spec.ReadinessTarget, r.Readiness.Score, r.Readiness.MaxScore)
			if !r.Readiness.CountedInMain {
				c.f(", not counted")
			}
		}
		c.f("\n")
	}
}

func (c *comment) gates() {
	if len(c.r.Gates) == 0 {
		return
	}
	c.f("\n")
	for _, g := range c.r.Gates {
		mark := "✅"
		if !g.Passed {
			mark = "❌"
		}
		c.f("- %s %s: %s\n", mark, escapeMarkdown(g.Name), escapeMarkdown(g.Message))
	}
}

func (c *comment) gaps() {
	for _, g := range gaps(c.r) {
		c.f("\n> ⚠️ %s\n", escapeMarkdown(g))
	}
}

func (c *comment) categories() {
	c.f("\n| Category | Points | | Failed |\n|:--|--:|--:|--:|\n")
	for _, k := range c.r.Categories {
		if k.Percentage == nil {
			c.f("| %s | – | | |\n", escapeMarkdown(k.Title))
			continue
		}
		c.f("| %s | %d of %d | %d %% | %d |\n", escapeMarkdown(k.Title), k.Earned, k.Available, *k.Percentage, k.Failed)
	}
}

// fold writes a section that is closed until someone opens it.
func (c *comment) fold(summary string, body func()) {
	c.f("\n<details>\n<summary>%s</summary>\n\n", summary)
	body()
	c.f("\n</details>\n")
}

func (c *comment) failures() {
	failed, points := failuresThatCount(c.r)
	if len(failed) == 0 {
		return
	}
	c.fold(fmt.Sprintf("<b>%s failed</b>, %s", plural(len(failed), "rule"), plural(points, "point")), func() {
		for n, f := range failed {
			if c.b.Len() > commentFailures {
				c.f("- and %s\n", plural(len(failed)-n, "more rule"))
				break
			}
			c.failure(f)
		}
	})
}

func (c *comment) failure(f *report.Result) {
	c.f("- **−%d** %s `%s`: %s\n", f.SeverityValue, f.Severity, codeSpan(f.RuleID), escapeMarkdown(f.RuleName))
	shown := 0
	for n, alike := range alikes(f.Issues()) {
		if n == commentFindings {
			break
		}
		shown += len(alike)
		where := place(alike[0])
		if len(alike) > 1 {
			where = places(alike)
		}
		c.f("  - %s\n", escapeMarkdown(where+": "+observed(alike[0])))
	}
	if more := f.IssuesTotal() - shown; more > 0 {
		c.f("  - and %s\n", plural(more, "more finding"))
	}
	if f.SuggestedFix != "" {
		c.f("  - Fix: %s\n", escapeMarkdown(f.SuggestedFix))
	}
}

func (c *comment) plan() {
	steps := c.r.FixPlan
	if len(steps) == 0 || c.b.Len() > maxComment-10_000 {
		return
	}
	c.fold("<b>Fix first</b>", func() {
		for n, step := range steps {
			if n == commentFixes {
				c.f("\nand %s, up to %d %%.\n", plural(len(steps)-n, "more step"), steps[len(steps)-1].PercentageAfter)
				break
			}
			c.f("%d. **+%d** %s → %d of %d, %d %%\n", n+1, step.Points, escapeMarkdown(step.Change), step.ScoreAfter, step.MaxScore, step.PercentageAfter)
		}
	})
}

func (c *comment) readiness() {
	r := c.r.Readiness
	if r.CountedInMain || r.Assessed == 0 || c.b.Len() > maxComment-10_000 {
		return
	}
	failed := failures(r.Results)
	if len(failed) == 0 {
		return
	}
	c.fold(fmt.Sprintf("<b>Readiness for %s</b>: %s failed, not counted", c.r.Spec.ReadinessTarget, plural(len(failed), "rule")), func() { c.oneLiners(failed) })
}

func (c *comment) noticed() {
	noticed := failures(c.r.Experimental.Results)
	if len(noticed) == 0 || c.b.Len() > maxComment-5_000 {
		return
	}
	c.fold(fmt.Sprintf("<b>Also noticed</b>: %s, never counted", plural(len(noticed), "observation")), func() { c.oneLiners(noticed) })
}

func (c *comment) oneLiners(list []*report.Result) {
	for n, f := range list {
		if c.b.Len() > maxComment-2_500 {
			c.f("- and %s\n", plural(len(list)-n, "more rule"))
			return
		}
		c.f("- `%s`: %s\n", codeSpan(f.RuleID), escapeMarkdown(f.Message))
	}
}

// escapeMarkdown makes a text show as what it is in CommonMark and GitHub's dialect: one line, no markup, no link, no table cell. An HTML
// comment keeps @ and # apart from what follows, because mentions and references are looked for after escapes are gone.
func escapeMarkdown(text string) string {
	text = strings.TrimLeft(harmless(text), " ")
	var b strings.Builder
	number := true // everything so far is digits: a list may begin here
	for i, c := range text {
		switch {
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case c == '&':
			b.WriteString("&amp;")
		case c == '@' || c == '#':
			b.WriteString(`\` + string(c) + "<!-- -->")
		case c < 0x7f && strings.ContainsRune("\\`*_[]|~$", c), // markup
			i == 0 && strings.ContainsRune("-+=", c), // lists, headings, rules
			number && (c == '.' || c == ')'),
			c == ':' && strings.HasPrefix(text[i:], "://"), // what GitHub makes links of
			c == '.' && i >= 3 && strings.EqualFold(text[i-3:i], "www"):
			b.WriteString(`\` + string(c))
		default:
			b.WriteRune(c)
		}
		number = number && '0' <= c && c <= '9'
	}
	return b.String()
}

// codeSpan makes a text fit between single backticks.
func codeSpan(text string) string {
	return strings.NewReplacer("`", "'", "|", `\|`).Replace(visible(text))
}
