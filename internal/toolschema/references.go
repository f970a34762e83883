package toolschema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// node is a subschema, an object or a boolean, in the tree of subschemas.
type node struct {
	value    jsondoc.Value
	parent   int // -1 for the root and for schemas that stand where no keyword puts one
	keyword  string
	name     string // of the member, or position in the array, where the keyword holds several
	several  bool
	path     []string // from the root of the document where there is no parent
	resource int
	refersTo int // node that $ref leads to, -1 for none
}

// resource is a schema with an identifier of its own, or the root.
type resource struct {
	node    int
	base    *url.URL
	anchors map[string]int
}

// resolver finds what references lead to.
type resolver struct {
	dialect   Dialect
	root      jsondoc.Value
	report    *Report
	nodes     []node
	children  map[childKey]int
	resources []resource
	byURL     map[string]int
	strays    map[strayKey]int // schemas outside of schema positions
	strayed   int              // bytes of them
	order     []int
}

type childKey struct {
	parent  int
	keyword string
	name    string
}

// strayKey is a place below a schema that no keyword leads to.
type strayKey struct {
	from int
	path string
}

// Bounds of what is read again because a reference leads to a place where no keyword puts a schema.
const (
	maxStrays      = 100
	maxStrayedSize = 1 << 20 // bytes
)

// noBase stands for the address of a schema without identifier. Nothing is ever asked of it.
var noBase = &url.URL{Scheme: "https", Host: "schema.invalid", Path: "/"}

// resolve follows every reference of a schema within itself and looks for loops, adding what it finds to the report.
func resolve(root jsondoc.Value, d Dialect, report *Report) {
	r := resolver{
		dialect: d, root: root, report: report,
		nodes: make([]node, 0, report.schemas), children: make(map[childKey]int, report.schemas), byURL: map[string]int{}, strays: map[strayKey]int{},
	}
	r.resources = []resource{{node: 0, base: noBase}}
	r.byURL[noBase.String()] = 0
	r.add(node{value: root, parent: -1})
	for i := 0; i < len(r.nodes) && report.Unjudged == ""; i++ { // strays are added while this runs
		r.follow(i)
	}
	if report.Unjudged == "" && r.loops() {
		r.measure()
	}
}

// add adds a schema and everything below it, in document order.
func (r *resolver) add(n node) int {
	id, v := len(r.nodes), n.value
	n.refersTo = -1
	r.nodes = append(r.nodes, n)
	if !v.IsObject() {
		return id
	}
	res := r.identify(id, v, n.resource)
	r.nodes[id].resource = res
	for _, m := range v.Members() {
		f := r.dialect.form(m.Name)
		if !f.holdsSchemas() {
			continue
		}
		switch {
		case f == schemaMap || f == dependencyMap:
			for _, e := range m.Value.Members() {
				if e.Value.IsObject() || e.Value.Kind() == jsondoc.Bool {
					r.children[childKey{id, m.Name, e.Name}] = r.add(node{value: e.Value, parent: id, keyword: m.Name, name: e.Name, several: true, resource: res})
				}
			}
		case m.Value.IsArray():
			for i, e := range m.Value.Elements() {
				index := strconv.Itoa(i)
				r.children[childKey{id, m.Name, index}] = r.add(node{value: e.Value, parent: id, keyword: m.Name, name: index, several: true, resource: res})
			}
		default:
			r.children[childKey{id, m.Name, ""}] = r.add(node{value: m.Value, parent: id, keyword: m.Name, resource: res})
		}
	}
	return id
}

