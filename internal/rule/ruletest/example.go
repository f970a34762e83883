// Package ruletest runs the worked examples of rules. An example describes an observation in a short JSON form:
//
//   - an array is the complete catalog of the rule's group on revision 2025-11-25 (2026-07-28 for rules that begin there);
//   - an object names only what matters: negotiated (default 2025-11-25, null for none), session (defaults to negotiated for
//     revisions with a handshake), offered, refused, capabilities (default {"tools":{}}), discovered (result of server/discover), attempted
//     (list of catalog names, default: the catalogs given), incomplete, listing_errors ({name: {outcome, page_index, error_code,
//     class, text}}), catalog_versions ({name: revision}, marks a recovered catalog), server_info, instructions, transport, url, command,
//     partial, tls_verified, tls_version, tls_private_root, proxied, tools, resources, resource_templates, prompts, skills, notes ({kind, step, pointer, detail}), first_byte_us, processes (see process),
//     repeat ({catalog: n}, its items stand n times), and
//     probes ({id: {outcome, reason, class, status, code, message, result, details}}). Details become facts; http_status, error_code and
//     error_message in details also set the probe's own members;
//   - an object with the member package describes an audit of a package, see package.go;
//   - exchanges ({step: what came back}, see exchanges.go) are decoded into probes as those of a recording are.
//
// Unless a case is marked bare, a tool without inputSchema gets {"type":"object"} and any item without a name is called t.
package ruletest

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var known = map[string]bool{}

func init() {
	for _, k := range strings.Fields(`negotiated session offered refused capabilities discovered attempted incomplete listing_errors catalog_versions
		server_info instructions transport url command partial tls_verified tls_version tools resources resource_templates prompts skills
		notes processes repeat probes exchanges era requests elapsed_us first_byte_us proxied tls_private_root`) {
		known[k] = true
	}
}

var methods = map[string]string{"tools": "tools/list", "resources": "resources/list", "resource_templates": "resources/templates/list", "prompts": "prompts/list"}

// Observation builds the observation that an example describes.
func Observation(r rule.Rule, c rule.Case) (*observe.Observation, error) {
	in, _, err := jsondoc.Parse([]byte(c.Input))
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if in.Get("package").Exists() {
		return packageObservation(in)
	}
	if in.IsArray() {
		revision := spec.LatestStateful
		if r.Since == spec.Rev20260728 {
			revision = spec.Rev20260728
		}
		name := string(r.Group)
		if methods[name] == "" {
			return nil, fmt.Errorf("an array input needs a group with a catalog, not %q", name)
		}
		capability := name
		if name == "resource_templates" {
			capability = "resources"
		}
		in = jsondoc.MustParse(fmt.Sprintf(`{"negotiated":%q,"capabilities":{%q:{}},%q:%s}`, revision, capability, name, in.Raw()))
	}
	for _, m := range in.Members() {
		if !known[m.Name] {
			return nil, fmt.Errorf("input: unknown member %q", m.Name)
		}
	}
	o := &observe.Observation{Kind: observe.Full, Transport: recording.Stdio, Probes: map[string]observe.Probe{}}
	o.Target.Display = "example"
	partial := in.Get("partial").True()
	if partial {
		o.Kind, o.Transport = observe.Partial, ""
	}
	if t, ok := in.Get("transport").Text(); ok {
		o.Transport = recording.Transport(t)
	}
	if u, ok := in.Get("url").Text(); ok {
		setURL(o, u, in, partial)
	} else if partial {
		setURL(o, "https://example.com/mcp", in, partial)
	}
	if !partial {
		o.Negotiated = spec.LatestStateful
		if n := in.Get("negotiated"); n.Exists() {
			o.Negotiated = spec.Revision(n.TextOr(""))
		}
		if s := in.Get("session"); s.Exists() {
			o.Session = spec.Revision(s.TextOr(""))
		} else if o.Negotiated.Stateful() {
			o.Session = o.Negotiated
		}
		if o.Session == "" {
			o.Kind = observe.ModernOnly
		}
		o.Offered = spec.Revision(in.Get("offered").TextOr(string(o.Session)))
		o.Refused = spec.Revision(in.Get("refused").TextOr(""))
		o.Capabilities = field(jsondoc.MustParse(`{"tools":{}}`), "/result/capabilities")
		if v := in.Get("capabilities"); v.Exists() {
			o.Capabilities = field(v, "/result/capabilities")
		}
		o.ServerInfo = field(in.Get("server_info"), "/result/serverInfo")
		o.Instructions = field(in.Get("instructions"), "/result/instructions")
	}
	o.Discovered = field(in.Get("discovered"), "/result")
	o.Discovered.Step = "probe/discover"
	if err := catalogs(o, in, c.Bare); err != nil {
		return nil, err
	}
	for _, m := range in.Get("probes").Members() {
		o.Probes[m.Name] = probe(m.Name, m.Value)
	}
	if err := exchanges(o, in); err != nil {
		return nil, err
	}
	if err := extras(o, in); err != nil {
		return nil, err
	}
	setEra(o, in)
	return o, nil
}

