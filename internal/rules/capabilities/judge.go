// Package capabilities holds the rules about what a server declares and what it then serves.
package capabilities

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// feature is a capability that stands for a catalog: its name, the catalog, and the flags that the capability may hold.
type feature struct {
	name  string
	pick  rule.Pick
	flags []string
}

var (
	tools     = feature{"tools", rule.PickTools, []string{"listChanged"}}
	prompts   = feature{"prompts", rule.PickPrompts, []string{"listChanged"}}
	resources = feature{"resources", rule.PickResources, []string{"subscribe", "listChanged"}}
)

func (f feature) declaration(o *observe.Observation) jsondoc.Value { return o.Capabilities.Get(f.name) }

func (f feature) declared(o *observe.Observation) bool { return f.declaration(o).IsObject() }

func (f feature) illTyped(o *observe.Observation) bool {
	v := f.declaration(o)
	return !v.Missing() && !v.IsObject()
}

// served reports whether the lifecycle that the capabilities belong to served the catalog. A catalog that only the stateless lifecycle
// served from its first page on was not.
func (f feature) served(o *observe.Observation) bool {
	c := f.pick(o)
	return c.Served && !(c.Recovered && c.Error != nil && c.Error.PageIndex == 0)
}

// need wants the listing to have been asked for and answered one way or the other. A time-out, a refusal and a broken connection are
// no answers.
func (f feature) need(o *observe.Observation) *rule.Skip {
	if s := rule.NeedAccess(o); s != nil {
		return s
	}
	c := f.pick(o)
	switch {
	case f.illTyped(o) || !f.declared(o) && c.Served:
		return nil
	case !c.Attempted && !f.deniedStateless(o):
		return rule.SkipFor(rule.Insufficient, "%s was not asked for", c.Method)
	case f.served(o) || answered(c.Error):
		return nil
	case f.declared(o):
		return rule.SkipFor(rule.Insufficient, "%s got no answer that decides: %s", c.Method, errorText(c.Error))
	case c.Error != nil:
		return rule.SkipFor(rule.Insufficient, "whether %s is served could not be seen: %s", c.Method, errorText(c.Error))
	}
	return nil
}

// deniedStateless reports whether a server without handshake, which declares no tools, was asked for them all the same and answered with
// an error.
func (f feature) deniedStateless(o *observe.Observation) bool {
	if f.name != "tools" || o.Session != "" || f.declared(o) {
		return false
	}
	_, refused := o.StatelessToolsError()
	return refused
}

// answered reports whether a listing ended with an answer of the server: an error of its own, or something that is no list.
func answered(e *observe.ListingError) bool {
	return e != nil && (e.Outcome == "rpc_error" || e.Outcome == "invalid_response")
}

func errorText(e *observe.ListingError) string {
	switch {
	case e == nil:
		return "the reason is not known"
	case e.Text == "":
		return e.Outcome
	}
	return e.Text
}

func (f feature) judge(o *observe.Observation) []rule.Finding {
	c := f.pick(o)
	switch {
	case f.illTyped(o):
		return []rule.Finding{f.at(o, "", "wrong_type", f.name+" is "+lexical.Excerpt(f.declaration(o)), "an object, empty if there is nothing to add")}
	case !f.declared(o) && c.Served:
		return []rule.Finding{f.at(o, "", "missing_capability_declaration", c.Method+" answers with a list, and the capability is not declared", "the capability "+f.name)}
	case f.declared(o) && !f.served(o):
		found := rule.AtCatalog(c, "declared_not_served", c.Method+" failed: "+errorText(c.Error), "a list, empty if there is nothing to list")
		if c.Error != nil && c.Error.Step != "" {
			found.Step = c.Error.Step
		}
		return []rule.Finding{found}
	}
	return nil
}

// at places a finding at the capability or at a flag of it; what the server did not send is missing from the result it should stand in.
func (f feature) at(o *observe.Observation, flag jsondoc.Pointer, reason, seen, want string) rule.Finding {
	path := jsondoc.Pointer("/capabilities").Child(f.name) + flag
	rel := jsondoc.Pointer("").Child(f.name) + flag
	where := o.Capabilities
	if where.Step == "" {
		where, rel = o.Discovered, ""
		if o.Session != "" {
			where = observe.Field{Step: "session/initialize", Pointer: "/result"}
		}
	}
	return rule.AtField(where, path, rel, reason, seen, want)
}

func (f feature) details(o *observe.Observation) map[string]any {
	c := f.pick(o)
	details := map[string]any{"capability_" + f.name: f.text(o), "declared": f.declared(o), "served": f.served(o)}
	if e := c.Error; e != nil && (c.Recovered || len(f.judge(o)) > 0) {
		report := map[string]any{"outcome": e.Outcome, "page_index": e.PageIndex}
		if e.Code != nil {
			report["error_code"] = *e.Code
		}
		details["collection_error"] = report
	}
	if c.Recovered {
		details["catalog_version"] = string(c.Revision)
	}
	return details
}

// text flattens a declared capability as reports show it: "listChanged=True", with None for a flag that is not there. It is nil when the
// capability is not declared.
func (f feature) text(o *observe.Observation) any {
	if !f.declared(o) {
		return nil
	}
	var parts []string
	for _, flag := range f.flags {
		v := f.declaration(o).Get(flag)
		value := "None"
		if b, ok := v.Bool(); ok && b {
			value = "True"
		} else if ok {
			value = "False"
		} else if !v.Missing() {
			value = lexical.Excerpt(v)
		}
		parts = append(parts, flag+"="+value)
	}
	return strings.Join(parts, " ")
}

// needObject wants the capability to be declared as an object; what else it may be is judged by the rule about the declaration.
func (f feature) needObject(o *observe.Observation) *rule.Skip {
	if s := rule.NeedCapability(f.name)(o); s != nil {
		return s
	}
	if f.illTyped(o) {
		return rule.SkipFor(rule.Insufficient, "the %s capability is no object", f.name)
	}
	return nil
}

func (f feature) judgeListChanged(o *observe.Observation) []rule.Finding {
	v := f.declaration(o).Get("listChanged")
	_, isBool := v.Bool()
	switch {
	case v.True():
		return nil
	case !v.Missing() && !isBool:
		return []rule.Finding{f.at(o, "/listChanged", "wrong_type", "listChanged is "+lexical.Excerpt(v), "true or false")}
	case v.Missing():
		return []rule.Finding{f.at(o, "/listChanged", "list_changed_not_declared", "listChanged is not declared", "listChanged true, if the list can change")}
	}
	return []rule.Finding{f.at(o, "/listChanged", "list_changed_not_declared", "listChanged is false", "listChanged true, if the list can change")}
}

func (f feature) textDetails(o *observe.Observation) map[string]any {
	return map[string]any{"capability_" + f.name: f.text(o)}
}
