package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

// schemaProblems checks a schema under its own dialect. Until revision 2025-11-25 no default dialect was named, so that a schema which
// names none is fine where any dialect accepts it.
func schemaProblems(schema jsondoc.Value, r spec.Revision) []toolschema.Problem {
	report := toolschema.Check(schema)
	if report.Valid() || r.AtLeast(spec.Rev20251125) || !r.WellFormed() || schema.Get("$schema").Exists() {
		return report.Problems
	}
	for _, d := range []toolschema.Dialect{toolschema.Draft07, toolschema.Draft201909, toolschema.Draft06, toolschema.Draft04} {
		if toolschema.CheckUnder(schema, d).Valid() {
			return nil
		}
	}
	return report.Problems
}

func invalidInputSchemas(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		schema := item.Get("inputSchema")
		switch {
		case !item.IsObject():
			continue // the rule about names reports it
		case !schema.Exists():
			found = append(found, at(item, "/inputSchema", "missing_input_schema", "there is no inputSchema", "a JSON Schema whose type is object"))
			continue
		case !schema.IsObject():
			found = append(found, at(item, "/inputSchema", "wrong_type", "inputSchema is "+lexical.Excerpt(schema), "a JSON Schema whose type is object"))
			continue
		}
		root := schema.Get("type")
		noObject := root.TextOr("") != "object"
		if noObject {
			seen := "the root has no type"
			if root.Exists() {
				seen = "the root's type is " + lexical.Excerpt(root)
			}
			found = append(found, at(item, "/inputSchema/type", "object_root_expected", seen, `"object"`))
		}
		for _, p := range schemaProblems(schema, o.Tools.Revision) {
			if noObject && p.Pointer == "/type" {
				continue // told already
			}
			found = append(found, at(item, "/inputSchema"+p.Pointer, p.Reason, p.Seen, p.Want))
		}
	}
	return found
}

func invalidOutputSchemas(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		schema := item.Get("outputSchema")
		if schema.Missing() {
			continue
		}
		if !schema.IsObject() {
			found = append(found, at(item, "/outputSchema", "wrong_type", "outputSchema is "+lexical.Excerpt(schema), "a JSON Schema that is an object"))
			continue
		}
		for _, p := range schemaProblems(schema, o.Tools.Revision) {
			found = append(found, at(item, "/outputSchema"+p.Pointer, p.Reason, p.Seen, p.Want))
		}
	}
	return found
}

// otherRoots finds output schemas whose root is not of type object. Those that are no objects fail the rule about their validity.
func otherRoots(o *observe.Observation) []rule.Finding {
	var found []rule.Finding
	for _, item := range o.Tools.Items {
		schema := item.Get("outputSchema")
		root := schema.Get("type")
		if !schema.IsObject() || root.TextOr("") == "object" {
			continue
		}
		seen := "the root has no type"
		if root.Exists() {
			seen = "the root's type is " + lexical.Excerpt(root)
		}
		found = append(found, at(item, "/outputSchema/type", "non_object_root", seen, `"object"`))
	}
	return found
}

// needSessionListing wants tools of the session: what the stateless lifecycle lists may have any root.
func needSessionListing(o *observe.Observation) *rule.Skip {
	if o.Tools.Recovered {
		return rule.SkipFor(rule.NotApplicable, "the tools were read over the stateless lifecycle, where any root is allowed")
	}
	return nil
}

// undocumented is a property without description.
type undocumented struct {
	item         observe.Item
	path         jsondoc.Pointer // to the description within the tool
	dotted       string
	reason, seen string
}

// undocumentedProperties looks at the properties of a schema, and at theirs, that can be reached without any other keyword. A
// description may stand where a reference within the schema leads.
func undocumentedProperties(o *observe.Observation, member string) []undocumented {
	var list []undocumented
	for _, item := range o.Tools.Items {
		schema := item.Get(member)
		lookup := toolschema.NewLookup(schema)
		toolschema.Walk(schema, toolschema.DialectOf(schema), func(p toolschema.Place) bool {
			if !p.Chain {
				return p.Root
			}
			reason, seen := fields.TextFault(p.Schema.Get("description"), "description", "missing_property_description")
			if reason != "" && !describedElsewhere(lookup, p.Schema) {
				list = append(list, undocumented{item, jsondoc.Pointer("/"+member) + p.Pointer() + "/description", p.Dotted(), reason, seen})
			}
			return true
		})
	}
	return list
}

func describedElsewhere(lookup *toolschema.Lookup, schema jsondoc.Value) bool {
	for _, target := range lookup.Follow(schema) {
		if reason, _ := fields.TextFault(target.Get("description"), "", "missing"); reason == "" {
			return true
		}
	}
	return false
}

func undocumentedFindings(o *observe.Observation, member string) []rule.Finding {
	var found []rule.Finding
	for _, u := range undocumentedProperties(o, member) {
		found = append(found, at(u.item, u.path, u.reason, u.seen, "ideally what the property means, its format and its limits"))
	}
	return found
}

func undocumentedList(o *observe.Observation, member string) []map[string]any {
	list := []map[string]any{}
	for _, u := range undocumentedProperties(o, member) {
		list = append(list, map[string]any{"tool": u.item.Label(), "path": u.dotted})
	}
	return list
}

// hasOutputSchema reports whether any tool declares an output schema that is an object.
func hasOutputSchema(o *observe.Observation) bool {
	for _, item := range o.Tools.Items {
		if item.Get("outputSchema").IsObject() {
			return true
		}
	}
	return false
}

func needOutputSchema(o *observe.Observation) *rule.Skip {
	if !hasOutputSchema(o) {
		return rule.SkipFor(rule.NotApplicable, "no tool declares an output schema")
	}
	return nil
}

// misfit is a default that its schema rejects.
type misfit struct {
	item observe.Item
	toolschema.Mismatch
}

func misfits(o *observe.Observation) []misfit {
	judge := toolschema.NewJudge()
	var list []misfit
	for _, item := range o.Tools.Items {
		for _, m := range judge.Defaults(item.Get("inputSchema")) {
			list = append(list, misfit{item, m})
		}
	}
	return list
}

// needDefaults wants a default in a schema that can be read.
func needDefaults(o *observe.Observation) *rule.Skip {
	found, judged := false, false
	for _, item := range o.Tools.Items {
		f, j := toolschema.FindDefaults(item.Get("inputSchema"))
		found, judged = found || f, judged || j
	}
	switch {
	case !found:
		return rule.SkipFor(rule.NotApplicable, "no parameter has a default")
	case !judged:
		return rule.SkipFor(rule.Insufficient, "no schema with a default could be read: its dialect is not known or its structure is broken")
	}
	return nil
}

// orRoot writes a pointer within a schema as reports do.
func orRoot(p jsondoc.Pointer) string {
	if p == "" {
		return "/"
	}
	return string(p)
}
