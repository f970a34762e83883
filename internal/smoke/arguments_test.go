package smoke

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

func TestArguments(t *testing.T) {
	property := func(schema string) string {
		return `{"type":"object","properties":{"p":` + schema + `},"required":["p"],"additionalProperties":false}`
	}
	for _, tt := range []struct{ name, schema, want string }{
		{"nothing asked for", `{"type":"object"}`, `{}`},
		{"optional properties are left out", `{"type":"object","properties":{"p":{"type":"string"}}}`, `{}`},
		{"default", property(`{"type":"string","default":"d","examples":["e"],"enum":["e","d"]}`), `{"p":"d"}`},
		{"a default that the schema rejects", property(`{"type":"integer","default":"d"}`), `{"p":1}`},
		{"const", property(`{"const":{"a":[1]}}`), `{"p":{"a":[1]}}`},
		{"example", property(`{"type":"string","examples":["Oslo","Rome"]}`), `{"p":"Oslo"}`},
		{"an enumeration that begins with an empty text", property(`{"enum":["","a"]}`), `{"p":"a"}`},
		{"string", property(`{"type":"string"}`), `{"p":"example"}`},
		{"short string", property(`{"type":"string","maxLength":3}`), `{"p":"exa"}`},
		{"no longer than nothing", property(`{"type":"string","maxLength":0}`), `{"p":""}`},
		{"long string", property(`{"type":"string","minLength":10}`), `{"p":"exampleexa"}`},
		{"date", property(`{"type":"string","format":"date"}`), `{"p":"2024-01-15"}`},
		{"address", property(`{"type":"string","format":"uri"}`), `{"p":"https://example.com/"}`},
		{"identifier", property(`{"type":"string","format":"uuid"}`), `{"p":"00000000-0000-4000-8000-000000000001"}`},
		{"unknown format", property(`{"type":"string","format":"isbn"}`), `{"p":"example"}`},
		{"pattern", property(`{"type":"string","pattern":"^[A-Z]{3}-\\d+$"}`), `{"p":"AAA-0"}`},
		{"pattern and length", property(`{"type":"string","pattern":"^[a-f0-9]+$","minLength":6}`), `{"p":"aaaaaaa"}`},
		{"pattern of alternatives", property(`{"type":"string","pattern":"^(ab|cd)?x*$","minLength":1}`), `{"p":"abx"}`},
		{"integer", property(`{"type":"integer"}`), `{"p":1}`},
		{"least", property(`{"type":"integer","minimum":18}`), `{"p":18}`},
		{"least, not included", property(`{"type":"integer","exclusiveMinimum":18}`), `{"p":19}`},
		{"most", property(`{"type":"integer","maximum":-4}`), `{"p":-4}`},
		{"between", property(`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`), `{"p":0.5}`},
		{"multiple", property(`{"type":"integer","minimum":10,"multipleOf":7}`), `{"p":14}`},
		{"bound of draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"p":{"type":"integer","minimum":5,"exclusiveMinimum":true}},"required":["p"]}`, `{"p":6}`},
		{"boolean", property(`{"type":"boolean"}`), `{"p":false}`},
		{"null where nothing else may be", property(`{"type":"null"}`), `{"p":null}`},
		{"several types", property(`{"type":["null","string"]}`), `{"p":"example"}`},
		{"no type", property(`{"description":"anything"}`), `{"p":"example"}`},
		{"type that the keywords tell", property(`{"minimum":3}`), `{"p":3}`},
		{"array", property(`{"type":"array","items":{"type":"integer"}}`), `{"p":[1]}`},
		{"array of different elements", property(`{"type":"array","items":{"type":"string"},"minItems":3,"uniqueItems":true}`), `{"p":["example","example1","example2"]}`},
		{"array of an enumeration", property(`{"type":"array","items":{"enum":["a","b","c"]},"minItems":2,"uniqueItems":true}`), `{"p":["a","b"]}`},
		{"array that must be empty", property(`{"type":"array","maxItems":0}`), `{"p":[]}`},
		{"array whose elements cannot be made", property(`{"type":"array","items":false}`), `{"p":[]}`},
		{"tuple", property(`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"minItems":2}`), `{"p":["example",1]}`},
		{"object", property(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["b"]}`), `{"p":{"b":"example"}}`},
		{"object of at least two", property(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"minProperties":2}`), `{"p":{"a":1,"b":"example"}}`},
		{"map", property(`{"type":"object","additionalProperties":{"type":"integer"},"minProperties":1}`), `{"p":{"property1":1}}`},
		{"needed because another is", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a"],"dependentRequired":{"a":["b"]}}`, `{"a":1,"b":1}`},
		{"required and not declared", `{"type":"object","required":["x"]}`, `{"x":"example"}`},
		{"the order of the properties", `{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"integer"}},"required":["a","b"]}`, `{"b":1,"a":1}`},
		{"reference", `{"type":"object","properties":{"p":{"$ref":"#/$defs/n"}},"required":["p"],"$defs":{"n":{"type":"integer","minimum":3}}}`, `{"p":3}`},
		{"allOf", property(`{"allOf":[{"type":"string","minLength":2},{"maxLength":3}]}`), `{"p":"exa"}`},
		{"properties in allOf", `{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"a":{"minimum":7}}}]}`, `{"a":7}`},
		{"anyOf", property(`{"anyOf":[{"type":"null"},{"type":"integer","minimum":2}]}`), `{"p":2}`},
		{"the branch that goes together with the rest", property(`{"minimum":5,"anyOf":[{"type":"number","maximum":3},{"type":"number"}]}`), `{"p":5}`},
		{"one of two must be there", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`},
		{"not", property(`{"type":"string","not":{"const":"x"}}`), `{"p":"example"}`},
		{"name that tells what belongs there", `{"type":"object","properties":{"imageUrl":{"type":"string"}},"required":["imageUrl"]}`, `{"imageUrl":"https://example.com/"}`},
		{"hints give way to bounds", `{"type":"object","properties":{"timezone":{"type":"string"},"language":{"type":"string","minLength":5}},"required":["timezone","language"]}`, `{"timezone":"UTC","language":"example"}`},
		{"recursive, with an end", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"v":{"type":"integer"}},"required":["v"]}}}`, `{"v":1}`},
		{"a name with quotes", `{"type":"object","properties":{"a\"b<":{"type":"integer"}},"required":["a\"b<"]}`, `{"a\"b<":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			schema := jsondoc.MustParse(tt.schema)
			got, why := Arguments(schema)
			if string(got) != tt.want {
				t.Errorf("%s: got %s (%s), want %s", tt.schema, got, why, tt.want)
			}
			if again, _ := Arguments(schema); string(again) != string(got) {
				t.Errorf("the second time %s", again)
			}
			if f := toolschema.NewValidator(schema).Check(jsondoc.MustParse(string(got))); !f.OK {
				t.Errorf("the schema rejects %s: %+v", got, f)
			}
		})
	}
}

func TestNoArguments(t *testing.T) {
	for _, tt := range []struct{ name, schema, why string }{
		{"never", `{"type":"object","properties":{"p":false},"required":["p"]}`, "no arguments could be made"},
		{"no object", `{"type":"array"}`, "no arguments could be made"},
		{"recursive without an end", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}}}`, "no arguments could be made"},
		{"a condition that is not looked at", `{"type":"object","if":{"type":"object"},"then":{"required":["x"],"properties":{"x":{"const":"y"}}}}`, "no arguments could be made"},
		{"an unreadable pattern", `{"type":"object","properties":{"p":{"pattern":"(?=a)"}}}`, "cannot be matched in bounded time"},
		{"invalid", `{"type":"objekt"}`, "the schema is invalid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, why := Arguments(jsondoc.MustParse(tt.schema)); got != nil || !strings.Contains(why, tt.why) {
				t.Errorf("got %s, %q; want none, %q", got, why, tt.why)
			}
		})
	}
}

