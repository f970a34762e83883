package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverWebsiteurlPresent = rule.Rule{
	ID:       "server_websiteurl_present",
	Title:    "The server names its website",
	Group:    rule.ServerInfo,
	Order:    5,
	Severity: rule.Low,
	Since:    spec.Rev20251125,
	Needs:    []rule.Need{needIdentity},
	Basis:    []spec.Citation{spec.Advice("a website is optional, and people look for help there"), spec.MCP(spec.Rev20251125, "Schema › Implementation").WithSEP(973)},
	Why:      "A person who wonders what a server is or where to report a fault needs an address. One that is no URL leads nowhere.",
	Fix:      "Point serverInfo.websiteUrl at the page of the project or its documentation, as an absolute https URL.",
	Judge:    judgeWebsite,
	Details: func(o *observe.Observation) map[string]any {
		return detail(o, "websiteUrl", "website_url")
	},
}
