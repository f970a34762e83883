package toolschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

func TestValidator(t *testing.T) {
	ok := Fit{Judged: true, OK: true}
	broken := func(at jsondoc.Pointer, keyword string) Fit { return Fit{Judged: true, At: at, Keyword: keyword} }
	for _, tt := range []struct {
		name, schema, value string
		want                Fit
	}{
		{"empty schema", `{}`, `{"a":1}`, ok},
		{"boolean schema", `false`, `1`, broken("", "false")},
		{"type", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"a":1}`, broken("/a", "type")},
		{"required", `{"type":"object","required":["a"]}`, `{}`, broken("", "required")},
		{"the first of several", `{"properties":{"b":{"type":"string"},"a":{"type":"string"}}}`, `{"a":1,"b":1}`, broken("/a", "type")},
		{"reference", `{"$ref":"#/$defs/n","$defs":{"n":{"minimum":3}}}`, `2`, broken("", "minimum")},
		{"allOf", `{"allOf":[{"type":"object"},{"required":["x"]}]}`, `{}`, broken("", "required")},
		{"format rejects nothing", `{"format":"date"}`, `"no date"`, ok},
		{"pattern", `{"pattern":"^a+$"}`, `"b"`, broken("", "pattern")},
		{"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `1`, broken("", "exclusiveMinimum")},
		{"element", `{"items":{"type":"integer"}}`, `[1,2,"x"]`, broken("/2", "type")},
		{"unknown dialect", `{"$schema":"https://example.com/mine"}`, `1`, Fit{}},
		{"invalid schema", `{"type":"nonsense"}`, `1`, Fit{}},
		{"another document", `{"$ref":"https://example.com/other"}`, `1`, Fit{}},
		{"look-around", `{"pattern":"(?=a)b"}`, `"b"`, Fit{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := NewValidator(jsondoc.MustParse(tt.schema))
			if diff := cmp.Diff(tt.want, v.Check(jsondoc.MustParse(tt.value))); diff != "" {
				t.Errorf("unjudged %q (-want +got):\n%s", v.Unjudged(), diff)
			}
			if (v.Unjudged() == "") != tt.want.Judged {
				t.Errorf("unjudged: %q", v.Unjudged())
			}
		})
	}
}

// References that fan out cost no exponential time: such a value is left unjudged.
func TestValidatorIsBounded(t *testing.T) {
	var defs []string
	for i := range 30 {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[%s,%s]}`, i, next, next))
	}
	// Nested models as libraries write them cost little.
	nested := NewValidator(jsondoc.MustParse(`{"$ref":"#/$defs/Tree","$defs":{"Tree":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/Tree"}}}}}}`))
	tree := `{"name":"leaf"}`
	for range 40 {
		tree = `{"name":"n","children":[` + tree + `,` + `{"name":"x"}` + `]}`
	}
	if f := nested.Check(jsondoc.MustParse(tree)); !f.OK {
		t.Errorf("a tree is not judged: %+v", f)
	}
	v := NewValidator(jsondoc.MustParse(`{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `,"d30":{"type":"object"}}}`))
	if f := v.Check(jsondoc.MustParse(`{}`)); f.Judged {
		t.Errorf("judged: %+v", f)
	}
}
