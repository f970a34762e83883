package config

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spelling"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
	"github.com/mcp-hallmark/hallmark/internal/tomldoc"
)

// ErrNoTable is the error of a file that has no table of the form: it is somebody else's.
var ErrNoTable = errors.New("no such table")

// Parse reads a file. Source names it in errors, which also name the line and the nearest word that is known. A pyproject.toml without
// our table gives [ErrNoTable]; so does one that is broken and shows no sign of having one.
func Parse(source string, form Form, text []byte, v Vocabulary) (*Config, error) {
	p := &parser{form: form, vocabulary: v, ids: v.SortedRules(), config: &Config{Source: source, SHA256: digest(text)}}
	for _, g := range v.Groups {
		p.groups = append(p.groups, string(g))
	}
	slices.Sort(p.groups)
	p.groups = slices.Compact(p.groups)
	doc, err := tomldoc.Parse(text)
	if err != nil {
		if form.Table != "" && !mentions(text, form.Table) {
			return nil, ErrNoTable
		}
		return nil, tomldoc.In(source, err)
	}
	if form.Table != "" {
		m := doc.Get("tool")
		if m != nil {
			m = m.Value.Get(form.Table)
		}
		if m == nil {
			return nil, ErrNoTable
		}
		if _, err := m.Members(); err != nil {
			return nil, tomldoc.In(source, err)
		}
		doc = m.Value
	}
	if err := p.document(doc); err != nil {
		return nil, tomldoc.In(source, err)
	}
	return p.config, nil
}

// mentions reports whether a text that cannot be read was meant to have our table.
func mentions(text []byte, table string) bool {
	return regexp.MustCompile(`(?m)^\s*\[?\s*tool\s*\.\s*["']?` + regexp.QuoteMeta(table) + `\b`).Match(text)
}

type parser struct {
	form        Form
	vocabulary  Vocabulary
	ids, groups []string
	config      *Config
}

func (p *parser) warn(line int, format string, args ...any) {
	p.config.Warnings = append(p.config.Warnings, fmt.Sprintf("%s:%d: %s", p.config.Source, line, fmt.Sprintf(format, args...)))
}

