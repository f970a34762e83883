package toolschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// told writes a report the way the tests below expect it: "pointer reason" per problem, or why it could not be judged.
func told(r *Report) []string {
	if r.Unjudged != "" {
		return []string{"unjudged: " + r.Unjudged}
	}
	var out []string
	for _, p := range r.Problems {
		out = append(out, string(p.Pointer)+" "+p.Reason)
	}
	return out
}

const (
	d4  = `"$schema":"http://json-schema.org/draft-04/schema#",`
	d6  = `"$schema":"http://json-schema.org/draft-06/schema#",`
	d7  = `"$schema":"http://json-schema.org/draft-07/schema#",`
	d19 = `"$schema":"https://json-schema.org/draft/2019-09/schema",`
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		want         []string
	}{
		{"nothing", `{}`, nil},
		{"boolean", `true`, nil},
		{"not a schema", `5`, []string{" invalid_subschema"}},
		{"null", `null`, []string{" invalid_subschema"}},
		{"unknown type", `{"type":"file"}`, []string{"/type invalid_type"}},
		{"unknown type in a list", `{"type":["string","file"]}`, []string{"/type invalid_type"}},
		{"empty list of types", `{"type":[]}`, []string{"/type invalid_type"}},
		{"one type twice", `{"type":["null","null"]}`, []string{"/type invalid_type"}},
		{"deep", `{"items":{"properties":{"a":{"not":{"type":"any"}}}}}`, []string{"/items/properties/a/not/type invalid_type"}},
		{"several, in document order", `{"title":5,"required":null,"properties":[]}`, []string{"/title invalid_title", "/required invalid_required", "/properties invalid_properties"}},
		{"a name twice in required", `{"required":["a","a"]}`, []string{"/required invalid_required"}},
		{"required without properties", `{"required":["a"]}`, nil},
		{"required as draft-03 wrote it", `{"properties":{"a":{"required":true}}}`, []string{"/properties/a/required invalid_required"}},
		{"property schema of another type", `{"properties":{"a":"string","b":null}}`, []string{"/properties/a invalid_property_schema", "/properties/b invalid_property_schema"}},
		{"boolean subschemas and type lists", `{"type":"object","properties":{"data":true,"s":{"type":["string","null"]}}}`, nil},
		{"boolean subschema in draft-04", `{` + d4 + `"properties":{"a":true}}`, []string{"/properties/a invalid_property_schema"}},
		{"boolean additionalProperties in draft-04", `{` + d4 + `"additionalProperties":false}`, nil},
		{"boolean exclusiveMinimum", `{"minimum":0,"exclusiveMinimum":true}`, []string{"/exclusiveMinimum invalid_keyword"}},
		{"boolean exclusiveMinimum in draft-04", `{` + d4 + `"minimum":0,"exclusiveMinimum":true}`, nil},
		{"exclusiveMinimum alone in draft-04", `{` + d4 + `"exclusiveMinimum":true}`, []string{"/exclusiveMinimum invalid_keyword"}},
		{"tuple as it was before 2020-12", `{"items":[{"type":"string"}]}`, []string{"/items invalid_keyword"}},
		{"tuple in draft-07", `{` + d7 + `"items":[{"type":"string"}]}`, nil},
		{"empty anyOf", `{"anyOf":[]}`, []string{"/anyOf invalid_keyword"}},
		{"null anyOf", `{"anyOf":null}`, []string{"/anyOf invalid_keyword"}},
		{"anyOf of something else", `{"anyOf":[{"type":"string"},5]}`, []string{"/anyOf/1 invalid_subschema"}},
		{"negative length", `{"minLength":-1}`, []string{"/minLength invalid_keyword"}},
		{"negative zero", `{"minLength":-0.0,"maxLength":1e2}`, nil},
		{"fractional length", `{"minLength":1.5}`, []string{"/minLength invalid_keyword"}},
		{"multiples of nothing", `{"multipleOf":0}`, []string{"/multipleOf invalid_keyword"}},
		{"huge numbers", `{"minimum":1e999999999,"multipleOf":1e-999999999,"maxLength":1e999999999}`, nil},
		{"keyword names as property names", `{"type":"object","properties":{"type":{"type":"string"},"required":{"type":"boolean"},"$ref":{"type":"string"},"properties":{},"$schema":{"type":"string"}}}`, nil},
		{"data is no schema", `{"default":{"type":"file"},"enum":[{"type":5}],"const":{"properties":1},"examples":[{"$ref":"#/nowhere"}]}`, nil},
		{"unknown keywords", `{"x-order":{"type":"file"},"nullable":true}`, nil},
		{"dialect of its own", `{` + d6 + `"$defs":5,"if":5}`, nil},
		{"http and https, with and without #", `{"$schema":"https://json-schema.org/draft-07/schema","exclusiveMinimum":true}`, []string{"/exclusiveMinimum invalid_keyword"}},
		{"null $schema", `{"$schema":null}`, []string{"/$schema invalid_keyword"}},
		{"unknown dialect", `{"$schema":"https://example.org/x","type":"file"}`, []string{`unjudged: the dialect "https://example.org/x" is not known here`}},
		{"draft-03", `{"$schema":"http://json-schema.org/draft-03/schema#","type":"any"}`, []string{`unjudged: the dialect "http://json-schema.org/draft-03/schema#" is not known here`}},
		{"another dialect inside", `{"properties":{"a":{` + d4 + `"minimum":0,"exclusiveMinimum":true}}}`, []string{`unjudged: a subschema declares another dialect, "http://json-schema.org/draft-04/schema#"`}},
		{"the same dialect inside", `{` + d7 + `"properties":{"a":{` + d7 + `"type":"file"}}}`, []string{"/properties/a/type invalid_type"}},
		{"escaped place", `{"properties":{"a/b~c":{"type":"x"}}}`, []string{"/properties/a~1b~0c/type invalid_type"}},
		{"pattern", `{"pattern":"("}`, []string{"/pattern invalid_pattern"}},
		{"pattern of properties", `{"patternProperties":{"[z-a]":{}}}`, []string{"/patternProperties/[z-a] invalid_pattern"}},
		{"patterns that other dialects lack", `{"pattern":"^(?!foo)(?<y>\\d{4})\\k<y>(?<=x)\\u{1F600}[^]\\cA$"}`, nil},
		{"identifier with a fragment", `{"$id":"#a"}`, []string{"/$id invalid_keyword"}},
		{"identifier with a fragment in draft-07", `{` + d7 + `"$ref":"#/definitions/b","definitions":{"a":{"$id":"#a"},"b":{"$ref":"#a"}}}`, nil},
		{"anchors", `{"$ref":"#a","$defs":{"x":{"$anchor":"a"}}}`, nil},
		{"one anchor twice", `{"$defs":{"x":{"$anchor":"a"},"y":{"$anchor":"a"}}}`, []string{"/$defs/y/$anchor duplicate_identifier"}},
		{"dead reference", `{"properties":{"a":{"$ref":"#/$defs/nowhere"}}}`, []string{"/properties/a/$ref unresolvable_reference"}},
		{"dead anchor", `{"$ref":"#nowhere"}`, []string{"/$ref unresolvable_reference"}},
		{"reference to data", `{"properties":{"a":{"$ref":"#/title"}},"title":"x"}`, []string{"/title invalid_subschema", "/properties/a/$ref unresolvable_reference"}},
		{"reference through an unknown keyword", `{"properties":{"a":{"$ref":"#/components/schemas/X"}},"components":{"schemas":{"X":{"type":"string"}}}}`, nil},
		{"broken schema behind an unknown keyword", `{"properties":{"a":{"$ref":"#/components/X"}},"components":{"X":{"type":"file"}}}`, []string{"/components/X/type invalid_type", "/properties/a/$ref unresolvable_reference"}},
		{"escaped reference", `{"$ref":"#/$defs/a~1b%25c%20d","$defs":{"a/b%c d":{}}}`, nil},
		{"unescaped reference", `{"$ref":"#/$defs/Page<Item>[]","$defs":{"Page<Item>[]":{}}}`, nil},
		{"network reference", `{"properties":{"a":{"$ref":"https://example.org/a.json"}}}`, nil},
		{"reference by identifier", `{"$id":"https://example.org/root","$ref":"item","$defs":{"i":{"$id":"item","$ref":"#/$defs/x","$defs":{"x":{}}}}}`, nil},
		{"recursion through a definition", `{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"properties":{"c":{"$ref":"#/$defs/n"}}}}}`, nil},
		{"recursion to the root", `{"type":"object","properties":{"c":{"$ref":"#"}}}`, nil},
		{"recursion through allOf of a property", `{"properties":{"c":{"allOf":[{"$ref":"#"}]}}}`, nil},
		{"a reference to itself", `{"$ref":"#"}`, []string{"/$ref reference_loop"}},
		{"two references to each other", `{"properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, []string{"/$defs/b/$ref reference_loop"}},
		{"a loop through anyOf", `{"$defs":{"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}]}}}`, []string{"/$defs/a/anyOf/1/$ref reference_loop"}},
		{"siblings of $ref do not count in draft-07", `{` + d7 + `"definitions":{"a":{"$ref":"#/definitions/b","allOf":[{"$ref":"#/definitions/a"}]},"b":{}}}`, nil},
		{"recursive and dynamic references", `{"$dynamicAnchor":"n","properties":{"c":{"$dynamicRef":"#n"}}}`, nil},
		{"$recursiveRef", `{` + d19 + `"$recursiveAnchor":true,"properties":{"c":{"$recursiveRef":"#"}}}`, nil},
		{"dependencies", `{"dependencies":{"a":["b"],"c":{"type":"file"},"d":5,"e":["x","x"]}}`, []string{"/dependencies/c/type invalid_type", "/dependencies/d invalid_subschema", "/dependencies/e invalid_keyword"}},
		{"dependentRequired", `{"dependentRequired":{"a":"b"}}`, []string{"/dependentRequired invalid_keyword"}},
		{"too deep", strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300), []string{"unjudged: the schema is nested more than 200 levels deep"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(Check(jsondoc.MustParse(c.schema)))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.schema, diff)
			}
		})
	}
}

