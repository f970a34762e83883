package render

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
)

const schemaFile = "../../schema/report.schema.json"

func readSchema(t *testing.T) (*jsonschema.Schema, jsondoc.Value) {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	raw, _, err := jsondoc.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s, raw
}

func TestOutputsMatchTheSchema(t *testing.T) {
	schema, _ := readSchema(t)
	for _, s := range reporttest.Samples() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON(t, s.Report())))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// The schema notices what does not belong in a report.
func TestSchemaIsStrict(t *testing.T) {
	schema, _ := readSchema(t)
	good := string(asJSON(t, reporttest.Legacy().Report()))
	for _, change := range [][2]string{
		{`"schema_version": 1`, `"schema_version": 2`},
		{`"score": 87`, `"score": "87"`},
		{`"score": 87`, `"scores": 87`},
		{`"reason": "insufficient-data"`, `"reason": "unknown"`},
		{`"severity": "HIGH"`, `"severity": "high"`},
		{`"entity_kind": "tool"`, `"entity": "tool"`},
		{`"digest": "sha256:`, `"digest": "md5:`},
		{`"transport": "streamable-http"`, `"transport": "http"`},
	} {
		if !strings.Contains(good, change[0]) {
			t.Fatalf("the report has no %s", change[0])
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(good, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("%s passes", change[1])
		}
	}
}

// TestSchemaAgreesWithTypes compares the members of every object in the schema with the fields of the Go type that is encoded there,
// which of them may be absent, and whether each has a description.
func TestSchemaAgreesWithTypes(t *testing.T) {
	_, schema := readSchema(t)
	c := comparison{t: t, root: schema, seen: map[reflect.Type]bool{}}
	c.object(reflect.TypeFor[report.Report](), schema, "report")
	c.object(reflect.TypeFor[report.Issue](), schema.Path("$defs", "issue"), "issue") // stands in details, which have no type
	for _, m := range schema.Get("$defs").Members() {
		if !c.reached[m.Name] && m.Name != "details" {
			t.Errorf("$defs/%s describes no type", m.Name)
		}
	}
}

type comparison struct {
	t       *testing.T
	root    jsondoc.Value
	seen    map[reflect.Type]bool
	reached map[string]bool
}

func (c *comparison) object(typ reflect.Type, schema jsondoc.Value, where string) {
	if c.seen[typ] {
		return
	}
	c.seen[typ] = true
	if c.reached == nil {
		c.reached = map[string]bool{"issue": true}
	}
	var fields, required []string
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		fields = append(fields, name)
		if options != "omitempty" {
			required = append(required, name)
		}
		c.value(typ.Field(i).Type, schema.Path("properties", name), where+"."+name)
	}
	var properties, demanded []string
	for _, m := range schema.Get("properties").Members() {
		properties = append(properties, m.Name)
		if c.resolved(m.Value).Get("description").TextOr("") == "" {
			c.t.Errorf("%s.%s has no description", where, m.Name)
		}
	}
	for _, e := range schema.Get("required").Elements() {
		demanded = append(demanded, e.Value.TextOr(""))
	}
	for _, list := range [][]string{fields, required, properties, demanded} {
		slices.Sort(list)
	}
	if diff := cmp.Diff(fields, properties); diff != "" {
		c.t.Errorf("%s (-type +schema):\n%s", where, diff)
	}
	if diff := cmp.Diff(required, demanded); diff != "" {
		c.t.Errorf("%s, required (-type +schema):\n%s", where, diff)
	}
}

// value descends into what a field holds.
func (c *comparison) value(typ reflect.Type, schema jsondoc.Value, where string) {
	schema = c.resolved(schema)
	if alternatives := schema.Get("anyOf"); alternatives.Exists() {
		schema = c.resolved(alternatives.At(0))
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.Struct:
		c.object(typ, schema, where)
	case reflect.Slice:
		c.value(typ.Elem(), schema.Get("items"), where+"[]")
	case reflect.Map:
		if typ.Elem().Kind() != reflect.Interface {
			c.value(typ.Elem(), schema.Get("additionalProperties"), where+".*")
		}
	}
}

func (c *comparison) resolved(schema jsondoc.Value) jsondoc.Value {
	if ref, ok := schema.Get("$ref").Text(); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		if c.reached != nil {
			c.reached[name] = true
		}
		return c.root.Path("$defs", name)
	}
	return schema
}

// TestDocumentationNamesEveryField compares docs/report.md with the schema.
func TestDocumentationNamesEveryField(t *testing.T) {
	_, schema := readSchema(t)
	text, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	objects := []jsondoc.Member{{Name: "the report", Value: schema}}
	objects = append(objects, schema.Get("$defs").Members()...)
	for _, o := range objects {
		for _, p := range o.Value.Get("properties").Members() {
			if !bytes.Contains(text, []byte("`"+p.Name+"`")) {
				t.Errorf("docs/report.md does not name `%s` of %s", p.Name, o.Name)
			}
		}
	}
}
