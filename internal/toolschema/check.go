package toolschema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
)

// Problem is one thing that makes a schema invalid.
type Problem struct {
	Pointer jsondoc.Pointer // from the root of the schema to the keyword, see [MaxPointer]
	Reason  string          // stable snake_case kind, see Check
	Seen    string          // what was seen, a clause
	Want    string          // what was expected, a clause
}

// MaxProblems is how many problems of one schema are told.
const MaxProblems = 20

// Report is what [Check] found.
type Report struct {
	Dialect Dialect // that the schema was checked under, Unknown when it was not
	// Unjudged says why the validity of the schema cannot be decided, empty when it can.
	Unjudged string
	// Problems are in document order, those of references and loops after those of single keywords.
	Problems []Problem
	// External are the $ref values that lead out of the schema, in document order, at most MaxProblems. They are not followed and do not
	// make a schema invalid.
	External []Problem
	schemas  int  // objects and booleans at schema positions
	refs     bool // there is a reference of any kind
	untraced bool // a reference leads where this package does not follow, or the dynamic scope decides
	fanout   int  // how often subschemas are applied to one value at most, where there are references
	applied  int  // how many subschemas of one schema are applied to one member or element at most
}

// Valid reports whether nothing is known to be wrong.
func (r *Report) Valid() bool { return len(r.Problems) == 0 }

// Check tells whether a schema is valid under the dialect that it declares: each keyword has the form that the dialect's meta-schema asks
// for, patterns are ECMA-262 regular expressions, references within the document lead to a schema, and no chain of references comes back
// to where it began without looking at anything. The reasons are invalid_type, invalid_properties, invalid_required, invalid_title (the
// keyword), invalid_property_schema, invalid_subschema (something else where a schema must stand), invalid_keyword, invalid_pattern,
// unresolvable_reference, reference_loop and duplicate_identifier.
//
// A schema in an unknown dialect, one that changes the dialect inside and one that is nested too deeply are Unjudged.
func Check(schema jsondoc.Value) *Report {
	d := DialectOf(schema)
	if declared := schema.Get("$schema"); declared.Exists() && !declared.IsString() {
		d = Default // which says that $schema must be a string
	}
	return CheckUnder(schema, d)
}

// CheckUnder is [Check] under a given dialect; a $schema in the root is not looked at.
func CheckUnder(schema jsondoc.Value, d Dialect) *Report {
	if d == Unknown || d == Draft03 {
		said := d.String()
		if text, ok := schema.Get("$schema").Text(); ok {
			said = text
		}
		return &Report{Unjudged: fmt.Sprintf("the dialect %s is not known here", lexical.Excerpt(jsondoc.MustParse(strconv.Quote(strings.ToValidUTF8(said, "?")))))}
	}
	return reports.get(schema, d, func() *Report { return check(schema, d) })
}

func check(schema jsondoc.Value, d Dialect) *Report {
	c := checker{dialect: d, report: Report{Dialect: d}}
	c.schema(schema)
	c.report.refs = c.refs
	if c.refs && c.report.Unjudged == "" && len(c.report.Problems) < MaxProblems {
		resolve(schema, d, &c.report)
	}
	if c.report.Unjudged != "" {
		return &Report{Unjudged: c.report.Unjudged, Dialect: d}
	}
	return &c.report
}

// checker tests the form of every keyword.
type checker struct {
	dialect Dialect
	path    []string
	report  Report
	refs    bool
}

// problem adds a problem at the end of the path; proof is a schema as small as can be that shows it, with the offending value in place of
// %s. The meta-schema has the last word: what it accepts is no problem.
func (c *checker) problem(reason, seen, want, proof string, value jsondoc.Value) {
	if len(c.report.Problems) >= MaxProblems {
		return
	}
	if proof != "" && len(value.Raw()) <= maxProof && metaAccepts(c.dialect, []byte(strings.Replace(proof, "%s", string(value.Raw()), 1))) {
		return
	}
	where, _ := pointerTo(c.path)
	c.report.Problems = append(c.report.Problems, Problem{where, reason, seen, want})
}

// maxProof bounds what is shown to the meta-schema, in bytes. Larger values are judged by the table of keywords alone.
const maxProof = 64 << 10

