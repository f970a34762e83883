package toolschema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

func TestDefaults(t *testing.T) {
	branches := `"$defs":{"z":{"type":"string"}`
	for i := 'a'; i < 'w'; i++ { // each refers twice to the next
		branches += `,"` + string(i) + `":{"allOf":[{"$ref":"#/$defs/` + string(i+1) + `"},{"$ref":"#/$defs/` + string(i+1) + `"}]}`
	}
	branches += `,"w":{"$ref":"#/$defs/z"}}`
	for _, c := range []struct {
		name, schema  string
		found, judged bool
		want          []string // "pointer keyword"
	}{
		{"none", `{"properties":{"default":{"type":"string"}}}`, false, false, nil},
		{"type", `{"properties":{"a":{"type":"string","default":null}}}`, true, true, []string{"/properties/a type"}},
		{"integer with a zero fraction", `{"properties":{"a":{"type":"integer","default":2.0}}}`, true, true, nil},
		{"the same in draft-04", `{` + d4 + `"properties":{"a":{"type":"integer","default":2.0}}}`, true, true, []string{"/properties/a type"}},
		{"enum", `{"properties":{"a":{"enum":["x"],"default":"y"}}}`, true, true, []string{"/properties/a enum"}},
		{"const", `{"const":1,"default":2}`, true, true, []string{" const"}},
		{"minimum", `{"properties":{"a":{"type":"number","minimum":5,"default":1}}}`, true, true, []string{"/properties/a minimum"}},
		{"in bounds", `{"properties":{"a":{"type":"number","minimum":5,"maximum":9,"default":5.0}}}`, true, true, nil},
		{"on an exclusive bound", `{"properties":{"a":{"exclusiveMinimum":5,"default":5},"b":{"exclusiveMaximum":5,"default":4}}}`, true, true, []string{"/properties/a exclusiveMinimum"}},
		{"on an exclusive bound in draft-04", `{` + d4 + `"properties":{"a":{"minimum":5,"exclusiveMinimum":true,"default":5},"b":{"minimum":5,"default":5}}}`, true, true, []string{"/properties/a exclusiveMinimum"}},
		{"lengths", `{"properties":{"a":{"minLength":1,"default":""},"b":{"maxLength":1,"default":"\u00e9"},"c":{"maxItems":1,"default":[1,2]},"d":{"minItems":1,"default":[1]}}}`, true, true, []string{"/properties/a minLength", "/properties/c maxItems"}},
		{"pattern", `{"properties":{"a":{"pattern":"^\\d+$","default":"x"},"b":{"pattern":"^\\d+$","default":"1"}}}`, true, true, []string{"/properties/a pattern"}},
		{"a pattern that cannot be matched here", `{"properties":{"a":{"pattern":"^(?!x)","default":"x"}}}`, true, true, nil},
		{"format is no assertion", `{` + d7 + `"properties":{"a":{"type":"string","format":"email","default":"x"}}}`, true, true, nil},
		{"nullable by anyOf", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}}`, true, true, nil},
		{"no branch fits", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer","minimum":3}],"default":2}}}`, true, true, []string{"/properties/a anyOf"}},
		{"elements", `{"properties":{"a":{"type":"array","items":{"type":"string"},"default":["x",1]}}}`, true, true, []string{"/properties/a type"}},
		{"empty array", `{"properties":{"a":{"type":"array","items":{"type":"string"},"default":[]}}}`, true, true, nil},
		{"members", `{"type":"object","required":["a"],"default":{}}`, true, true, []string{" required"}},
		{"through a reference", `{"properties":{"a":{"$ref":"#/$defs/c~1d","default":"z"}},"$defs":{"c/d":{"enum":["x"]}}}`, true, true, []string{"/properties/a enum"}},
		{"through a nullable reference", `{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/c"},{"type":"null"}],"default":null}},"$defs":{"c":{"enum":["x"]}}}`, true, true, nil},
		{"beside a reference in draft-07", `{` + d7 + `"properties":{"a":{"$ref":"#/definitions/x","type":"string","default":1}},"definitions":{"x":{}}}`, true, true, nil},
		{"a dead reference", `{"properties":{"a":{"$ref":"#/$defs/x","default":1}}}`, true, true, nil},
		{"a network reference", `{"properties":{"a":{"$ref":"https://example.org/x","default":1}}}`, true, true, nil},
		{"unknown dialect", `{"$schema":"x:y","properties":{"default":{"type":"string"}}}`, true, false, nil},
		{"malformed position", `{"anyOf":null,"default":5,"type":"object"}`, true, false, nil},
		{"unknown type name", `{"properties":{"a":{"type":"any","default":2}}}`, true, true, nil},
		{"doubling references", `{"properties":{"x":{"$ref":"#/$defs/a","default":1}},` + branches + `}`, true, true, nil},
		{"huge exponent", `{"properties":{"x":{"type":"number","maximum":1,"default":1e999999999},"y":{"maximum":1e999999999,"default":1}}}`, true, true, nil},
		{"identified schema", `{"$id":"https://example.org/x","properties":{"a":{"minLength":2,"default":"x"},"b":{"$ref":"#/properties/a","default":"y"}}}`, true, true, []string{"/properties/a minLength", "/properties/b minLength"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := jsondoc.MustParse(c.schema)
			found, judged := FindDefaults(schema)
			var got []string
			for _, m := range NewJudge().Defaults(schema) {
				got = append(got, string(m.Pointer)+" "+m.Keyword)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || found != c.found || judged != c.judged {
				t.Errorf("found %v, judged %v (-want +got):\n%s", found, judged, diff)
			}
		})
	}
}

func TestJudgeStops(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		b.WriteString(`,"p` + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + `":{"minimum":` + strings.Repeat("9", 1+i%300) + `,"default":` + strings.Repeat("8", 1+i/300) + `}`)
	}
	v := jsondoc.MustParse(`{"properties":{"a":{}` + b.String() + `}}`)
	j := NewJudge()
	first := j.Defaults(v)
	if again := NewJudge().Defaults(v); len(again) != len(first) {
		t.Errorf("%d mismatches, then %d", len(first), len(again))
	}
	if len(j.seen) > judgeWork/400 {
		t.Errorf("%d questions were put to the library", len(j.seen))
	}
}
