// Package config reads what a project says about its audits: which rules are off or count with another severity, for how long and why,
// and which gates an audit must pass. Finding the file and applying it are the business of others.
package config

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// Form is how a file is laid out and how strict its reading is.
type Form struct {
	File  string // the name of a file that has this form
	Table string // the table below "tool" that holds everything, empty when the document is everything
	Peer  bool   // the form of mcpscore: fewer keys, and rules that do not exist are a warning
}

// The forms, in the order in which a folder is searched.
var (
	Own           = Form{File: "hallmark.toml"}
	OwnPyproject  = Form{File: "pyproject.toml", Table: "hallmark"}
	Peer          = Form{File: "mcpscore.toml", Peer: true}
	PeerPyproject = Form{File: "pyproject.toml", Table: "mcpscore", Peer: true}
	Forms         = []Form{Own, OwnPyproject, Peer, PeerPyproject}
)

// Vocabulary is what a configuration may name.
type Vocabulary struct {
	Groups     map[string]rule.Group // of every rule, by id
	Retired    map[string]string     // what became of rules that are no more, by id
	Categories []string
}

// SortedRules lists the ids of the rules.
func (v Vocabulary) SortedRules() []string { return slices.Sorted(maps.Keys(v.Groups)) }

// Config is a project's configuration.
type Config struct {
	Source   string // the name it was read under
	SHA256   string // of the file's bytes, in hexadecimal
	Settings []Setting
	Gate     Gate
	// Unknown are rules that the file names and that do not exist, retired ones included. In our own forms such a rule is an error
	// unless it was retired.
	Unknown  []string
	Warnings []string // each with file and line
}

// Scope is what a setting is about.
type Scope int

// The scopes. Where several settings concern a rule, the one with the greatest scope decides, and among equals the last.
const (
	ForGroup Scope = iota
	ForGlob
	ForRule
)

// Setting turns rules off or lets them count with another severity.
type Setting struct {
	Scope    Scope
	Name     string // rule id, glob, or group
	Off      bool
	Severity rule.Severity // when not Off
	Waiver
	Line int
}

// Waiver says why something is let pass, who answers for it, and until when.
type Waiver struct {
	Reason  string
	Owner   string
	Expires time.Time // the last day on which it holds, midnight UTC; zero when it has no end
}

// Expired reports whether the last day has passed, in UTC.
func (w Waiver) Expired(at time.Time) bool {
	return !w.Expires.IsZero() && !at.Before(w.Expires.AddDate(0, 0, 1))
}

// Level is the setting's word: "off" or a severity.
func (s *Setting) Level() string {
	if s.Off {
		return "off"
	}
	return string(s.Severity)
}

// Gate is what an audit must reach. Numbers are percentages; a nil one is not asked for.
type Gate struct {
	FailOn             rule.Severity // empty when not set
	FailUnder          *int
	FailUnderReadiness *int
	Categories         []Minimum // in the order of the file
	Baseline           string    // file, as it stands in the configuration
	Lock               string    // file, as it stands in the configuration
}

// Minimum is the least percentage of a category.
type Minimum struct {
	Category string
	Percent  int
}

// Ruling is a configuration applied to the rules there are, on one day.
type Ruling struct {
	Off      []string // rule ids, by the order of their settings, then by id
	Reranked map[string]rule.Severity
	Applied  []Applied // settings that have a reason, an owner or an end, in the order of the file
}

// Applied is a setting with the rules that it decided. An expired one decides nothing.
type Applied struct {
	Setting
	Rules   []string // sorted
	Expired bool
}

// Ruling works out what the settings mean for the rules of the vocabulary at a moment.
func (c *Config) Ruling(v Vocabulary, at time.Time) Ruling {
	ids := v.SortedRules()
	decided := make([][]string, len(c.Settings))
	for _, id := range ids {
		best := -1
		for i := range c.Settings {
			s := &c.Settings[i]
			if s.concerns(id, v.Groups[id]) && !s.Expired(at) && (best < 0 || s.Scope >= c.Settings[best].Scope) {
				best = i
			}
		}
		if best >= 0 {
			decided[best] = append(decided[best], id)
		}
	}
	r := Ruling{Reranked: map[string]rule.Severity{}}
	for i, s := range c.Settings {
		for _, id := range decided[i] {
			if s.Off {
				r.Off = append(r.Off, id)
			} else {
				r.Reranked[id] = s.Severity
			}
		}
		if s.Waiver == (Waiver{}) {
			continue
		}
		a := Applied{Setting: s, Rules: decided[i], Expired: s.Expired(at)}
		if a.Expired {
			for _, id := range ids {
				if s.concerns(id, v.Groups[id]) {
					a.Rules = append(a.Rules, id)
				}
			}
		}
		r.Applied = append(r.Applied, a)
	}
	return r
}

func (s *Setting) concerns(id string, group rule.Group) bool {
	switch s.Scope {
	case ForGroup:
		return s.Name == string(group)
	case ForGlob:
		return Match(s.Name, id)
	}
	return s.Name == id
}

// Match reports whether a name matches a glob: * stands for any characters, ? for one, [ab] for one of those. A slash is a character like
// others.
func Match(glob, name string) bool {
	ok, err := path.Match(flat.Replace(glob), flat.Replace(name))
	return ok && err == nil
}

var flat = strings.NewReplacer("/", "\x00")

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
