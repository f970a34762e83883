package toolschema

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

var samples = []string{
	`null`, `true`, `0`, `1`, `-1`, `1.5`, `2.0`, `-0.0`, `""`, `"string"`, `"file"`, `"a#b"`, `"a#"`, `"_a:b"`, `"a:b"`, `"_a"`, `[]`, `[1]`, `[1,1]`, `["a"]`, `["a","a"]`,
	`["string"]`, `["string","null"]`, `["string","string"]`, `["file"]`, `[{}]`, `[true]`, `[{},5]`, `{}`, `{"a":1}`, `{"a":true}`, `{"a":{}}`, `{"a":["b"]}`,
	`{"a":[]}`, `{"a":["b","b"]}`, `{"a":"b"}`, `{"type":"file"}`, `{"a":{"type":"file"}}`, `[{"type":"file"}]`,
}

// The meta-schemas of the dialects are the truth about the table of keywords.
func TestKeywordsAgreeWithMetaSchemas(t *testing.T) {
	var all []string
	for keyword := range keywords {
		all = append(all, keyword)
	}
	slices.Sort(all)
	for _, d := range []Dialect{Draft04, Draft06, Draft07, Draft201909, Draft202012} {
		for _, keyword := range all {
			if keyword == "enum" && (d == Draft06 || d == Draft07) || d == Draft06 && keyword == "examples" {
				continue // see keywords
			}
			for _, sample := range samples {
				schema := `{"` + keyword + `":` + sample + `}`
				if d == Draft04 && strings.HasPrefix(keyword, "exclusive") {
					schema = `{"minimum":1,"maximum":2,"` + keyword + `":` + sample + `}`
				}
				c := checker{dialect: d}
				c.schema(jsondoc.MustParse(schema))
				valid, accepted := len(c.report.Problems) == 0, metaAccepts(d, []byte(schema))
				if valid != accepted {
					t.Errorf("%s under %s: valid %v, the meta-schema says %v", schema, d, valid, accepted)
				}
				if f := d.form(keyword); !f.holdsSchemas() && (f.misses(jsondoc.MustParse(sample)) == "") != accepted {
					t.Errorf("%s under %s: the table rejects %v, the meta-schema %v", schema, d, f.misses(jsondoc.MustParse(sample)), !accepted)
				}
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range samples {
		f.Add(`{"properties":{"a":`+s+`},"$ref":"#/properties/a"}`, uint8(0))
	}
	f.Add(`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"null"}],"default":1},"b":{"pattern":"^a$"}}}`, uint8(1))
	f.Add(`{"$id":"https://example.org/x","$anchor":"a","$dynamicAnchor":"a","$ref":"x#a"}`, uint8(0))
	f.Add(`{"definitions":{"a":{"id":"#a","$ref":"#a"}},"dependencies":{"a":["b"],"b":{}}}`, uint8(4))
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		v, _, err := jsondoc.Parse([]byte(text))
		if err != nil {
			return
		}
		d := []Dialect{Draft202012, Draft201909, Draft07, Draft06, Draft04}[which%5]
		r := CheckUnder(v, d)
		if again := check(v, d); strings.Join(told(r), "\n") != strings.Join(told(again), "\n") {
			t.Errorf("two checks differ: %v, %v", told(r), told(again))
		}
		for _, p := range r.Problems {
			if p.Reason == "" || p.Seen == "" || p.Want == "" {
				t.Errorf("%+v says too little", p)
			}
			if !v.Resolve(p.Pointer).Exists() {
				t.Errorf("%q leads nowhere in %s", p.Pointer, text)
			}
		}
		doc, ok := native(v)
		loose := (d == Draft06 || d == Draft07) && strings.Contains(text, "enum") // see keywords
		if ok && r.Unjudged == "" && r.Valid() && !loose && len(text) < 4096 {
			if err := metaSchema(d).Validate(doc); err != nil {
				t.Errorf("%s is taken for valid under %s: %v", text, d, err)
			}
		}
		NewJudge().Defaults(v)
		Walk(v, d, func(p Place) bool { return true })
	})
}

func BenchmarkCheck(b *testing.B) {
	const schema = `{"type":"object","properties":{"query":{"type":"string","description":"What to look for"},"limit":{"type":"integer","minimum":1,"maximum":100,"default":10},` +
		`"filter":{"anyOf":[{"$ref":"#/$defs/f"},{"type":"null"}],"default":null},"tags":{"type":"array","items":{"type":"string"}}},"required":["query"],"additionalProperties":false,` +
		`"$defs":{"f":{"type":"object","properties":{"by":{"type":"string","enum":["a","b"]}}}}}`
	v := jsondoc.MustParse(schema)
	b.Run("fresh", func(b *testing.B) {
		for b.Loop() {
			check(v, Default)
		}
	})
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			Check(v)
		}
	})
	b.Run("defaults", func(b *testing.B) {
		for b.Loop() {
			NewJudge().Defaults(v)
		}
	})
	b.Run("meta-schema", func(b *testing.B) {
		doc, _ := native(v)
		meta := metaSchema(Default)
		for b.Loop() {
			if err := meta.Validate(doc); err != nil {
				b.Fatal(err)
			}
		}
	})
}
