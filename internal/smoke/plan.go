// Package smoke is the use case of calling a server's tools to see whether they keep what their schemas promise. It plans the calls and judges
// the answers, both as pure functions of a recording; the calls themselves are package capture's business. Nothing here counts for a
// score, and no rule reads what the calls have shown.
package smoke

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// The checks.
const (
	StructuredContent = "smoke_structured_content" // what a tool returns is what its output schema says
	InvalidArguments  = "smoke_invalid_arguments"  // a tool refuses arguments that its input schema rejects
	UnknownTool       = "smoke_unknown_tool"       // the server refuses a tool that it does not have
)

// Checks lists the checks in order.
var Checks = []string{StructuredContent, InvalidArguments, UnknownTool}

// MaxTools is how many tools of a catalog are called at most.
const MaxTools = 250

// Call is one call to make.
type Call struct {
	Step      string
	Tool      string
	Arguments []byte            // a JSON object
	Params    map[string]string // arguments that the schema wants mirrored in headers, by the name of the header's end
}

// Plan says which calls are made, and why the others are not.
type Plan struct {
	Reason    string // why no call is made at all, empty when some may be
	Stateless bool   // the calls belong to the stateless lifecycle
	Tools     int
	checks    []check
}

// check is one check of one tool, planned.
type check struct {
	id   string
	tool *string // nil for UnknownTool
	item jsondoc.Value
	skip string // why no call is made
	call Call
	what string // which fault the arguments have on purpose
}

// NewPlan plans the calls for the server in a recording. Only tools that are declared read-only are called, unless callAll.
func NewPlan(rec *recording.Recording, callAll bool) *Plan {
	o := observe.Decode(rec)
	p := &Plan{Tools: len(o.Tools.Items), Stateless: o.Session == "" || o.Tools.Recovered}
	switch {
	case o.Package != nil:
		p.Reason = "a package is not a server"
	case o.Kind == "":
		p.Reason = "the server could not be audited"
	case o.Kind == observe.Partial:
		p.Reason = "only what the server shows without credentials could be audited"
	case rec.Failure != nil:
		p.Reason = "the audit ended early"
	case !o.Tools.Served && o.Tools.Attempted:
		p.Reason = "the server's tools could not be listed"
	case !o.Tools.Served:
		p.Reason = "the server offers no tools"
	}
	if p.Reason != "" {
		return p
	}
	tools := make([]tool, len(o.Tools.Items))
	for i, item := range o.Tools.Items {
		tools[i] = newTool(item, callAll)
	}
	for i := range tools {
		p.checks = append(p.checks, tools[i].structured(i))
	}
	for i := range tools {
		p.checks = append(p.checks, tools[i].invalid(i))
	}
	p.checks = append(p.checks, unknown(&o.Tools, tools))
	return p
}

// Calls are the calls to make, in order.
func (p *Plan) Calls() []Call {
	var calls []Call
	for _, c := range p.checks {
		if c.skip == "" {
			calls = append(calls, c.call)
		}
	}
	return calls
}

// tool is what a catalog says of a tool.
type tool struct {
	item   jsondoc.Value
	name   string
	schema jsondoc.Value
	skip   string // why it is not called at all
}

func newTool(item observe.Item, callAll bool) tool {
	name, named := item.Get("name").Text()
	t := tool{item: item.Value, name: name, schema: item.Get("inputSchema")}
	if !t.schema.Exists() {
		t.schema = jsondoc.MustParse(`{"type":"object"}`)
	}
	switch {
	case !named || name == "":
		t.skip = "the tool has no name"
	case item.Index >= MaxTools:
		t.skip = fmt.Sprintf("only the first %d tools are called", MaxTools)
	case item.Path("execution", "taskSupport").TextOr("") == "required":
		t.skip = "the tool runs as a task only"
	case !callAll && !item.Path("annotations", "readOnlyHint").True():
		t.skip = "the tool is not declared read-only; --call-all calls it all the same"
	}
	return t
}

func (t *tool) check(id, part string, i int) check {
	name := t.name
	return check{id: id, tool: &name, item: t.item, skip: t.skip, call: Call{Step: "smoke/" + part + "/" + strconv.Itoa(i+1), Tool: name}}
}

func (t *tool) structured(i int) check {
	c := t.check(StructuredContent, "structured-content", i)
	if c.skip != "" {
		return c
	}
	if !t.item.Get("outputSchema").Exists() {
		c.skip = "the tool promises no structured content: it has no output schema"
		return c
	}
	c.call.Arguments, c.skip = Arguments(t.schema)
	c.call.Params = mirrored(t.schema, c.call.Arguments)
	return c
}

func (t *tool) invalid(i int) check {
	c := t.check(InvalidArguments, "invalid-arguments", i)
	if c.skip != "" {
		return c
	}
	c.call.Arguments, c.what = Violation(t.schema)
	if c.call.Arguments == nil {
		c.skip = "no arguments could be found that the input schema rejects"
	}
	c.call.Params = mirrored(t.schema, c.call.Arguments)
	return c
}

// nobody is the beginning of names that no tool has.
const nobody = "hallmark_smoke_nonexistent_tool"

func unknown(catalog *observe.Catalog, tools []tool) check {
	c := check{id: UnknownTool, call: Call{Step: "smoke/unknown-tool", Tool: nobody, Arguments: []byte("{}")}}
	if !catalog.Complete {
		c.skip = "not all tools could be listed, so nobody knows which names are free"
	}
	for n := 2; slices.ContainsFunc(tools, func(t tool) bool { return t.name == c.call.Tool }); n++ {
		c.call.Tool = nobody + "_" + strconv.Itoa(n)
	}
	return c
}

// mirrored finds the arguments that a schema marks with x-mcp-header (MCP 2026-07-28, Basic › Transports): texts, whole numbers and booleans,
// in objects of any depth.
func mirrored(schema jsondoc.Value, arguments []byte) map[string]string {
	values, _, err := jsondoc.Parse(arguments)
	if err != nil {
		return nil
	}
	params := map[string]string{}
	mirror(params, schema, values, 0)
	return params
}

func mirror(params map[string]string, schema, values jsondoc.Value, depth int) {
	if depth > maxDepth {
		return
	}
	for _, property := range schema.Get("properties").Members() {
		value := values.Get(property.Name)
		mirror(params, property.Value, value, depth+1)
		name, ok := property.Value.Get("x-mcp-header").Text()
		if !ok || !token(name) {
			continue
		}
		switch text, isText := value.Text(); {
		case isText:
			params[name] = text
		case value.Kind() == jsondoc.Bool, value.IsInteger() && len(value.Raw()) <= 16:
			params[name] = string(value.Raw())
		}
	}
}

// token reports whether a name can stand in a header's (RFC 9110 section 5.6.2).
func token(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return name != "" && len(name) <= 100
}
