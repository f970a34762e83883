package server_info

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// Facts that this file reads from the probes of catalogs that must not depend on the connection: first_count and second_count (items of
// the two listings), results_complete (both read to the end), first_declares_capability and second_declares_capability.

// shelf is a catalog together with what else can show that it holds something, or nothing.
type shelf struct {
	name       string
	capability string
	pick       rule.Pick
	identity   string // member that an item is known by
	probe      string // id of the probe that lists it twice
	counted    bool   // the probe counts this catalog and not only one beside it
}

var shelves = []shelf{
	{"tools", "tools", rule.PickTools, "name", observe.ProbeToolsIndependent, true},
	{"resources", "resources", rule.PickResources, "uri", observe.ProbeResourcesIndependent, true},
	{"resource_templates", "resources", rule.PickResourceTemplates, "uriTemplate", observe.ProbeResourcesIndependent, false},
	{"prompts", "prompts", rule.PickPrompts, "name", observe.ProbePromptsIndependent, true},
}

// inSession reports whether the shelf should be served under the handshake.
func (s shelf) inSession(o *observe.Observation) bool {
	if o.Session == "" {
		return false
	}
	asked := s.pick(o).Attempted && !(s.name == "tools" && toolsNotFound(o))
	return o.Declares(s.capability) || asked
}

// inRequests reports whether it should be served under the stateless lifecycle.
func (s shelf) inRequests(o *observe.Observation) bool {
	list := o.Probe(observe.ProbeStatelessList)
	switch {
	case o.SpeaksModern() && !discoveredCapabilities(o).IsObject(),
		s.seenDeclared(o),
		!discoveredCapabilities(o).Get(s.capability).Missing(),
		o.Session == "" && (o.Declares(s.capability) || s.pick(o).Attempted):
		return true
	case s.name != "tools":
		return false
	}
	return o.ModernSupport() && list.Outcome != observe.NotTried && list.Outcome != observe.NotApplicable && !toolsNotFound(o)
}

// toolsNotFound reports whether the stateless lifecycle answered tools/list with "method not found".
func toolsNotFound(o *observe.Observation) bool {
	code, ok := o.StatelessToolsError()
	return ok && code == -32601
}

func discoveredCapabilities(o *observe.Observation) jsondoc.Value {
	if v := o.Discovered.Get("capabilities"); v.Exists() {
		return v
	}
	return o.Probe(observe.ProbeDiscover).Result.Get("capabilities")
}

// seenDeclared reports whether the probe of the catalog met a declaration.
func (s shelf) seenDeclared(o *observe.Observation) bool {
	p := o.Probe(s.probe)
	first, _ := p.Bool("first_declares_capability")
	second, _ := p.Bool("second_declares_capability")
	return p.Outcome == observe.Supported || p.Outcome == observe.Unsupported || first || second
}

// items is how many items were seen at most; known is false when no listing was seen.
func (s shelf) items(o *observe.Observation) (n int, known bool) {
	c := s.pick(o)
	identified := 0
	for _, item := range c.Items {
		if item.Get(s.identity).TextOr("") != "" {
			identified++
		}
	}
	if identified > 0 || c.Served && len(c.Items) == 0 {
		n, known = identified, true
	}
	if p := o.Probe(s.probe); s.counted && (p.Outcome == observe.Supported || p.Outcome == observe.Unsupported) {
		first, _ := p.Int("first_count")
		second, _ := p.Int("second_count")
		n, known = max(n, int(first), int(second)), true
	}
	if page := o.Probe(observe.ProbeStatelessList).Result.Get("tools"); s.name == "tools" && page.IsArray() {
		named := 0
		for _, el := range page.Elements() {
			if el.Value.Get("name").TextOr("") != "" {
				named++
			}
		}
		if named > 0 || page.Len() == 0 {
			n, known = max(n, named), true
		}
	}
	return n, known
}

// provenEmpty reports whether every lifecycle that should serve the shelf was seen to serve nothing there.
func (s shelf) provenEmpty(o *observe.Observation) bool {
	return (!s.inSession(o) || s.emptyInSession(o)) && (!s.inRequests(o) || s.emptyInRequests(o))
}

func (s shelf) emptyInSession(o *observe.Observation) bool {
	return o.Session != "" && !s.pick(o).Recovered && s.listedEmpty(o)
}

// listedEmpty reports whether the listing came to its end without an item. Templates that are not implemented are none.
func (s shelf) listedEmpty(o *observe.Observation) bool {
	c := s.pick(o)
	return rule.OptionalAbsent(c) || c.Served && c.Complete && len(c.Items) == 0 && c.Error == nil
}