func (c *checker) schema(v jsondoc.Value) {
	c.report.schemas++
	switch {
	case v.IsObject():
	case v.Kind() == jsondoc.Bool && c.dialect >= Draft06:
		return
	default:
		c.notASchema(v)
		return
	}
	if unopened(v) {
		c.report.Unjudged = fmt.Sprintf("the schema is nested more than %d levels deep", jsondoc.MaxDepth)
		return
	}
	for _, m := range v.Members() {
		c.path = append(c.path, m.Name)
		c.keyword(v, m)
		c.path = c.path[:len(c.path)-1]
	}
}

func (c *checker) notASchema(v jsondoc.Value) {
	want := "an object or a boolean"
	if c.dialect == Draft04 {
		want = "an object; boolean schemas came with draft-06"
	}
	reason := "invalid_subschema"
	if n := len(c.path); n >= 2 && c.path[n-2] == "properties" {
		reason = "invalid_property_schema"
	}
	c.problem(reason, "the schema is "+lexical.Excerpt(v), want, "%s", v)
}

var referenceKeywords = map[string]bool{
	"$ref": true, "$id": true, "id": true, "$anchor": true, "$dynamicAnchor": true, "$dynamicRef": true, "$recursiveRef": true,
}

func (c *checker) keyword(owner jsondoc.Value, m jsondoc.Member) {
	if referenceKeywords[m.Name] {
		c.refs = true
	}
	if m.Name == "$schema" && len(c.path) > 1 {
		if text, ok := m.Value.Text(); ok && dialectNamed(text) != c.dialect {
			c.report.Unjudged = "a subschema declares another dialect, " + lexical.Excerpt(m.Value)
			return
		}
	}
	f := c.dialect.form(m.Name)
	if f.holdsSchemas() {
		c.subschemas(m, f)
		return
	}
	if want := f.misses(m.Value); want != "" {
		c.bad(m, want)
		return
	}
	switch {
	case m.Name == "pattern" && f == text:
		c.pattern(m.Value.TextOr(""))
	case c.dialect == Draft04 && f == boolean && (m.Name == "exclusiveMinimum" || m.Name == "exclusiveMaximum"):
		if other := strings.ToLower(strings.TrimPrefix(m.Name, "exclusive")); !owner.Get(other).Exists() {
			c.problem("invalid_keyword", m.Name+" stands without "+other, "a "+other+" beside it", `{"`+m.Name+`":%s}`, m.Value)
		}
	}
}

// bad reports that a keyword's value has not the form it must have.
func (c *checker) bad(m jsondoc.Member, want string) {
	reason := "invalid_keyword"
	switch m.Name {
	case "type", "properties", "required", "title":
		reason = "invalid_" + m.Name
	}
	if (m.Name == "exclusiveMinimum" || m.Name == "exclusiveMaximum") && m.Value.Kind() == jsondoc.Bool {
		want += "; the boolean form is draft-04's, move the bound here from " + strings.ToLower(strings.TrimPrefix(m.Name, "exclusive"))
	}
	c.problem(reason, m.Name+" is "+lexical.Excerpt(m.Value), want, "{"+quoted(m.Name)+":%s}", m.Value)
}

func (c *checker) subschemas(m jsondoc.Member, f form) {
	if unopened(m.Value) {
		c.report.Unjudged = fmt.Sprintf("the schema is nested more than %d levels deep", jsondoc.MaxDepth)
		return
	}
	switch {
	case f == schemaMap || f == dependencyMap:
		if !m.Value.IsObject() {
			c.bad(m, "an object whose members are schemas")
			return
		}
		for _, e := range m.Value.Members() {
			c.path = append(c.path, e.Name)
			switch {
			case f == dependencyMap && e.Value.IsArray():
				if want := c.namesForm().misses(e.Value); want != "" {
					c.problem("invalid_keyword", "the dependency is "+lexical.Excerpt(e.Value), want, `{"dependencies":{"a":%s}}`, e.Value)
				}
			default:
				if m.Name == "patternProperties" {
					c.pattern(e.Name)
				}
				c.schema(e.Value)
			}
			c.path = c.path[:len(c.path)-1]
		}
	case f == schemaList || f == schemaOrList && m.Value.IsArray():
		if !m.Value.IsArray() || m.Value.Len() == 0 {
			c.bad(m, "an array of at least one schema")
			return
		}
		for i, e := range m.Value.Elements() {
			c.path = append(c.path, strconv.Itoa(i))
			c.schema(e.Value)
			c.path = c.path[:len(c.path)-1]
		}
	case f == boolOrSchema && m.Value.Kind() == jsondoc.Bool:
	case m.Name == "items" && m.Value.IsArray():
		c.bad(m, "one schema; a list of schemas is called prefixItems in this dialect")
	default:
		c.schema(m.Value)
	}
}