// A schema cannot make us work without end, or make large arguments.
func TestArgumentsAreBounded(t *testing.T) {
	var wide []string
	for i := range 300 {
		wide = append(wide, fmt.Sprintf(`"p%d":{"type":"array","minItems":50,"items":{"type":"string","minLength":9000}}`, i))
	}
	var needed []string
	for i := range 300 {
		needed = append(needed, fmt.Sprintf(`"p%d"`, i))
	}
	for name, schema := range map[string]string{
		"wide":         `{"type":"object","properties":{` + strings.Join(wide, ",") + `},"required":[` + strings.Join(needed, ",") + `]}`,
		"a long text":  `{"type":"object","properties":{"p":{"type":"string","minLength":1000000000}},"required":["p"]}`,
		"many":         `{"type":"object","minProperties":1000000000}`,
		"many in all":  `{"type":"object","properties":{"p":{"type":"array","minItems":1000000000}},"required":["p"]}`,
		"two branches": `{"type":"object","properties":{"p":{"$ref":"#/$defs/a"}},"required":["p"],"$defs":{"a":{"type":"object","properties":{"l":{"$ref":"#/$defs/a"},"r":{"$ref":"#/$defs/a"}},"required":["l","r"]}}}`,
	} {
		if got, _ := Arguments(jsondoc.MustParse(schema)); got != nil {
			t.Errorf("%s: %d bytes of arguments", name, len(got))
		}
	}
}

func TestViolation(t *testing.T) {
	for _, tt := range []struct{ name, schema, want, what string }{
		{"type", `{"type":"object","properties":{"p":{"type":"string"}},"required":["p"]}`, `{"p":42}`, `"p" is 42 instead of a string`},
		{"type of something optional", `{"type":"object","properties":{"p":{"type":"integer"}}}`, `{"p":{}}`, `instead of an integer`},
		{"type behind a reference", `{"type":"object","properties":{"p":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"array"}}}`, `{"p":{}}`, `instead of an array`},
		{"enumeration", `{"type":"object","properties":{"p":{"enum":["a",1]}}}`, `{"p":"hallmark_no_such_value"}`, "none of the values"},
		{"required", `{"type":"object","properties":{"p":{}},"required":["p"]}`, `{}`, `"p", which is required, is missing`},
		{"additional", `{"type":"object","additionalProperties":false}`, `{"hallmark_no_such_value":true}`, "no others are allowed"},
		{"the rest stays valid", `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"boolean"}},"required":["a","b"]}`, `{"a":"example","b":{}}`, `"b" is {}`},
		{"nothing to violate", `{"type":"object"}`, "", ""},
		{"nothing to violate in what may be anything", `{"type":"object","properties":{"p":{"description":"anything"}}}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			schema := jsondoc.MustParse(tt.schema)
			got, what := Violation(schema)
			if string(got) != tt.want || !strings.Contains(what, tt.what) || (what == "") != (tt.what == "") {
				t.Errorf("got %s, %q; want %s, %q", got, what, tt.want, tt.what)
			}
			if got != nil {
				if f := toolschema.NewValidator(schema).Check(jsondoc.MustParse(string(got))); !f.Judged || f.OK {
					t.Errorf("the schema accepts %s: %+v", got, f)
				}
			}
		})
	}
}
