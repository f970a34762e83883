package skills

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsDigestIntegrity = rule.Rule{
	ID:       "skills_digest_integrity",
	Title:    "Files have the size and digest that are listed",
	Group:    rule.Skills,
	Order:    8,
	Severity: rule.High,
	Needs: []rule.Need{needEntries(isEntry, "anything"), func(o *observe.Observation) *rule.Skip {
		if len(fileChecks(o)) == 0 {
			return rule.SkipFor(rule.Insufficient, "no file with a listed size or digest was read")
		}
		return nil
	}},
	Basis: []spec.Citation{spec.SkillsExtension("Integrity and Verification")},
	Why:   "A client refuses a file that differs from its entry, so the skill fails; and a listing that does not fit its files protects nobody.",
	Fix:   "Compute size and digest from the exact bytes that resources/read returns, and refresh the listing when they change.",
	OWASP: []string{"MCP04:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, c := range fileChecks(o) {
			size, sized := entrySize(c.listed)
			digest, _ := c.listed.Get("digest").Text()
			switch {
			case sized && size != c.file.Size:
				found = append(found, at(c.item, problem{c.path + "/size", "size_mismatch", fmt.Sprintf("%d bytes are listed and %d served", size, c.file.Size), "the size of what is served"}))
			case c.file.Digest != "" && isDigest(digest) && digest != c.file.Digest:
				found = append(found, at(c.item, problem{c.path + "/digest", "digest_mismatch", "the bytes served have another digest than the one listed", "the digest of what is served"}))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"files_checked": len(fileChecks(o)), "budget_exhausted": o.Skills.BudgetExhausted}
	},
}

// fileCheck is a listed file and a read of it.
type fileCheck struct {
	item   observe.Item
	path   jsondoc.Pointer
	listed jsondoc.Value
	file   observe.SkillFile
}

// fileChecks pairs manifest items with reads that can confirm or contradict them.
func fileChecks(o *observe.Observation) []fileCheck {
	reads := map[string][]observe.SkillFile{}
	for _, f := range o.Skills.Files {
		if f.Error == nil || f.Error.Outcome == "too_large" {
			reads[observe.NormalURI(f.URI)] = append(reads[observe.NormalURI(f.URI)], f)
		}
	}
	var checks []fileCheck
	for _, item := range o.Skills.Entries {
		for i, el := range item.Get("resources").Elements() {
			uri, ok := el.Value.Get("uri").Text()
			if !ok {
				continue
			}
			for _, f := range reads[observe.NormalURI(uri)] {
				_, sized := entrySize(el.Value)
				if sized || f.Digest != "" && isDigest(el.Value.Get("digest").TextOr("")) {
					checks = append(checks, fileCheck{item, jsondoc.Pointer("/resources").Index(i), el.Value, f})
				}
			}
		}
	}
	return checks
}
