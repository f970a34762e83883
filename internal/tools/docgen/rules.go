package main

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
)

// groupTitles say what the rules of a group look at.
var groupTitles = map[rule.Group]string{
	rule.Packaging:         "Packaging: how a server is published",
	rule.ProtocolVersion:   "Protocol version: which revisions a server speaks",
	rule.ServerInfo:        "Server information: what a server says about itself",
	rule.Capabilities:      "Capabilities: what it declares, and whether it serves that",
	rule.Security:          "Security: how it meets strangers, and what its texts tell a model",
	rule.Tools:             "Tools",
	rule.Transport:         "Transport: the envelope rules of Streamable HTTP",
	rule.Resources:         "Resources",
	rule.ResourceTemplates: "Resource templates",
	rule.Prompts:           "Prompts",
	rule.Pagination:        "Pagination: cursors, and whether two readings agree",
	rule.Skills:            "Skills: the Agent Skills extension",
	rule.Readiness:         "Readiness for revision 2026-07-28",
	rule.Experimental:      "Experimental: reported, never counted",
}

const rulesIntro = `Every rule, in the order in which reports list them. A rule passes, fails with the places that are wrong, or is skipped with a
reason; [scoring](scoring.md) says how that adds up. ` + "`hallmark explain RULE`" + ` shows the same with worked examples, and
[adding a rule](adding-a-rule.md) how one is made. Where our verdicts differ on purpose from those of mcpscore, [differences](differences.md) has the words
that decide.

"Revisions" are those under which a rule judges; a server of another one is not concerned. A citation that begins with Hallmark is advice of
this project that no specification asks for.`

func rulesPage() (string, error) {
	rosters, err := loadRosters()
	if err != nil {
		return "", err
	}
	all := rules.All()
	groups, byGroup := groupsOf(all)
	var b strings.Builder
	b.WriteString("# Rules\n\n" + paragraphs(rulesIntro) + "\n\n")
	head := []string{"Group", "Rules"}
	for _, p := range rosters {
		head = append(head, "In "+code(p.Name))
	}
	var counts [][]string
	for _, g := range groups {
		row := []string{fmt.Sprintf("[%s](#%s)", escape(groupName(g)), anchor(groupTitles[g])), fmt.Sprint(len(byGroup[g]))}
		for _, p := range rosters {
			row = append(row, fmt.Sprint(countIn(p, byGroup[g])))
		}
		counts = append(counts, row)
	}
	total := []string{"All", fmt.Sprint(len(all))}
	for _, p := range rosters {
		total = append(total, fmt.Sprint(countIn(p, all)))
	}
	b.WriteString(table(head, append(counts, total)))
	for _, g := range groups {
		if groupTitles[g] == "" {
			return "", fmt.Errorf("the group %q has no title", g)
		}
		b.WriteString("\n## " + escape(groupTitles[g]) + "\n")
		for _, r := range byGroup[g] {
			b.WriteString("\n" + ruleEntry(r, rosters))
		}
	}
	return b.String(), nil
}

func loadRosters() ([]*policy.Policy, error) {
	var rosters []*policy.Policy
	for _, name := range policy.Names() {
		p, err := policy.Load(name)
		if err != nil {
			return nil, err
		}
		rosters = append(rosters, p)
	}
	return rosters, nil
}

// groupsOf lists the groups in the order of the rules.
func groupsOf(all []rule.Rule) ([]rule.Group, map[rule.Group][]rule.Rule) {
	var groups []rule.Group
	byGroup := map[rule.Group][]rule.Rule{}
	for _, r := range all {
		if byGroup[r.Group] == nil {
			groups = append(groups, r.Group)
		}
		byGroup[r.Group] = append(byGroup[r.Group], r)
	}
	return groups, byGroup
}

func countIn(p *policy.Policy, list []rule.Rule) int {
	n := 0
	for _, r := range list {
		if _, ok := p.Place(r.ID); ok {
			n++
		}
	}
	return n
}

func ruleEntry(r rule.Rule, rosters []*policy.Policy) string {
	var b strings.Builder
	b.WriteString("### " + r.ID + "\n\n")
	item := func(name, text string) { b.WriteString(wrap("- "+name+": "+text, "  ") + "\n") }
	b.WriteString(wrap("**"+escape(r.Title)+".**", "") + "\n\n")
	item("Severity", string(r.Severity))
	item("Revisions", revisions(r))
	for _, p := range rosters {
		place, ok := p.Place(r.ID)
		switch {
		case !ok:
			item(code(p.Name), "does not count")
		case place.Severity != r.Severity:
			item(code(p.Name), fmt.Sprintf("category %s, %s, %s", escape(categoryTitle(p, place.Category)), place.Severity, points(place.Points)))
		default:
			item(code(p.Name), fmt.Sprintf("category %s, %s", escape(categoryTitle(p, place.Category)), points(place.Points)))
		}
	}
	item("Why", escape(r.Why))
	item("Fix", escape(r.Fix))
	var cited []string
	for _, c := range r.Basis {
		cited = append(cited, link(c.String(), c.URL))
	}
	item("Grounded in", strings.Join(cited, "; "))
	if len(r.OWASP) > 0 {
		var risks []string
		for _, id := range r.OWASP {
			risks = append(risks, riskLink(id))
		}
		item("OWASP MCP Top 10", strings.Join(risks, ", "))
	}
	return b.String()
}

func points(n int) string {
	if n == 1 {
		return "1 point"
	}
	return fmt.Sprintf("%d points", n)
}

func categoryTitle(p *policy.Policy, name string) string {
	for _, c := range p.Categories {
		if c.Name == name {
			return c.Title
		}
	}
	return name
}

func revisions(r rule.Rule) string {
	text := "all"
	switch {
	case r.Since != "" && r.Until == r.Since:
		text = string(r.Since) + " only"
	case r.Since != "" && r.Until != "":
		text = string(r.Since) + " to " + string(r.Until)
	case r.Since != "":
		text = "from " + string(r.Since)
	case r.Until != "":
		text = "up to " + string(r.Until)
	}
	if r.ByEvidence {
		text += "; also for a session of an earlier one, where the server was seen to speak the stateless lifecycle"
	}
	return text
}

func groupName(g rule.Group) string { return strings.ReplaceAll(string(g), "_", " ") }

// paragraphs wraps Markdown text paragraph by paragraph.
func paragraphs(text string) string {
	parts := strings.Split(text, "\n\n")
	for i, p := range parts {
		parts[i] = wrap(p, "")
	}
	return strings.Join(parts, "\n\n")
}

// anchor is the name that a heading gets on the common hosts of Markdown: lower case, blanks as hyphens, punctuation dropped.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case wordy(r) || r == '-':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}
