package toolschema

// form is what the value of a keyword must look like.
type form uint8

const (
	anything form = iota
	text
	boolean
	number
	positive
	count         // an integer from 0
	list          // an array of anything
	uniqueList    // an array of at least one thing, no two alike
	names         // an array of strings, no two alike
	someNames     // the same with at least one
	namesMap      // an object of names
	typeNames     // a type name, or an array of at least one, no two alike
	identifier    // a URI reference whose fragment is empty
	anchor        // a plain name
	anchorColon   // a plain name that may hold colons and not begin with an underscore
	vocabulary    // an object of booleans
	oneSchema     // a schema
	boolOrSchema  // a schema, or a boolean in a dialect without boolean schemas
	schemaList    // an array of at least one schema
	schemaOrList  // either
	schemaMap     // an object of schemas
	dependencyMap // an object of schemas and names
)

// use is the form of a keyword in a range of dialects.
type use struct {
	from, to Dialect
	form     form
}

// keywords holds what the meta-schemas say of each keyword; TestKeywordsAgreeWithMetaSchemas compares them. A keyword that takes anything,
// such as const, is not listed. The "enum" of drafts 6 and 7 is looser here than in their meta-schemas, as their text is (Validation 6.23:
// SHOULD be unique and not empty).
var keywords = map[string][]use{
	"$schema":          {{Draft04, Draft202012, text}},
	"id":               {{Draft04, Draft04, text}},
	"$id":              {{Draft06, Draft07, text}, {Draft201909, Draft202012, identifier}},
	"$ref":             {{Draft04, Draft202012, text}},
	"$anchor":          {{Draft201909, Draft201909, anchorColon}, {Draft202012, Draft202012, anchor}},
	"$recursiveRef":    {{Draft201909, Draft202012, text}},
	"$recursiveAnchor": {{Draft201909, Draft201909, boolean}, {Draft202012, Draft202012, anchor}},
	"$dynamicRef":      {{Draft202012, Draft202012, text}},
	"$dynamicAnchor":   {{Draft202012, Draft202012, anchor}},
	"$vocabulary":      {{Draft201909, Draft202012, vocabulary}},
	"$comment":         {{Draft07, Draft202012, text}},
	"$defs":            {{Draft201909, Draft202012, schemaMap}},

	"definitions":           {{Draft03, Draft202012, schemaMap}},
	"properties":            {{Draft03, Draft202012, schemaMap}},
	"patternProperties":     {{Draft03, Draft202012, schemaMap}},
	"additionalProperties":  {{Draft03, Draft04, boolOrSchema}, {Draft06, Draft202012, oneSchema}},
	"propertyNames":         {{Draft06, Draft202012, oneSchema}},
	"unevaluatedProperties": {{Draft201909, Draft202012, oneSchema}},
	"items":                 {{Draft03, Draft201909, schemaOrList}, {Draft202012, Draft202012, oneSchema}},
	"prefixItems":           {{Draft202012, Draft202012, schemaList}},
	"additionalItems":       {{Draft03, Draft04, boolOrSchema}, {Draft06, Draft201909, oneSchema}},
	"unevaluatedItems":      {{Draft201909, Draft202012, oneSchema}},
	"contains":              {{Draft06, Draft202012, oneSchema}},
	"contentSchema":         {{Draft201909, Draft202012, oneSchema}},
	"extends":               {{Draft03, Draft03, schemaOrList}},
	"allOf":                 {{Draft04, Draft202012, schemaList}},
	"anyOf":                 {{Draft04, Draft202012, schemaList}},
	"oneOf":                 {{Draft04, Draft202012, schemaList}},
	"not":                   {{Draft04, Draft202012, oneSchema}},
	"if":                    {{Draft07, Draft202012, oneSchema}},
	"then":                  {{Draft07, Draft202012, oneSchema}},
	"else":                  {{Draft07, Draft202012, oneSchema}},
	"dependentSchemas":      {{Draft201909, Draft202012, schemaMap}},
	"dependencies":          {{Draft03, Draft202012, dependencyMap}},

	"type":              {{Draft04, Draft202012, typeNames}},
	"enum":              {{Draft04, Draft04, uniqueList}, {Draft06, Draft202012, list}},
	"multipleOf":        {{Draft04, Draft202012, positive}},
	"maximum":           {{Draft04, Draft202012, number}},
	"minimum":           {{Draft04, Draft202012, number}},
	"exclusiveMaximum":  {{Draft04, Draft04, boolean}, {Draft06, Draft202012, number}},
	"exclusiveMinimum":  {{Draft04, Draft04, boolean}, {Draft06, Draft202012, number}},
	"maxLength":         {{Draft04, Draft202012, count}},
	"minLength":         {{Draft04, Draft202012, count}},
	"pattern":           {{Draft04, Draft202012, text}},
	"maxItems":          {{Draft04, Draft202012, count}},
	"minItems":          {{Draft04, Draft202012, count}},
	"uniqueItems":       {{Draft04, Draft202012, boolean}},
	"maxContains":       {{Draft201909, Draft202012, count}},
	"minContains":       {{Draft201909, Draft202012, count}},
	"maxProperties":     {{Draft04, Draft202012, count}},
	"minProperties":     {{Draft04, Draft202012, count}},
	"required":          {{Draft04, Draft04, someNames}, {Draft06, Draft202012, names}},
	"dependentRequired": {{Draft201909, Draft202012, namesMap}},

	"title":            {{Draft04, Draft202012, text}},
	"description":      {{Draft04, Draft202012, text}},
	"examples":         {{Draft07, Draft202012, list}},
	"readOnly":         {{Draft07, Draft202012, boolean}},
	"writeOnly":        {{Draft07, Draft202012, boolean}},
	"deprecated":       {{Draft201909, Draft202012, boolean}},
	"format":           {{Draft04, Draft202012, text}},
	"contentMediaType": {{Draft07, Draft202012, text}},
	"contentEncoding":  {{Draft07, Draft202012, text}},
}

func (d Dialect) form(keyword string) form {
	for _, u := range keywords[keyword] {
		if u.from <= d && d <= u.to {
			return u.form
		}
	}
	return anything
}

// holdsSchemas reports whether the value of a keyword with this form holds subschemas.
func (f form) holdsSchemas() bool { return f >= oneSchema }

// inPlace are the keywords whose subschemas judge the same value as the schema they stand in.
var inPlace = map[string]bool{
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"dependentSchemas": true, "dependencies": true, "extends": true,
}

var typeSet = map[string]bool{"string": true, "number": true, "integer": true, "boolean": true, "array": true, "object": true, "null": true}
