// Package admission decides whether an organisation lets a server in: its policy asks for rules, scores and a pinned catalog, forbids
// findings, and waives some of that for a while. It reads reports and recomputes nothing.
package admission

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/config"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/tomldoc"
)

// Policy is what an organisation asks of the servers that it lets in.
type Policy struct {
	Source string
	SHA256 string // of the file's bytes, in hexadecimal
	Title  string
	Roster string // under which servers are judged, empty for the default one

	Rules      []string // globs of rules that must pass, or not concern the server
	Score      int      // least percentage, 0 for none
	Readiness  int
	Categories []config.Minimum
	Lock       bool // every server must have a pinned catalog

	Partial    bool // audits that the server did not let in are accepted
	Configured bool // so are reports judged under a project's configuration
	MaxAge     time.Duration

	Forbidden []Forbidden
	Servers   []Server
	Waivers   []Waiver
}

// Forbidden describes failures that no server may have. What is empty matches everything.
type Forbidden struct {
	Rule     string        // glob
	Severity rule.Severity // or above
	Reason   string        // glob over the kinds of findings
	Why      string
}

// Server is one of the servers that the policy knows.
type Server struct {
	Name     string
	Target   string // URL, recording or report
	Lock     string // file
	TokenEnv string // variable that holds the bearer token
	Line     int
}

// Waiver lets a server in although it misses a requirement.
type Waiver struct {
	config.Waiver
	Server string // glob over names and targets
	Waives []string
	Line   int
}

// Parse reads a policy. The error names file, line and, for a word that is not known, the nearest one.
func Parse(source string, text []byte, v config.Vocabulary) (*Policy, error) {
	sum := sha256.Sum256(text)
	p := &parser{vocabulary: v, policy: &Policy{Source: source, SHA256: hex.EncodeToString(sum[:])}}
	doc, err := tomldoc.Parse(text)
	if err == nil {
		err = p.document(doc)
	}
	if err != nil {
		return nil, tomldoc.In(source, err)
	}
	return p.policy, nil
}

type parser struct {
	vocabulary config.Vocabulary
	policy     *Policy
}

// each calls what a table has for each of its members, and refuses members that it has nothing for.
func each(table *tomldoc.Value, where string, readers map[string]func(*tomldoc.Member) error) error {
	if err := table.Only(where, slices.Sorted(maps.Keys(readers))...); err != nil {
		return err
	}
	for _, m := range table.Members {
		if err := readers[m.Key](m); err != nil {
			return err
		}
	}
	return nil
}

func text(to *string) func(*tomldoc.Member) error {
	return func(m *tomldoc.Member) (err error) {
		*to, err = m.Text()
		return err
	}
}

func flag(to *bool) func(*tomldoc.Member) error {
	return func(m *tomldoc.Member) (err error) {
		*to, err = m.Flag()
		return err
	}
}

func whole(to *int, least, most int) func(*tomldoc.Member) error {
	return func(m *tomldoc.Member) (err error) {
		*to, err = m.Whole(least, most)
		return err
	}
}

func (p *parser) document(doc *tomldoc.Value) error {
	within := func(read func(*tomldoc.Value) error) func(*tomldoc.Member) error {
		return func(m *tomldoc.Member) error {
			if _, err := m.Members(); err != nil {
				return err
			}
			return read(m.Value)
		}
	}
	list := func(read func(*tomldoc.Value) error) func(*tomldoc.Member) error {
		return func(m *tomldoc.Member) error {
			tables, err := m.Tables()
			for i := 0; err == nil && i < len(tables); i++ {
				err = read(tables[i])
			}
			return err
		}
	}
	return each(doc, "the policy", map[string]func(*tomldoc.Member) error{
		"title": text(&p.policy.Title), "roster": text(&p.policy.Roster), "require": within(p.require), "accept": within(p.accept),
		"forbid": list(p.forbid), "server": list(p.server), "waiver": list(p.waiver),
	})
}

func (p *parser) require(table *tomldoc.Value) error {
	return each(table, "require", map[string]func(*tomldoc.Member) error{
		"rules": func(m *tomldoc.Member) (err error) {
			if p.policy.Rules, err = m.Texts(); err != nil {
				return err
			}
			for _, r := range p.policy.Rules {
				if err := p.someRule(r, m); err != nil {
					return err
				}
			}
			return nil
		},
		"score":     whole(&p.policy.Score, 0, 100),
		"readiness": whole(&p.policy.Readiness, 0, 100),
		"lock":      flag(&p.policy.Lock),
		"categories": func(m *tomldoc.Member) error {
			members, err := m.Members()
			if err != nil {
				return err
			}
			for _, c := range members {
				if !slices.Contains(p.vocabulary.Categories, c.Key) {
					return tomldoc.Errorf(c.Line, "unknown category %q%s", c.Key, tomldoc.OrOneOf(c.Key, p.vocabulary.Categories))
				}
				n, err := c.Whole(0, 100)
				if err != nil {
					return err
				}
				p.policy.Categories = append(p.policy.Categories, config.Minimum{Category: c.Key, Percent: n})
			}
			return nil
		},
	})
}