func (c *checker) namesForm() form {
	if c.dialect == Draft04 {
		return someNames
	}
	return names
}

func (c *checker) pattern(source string) {
	if err := CheckPattern(source); err != nil {
		c.problem("invalid_pattern", lexical.Excerpt(jsondoc.MustParse(quoted(source)))+": "+err.Error(), "a regular expression of ECMA-262", "", jsondoc.Value{})
	}
}

// misses returns what a value should have been, empty when it has the form.
func (f form) misses(v jsondoc.Value) string {
	switch f {
	case text:
		return unless(v.IsString(), "a string")
	case boolean:
		return unless(v.Kind() == jsondoc.Bool, "true or false")
	case number:
		return unless(v.Kind() == jsondoc.Number, "a number")
	case positive:
		return unless(v.Kind() == jsondoc.Number && !negative(v) && !zero(v), "a number above 0")
	case count:
		return unless(v.IsInteger() && (!negative(v) || zero(v)), "an integer that is not negative")
	case list:
		return unless(v.IsArray(), "an array")
	case uniqueList:
		return unless(v.IsArray() && v.Len() > 0 && distinct(v), "an array of at least one value, no two alike")
	case names, someNames:
		return unless(v.IsArray() && allStrings(v) && distinct(v) && (f == names || v.Len() > 0), "an array of property names, no two alike")
	case namesMap:
		for _, m := range v.Members() {
			if names.misses(m.Value) != "" {
				return "an object of arrays of property names"
			}
		}
		return unless(v.IsObject(), "an object of arrays of property names")
	case typeNames:
		return typeForm(v)
	case identifier:
		text, ok := v.Text()
		at := strings.IndexByte(text, '#')
		return unless(ok && (at < 0 || at == len(text)-1), "a URI reference without fragment")
	case anchor, anchorColon:
		text, ok := v.Text()
		return unless(ok && plainName(text, f == anchorColon), "a name of letters, digits, hyphens, underscores and dots that begins with a letter")
	case vocabulary:
		for _, m := range v.Members() {
			if m.Value.Kind() != jsondoc.Bool {
				return "an object of booleans"
			}
		}
		return unless(v.IsObject(), "an object of booleans")
	}
	return ""
}

func unless(ok bool, want string) string {
	if ok {
		return ""
	}
	return want
}

const typeList = "string, number, integer, boolean, array, object or null"

func typeForm(v jsondoc.Value) string {
	if text, ok := v.Text(); ok {
		return unless(typeSet[text], typeList)
	}
	if !v.IsArray() {
		return typeList + ", or an array of such names"
	}
	for _, e := range v.Elements() {
		if !typeSet[e.Value.TextOr("")] {
			return typeList + " in the array"
		}
	}
	return unless(v.Len() > 0 && distinct(v), "an array of at least one type, none twice")
}

func negative(v jsondoc.Value) bool { return len(v.Raw()) > 0 && v.Raw()[0] == '-' }

// zero reports whether all digits before the exponent are 0.
func zero(v jsondoc.Value) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(string(v.Raw())), "e")
	return strings.Trim(mantissa, "-0.") == ""
}

func allStrings(v jsondoc.Value) bool {
	for _, e := range v.Elements() {
		if !e.Value.IsString() {
			return false
		}
	}
	return true
}

// distinct reports whether no two elements of an array are equal. Strings are hashed; other values are compared while there are few of
// them, and beyond that taken as distinct.
func distinct(v jsondoc.Value) bool {
	seen := make(map[string]bool, v.Len())
	var others []jsondoc.Value
	for _, e := range v.Elements() {
		if s, ok := e.Value.Text(); ok {
			if seen[s] {
				return false
			}
			seen[s] = true
			continue
		}
		if len(others) >= 100 {
			continue
		}
		for _, o := range others {
			if jsondoc.Equal(o, e.Value) {
				return false
			}
		}
		others = append(others, e.Value)
	}
	return true
}

func plainName(s string, colon bool) bool {
	for i, r := range s {
		letter := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_' && !(colon && i == 0)
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '-' || r == '.' || r == ':' && colon)) {
			return false
		}
	}
	return s != ""
}
