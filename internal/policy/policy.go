// Package policy loads rosters: which rules count in an audit, in which category, and with which severity. A roster is versioned
// data, never code; loading is strict, and its digest names it in every report. What a rule checks and how points add up does not
// belong here.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gowebpki/jcs"

	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spelling"
	"github.com/mcp-hallmark/hallmark/policy/audit"
)

// Default is the roster that an audit uses when none is named.
const Default = "roster_150"

// Axis says which of the two sums a category adds to.
type Axis string

// The axes. Readiness is a sum of its own, which also joins the main one once a server speaks the latest revision's lifecycle.
const (
	Main      Axis = "main"
	Readiness Axis = "readiness"
)

// Policy is a loaded roster.
type Policy struct {
	Name       string
	Title      string
	About      string
	Points     map[rule.Severity]int
	Categories []Category // in the order of the file
	// Digest is "sha256:" and the hexadecimal SHA-256 of the roster's canonical JSON (RFC 8785), so that it does not depend on
	// comments, quoting or the order of keys in the file, except for the order of categories.
	Digest string

	places map[string]Place
}

// Category is a set of rules whose points are also shown apart.
type Category struct {
	Name  string
	Title string
	Axis  Axis
	Rules []Entry // in the order of the file
}

// Entry is one rule of a roster.
type Entry struct {
	ID       string
	Group    rule.Group
	Severity rule.Severity
	Line     int // in the roster's file
}

// Place is where a rule counts and for how much.
type Place struct {
	Category string
	Axis     Axis
	Severity rule.Severity
	Points   int
}

// Place returns where a rule counts; ok is false when the roster does not score it.
func (p *Policy) Place(id string) (place Place, ok bool) {
	place, ok = p.places[id]
	return place, ok
}

// Rerank returns a copy of the roster in which rules count with other severities, by rule id. Rules that the roster does not score stay
// out. Name and digest stay those of the published roster: who re-ranks says so beside them.
func (p *Policy) Rerank(severities map[string]rule.Severity) *Policy {
	if len(severities) == 0 {
		return p
	}
	changed := *p
	changed.places = maps.Clone(p.places)
	for id, severity := range severities {
		if place, ok := changed.places[id]; ok {
			place.Severity, place.Points = severity, p.Points[severity]
			changed.places[id] = place
		}
	}
	changed.Categories = slices.Clone(p.Categories)
	for i := range changed.Categories {
		entries := slices.Clone(changed.Categories[i].Rules)
		for j := range entries {
			entries[j].Severity = changed.places[entries[j].ID].Severity
		}
		changed.Categories[i].Rules = entries
	}
	return &changed
}

// Names lists the published rosters, the default one first.
func Names() []string {
	entries, err := audit.Files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == Default) != (b == Default) {
			if a == Default {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// Load returns a published roster by name; the empty name means the default. The error lists the rosters there are.
func Load(name string) (*Policy, error) {
	if name == "" {
		name = Default
	}
	text, err := audit.Files.ReadFile(name + ".yaml")
	if err != nil {
		names := Names()
		return nil, fmt.Errorf("no roster is called %q%s; there are %s", name, spelling.DidYouMean(name, names), strings.Join(names, " and "))
	}
	p, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("roster %s: %w", name, err)
	}
	if p.Name != name {
		return nil, fmt.Errorf("roster %s: the file names itself %q", name, p.Name)
	}
	return p, nil
}

// canonical is the form of a roster that its digest covers.
type canonical struct {
	Name       string                `json:"name"`
	Title      string                `json:"title"`
	About      string                `json:"about"`
	Points     map[rule.Severity]int `json:"points"`
	Categories []canonicalCategory   `json:"categories"`
}

type canonicalCategory struct {
	Name   string                                  `json:"name"`
	Title  string                                  `json:"title"`
	Axis   Axis                                    `json:"axis"`
	Groups map[rule.Group]map[string]rule.Severity `json:"groups"`
}

func (p *Policy) digest() (string, error) {
	doc := canonical{Name: p.Name, Title: p.Title, About: p.About, Points: p.Points}
	for _, c := range p.Categories {
		groups := map[rule.Group]map[string]rule.Severity{}
		for _, e := range c.Rules {
			if groups[e.Group] == nil {
				groups[e.Group] = map[string]rule.Severity{}
			}
			groups[e.Group][e.ID] = e.Severity
		}
		doc.Categories = append(doc.Categories, canonicalCategory{c.Name, c.Title, c.Axis, groups})
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return "", err
	}
	if text, err = jcs.Transform(text); err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// Mismatch is a disagreement between a roster and the rules that exist in code.
type Mismatch struct {
	Rule string
	Text string
}

func (m Mismatch) String() string { return m.Rule + ": " + m.Text }

// Check compares a roster with the ids of the rules that exist, both ways: entries without a rule, with the line and the nearest
// rule, in the order of the roster; then rules without an entry. Rules that are only reported (experimental) must not be given.
func Check(p *Policy, ruleIDs []string) []Mismatch {
	exists := make(map[string]bool, len(ruleIDs))
	for _, id := range ruleIDs {
		exists[id] = true
	}
	var found []Mismatch
	for _, c := range p.Categories {
		for _, e := range c.Rules {
			if !exists[e.ID] {
				found = append(found, Mismatch{e.ID, fmt.Sprintf("%s, line %d: no such rule%s", p.Name, e.Line, spelling.DidYouMean(e.ID, ruleIDs))})
			}
		}
	}
	ids := slices.Clone(ruleIDs)
	slices.Sort(ids)
	for _, id := range ids {
		if _, ok := p.places[id]; !ok {
			found = append(found, Mismatch{id, "stands in no category of " + p.Name})
		}
	}
	return found
}
