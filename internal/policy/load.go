package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spelling"
)

var (
	severities = []rule.Severity{rule.Critical, rule.High, rule.Medium, rule.Low}
	groups     = []rule.Group{
		rule.Packaging, rule.ProtocolVersion, rule.ServerInfo, rule.Capabilities, rule.Security, rule.Tools, rule.Transport,
		rule.Resources, rule.ResourceTemplates, rule.Prompts, rule.Pagination, rule.Skills, rule.Readiness,
	}
)

// Parse reads a roster. Every key must be known and present, every severity have points, every rule stand in it once. The error
// names the line and, for a word that is not known, the nearest one that is.
func Parse(text []byte) (*Policy, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, syntaxError(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, errors.New("a roster is one YAML document")
	}
	l := &loader{policy: &Policy{Points: map[rule.Severity]int{}, places: map[string]Place{}}, lines: map[string]int{}}
	if err := l.document(file.Docs[0].Body); err != nil {
		return nil, err
	}
	for _, c := range l.policy.Categories {
		for _, e := range c.Rules {
			l.policy.places[e.ID] = Place{Category: c.Name, Axis: c.Axis, Severity: e.Severity, Points: l.policy.Points[e.Severity]}
		}
	}
	if l.policy.Digest, err = l.policy.digest(); err != nil {
		return nil, err
	}
	return l.policy, nil
}

// syntaxError takes place and message from an error of the YAML parser, "[3:1] message" above an excerpt of the file.
func syntaxError(err error) error {
	first, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	var line, column int
	if n, _ := fmt.Sscanf(first, "[%d:%d]", &line, &column); n == 2 {
		_, message, _ := strings.Cut(first, "] ")
		return fmt.Errorf("line %d: %s", line, message)
	}
	return errors.New(first)
}

type loader struct {
	policy *Policy
	lines  map[string]int // line of each rule's entry
}

// pair is one entry of a mapping.
type pair struct {
	key   string
	line  int
	value ast.Node
}

func (l *loader) document(node ast.Node) error {
	pairs, err := members(node, "the roster")
	if err != nil {
		return err
	}
	keys := []string{"name", "title", "about", "points", "categories"}
	if err := exactly(pairs, keys, "the roster", 1); err != nil {
		return err
	}
	for _, p := range pairs {
		switch p.key {
		case "name":
			l.policy.Name, err = text(p)
		case "title":
			l.policy.Title, err = text(p)
		case "about":
			l.policy.About, err = text(p)
		case "points":
			err = l.points(p)
		case "categories":
			err = l.categories(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) points(p pair) error {
	pairs, err := members(p.value, "points")
	if err != nil {
		return err
	}
	names := words(severities)
	if err := exactly(pairs, names, "points", p.line); err != nil {
		return err
	}
	for _, s := range pairs {
		n, ok := s.value.(*ast.IntegerNode)
		if !ok {
			return fmt.Errorf("line %d: the points of %s are no whole number", s.line, s.key)
		}
		value, ok := n.Value.(uint64)
		if !ok || value == 0 || value > math.MaxInt16 {
			return fmt.Errorf("line %d: the points of %s must lie between 1 and %d", s.line, s.key, math.MaxInt16)
		}
		l.policy.Points[rule.Severity(s.key)] = int(value)
	}
	return nil
}

func (l *loader) categories(p pair) error {
	pairs, err := members(p.value, "categories")
	if err != nil {
		return err
	}
	if len(pairs) == 0 {
		return fmt.Errorf("line %d: a roster needs a category", p.line)
	}
	for _, c := range pairs {
		cat := Category{Name: c.key}
		parts, err := members(c.value, "category "+c.key)
		if err != nil {
			return err
		}
		keys := []string{"title", "axis", "groups"}
		if err := exactly(parts, keys, "category "+c.key, c.line); err != nil {
			return err
		}
		for _, part := range parts {
			switch part.key {
			case "title":
				cat.Title, err = text(part)
			case "axis":
				var word string
				if word, err = text(part); err == nil {
					err = known(word, []string{string(Main), string(Readiness)}, part.line, "axis")
				}
				cat.Axis = Axis(word)
			case "groups":
				cat.Rules, err = l.groups(part)
			}
			if err != nil {
				return err
			}
		}
		l.policy.Categories = append(l.policy.Categories, cat)
	}
	return nil
}

func (l *loader) groups(p pair) ([]Entry, error) {
	pairs, err := members(p.value, "groups")
	if err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("line %d: a category needs a group", p.line)
	}
	var entries []Entry
	for _, g := range pairs {
		if err := known(g.key, words(groups), g.line, "group"); err != nil {
			return nil, err
		}
		rules, err := members(g.value, "group "+g.key)
		if err != nil {
			return nil, err
		}
		if len(rules) == 0 {
			return nil, fmt.Errorf("line %d: group %s has no rules", g.line, g.key)
		}
		for _, r := range rules {
			if earlier, ok := l.lines[r.key]; ok {
				return nil, fmt.Errorf("line %d: rule %s stands in line %d already", r.line, r.key, earlier)
			}
			l.lines[r.key] = r.line
			word, err := text(r)
			if err != nil {
				return nil, err
			}
			if err := known(word, words(severities), r.line, "severity"); err != nil {
				return nil, err
			}
			entries = append(entries, Entry{ID: r.key, Group: rule.Group(g.key), Severity: rule.Severity(word), Line: r.line})
		}
	}
	return entries, nil
}

// members returns the entries of a mapping. Anchors, aliases and merge keys are refused: what a roster says stands where it counts.
func members(node ast.Node, what string) ([]pair, error) {
	m, ok := node.(*ast.MappingNode)
	if !ok {
		line := 1
		if node != nil && node.GetToken() != nil {
			line = node.GetToken().Position.Line
		}
		return nil, fmt.Errorf("line %d: %s is no mapping", line, what)
	}
	var pairs []pair
	for _, v := range m.Values {
		key, ok := v.Key.(*ast.StringNode)
		line := v.Key.GetToken().Position.Line
		if !ok {
			return nil, fmt.Errorf("line %d: a key of %s is no plain text", line, what)
		}
		pairs = append(pairs, pair{key.Value, line, v.Value})
	}
	return pairs, nil
}

// exactly checks that a mapping has these keys and no others.
func exactly(pairs []pair, keys []string, what string, line int) error {
	var have []string
	for _, p := range pairs {
		if err := known(p.key, keys, p.line, "key in "+what); err != nil {
			return err
		}
		have = append(have, p.key)
	}
	for _, k := range keys {
		if !slices.Contains(have, k) {
			return fmt.Errorf("line %d: %s lacks %s", line, what, k)
		}
	}
	return nil
}

func text(p pair) (string, error) {
	var s string
	switch n := p.value.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	default:
		return "", fmt.Errorf("line %d: %s is no text", p.line, p.key)
	}
	if s = strings.TrimSpace(s); s == "" {
		return "", fmt.Errorf("line %d: %s is empty", p.line, p.key)
	}
	return s, nil
}

func known(word string, allowed []string, line int, what string) error {
	if slices.Contains(allowed, word) {
		return nil
	}
	return fmt.Errorf("line %d: unknown %s %q%s", line, what, word, spelling.DidYouMean(word, allowed))
}

func words[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