// someRule checks that a glob matches a rule.
func (p *parser) someRule(glob string, m *tomldoc.Member) error {
	if _, err := path.Match(glob, ""); err != nil {
		return tomldoc.Errorf(m.Value.Line, "%q is no pattern: a bracket is not closed", glob)
	}
	ids := p.vocabulary.SortedRules()
	if !slices.ContainsFunc(ids, func(id string) bool { return config.Match(glob, id) }) {
		return tomldoc.Errorf(m.Value.Line, "no rule is called %q%s", glob, nearest(glob, ids))
	}
	return nil
}

func nearest(word string, words []string) string {
	if strings.ContainsAny(word, "*?[") || len(words) == 0 {
		return ""
	}
	if near := tomldoc.OrOneOf(word, words); strings.HasPrefix(near, " (") {
		return near
	}
	return ""
}

func (p *parser) accept(table *tomldoc.Value) error {
	days := 0
	err := each(table, "accept", map[string]func(*tomldoc.Member) error{
		"partial": flag(&p.policy.Partial), "configured": flag(&p.policy.Configured), "max_age_days": whole(&days, 1, 3650),
	})
	p.policy.MaxAge = time.Duration(days) * 24 * time.Hour
	return err
}

func (p *parser) forbid(table *tomldoc.Value) error {
	var f Forbidden
	err := each(table, "forbid", map[string]func(*tomldoc.Member) error{
		"rule": func(m *tomldoc.Member) (err error) {
			if f.Rule, err = m.Text(); err == nil {
				err = p.someRule(f.Rule, m)
			}
			return err
		},
		"severity": func(m *tomldoc.Member) error {
			word, err := m.Word([]string{"low", "medium", "high", "critical"})
			f.Severity = rule.Severity(strings.ToUpper(word))
			return err
		},
		"reason": func(m *tomldoc.Member) (err error) {
			if f.Reason, err = m.Text(); err == nil {
				if _, bad := path.Match(f.Reason, ""); bad != nil {
					err = tomldoc.Errorf(m.Line, "%q is no pattern: a bracket is not closed", f.Reason)
				}
			}
			return err
		},
		"why": text(&f.Why),
	})
	if err == nil && f.Rule == "" && f.Severity == "" && f.Reason == "" {
		err = tomldoc.Errorf(table.Line, "an entry of forbid names no rule, severity or reason: it would forbid every failure")
	}
	p.policy.Forbidden = append(p.policy.Forbidden, f)
	return err
}

func (p *parser) server(table *tomldoc.Value) error {
	s := Server{Line: table.Line}
	err := each(table, "server", map[string]func(*tomldoc.Member) error{
		"name": text(&s.Name), "target": text(&s.Target), "lock": text(&s.Lock), "token_env": text(&s.TokenEnv),
	})
	if err == nil && s.Target == "" {
		err = tomldoc.Errorf(table.Line, "a server lacks its target: a URL, a recording or a report")
	}
	if s.Name == "" {
		s.Name = s.Target
	}
	if err == nil && slices.ContainsFunc(p.policy.Servers, func(o Server) bool { return o.Name == s.Name }) {
		err = tomldoc.Errorf(table.Line, "a second server is called %q", s.Name)
	}
	p.policy.Servers = append(p.policy.Servers, s)
	return err
}

// The requirements that a waiver can name. Those that end with a colon are followed by a name.
var waivable = []string{"score", "readiness", "category:", "rule:", "forbid:", "lock", "access", "configuration", "age", "roster"}

func (p *parser) waiver(table *tomldoc.Value) error {
	w := Waiver{Line: table.Line}
	err := each(table, "waiver", map[string]func(*tomldoc.Member) error{
		"server": text(&w.Server), "owner": text(&w.Owner), "reason": text(&w.Reason),
		"expires": func(m *tomldoc.Member) (err error) {
			w.Expires, err = m.Day()
			return err
		},
		"waives": func(m *tomldoc.Member) (err error) {
			if w.Waives, err = m.Texts(); err != nil {
				return err
			}
			for _, what := range w.Waives {
				if err := p.waives(what, m); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	for _, term := range []struct {
		missing bool
		name    string
	}{{w.Server == "", "server"}, {len(w.Waives) == 0, "waives"}, {w.Owner == "", "owner"}, {w.Reason == "", "reason"}, {w.Expires.IsZero(), "expires"}} {
		if term.missing {
			return tomldoc.Errorf(table.Line, "a waiver lacks %s; it needs server, waives, owner, reason and expires", term.name)
		}
	}
	if _, bad := path.Match(w.Server, ""); bad != nil {
		return tomldoc.Errorf(table.Line, "%q is no pattern: a bracket is not closed", w.Server)
	}
	p.policy.Waivers = append(p.policy.Waivers, w)
	return nil
}

// waives checks the name of a requirement, in which a rule or a category may be a glob.
func (p *parser) waives(what string, m *tomldoc.Member) error {
	kind, name, named := strings.Cut(what, ":")
	if named {
		kind += ":"
	}
	switch {
	case !slices.Contains(waivable, kind):
		return tomldoc.Errorf(m.Value.Line, "%q is no requirement%s", what, tomldoc.OrOneOf(kind, waivable))
	case kind == "rule:" || kind == "forbid:":
		return p.someRule(name, m)
	case kind == "category:" && !slices.ContainsFunc(p.vocabulary.Categories, func(c string) bool { return config.Match(name, c) }):
		return tomldoc.Errorf(m.Value.Line, "unknown category %q%s", name, tomldoc.OrOneOf(name, p.vocabulary.Categories))
	}
	return nil
}
