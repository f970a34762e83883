package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026UnknownMethodError = rule.Rule{
	ID:       "readiness_2026_unknown_method_error",
	Title:    "Unknown methods get 404 and -32601",
	Group:    rule.Readiness,
	Order:    15,
	Severity: rule.High,
	Needs:    detail(observe.ProbeUnknownMethod),
	Basis:    []spec.Citation{streamable("Protocol Version Header", 2575), spec.JSONRPC("5.1 Error object")},
	Why:      "Clients find out what a server implements by asking. Any other answer makes them retry, or take the server for broken.",
	Fix:      "Answer a method that the server does not implement with error -32601, over HTTP with status 404.",
	Judge:    unknownMethod.judge(observe.ProbeUnknownMethod),
	Details:  unknownMethod.details(observe.ProbeUnknownMethod, "spec", streamableURL("Protocol Version Header")),
}