func field(v jsondoc.Value, at jsondoc.Pointer) observe.Field {
	if v.Missing() {
		v = jsondoc.Value{}
	}
	return observe.Field{Value: v, Step: "session/initialize", Pointer: at}
}

func setURL(o *observe.Observation, raw string, in jsondoc.Value, partial bool) {
	o.Target.URL, o.Target.Display = raw, raw
	o.Target.CredentialParams = recording.CredentialParams(raw)
	if o.Transport == recording.Stdio && !in.Get("transport").Exists() {
		o.Transport = recording.StreamableHTTP
	}
	u, err := url.Parse(raw)
	if err != nil {
		return
	}
	o.TLS.HTTPS = strings.EqualFold(u.Scheme, "https")
	addr, err := netip.ParseAddr(u.Hostname())
	o.TLS.Loopback = u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || err == nil && addr.IsLoopback()
	if b, ok := in.Get("tls_verified").Bool(); ok {
		o.TLS.Verified = &b
	} else if partial && o.TLS.HTTPS {
		yes := true
		o.TLS.Verified = &yes
	}
	o.TLS.Version = in.Get("tls_version").TextOr("")
	o.TLS.Proxied = in.Get("proxied").True()
	o.TLS.PrivateRoot = in.Get("tls_private_root").True()
}

func catalogs(o *observe.Observation, in jsondoc.Value, bare bool) error {
	has := func(list, name string) bool {
		for _, e := range in.Get(list).Elements() {
			if e.Value.TextOr("") == name {
				return true
			}
		}
		return false
	}
	for i, name := range []string{"tools", "resources", "resource_templates", "prompts"} {
		c := o.Catalogs()[i]
		items := in.Get(name)
		*c = observe.Catalog{Name: name, Method: methods[name], Revision: o.Negotiated}
		c.Served = items.IsArray()
		c.Attempted = c.Served
		if in.Get("attempted").IsArray() {
			c.Attempted = has("attempted", name)
		}
		step := "session/" + methods[name] + "/1"
		if c.Served {
			c.PageSteps = []string{step}
		}
		c.Complete = c.Served && !has("incomplete", name)
		if v, ok := in.Path("catalog_versions", name).Text(); ok {
			c.Recovered, c.Revision = true, spec.Revision(v)
			step = "stateless/" + methods[name] + "/1"
		}
		list := items.Elements()
		if copies, ok := in.Path("repeat", name).Int(); ok && len(list) > 0 {
			list = slices.Repeat(list, int(min(max(copies, 0), 1000)))
		}
		for n, el := range list {
			v := el.Value
			if !bare {
				v = filled(name, v)
			}
			key := name
			if name == "resource_templates" {
				key = "resourceTemplates"
			}
			c.Items = append(c.Items, observe.Item{Index: n, Value: v, Step: step, Pointer: jsondoc.Pointer("/result").Child(key).Index(n)})
		}
		if e := in.Path("listing_errors", name); e.Exists() {
			page, _ := e.Get("page_index").Int()
			c.Error = &observe.ListingError{
				Outcome: e.Get("outcome").TextOr(""), PageIndex: int(page), Class: recording.Class(e.Get("class").TextOr("")),
				Text: e.Get("text").TextOr(""), Step: step,
			}
			if code, ok := e.Get("error_code").Int(); ok {
				c.Error.Code = &code
			}
			if !c.Recovered {
				c.Complete = false
			}
		}
	}
	return nil
}

