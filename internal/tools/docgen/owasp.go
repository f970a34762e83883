package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// sight says how much of a risk an audit from outside can see.
type sight string

const (
	some    sight = "in part"
	little  sight = "little"
	nothing sight = "nothing"
)

// views say of each risk what an audit that only reads can see of it, and what it cannot, with the reason.
var views = map[string]struct {
	sight        sight
	seen, hidden string
}{
	"MCP01:2025": {some,
		"Credentials in what a server publishes and in its error texts, a token that the URL carries, a parameter that would put one into a header, a connection without TLS.",
		"How tokens are stored, logged, rotated and bound to an audience happens inside the server and its host, and leaves no trace on the wire."},
	"MCP02:2025": {some,
		"Whether scopes are advertised, so that a client can ask for few, and whether tools say which of them change or destroy something, so that a host can grant the others alone.",
		"What a token may really do. That shows only in calls of tools with tokens of different scopes, and an audit calls no tool. How permissions grow over time takes a history of audits."},
	"MCP03:2025": {some,
		"Instructions, hidden characters and links in every text that reaches a model; two items under one name; a listing that differs between clients, connections or lifecycles; members that two parsers read differently.",
		"A server that changes its texts later, or only for some users, and what a tool does when it is called: the description is judged, not the behaviour. Rules know phrasings; a careful attacker writes others."},
	"MCP04:2025": {little,
		"Whether files of skills are listed with digests that hold, and whether schemas depend on documents elsewhere.",
		"The server's own dependencies, build and update channel. They are not visible over MCP; the package, its registry and its advisories must be looked at for that."},
	"MCP05:2025": {nothing,
		"",
		"Whether arguments reach a shell, a query or an interpreter shows only when a tool is called with hostile arguments. That would change things on the server, so an audit does not; a code review or a test by the owner can."},
	"MCP06:2025": {some,
		"Text in catalogs and skills that tells a model to do something else than what the user asked.",
		"What comes back from calls: results, resources and prompts that carry instructions of third parties. No tool is called, and resources are not read, except the files of skills."},
	"MCP07:2025": {some,
		"Who is let in without credentials, how a made-up token or session id, a foreign Origin and a foreign Host are met, whether a local server listens beyond this machine, and what the metadata of the authorization server promises.",
		"Whether one user's token opens another user's data, and whether tokens are checked against audience and expiry: that takes accounts of several users and tokens that an auditor does not have."},
	"MCP08:2025": {nothing,
		"",
		"Logs and telemetry of the server are its owner's. Nothing of them crosses the wire, so neither their presence nor their absence can be seen."},
	"MCP09:2025": {little,
		"Whether a server says who it is and in which version, so that an inventory can hold it.",
		"Which servers run in an organization without anybody's knowledge. An audit begins with an address that somebody knows."},
	"MCP10:2025": {some,
		"Whether answers are marked as shareable between users, and consistently over the pages of a listing.",
		"What is really shared between users, sessions and agents: caches and stores behind the server, and what a host keeps in the context of a model."},
}

const owaspIntro = `The [OWASP MCP Top 10](https://owasp.org/www-project-mcp-top-10/) names ten risks of systems that use MCP (edition 2025, version 0.1, still in beta). This page says which rules bear on
which risk, how much of a risk an audit can see that connects from outside and only reads, and what it cannot see and why. A clean audit says
nothing about what is not seen here.

The mapping is data on the rules: ` + "`owasp`" + ` of each result in the JSON report, and of each rule in ` + "`hallmark rules --json`" + `.`

func owaspPage() (string, error) {
	byRisk := map[string][]rule.Rule{}
	mapped := 0
	for _, r := range rules.All() {
		for _, id := range r.OWASP {
			byRisk[id] = append(byRisk[id], r)
		}
		if len(r.OWASP) > 0 {
			mapped++
		}
	}
	rosters, err := loadRosters()
	if err != nil {
		return "", err
	}
	var overview [][]string
	var b strings.Builder
	for _, risk := range spec.OWASPRisks() {
		v, ok := views[risk.ID]
		if !ok || (v.sight == nothing) != (len(byRisk[risk.ID]) == 0) || (v.sight == nothing) != (v.seen == "") {
			return "", fmt.Errorf("what can be seen of %s does not agree with its %d rules", risk.ID, len(byRisk[risk.ID]))
		}
		overview = append(overview, []string{riskLink(risk.ID), escape(risk.Title), string(v.sight), fmt.Sprint(len(byRisk[risk.ID]))})
		b.WriteString("\n## " + escape(riskHeading(risk)) + "\n\n")
		if v.seen != "" {
			b.WriteString(wrap("**Seen from outside:** "+escape(v.seen), "") + "\n\n")
		}
		b.WriteString(wrap("**Not seen:** "+escape(v.hidden), "") + "\n")
		if len(byRisk[risk.ID]) == 0 {
			continue
		}
		var rows [][]string
		for _, r := range byRisk[risk.ID] {
			counts := "no"
			if slices.ContainsFunc(rosters, func(p *policy.Policy) bool { _, ok := p.Place(r.ID); return ok }) {
				counts = "yes"
			}
			rows = append(rows, []string{ruleLink(r.ID), escape(r.Title), string(r.Severity), counts})
		}
		b.WriteString("\n" + table([]string{"Rule", "Holds when", "Severity", "Counts"}, rows))
	}
	unmapped := len(rules.All()) - mapped
	return "# OWASP MCP Top 10\n\n" + paragraphs(owaspIntro) + "\n\n" + table([]string{"Risk", "", "Seen from outside", "Rules"}, overview) + "\n" +
		wrap(fmt.Sprintf("%d rules bear on no risk of this list: they are about correctness, documentation and readiness.", unmapped), "") + "\n" + b.String(), nil
}

func riskHeading(r spec.Risk) string { return r.ID + " " + r.Title }

// riskLink links the id of a risk to its part of the page.
func riskLink(id string) string {
	for _, r := range spec.OWASPRisks() {
		if r.ID == id {
			return "[" + id + "](owasp.md#" + anchor(riskHeading(r)) + ")"
		}
	}
	return escape(id)
}

func ruleLink(id string) string { return "[" + id + "](rules.md#" + id + ")" }
