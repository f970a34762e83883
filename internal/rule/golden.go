package rule

import (
	"fmt"
	"strings"
)

// Case is one worked example of a rule: an observation in short form, and what the rule says of it. The cases of a rule stand in
// testdata/<rule id>.txt of its package. They are its tests and the examples that people are shown.
type Case struct {
	Name    string
	Input   string // JSON, see package ruletest for its members
	Example string // text of the specification's example that this case stands for, when its input is prose
	Differs string // id of the row of docs/differences.md when the verdict is meant to differ from the specification's
	Bare    bool   // items are taken exactly as written, nothing is filled in
	Verdict string // "pass", "fail", or "skip <reason>"
	Finds   []string
}

// ParseCases reads a golden file. Blank lines separate cases; lines that begin with # are comments. A case reads
//
//	case: a short name
//	input: [{"name":"a"}]
//	-> fail
//	   tools[0] /name empty_name
//
// with optional lines "example: …", "differs: …" and "bare" before the arrow. Input may go on over indented lines.
func ParseCases(text string) ([]Case, error) {
	var cases []Case
	var cur *Case
	var inInput, inVerdict bool
	for n, line := range strings.Split(text, "\n") {
		fail := func(format string, args ...any) ([]Case, error) {
			return nil, fmt.Errorf("line %d: %s", n+1, fmt.Sprintf(format, args...))
		}
		trimmed := strings.TrimSpace(line)
		key, value, _ := strings.Cut(trimmed, ":")
		value = strings.TrimSpace(value)
		switch {
		case trimmed == "":
			cur, inInput, inVerdict = nil, false, false
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "case:"):
			cases = append(cases, Case{Name: value})
			cur, inInput, inVerdict = &cases[len(cases)-1], false, false
		case cur == nil:
			return fail("%q stands outside a case", trimmed)
		case strings.HasPrefix(line, "->"):
			cur.Verdict, inInput, inVerdict = strings.TrimSpace(strings.TrimPrefix(trimmed, "->")), false, true
		case inVerdict:
			cur.Finds = append(cur.Finds, trimmed)
		case inInput && (line[0] == ' ' || line[0] == '\t'):
			cur.Input += "\n" + line
		case key == "input":
			cur.Input, inInput = value, true
		case key == "example":
			cur.Example, inInput = value, false
		case key == "differs":
			cur.Differs, inInput = value, false
		case trimmed == "bare":
			cur.Bare, inInput = true, false
		default:
			return fail("%q is no line of a case", trimmed)
		}
	}
	for _, c := range cases {
		if c.Name == "" || c.Verdict == "" {
			return nil, fmt.Errorf("case %q lacks its name or its verdict", c.Name)
		}
	}
	return cases, nil
}

// FormatCases writes cases the way ParseCases reads them, after the given comment lines.
func FormatCases(comment []string, cases []Case) string {
	var b strings.Builder
	for _, c := range comment {
		b.WriteString(c + "\n")
	}
	for i, c := range cases {
		if i > 0 || len(comment) > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "case: %s\n", c.Name)
		if c.Input != "" {
			fmt.Fprintf(&b, "input: %s\n", c.Input)
		}
		if c.Example != "" {
			fmt.Fprintf(&b, "example: %s\n", c.Example)
		}
		if c.Differs != "" {
			fmt.Fprintf(&b, "differs: %s\n", c.Differs)
		}
		if c.Bare {
			b.WriteString("bare\n")
		}
		fmt.Fprintf(&b, "-> %s\n", c.Verdict)
		for _, f := range c.Finds {
			fmt.Fprintf(&b, "   %s\n", f)
		}
	}
	return b.String()
}

// Line writes a finding as goldens show it: "tools[0] /name empty_name".
func (f Finding) Line() string {
	where := f.Entity
	if f.Index >= 0 {
		where = fmt.Sprintf("%s[%d]", f.Entity, f.Index)
	}
	parts := []string{where}
	for _, p := range []string{f.Path, f.ProbeID, f.Reason} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

// VerdictLine writes a verdict as goldens show it.
func (v Verdict) VerdictLine() string {
	if v.Result == Skipped {
		return "skip " + string(v.Skip.Reason)
	}
	return string(v.Result)
}