func (s shelf) emptyInRequests(o *observe.Observation) bool {
	if p := o.Probe(s.probe); s.counted && p.Outcome == observe.Supported {
		whole, _ := p.Bool("results_complete")
		first, ok := p.Int("first_count")
		second, ok2 := p.Int("second_count")
		if whole && ok && ok2 && first == 0 && second == 0 {
			return true
		}
	}
	if s.name == "tools" {
		page := o.Probe(observe.ProbeStatelessList).Result
		return page.Get("resultType").TextOr("") == "complete" && page.Get("nextCursor").Missing() && page.Get("tools").IsArray() && page.Get("tools").Len() == 0
	}
	return o.Session == "" && s.listedEmpty(o)
}

// stock is what was seen of one catalog: how many items at most, whether any listing was seen, whether the server declares it, and
// whether every lifecycle that should serve it was seen to serve nothing there.
type stock struct {
	name                  string
	items                 int
	known, declared, none bool
}

func stocks(o *observe.Observation) []stock {
	list := make([]stock, 0, len(shelves)+1)
	for _, s := range shelves {
		n, known := s.items(o)
		declared := s.inSession(o) || s.inRequests(o)
		list = append(list, stock{s.name, n, known, declared, declared && s.provenEmpty(o)})
	}
	return append(list, skillStock(o))
}

func skillStock(o *observe.Observation) stock {
	inSession := o.Session != "" && !o.Capabilities.Path("extensions", spec.ExtensionSkills).Missing()
	inRequests := o.SpeaksModern() && !discoveredCapabilities(o).IsObject() ||
		!discoveredCapabilities(o).Path("extensions", spec.ExtensionSkills).Missing() ||
		o.Session == "" && !o.Capabilities.Path("extensions", spec.ExtensionSkills).Missing()
	st := stock{name: "skills", declared: inSession || inRequests}
	if o.Skills == nil {
		return st
	}
	for _, entry := range o.Skills.Entries {
		if entry.Get("uri").TextOr("") != "" {
			st.items++
		}
	}
	empty := o.Skills.Listed && len(o.Skills.Entries) == 0
	st.known = st.items > 0 || empty
	whole := empty && o.Skills.Complete && !o.Skills.Malformed && o.Skills.ListError == nil
	st.none = st.declared && whole && (!inSession || !o.Skills.Stateless) && (!inRequests || o.Skills.Stateless)
	return st
}

// needOffer wants something that was seen, or proof that there is nothing. A server that offers only what an extension defines is not
// concerned: this program does not know what that is.
func needOffer(o *observe.Observation) *rule.Skip {
	if s := rule.NeedAccess(o); s != nil {
		return s
	}
	if s := rule.NeedCapabilities(o); s != nil {
		return s
	}
	declared, unproven := false, ""
	for _, s := range stocks(o) {
		if s.items > 0 {
			return nil
		}
		declared = declared || s.declared
		if s.declared && !s.none && unproven == "" {
			unproven = s.name
		}
	}
	if unproven != "" {
		return rule.SkipFor(rule.Insufficient, "no item was seen, and whether there are %s could not be settled", strings.ReplaceAll(unproven, "_", " "))
	}
	if !declared && otherExtension(o) {
		return rule.SkipFor(rule.NotApplicable, "the server offers only what an extension defines")
	}
	return nil
}

// otherExtension reports whether a server declares an extension or an experiment.
func otherExtension(o *observe.Observation) bool {
	for _, capabilities := range []jsondoc.Value{o.Capabilities.Value, discoveredCapabilities(o)} {
		if capabilities.Get("extensions").Len() > 0 || capabilities.Get("experimental").Len() > 0 {
			return true
		}
	}
	return false
}

func judgeOffer(o *observe.Observation) []rule.Finding {
	for _, s := range stocks(o) {
		if s.items > 0 {
			return nil
		}
	}
	return []rule.Finding{{Entity: "catalog", Index: -1, Step: o.Capabilities.Step, Pointer: string(o.Capabilities.Pointer),
		Reason: "empty_catalog", Seen: "no tool, resource, resource template, prompt or skill is listed", Want: "something that a client can use"}}
}

func offerDetails(o *observe.Observation) map[string]any {
	exposed := map[string]any{}
	checked := []string{}
	for _, s := range stocks(o) {
		exposed[s.name] = nil
		if s.known {
			exposed[s.name] = s.items
		}
		if s.declared {
			checked = append(checked, s.name)
		}
	}
	return map[string]any{"exposed": exposed, "checked": checked}
}
