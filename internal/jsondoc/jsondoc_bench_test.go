package jsondoc

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse reads a page of a listing: many small objects, hardly an escape.
func BenchmarkParse(b *testing.B) {
	item := `{"name":"list_issues","description":"Lists issues. \"Open\" ones first.","inputSchema":{"type":"object","properties":{"page":{"type":"integer","minimum":1,"default":1},"labels":{"type":"array","items":{"type":"string"}}},"required":["page"]}}`
	page := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"tools":[%s]}}`, strings.Join(slicesOf(item, 100), ","))
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		v, _, err := Parse(page)
		if err != nil || v.Path("result", "tools").Len() != 100 {
			b.Fatal(err, v.Path("result", "tools").Len())
		}
	}
}

func slicesOf(s string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}
