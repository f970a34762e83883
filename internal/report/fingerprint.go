package report

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// Fingerprints names the findings of a failed result, so that they can be found again in another report: 16 hexadecimal digits over the
// rule, the item, the place in it and the kind of trouble. What was seen there, and the item's position when it has a name, do not
// matter. Two findings may have the same one. A report that was read knows only the findings that it shows: complete is then false
// when there were more.
func (r *Result) Fingerprints() (all []string, complete bool) {
	if r.Found != nil || r.Passed {
		return r.Found, true
	}
	issues := r.Issues()
	for i := range issues {
		all = append(all, fingerprint(r.RuleID, &issues[i]))
	}
	return all, len(issues) == r.IssuesTotal()
}

func fingerprintsOf(v *rule.Verdict) []string {
	prints := make([]string, len(v.Findings))
	for i, f := range v.Findings {
		issue := placed(f)
		prints[i] = fingerprint(v.Rule.ID, &issue)
	}
	return prints
}

func fingerprint(ruleID string, i *Issue) string {
	item := i.Name
	if item == "" && i.EntityIndex != nil {
		item = "#" + strconv.Itoa(*i.EntityIndex)
	}
	path := "omitted"
	if i.Path != nil {
		path = *i.Path
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{ruleID, i.EntityKind, item, path, i.Reason, i.ProbeID}, "\x00")))
	return hex.EncodeToString(sum[:8])
}