func (p *parser) document(doc *tomldoc.Value) error {
	keys := []string{"rules", "groups", "gate"}
	if p.form.Peer {
		keys = []string{"rules", "gate"}
	}
	if err := doc.Only("the configuration", keys...); err != nil {
		return err
	}
	for _, m := range doc.Members {
		members, err := m.Members()
		if err != nil {
			return err
		}
		switch m.Key {
		case "rules":
			err = p.rules(members)
		case "groups":
			err = p.groupSettings(members)
		case "gate":
			err = p.gate(m.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) rules(members []*tomldoc.Member) error {
	for _, m := range members {
		s := Setting{Scope: ForRule, Name: m.Key, Line: m.Line}
		if !p.form.Peer && strings.ContainsAny(m.Key, "*?[") {
			s.Scope = ForGlob
		}
		if err := p.setting(&s, m); err != nil {
			return err
		}
		known, err := p.names(&s)
		if err != nil {
			return err
		}
		if known {
			p.config.Settings = append(p.config.Settings, s)
		}
	}
	return nil
}

// names checks that a setting names a rule. One that does not and is no error is kept among the unknown.
func (p *parser) names(s *Setting) (bool, error) {
	if s.Scope == ForGlob {
		if _, err := path.Match(s.Name, ""); err != nil {
			return false, tomldoc.Errorf(s.Line, "%q is no pattern: a bracket is not closed", s.Name)
		}
		if !slices.ContainsFunc(p.ids, func(id string) bool { return Match(s.Name, id) }) {
			return false, tomldoc.Errorf(s.Line, "no rule matches %q", s.Name)
		}
		return true, nil
	}
	if group, known := p.vocabulary.Groups[s.Name]; known {
		if group == rule.Experimental && !s.Off && !p.form.Peer {
			return false, tomldoc.Errorf(s.Line, "%s is experimental and never counts, so it can only be turned off", s.Name)
		}
		return true, nil
	}
	fate, retired := p.vocabulary.Retired[s.Name]
	switch {
	case retired:
		p.warn(s.Line, "rule %s is ignored, it was retired: %s", s.Name, fate)
	case p.form.Peer:
		p.warn(s.Line, "unknown rule %q is ignored%s", s.Name, spelling.DidYouMean(s.Name, p.ids))
	default:
		return false, tomldoc.Errorf(s.Line, "unknown rule %q%s", s.Name, spelling.DidYouMean(s.Name, p.ids))
	}
	p.config.Unknown = append(p.config.Unknown, textscan.Visible(s.Name))
	return false, nil
}

func (p *parser) groupSettings(members []*tomldoc.Member) error {
	for _, m := range members {
		if !slices.Contains(p.groups, m.Key) {
			return tomldoc.Errorf(m.Line, "unknown group %q%s", m.Key, tomldoc.OrOneOf(m.Key, p.groups))
		}
		s := Setting{Scope: ForGroup, Name: m.Key, Line: m.Line}
		if err := p.setting(&s, m); err != nil {
			return err
		}
		if rule.Group(m.Key) == rule.Experimental && !s.Off {
			return tomldoc.Errorf(m.Line, "experimental rules never count, so they can only be turned off")
		}
		p.config.Settings = append(p.config.Settings, s)
	}
	return nil
}

// levels are the words of a setting.
var levels = []string{"off", "low", "medium", "high", "critical"}

// setting reads a level, or in our own forms a table with a level and the terms of a waiver.
func (p *parser) setting(s *Setting, m *tomldoc.Member) error {
	level := m
	if m.Value.Kind == tomldoc.Table && !p.form.Peer {
		var err error
		if level, err = waiver(&s.Waiver, m); err != nil {
			return err
		}
	}
	word, err := level.Word(levels)
	if err != nil {
		return err
	}
	if s.Off = word == "off"; !s.Off {
		s.Severity = rule.Severity(strings.ToUpper(word))
	}
	return nil
}

// waiver reads the terms of a waiver and returns the member that holds the level.
func waiver(w *Waiver, m *tomldoc.Member) (level *tomldoc.Member, err error) {
	if err := m.Value.Only("the setting of "+m.Key, "level", "reason", "owner", "expires"); err != nil {
		return nil, err
	}
	for _, term := range m.Value.Members {
		switch term.Key {
		case "level":
			level = term
		case "reason":
			w.Reason, err = term.Text()
		case "owner":
			w.Owner, err = term.Text()
		case "expires":
			w.Expires, err = term.Day()
		}
		if err != nil {
			return nil, err
		}
	}
	if level == nil {
		return nil, tomldoc.Errorf(m.Line, "the setting of %s lacks a level: off, low, medium, high or critical", m.Key)
	}
	if !w.Expires.IsZero() && w.Reason == "" {
		return nil, tomldoc.Errorf(m.Line, "the setting of %s expires and gives no reason", m.Key)
	}
	return level, nil
}

func (p *parser) gate(table *tomldoc.Value) error {
	keys := []string{"fail_on", "fail_under", "fail_under_readiness", "categories", "baseline", "lock"}
	if p.form.Peer {
		keys = keys[:1]
	}
	if err := table.Only("gate", keys...); err != nil {
		return err
	}
	g := &p.config.Gate
	for _, m := range table.Members {
		var err error
		switch m.Key {
		case "fail_on":
			var word string
			word, err = m.Word(levels[1:])
			g.FailOn = rule.Severity(strings.ToUpper(word))
		case "fail_under":
			g.FailUnder, err = percentage(m)
		case "fail_under_readiness":
			g.FailUnderReadiness, err = percentage(m)
		case "baseline":
			g.Baseline, err = m.Text()
		case "lock":
			g.Lock, err = m.Text()
		case "categories":
			g.Categories, err = p.categories(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) categories(m *tomldoc.Member) ([]Minimum, error) {
	members, err := m.Members()
	if err != nil {
		return nil, err
	}
	var minima []Minimum
	for _, c := range members {
		if !slices.Contains(p.vocabulary.Categories, c.Key) {
			return nil, tomldoc.Errorf(c.Line, "unknown category %q%s", c.Key, tomldoc.OrOneOf(c.Key, p.vocabulary.Categories))
		}
		n, err := c.Whole(0, 100)
		if err != nil {
			return nil, err
		}
		minima = append(minima, Minimum{c.Key, n})
	}
	return minima, nil
}

func percentage(m *tomldoc.Member) (*int, error) {
	n, err := m.Whole(0, 100)
	if err != nil {
		return nil, err
	}
	return &n, nil
}
