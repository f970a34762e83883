package ruletest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// hostileMessages are answers that no server should give.
var hostileMessages = []string{
	`{"body":null}`, `{"body":[]}`, `{"body":5}`, `{"body":""}`, `{"body":"{"}`, `{"body":{}}`, `{"result":null}`, `{"result":[]}`, `{"result":5}`, `{"result":{}}`,
	`{"result":{"supportedVersions":{},"capabilities":5,"tools":null,"nextCursor":{}}}`,
	`{"result":{"supportedVersions":[null,{},[1e999]],"capabilities":{"tools":5,"resources":[],"prompts":"","logging":0,"extensions":[]},"tools":[null,[]],"resources":[1],"prompts":[{}],"ttlMs":1e400,"cacheScope":{"a":[]},"resultType":[[]]}}`,
	`{"error":{}}`, `{"error":{"code":null,"message":{},"data":[]}}`, `{"error":{"code":-32022,"data":{"supported":{},"requested":[]}}}`,
	`{"error":{"code":1e30}}`, `{"error":{"code":-32602}}`, `{"error":{"code":-32601}}`, `{"status":0}`, `{"status":99999}`, `{"status":204}`, `{"status":302}`, `{"status":404,"body":"no"}`,
	`{"content_type":"text/event-stream","body":"data: {\n\ndata\n\n:\n\n"}`, `{"content_type":";;;","body":"x"}`, `{"failure":"timeout"}`, `{"failure":"too-large","status":200}`, `{"failure":""}`,
}

// openers answer the first step, which decides what the others are judged as.
var openers = []string{
	`{"result":{}}`, `{"body":[]}`,
	`{"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{},"extensions":{"io.modelcontextprotocol/skills":{}}}}}`,
}

// RunHostile judges what servers could answer out of malice or by accident, in every step that the rules' probes read. A rule must never
// fail of its own; the engine would hide that as a skip.
func RunHostile(t *testing.T, rules []rule.Rule, steps []string) {
	t.Helper()
	for _, base := range []string{
		`"transport":"streamable-http","negotiated":"2025-11-25"`,
		`"transport":"streamable-http","negotiated":"2026-07-28","session":null,"era":"modern"`,
		`"transport":"stdio","negotiated":"2026-07-28","session":null,"era":"modern"`,
	} {
		for _, first := range openers {
			for _, rest := range hostileMessages {
				input := fmt.Sprintf("{%s,%q:{%q:%s", base, "exchanges", steps[0], first)
				for _, step := range steps[1:] {
					input += fmt.Sprintf(",%q:%s", step, rest)
				}
				input += "}}"
				o, err := Observation(rule.Rule{}, rule.Case{Input: input})
				if err != nil {
					t.Fatalf("%s: %v", input, err)
				}
				for _, v := range rule.Judge(rules, o) {
					if v.Skip != nil && strings.HasPrefix(v.Skip.Text, "internal error") {
						t.Errorf("%s: %s on %s", v.Rule.ID, v.Skip.Text, input)
					}
				}
			}
		}
	}
}
