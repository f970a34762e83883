package server_info

import (
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var serverExposesPrimitive = rule.Rule{
	ID:       "server_exposes_primitive",
	Title:    "The server offers something to use",
	Group:    rule.ServerInfo,
	Order:    7,
	Severity: rule.Medium,
	Needs:    []rule.Need{needOffer},
	Basis:    []spec.Citation{spec.Advice("a server that lists nothing is of no use to a client, though it may be correct"), spec.MCP(spec.Rev20251125, "Basic")},
	Why:      "A server without tools, resources, prompts or skills has nothing a client could use; often the listing is empty by mistake.",
	Fix:      "Register at least one tool, resource, resource template, prompt or skill, and check that its list method shows it.",
	Judge:    judgeOffer,
	Details:  offerDetails,
}