func filled(catalog string, v jsondoc.Value) jsondoc.Value {
	if !v.IsObject() {
		return v
	}
	add := ""
	if catalog == "tools" && !v.Get("inputSchema").Exists() {
		add += `,"inputSchema":{"type":"object"}`
	}
	if !v.Get("name").Exists() {
		add += `,"name":"t"`
	}
	if add == "" {
		return v
	}
	raw := strings.TrimSuffix(strings.TrimSpace(string(v.Raw())), "}")
	if v.Len() == 0 {
		add = add[1:]
	}
	return jsondoc.MustParse(raw + add + "}")
}

func probe(id string, v jsondoc.Value) observe.Probe {
	p := observe.Probe{
		ID: id, Outcome: observe.Outcome(v.Get("outcome").TextOr("")), Reason: v.Get("reason").TextOr(""),
		Class: recording.Class(v.Get("class").TextOr("")), Step: v.Get("step").TextOr("probe/" + strings.ReplaceAll(strings.TrimPrefix(id, "probe_"), "_", "-")),
		Message: v.Get("message").TextOr(""), Result: v.Get("result"), Facts: map[string]any{},
	}
	if payload := v.Get("payload"); payload.Exists() {
		p.Result = payload
	}
	details := v.Get("details")
	for _, m := range details.Members() {
		p.Facts[m.Name] = observe.Plain(m.Value)
	}
	status := v.Get("status")
	if !status.Exists() {
		status = details.Get("http_status")
	}
	if n, ok := status.Int(); ok {
		p.Status = int(n)
	}
	code := v.Get("code")
	if !code.Exists() {
		code = details.Get("error_code")
	}
	if n, ok := code.Int(); ok {
		p.Code = &n
	}
	if s, ok := details.Get("error_message").Text(); ok {
		p.Message = s
	}
	return p
}

func extras(o *observe.Observation, in jsondoc.Value) error {
	for _, el := range in.Get("notes").Elements() {
		o.Notes = append(o.Notes, observe.Note{Kind: el.Value.Get("kind").TextOr(""), Step: el.Value.Get("step").TextOr(""), Pointer: el.Value.Get("pointer").TextOr(""), Detail: el.Value.Get("detail").TextOr("")})
	}
	if n, ok := in.Get("first_byte_us").Int(); ok {
		o.FirstByte = time.Duration(n) * time.Microsecond
	}
	for _, el := range in.Get("processes").Elements() {
		o.Processes = append(o.Processes, process(el.Value))
	}
	if v := in.Get("skills"); !v.Missing() {
		return skills(o, v)
	}
	return nil
}

// process reads {connection, first_byte_us, bom, crlf, noise: [{line, text, kind}], noise_total}; the total defaults to the number given.
func process(v jsondoc.Value) recording.Process {
	p := recording.Process{Connection: v.Get("connection").TextOr("session"), BOM: v.Get("bom").True(), CRLF: v.Get("crlf").True()}
	if n, ok := v.Get("first_byte_us").Int(); ok {
		p.FirstByte = recording.Duration(n)
	}
	for _, el := range v.Get("noise").Elements() {
		line, _ := el.Value.Get("line").Int()
		p.Noise = append(p.Noise, recording.Noise{Line: int(line), Bytes: *recording.NewBody([]byte(el.Value.Get("text").TextOr(""))), Kind: el.Value.Get("kind").TextOr("text")})
	}
	p.NoiseTotal = len(p.Noise)
	if n, ok := v.Get("noise_total").Int(); ok {
		p.NoiseTotal = int(n)
	}
	return p
}

func setEra(o *observe.Observation, in jsondoc.Value) {
	if e, ok := in.Get("era").Text(); ok {
		o.Era = observe.Era(e)
		return
	}
	o.Era = observe.EraOf(o)
}
