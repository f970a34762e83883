package security

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

var securityErrorDataLeak = rule.Rule{
	ID:       "security_error_data_leak",
	Title:    "Errors show nothing of the server's inside",
	Group:    rule.Security,
	Order:    3,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedHTTP, needErrorBody},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Server › Tools › Security Considerations"),
		spec.Advice("what an error shows to anybody helps an attacker first"),
		spec.OWASP("MCP01:2025 Token Mismanagement & Secret Exposure"),
	},
	Why:   "Stack traces, paths and credentials in an error tell a stranger how the server is built and where to push.",
	Fix:   "Keep traces, paths and secrets in the server's log and answer with a short general message; revoke any real credential that was shown.",
	OWASP: []string{"MCP01:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeMalformedJSON)
		var found []rule.Finding
		for _, l := range errorLeaks(p.Text("body")) {
			found = append(found, rule.AtProbe(p, strings.ReplaceAll(strings.ToLower(l.name), " ", "_"),
				fmt.Sprintf("the answer to a malformed request shows a %s (%d in all): %s", l.name, l.count, l.excerpt), "a general message"))
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		body := o.Probe(observe.ProbeMalformedJSON).Text("body")
		var leaks []any
		for _, l := range errorLeaks(body) {
			leaks = append(leaks, map[string]any{"type": l.name, "count": l.count})
		}
		if leaks == nil {
			return map[string]any{"error_response_length": utf8.RuneCountInString(body)}
		}
		return map[string]any{"leaks": leaks}
	},
}

func needErrorBody(o *observe.Observation) *rule.Skip {
	if p := o.Probe(observe.ProbeMalformedJSON); !p.Has("body") {
		return rule.SkipFor(rule.Insufficient, "no readable answer to a malformed request was seen")
	}
	return nil
}

type leak struct {
	name    string
	count   int
	excerpt string // of the first one, credentials masked
}

// errorLeaks counts the leaks of each kind in the order of their first place.
func errorLeaks(body string) []leak {
	var leaks []leak
	at := map[string]int{}
	for _, m := range textscan.ErrorLeak(body) {
		name := strings.ReplaceAll(m.Kind, "_", " ")
		if m.Kind == "api_key" {
			name = "API key"
		}
		i, seen := at[name]
		if !seen {
			i = len(leaks)
			at[name] = i
			leaks = append(leaks, leak{name: name, excerpt: m.Excerpt})
		}
		leaks[i].count++
	}
	return leaks
}
