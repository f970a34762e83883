package security

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var authTokenNotInQuery = rule.Rule{
	ID:       "auth_token_not_in_query",
	Title:    "No credential is needed in the URL",
	Group:    rule.Security,
	Order:    14,
	Severity: rule.High,
	Since:    spec.Rev20250326,
	Needs: []rule.Need{func(o *observe.Observation) *rule.Skip {
		s := rule.NeedProbe(observe.ProbeQueryCredential)(o)
		if p := o.Probe(observe.ProbeQueryCredential); s != nil && len(p.Strings("credential_params")) > 0 {
			return rule.SkipFor(rule.Insufficient, "%s", s.Text)
		}
		return s
	}},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Token Requirements"),
		spec.RFC(6750, "2.3 URI Query Parameter"),
	},
	Why:   "URLs end up in logs, histories and referrers, and with them whatever credential they hold.",
	Fix:   "Take the credential from the Authorization header and refuse it in the query.",
	OWASP: []string{"MCP01:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeQueryCredential)
		if p.Outcome == observe.Supported {
			return nil
		}
		status, _ := p.Int("without_credential_http_status")
		return []rule.Finding{rule.AtProbe(p, "credential_in_query", fmt.Sprintf("the server answers with the query parameter %s and refuses without it (HTTP status %d)",
			strings.Join(p.Strings("credential_params"), ", "), status), "a credential in the Authorization header")}
	},
	Details: func(o *observe.Observation) map[string]any {
		return probeDetails(o.Probe(observe.ProbeQueryCredential), "credential_params", "http_status", "without_credential_http_status")
	},
}