// identify enters the identifier and the anchors of a schema, and returns the resource that it belongs to.
func (r *resolver) identify(id int, v jsondoc.Value, res int) int {
	if r.dialect.refHidesSiblings() && v.Get("$ref").IsString() {
		return res
	}
	name := "$id"
	if r.dialect == Draft04 {
		name = "id"
	}
	if text, ok := v.Get(name).Text(); ok {
		address, fragment, _ := strings.Cut(text, "#")
		if address != "" {
			if u, err := r.resources[res].base.Parse(address); err == nil {
				if other, taken := r.byURL[u.String()]; taken && r.resources[other].node != id {
					r.problem(id, name, "duplicate_identifier", "two schemas are identified by "+quoted(text), "an identifier of its own")
				} else {
					if id == 0 {
						r.resources[0].base = u
					} else {
						r.resources = append(r.resources, resource{node: id, base: u})
						res = len(r.resources) - 1
					}
					r.byURL[u.String()] = res
				}
			}
		}
		if fragment != "" && r.dialect.refHidesSiblings() {
			r.anchor(res, id, name, fragment)
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if text, ok := v.Get(keyword).Text(); ok && r.dialect.form(keyword) != anything {
			r.anchor(res, id, keyword, text)
		}
	}
	return res
}

func (r *resolver) anchor(res, id int, keyword, name string) {
	if r.resources[res].anchors == nil {
		r.resources[res].anchors = map[string]int{}
	}
	if other, taken := r.resources[res].anchors[name]; taken && other != id {
		r.problem(id, keyword, "duplicate_identifier", "two schemas have the anchor "+quoted(name), "an anchor of its own")
		return
	}
	r.resources[res].anchors[name] = id
}

// follow resolves the references of one node.
func (r *resolver) follow(id int) {
	v := r.nodes[id].value
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		text, ok := v.Get(keyword).Text()
		if !ok || keyword != "$ref" && r.dialect.form(keyword) == anything || keyword == "$recursiveRef" && r.dialect != Draft201909 {
			continue
		}
		if keyword != "$ref" {
			r.report.untraced = true // the dynamic scope decides
		}
		target, known := r.target(id, text)
		switch {
		case !known:
			r.report.untraced = true
			if len(r.report.External) < MaxProblems {
				r.report.External = append(r.report.External, Problem{r.pointer(id, keyword), "external_reference", keyword + " is " + quoted(shortened(text)), "a schema within the document"})
			}
		case target < 0:
			r.problem(id, keyword, "unresolvable_reference", keyword+" is "+quoted(shortened(text))+", where no schema stands", "the place of a schema")
		case keyword == "$ref":
			r.nodes[id].refersTo = target
		}
	}
}

func shortened(text string) string {
	if len(text) <= 120 {
		return text
	}
	return strings.ToValidUTF8(text[:120], "") + "…"
}

