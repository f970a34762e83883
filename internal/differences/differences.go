// Package differences reads the rows of docs/differences: where this program's verdict differs from the peer's on purpose, and the
// words of the specification that decide.
package differences

import (
	"fmt"
	"strings"
)

// Row is one difference.
type Row struct {
	ID       string
	Rule     string   // rule id, the first one when the row holds for several
	Rules    []string // all of them
	Peer     string   // what the peer does
	Us       string   // what we do
	Section  string   // document, revision and section
	Words    string   // the words of that section
	Example  string   // name of the golden case that shows it
	Verdicts []Change // pairs of verdicts that the row explains
}

// Change is a peer's verdict and ours: "pass", "fail" or "skip: <reason>".
type Change struct{ Peer, Us string }

// Parse reads rows from Markdown. A row is a third-level heading with its id and a list of "- field: text" lines below it; a line that
// begins with two blanks goes on with the field above. Every field must be there. A row may hold for several rules, separated by
// commas; the example is a case of the first one.
func Parse(text string) ([]Row, error) {
	var rows []Row
	fields := map[string]string{}
	last := ""
	finish := func() error {
		if len(rows) == 0 {
			return nil
		}
		r := &rows[len(rows)-1]
		for name, to := range map[string]*string{"rule": &r.Rule, "peer": &r.Peer, "us": &r.Us, "section": &r.Section, "words": &r.Words, "example": &r.Example} {
			*to = fields[name]
		}
		for _, name := range []string{"rule", "peer", "us", "section", "words", "example", "verdicts"} {
			if fields[name] == "" {
				return fmt.Errorf("row %s lacks %q", r.ID, name)
			}
		}
		for _, id := range strings.Split(r.Rule, ",") {
			r.Rules = append(r.Rules, strings.TrimSpace(id))
		}
		r.Rule = r.Rules[0]
		for _, pair := range strings.Split(fields["verdicts"], ",") {
			peer, us, ok := strings.Cut(pair, "->")
			if !ok {
				return fmt.Errorf("row %s: %q is no pair of verdicts", r.ID, pair)
			}
			r.Verdicts = append(r.Verdicts, Change{Peer: strings.TrimSpace(peer), Us: strings.TrimSpace(us)})
		}
		return nil
	}
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "### "):
			if err := finish(); err != nil {
				return nil, err
			}
			rows = append(rows, Row{ID: strings.TrimSpace(line[4:])})
			fields, last = map[string]string{}, ""
		case len(rows) > 0 && strings.HasPrefix(line, "- "):
			name, value, _ := strings.Cut(line[2:], ":")
			last = strings.TrimSpace(name)
			fields[last] = strings.TrimSpace(value)
		case len(rows) > 0 && strings.HasPrefix(line, "  ") && last != "":
			fields[last] += " " + strings.TrimSpace(line)
		}
	}
	return rows, finish()
}