func TestExternalReferencesAreListed(t *testing.T) {
	r := Check(jsondoc.MustParse(`{"properties":{"a":{"$ref":"https://example.org/a"},"b":{"$ref":"other.json#/x"},"c":{"$ref":"#/properties/a"}}}`))
	var got []string
	for _, e := range r.External {
		got = append(got, string(e.Pointer)+" "+e.Seen)
	}
	want := []string{`/properties/a/$ref $ref is "https://example.org/a"`, `/properties/b/$ref $ref is "other.json#/x"`}
	if diff := cmp.Diff(want, got); diff != "" || !r.Valid() {
		t.Errorf("valid %v (-want +got):\n%s", r.Valid(), diff)
	}
}

// Hostile schemas are judged in one piece: the sizes are such that quadratic or exponential work would not end while the test runs.
func TestHostileSchemas(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, strings.ReplaceAll(format, "%d", "%[1]d"), i)
		}
		return b.String()
	}
	doubling := `{"properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{` + many(60, `"a%d":{"allOf":[{"$ref":"#/$defs/b%d"},{"$ref":"#/$defs/b%d"}]},"b%d":{"not":{"$ref":"#/$defs/c%d"}},"c%d":{}`) + `}}`
	for i := 59; i > 0; i-- {
		doubling = strings.Replace(doubling, fmt.Sprintf(`"c%d":{}`, i-1), fmt.Sprintf(`"c%d":{"$ref":"#/$defs/a%d"}`, i-1, i), 1)
	}
	for name, c := range map[string]struct {
		schema string
		want   int // problems, -1 for "cannot be judged"
	}{
		"wide":                      {`{"type":"object","properties":{` + many(30000, `"p%d":{"type":"string","description":"x"}`) + `}}`, 0},
		"many definitions used":     {`{"properties":{` + many(10000, `"p%d":{"$ref":"#/$defs/d%d"}`) + `},"$defs":{` + many(10000, `"d%d":{"type":"string"}`) + `}}`, 0},
		"a long chain":              {`{"$ref":"#/$defs/d0","$defs":{` + many(15000, `"d%d":{"$ref":"#/$defs/e%d"},"e%d":{}`) + `}}`, 0},
		"doubling":                  {doubling, 0},
		"many strays":               {`{"properties":{` + many(2000, `"p%d":{"$ref":"#/x/%d"}`) + `},"x":{` + many(2000, `"%d":{}`) + `}}`, -1},
		"the whole again and again": {`{"properties":{` + many(300, `"p%d":{"$ref":"#/x/%d/y"}`) + `},"x":{` + many(300, `"%d":{"y":{"enum":["`+strings.Repeat("z", 5000)+`"]}}`) + `}}`, -1},
		"many problems":             {`{"properties":{` + many(50000, `"p%d":{"type":"file"}`) + `}}`, MaxProblems},
		"a long name":               {`{"properties":{"` + strings.Repeat("n", 200000) + `":{"properties":{` + many(20, `"p%d":{"type":"file"}`) + `}}}}`, MaxProblems},
		"long names above many":     {`{"properties":{"` + strings.Repeat("n", 200000) + `":{"properties":{` + many(20000, `"p%d":{"type":"string"}`) + `}}}}`, 0},
		"a long required":           {`{"required":[` + many(100000, `"p%d"`) + `]}`, 0},
		"a long pattern":            {`{"pattern":"` + strings.Repeat("(a{1000})*", 20000) + `"}`, 0},
		"a nested pattern":          {`{"pattern":"` + strings.Repeat("(", 100000) + strings.Repeat(")", 100000) + `"}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			v := jsondoc.MustParse(c.schema)
			r := Check(v)
			got := len(r.Problems)
			if r.Unjudged != "" {
				got = -1
			}
			if got != c.want {
				t.Errorf("%d problems, want %d: %v", got, c.want, told(r)[:min(3, len(told(r)))])
			}
			NewJudge().Defaults(v)
			longest := 0
			Walk(v, Default, func(p Place) bool {
				longest = max(longest, len(p.Pointer()), len(p.Dotted()))
				return true
			})
			if longest > MaxPointer+100 {
				t.Errorf("a pointer has %d bytes", longest)
			}
		})
	}
}

func TestWalk(t *testing.T) {
	schema := jsondoc.MustParse(`{"properties":{"a":{"items":{"title":"i"},"properties":{"b":{}}},"properties":{"title":"p"},"c":true},"allOf":[{"properties":{"d":{}}}],"default":{"properties":{"x":{}}},"items":[{}]}`)
	var got []string
	whole := Walk(schema, Unknown, func(p Place) bool {
		got = append(got, fmt.Sprintf("%s %s %v %q", p.Pointer(), p.Dotted(), p.Chain, p.Property))
		return true
	})
	want := []string{
		` $ false ""`, `/properties/a $.properties.a true "a"`, `/properties/a/items $.properties.a.items false ""`, `/properties/a/properties/b $.properties.a.properties.b true "b"`, `/properties/properties $.properties.properties true "properties"`,
		`/allOf/0 $.allOf[0] false ""`, `/allOf/0/properties/d $.allOf[0].properties.d false "d"`,
	}
	if diff := cmp.Diff(want, got); diff != "" || !whole {
		t.Errorf("whole %v (-want +got):\n%s", whole, diff)
	}
	for _, broken := range []string{`{"anyOf":null}`, `{"properties":[]}`, `{"properties":{"a":{"$schema":"x"}}}`} {
		if Walk(jsondoc.MustParse(broken), Default, func(Place) bool { return true }) {
			t.Errorf("%s was walked wholly", broken)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{`{"default":1}`: true, `{"a":{"\u0064efault":1}}`: true, `{"a":"the default"}`: true, `{"a":1}`: false} {
		if got := Mentions(jsondoc.MustParse(text), "default"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
