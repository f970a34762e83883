package experimental

import (
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/rule/ruletest"
)

func TestRules(t *testing.T) { ruletest.Run(t, Rules()) }

func TestHostileAnswers(t *testing.T) {
	ruletest.RunHostile(t, Rules(), []string{
		"probe/discover", "session/initialize", "session/tools/list/1", "stateless/tools/list/1", "stateless/prompts/list/1", "session/prompts/list/1",
		"probe/malformed-control", "probe/malformed-json", "probe/made-up-session",
	})
}

func TestCompactSizeIgnoresLayout(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{`{"a":[1,2,{"b":"é"}],"c":{}}`, "{ \"a\" : [ 1 , 2 ,\n{\"b\" :\t\"\\u00e9\" } ], \"c\":{}}"},
		{`["a/b"]`, `["a\/b"]`},
	} {
		if x, y := compactSize(jsondoc.MustParse(tt.a)), compactSize(jsondoc.MustParse(tt.b)); x != y || x != len(tt.a) {
			t.Errorf("%s: %d bytes, laid out otherwise %d, want %d", tt.a, x, y, len(tt.a))
		}
	}
}