// target returns the node that a reference leads to, -1 when it leads nowhere; known is false when it leads out of the document.
func (r *resolver) target(from int, ref string) (id int, known bool) {
	res := r.nodes[from].resource
	address, fragment, _ := strings.Cut(ref, "#")
	if address != "" {
		u, err := r.resources[res].base.Parse(address)
		if err != nil {
			return 0, false
		}
		other, ok := r.byURL[u.String()]
		if !ok {
			return 0, false
		}
		res = other
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	start := r.resources[res].node
	switch {
	case fragment == "":
		return start, true
	case fragment[0] == '/':
		return r.at(start, jsondoc.Pointer(fragment).Names()), true
	}
	if id, ok := r.resources[res].anchors[fragment]; ok {
		return id, true
	}
	return -1, true
}

// at follows a JSON Pointer from a node.
func (r *resolver) at(start int, names []string) int {
	id := start
	for i := 0; i < len(names); {
		if next, ok := r.children[childKey{id, names[i], ""}]; ok {
			id, i = next, i+1
			continue
		}
		if i+1 < len(names) {
			if next, ok := r.children[childKey{id, names[i], names[i+1]}]; ok {
				id, i = next, i+2
				continue
			}
		}
		return r.stray(id, names[i:])
	}
	return id
}

// stray follows the rest of a pointer that leaves the schema positions. What it finds there is a schema too, since it is used as one.
func (r *resolver) stray(from int, names []string) int {
	key := strayKey{from, strings.Join(names, "\x00")}
	if id, ok := r.strays[key]; ok {
		return id
	}
	v := r.nodes[from].value
	for _, name := range names {
		if v.IsArray() {
			i, err := strconv.Atoi(name)
			if err != nil || strconv.Itoa(i) != name {
				i = -1
			}
			v = v.At(i)
			continue
		}
		v = v.Get(name)
	}
	r.strayed += len(v.Raw())
	if len(r.strays) >= maxStrays || r.strayed > maxStrayedSize {
		r.report.Unjudged = "too much of the schema is referred to at places where no keyword puts a schema"
		return -1
	}
	if !v.Exists() {
		r.strays[key] = -1
		return -1
	}
	path := append(r.tokens(from), names...)
	c := checker{dialect: r.dialect, path: path}
	c.schema(v)
	if c.report.Unjudged != "" {
		r.report.Unjudged = c.report.Unjudged
	}
	for _, p := range c.report.Problems {
		r.report.add(p)
	}
	r.report.schemas += c.report.schemas
	r.report.untraced = true
	id := -1
	if len(c.report.Problems) == 0 && c.report.Unjudged == "" {
		id = r.add(node{value: v, parent: -1, path: path, resource: r.nodes[from].resource})
	}
	r.strays[key] = id
	return id
}

// tokens returns the path of a node from the root of the document.
func (r *resolver) tokens(id int) []string {
	var backwards []string
	for ; r.nodes[id].parent >= 0; id = r.nodes[id].parent {
		n := r.nodes[id]
		if n.several {
			backwards = append(backwards, n.name)
		}
		backwards = append(backwards, n.keyword)
	}
	path := slices.Clone(r.nodes[id].path)
	for _, name := range slices.Backward(backwards) {
		path = append(path, name)
	}
	return path
}

func (r *resolver) pointer(id int, keyword string) jsondoc.Pointer {
	at, _ := pointerTo(append(r.tokens(id), keyword))
	return at
}

func (r *resolver) problem(id int, keyword, reason, seen, want string) {
	if len(r.report.Problems) < MaxProblems {
		r.report.add(Problem{r.pointer(id, keyword), reason, seen, want})
	}
}

func (r *Report) add(p Problem) {
	if len(r.Problems) < MaxProblems {
		r.Problems = append(r.Problems, p)
	}
}

// edges returns the nodes that judge the same value as a node does, in document order.
func (r *resolver) edges(id int) []int {
	n := r.nodes[id]
	if n.refersTo >= 0 && r.dialect.refHidesSiblings() {
		return []int{n.refersTo}
	}
	var out []int
	for _, m := range n.value.Members() {
		switch {
		case m.Name == "$ref" && n.refersTo >= 0:
			out = append(out, n.refersTo)
		case !inPlace[m.Name] || !r.dialect.form(m.Name).holdsSchemas():
		case m.Value.IsArray():
			for i := range m.Value.Elements() {
				out = r.appendChild(out, id, m.Name, strconv.Itoa(i))
			}
		case r.dialect.form(m.Name) == schemaMap || r.dialect.form(m.Name) == dependencyMap:
			for _, e := range m.Value.Members() {
				out = r.appendChild(out, id, m.Name, e.Name)
			}
		default:
			out = r.appendChild(out, id, m.Name, "")
		}
	}
	return out
}

func (r *resolver) appendChild(out []int, id int, keyword, name string) []int {
	if child, ok := r.children[childKey{id, keyword, name}]; ok {
		return append(out, child)
	}
	return out
}

// loops finds references that come back to a schema which is still being applied to the same value: whoever follows them never ends, and
// they say nothing (JSON Schema 2020-12 Core, 9.4.1).
//
// When there are none, it returns true and leaves order, in which schemas come after all that they are applied with.
func (r *resolver) loops() bool {
	const (
		unseen = iota
		open
		done
	)
	found := false
	state := make([]uint8, len(r.nodes))
	type frame struct {
		id    int
		edges []int
	}
	for start := range r.nodes {
		if state[start] != unseen {
			continue
		}
		stack := []frame{{start, r.edges(start)}}
		state[start] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.edges) == 0 {
				state[top.id] = done
				r.order = append(r.order, top.id)
				stack = stack[:len(stack)-1]
				continue
			}
			next := top.edges[0]
			top.edges = top.edges[1:]
			switch state[next] {
			case open:
				found = true
				ref := r.nodes[top.id].value.Get("$ref").TextOr("")
				r.problem(top.id, "$ref", "reference_loop", "$ref is "+quoted(shortened(ref))+" and comes back to itself", "a reference that ends at a schema with keywords of its own")
			case unseen:
				state[next] = open
				stack = append(stack, frame{next, r.edges(next)})
			}
		}
	}
	return !found
}

// measure finds how much work a value can cost.
func (r *resolver) measure() {
	const limit = 1 << 20
	cost := make([]int, len(r.nodes))
	for _, id := range r.order {
		total := 1
		for _, next := range r.edges(id) {
			total = min(total+cost[next], limit)
		}
		cost[id] = total
		r.report.fanout = max(r.report.fanout, total)
		r.report.applied = max(r.report.applied, 5+r.nodes[id].value.Get("patternProperties").Len())
	}
}
