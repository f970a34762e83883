package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var catalogNoEmbeddedSecrets = rule.Rule{
	ID:       "catalog_no_embedded_secrets",
	Title:    "The catalog holds no credentials",
	Group:    rule.Security,
	Order:    21,
	Severity: rule.High,
	Needs:    []rule.Need{needCatalogText(judgeEmbeddedSecrets)},
	Basis:    []spec.Citation{spec.OWASP("MCP01:2025 Token Mismanagement & Secret Exposure")},
	Why:      "Every client that lists the catalog gets the credential, and so do its logs and the model's provider.",
	Fix:      "Revoke the credential, then take it out of the catalog; use a value that is plainly made up as an example.",
	OWASP:    []string{"MCP01:2025"},
	Judge:    judgeEmbeddedSecrets,
	Details:  func(o *observe.Observation) map[string]any { return catalogDetails(o, secrets, false) },
}

func judgeEmbeddedSecrets(o *observe.Observation) []rule.Finding {
	return scan(catalogPassages(o), secrets, "embedded_secret", "no credential, or one that is plainly an example")
}
