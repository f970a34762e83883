// Package reporttest builds sample reports for tests of what reads reports. The recordings are made up and the rules are stand-ins with
// the published ids, so that no change of a real rule's wording moves the expected outputs.
package reporttest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var engine = recording.Engine{Name: "hallmark", Version: "0.1.0"}

// Sample is what a report is built from.
type Sample struct {
	Name      string
	Recording *recording.Recording
	Observed  *observe.Observation
	Verdicts  []rule.Verdict
	Policy    *policy.Policy
}

// Report builds the sample's report.
func (s Sample) Report() *report.Report {
	return report.Build(s.Recording, s.Observed, s.Verdicts, s.Policy)
}

// Samples returns every sample: one of each kind of audit.
func Samples() []Sample {
	return []Sample{Legacy(), DualEra(), Partial(), Failed(), Hostile(), Perfect()}
}

// outcome says how a stand-in rule ends.
type outcome struct {
	find    func(*observe.Observation) []rule.Finding // nil for a pass
	skip    *rule.Skip
	details map[string]any
}

// verdicts gives every rule of the roster its outcome; a rule without one is skipped as not applicable. Package rules have none.
func verdicts(p *policy.Policy, o *observe.Observation, outcomes map[string]outcome) []rule.Verdict {
	var rules []rule.Rule
	for _, c := range p.Categories {
		for n, e := range c.Rules {
			if e.Group != rule.Packaging {
				rules = append(rules, StandIn(e.ID, e.Group, e.Severity, n))
			}
		}
	}
	for id := range outcomes {
		if _, ok := p.Place(id); !ok {
			rules = append(rules, StandIn(id, rule.Experimental, rule.Medium, 0))
		}
	}
	slices.SortFunc(rules, func(a, b rule.Rule) int { return strings.Compare(a.ID, b.ID) })
	rule.Sort(rules)
	list := make([]rule.Verdict, len(rules))
	for i := range rules {
		v := rule.Verdict{Rule: &rules[i], Result: rule.Pass}
		out, ok := outcomes[rules[i].ID]
		switch {
		case !ok:
			v.Result, v.Skip = rule.Skipped, rule.SkipFor(rule.NotApplicable, "the server has nothing that the rule is about")
		case out.skip != nil:
			v.Result, v.Skip = rule.Skipped, out.skip
		case out.find != nil:
			v.Result, v.Findings, v.Details = rule.Fail, out.find(o), out.details
		default:
			v.Details = out.details
		}
		list[i] = v
	}
	return list
}

// StandIn is a rule that only has what a report shows of it.
func StandIn(id string, group rule.Group, severity rule.Severity, order int) rule.Rule {
	r := rule.Rule{
		ID: id, Title: title(id), Group: group, Severity: severity, Order: order,
		Basis: []spec.Citation{spec.MCP(spec.Rev20251125, section(group))},
		Why:   "Clients rely on it.",
		Fix:   fix(id),
	}
	if group == rule.Readiness {
		r.Basis = []spec.Citation{spec.MCP(spec.Rev20260728, "Basic › Lifecycle").WithSEP(2575)}
	}
	if group == rule.Security {
		r.OWASP = []string{"MCP07:2025"}
	}
	return r
}

func title(id string) string {
	text := strings.ReplaceAll(id, "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func section(group rule.Group) string {
	switch group {
	case rule.Tools:
		return "Server › Tools › Data Types"
	case rule.Pagination:
		return "Server › Utilities › Pagination › Error Handling"
	case rule.Security, rule.Transport:
		return "Basic › Transports › Security Warning"
	}
	return "Basic › Lifecycle › Initialization"
}

func fix(id string) string {
	switch {
	case strings.HasSuffix(id, "_invalid_cursor"):
		return "Answer a cursor that was never issued with error -32602: " + strings.Split(id, "_")[1] + "."
	case id == "security_origin_validation":
		return "Refuse requests with a foreign Origin header with status 403."
	case strings.HasPrefix(id, "server_"):
		return "Fill in " + strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(id, "server_"), "_present"), "_", " ") + " in serverInfo."
	}
	return "Make it so that " + strings.ReplaceAll(id, "_", " ") + "."
}

var moment = time.Date(2026, 11, 30, 17, 46, 5, 123456000, time.UTC)

// base is a recording of these exchanges.
func base(target recording.Target, transport recording.Transport, exchanges ...recording.Exchange) *recording.Recording {
	rec := &recording.Recording{
		Format: recording.Format, Version: recording.Version, Engine: engine, AsOf: moment,
		Target: target, Transport: transport, Exchanges: exchanges, Elapsed: 1_234_567, Requests: len(exchanges) + 9,
	}
	for _, e := range exchanges {
		if method, page, ok := strings.Cut(strings.TrimPrefix(e.Step, "session/"), "list/"); ok && page == "1" {
			rec.Listings = append(rec.Listings, recording.Listing{Lifecycle: "session", Method: method + "list", Pages: 1, Complete: true})
		}
	}
	rec.Sort()
	return rec
}

// HTTP is an exchange over Streamable HTTP in a session, as the recorder writes one.
func HTTP(step, url, rpc, id, request string, status int, answer string, extra ...recording.Header) recording.Exchange {
	headers := append([]recording.Header{
		{Name: "Accept", Value: "application/json, text/event-stream"}, {Name: "Accept-Encoding", Value: "identity"},
		{Name: "Content-Type", Value: "application/json"}, {Name: "User-Agent", Value: "hallmark/0.1.0"},
	}, extra...)
	e := recording.Exchange{
		Step: step, Via: "http", Connection: strings.SplitN(step, "/", 2)[0], Duration: 20_000, First: 15_000,
		Request:  &recording.Request{Method: "POST", URL: url, Headers: headers, Body: recording.NewBody([]byte(request)), RPC: rpc, ID: id},
		Response: &recording.Response{Status: status, Proto: "HTTP/1.1", Headers: []recording.Header{{Name: "Content-Type", Value: "application/json"}}},
	}
	if answer != "" {
		e.Response.Body = recording.NewBody([]byte(answer))
	}
	return e
}

// Stdio is an exchange over stdio.
func Stdio(step, connection, rpc, id, request, answer string) recording.Exchange {
	e := recording.Exchange{
		Step: step, Via: "stdio", Connection: connection, Duration: 3_000, First: 2_900,
		Request: &recording.Request{Body: recording.NewBody([]byte(request)), RPC: rpc, ID: id},
	}
	if answer != "" {
		e.Answer = recording.NewBody([]byte(answer))
	}
	return e
}

const (
	initializeBody  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hallmark","version":"0.1.0"}}}`
	initializedBody = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

var session = recording.Header{Name: "Mcp-Session-Id", Value: recording.Redacted}

// Legacy is the audit that the methodology publishes: a server of revision 2025-11-25 with three tools and nothing else, judged under
// its roster.
func Legacy() Sample {
	const url = "https://weather.example/mcp"
	rec := base(recording.Target{Display: url, URL: url, Authenticated: true, HeaderNames: []string{"Authorization"}}, recording.StreamableHTTP,
		HTTP("session/initialize", url, "initialize", "1", initializeBody, 200,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"weather","version":"1.2.0"},"instructions":"Ask for a city."}}`, auth),
		HTTP("session/initialized", url, "notifications/initialized", "", initializedBody, 202, "", auth, session),
		HTTP("session/tools/list/1", url, "tools/list", "2", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, 200,
			`{"jsonrpc":"2.0","id":2,"result":{"tools":[`+
				`{"name":"forecast","description":"Forecast for a city","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"Name of the city"}}}},`+
				`{"name":"alerts","description":"Weather alerts of a region","inputSchema":{"type":"object"}},`+
				`{"name":"stations","description":"Weather stations near a place","inputSchema":{"type":"object"}}]}}`, auth, session),
		HTTP("session/tools/list/invalid-cursor", url, "tools/list", "10", `{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":"never-issued"}}`, 200,
			`{"jsonrpc":"2.0","id":10,"result":{"tools":[]}}`, auth, session),
		HTTP("probe/foreign-origin", url, "initialize", "20", initializeBody, 200, `{"jsonrpc":"2.0","id":20,"result":{"protocolVersion":"2025-11-25"}}`,
			recording.Header{Name: "Origin", Value: "https://foreign.example"}),
	)
	o := observe.Decode(rec)
	tools := func(field, reason, seen, want string) func(*observe.Observation) []rule.Finding {
		return func(o *observe.Observation) (found []rule.Finding) {
			for _, item := range o.Tools.Items {
				found = append(found, rule.AtItem("tool", item, jsondoc.Pointer("/"+field), reason, seen, want))
			}
			return found
		}
	}
	server := func(field string) func(*observe.Observation) []rule.Finding {
		return func(o *observe.Observation) []rule.Finding {
			return []rule.Finding{rule.AtField(o.ServerInfo, jsondoc.Pointer("/serverInfo/"+field), jsondoc.Pointer("/"+field), "missing_"+field, "serverInfo has no "+field, "a "+field)}
		}
	}
	cursor := outcome{find: func(*observe.Observation) []rule.Finding {
		return []rule.Finding{rule.AtProbe(observe.Probe{ID: observe.ProbeToolsCursor, Step: "session/tools/list/invalid-cursor"}, "accepted",
			"a cursor that was never issued was answered with a page", "error -32602")}
	}, details: map[string]any{"expected": map[string]any{"error_code": -32602}}}
	outcomes := map[string]outcome{
		"protocol_version_latest": {find: func(o *observe.Observation) []rule.Finding {
			return []rule.Finding{{Entity: "server", Index: -1, Path: "/protocolVersion", Step: "session/initialize", Pointer: "/result/protocolVersion",
				Reason: "not_latest", Seen: "the session settled on 2025-11-25", Want: "2026-07-28"}}
		}},
		"server_title_present": {find: server("title")}, "server_websiteurl_present": {find: server("websiteUrl")}, "server_icons_present": {find: server("icons")},
		"tools_annotations_present":       {find: tools("annotations", "missing_annotations", "no annotations", "an annotations object")},
		"tools_title_present_in_all":      {find: tools("title", "missing_title", "no title", "a title")},
		"pagination_tools_invalid_cursor": cursor, "pagination_resources_invalid_cursor": cursor,
		"pagination_resource_templates_invalid_cursor": cursor, "pagination_prompts_invalid_cursor": cursor,
		"security_origin_validation": {find: func(*observe.Observation) []rule.Finding {
			return []rule.Finding{rule.AtProbe(observe.Probe{ID: observe.ProbeOriginValidation, Step: "probe/foreign-origin"}, "accepted",
				"a request from https://foreign.example was answered with status 200", "status 403")}
		}},
		"readiness_2026_server_discover": {find: func(*observe.Observation) []rule.Finding {
			return []rule.Finding{response("no answer to server/discover")}
		}},
		"readiness_2026_stateless_request": {find: func(*observe.Observation) []rule.Finding {
			return []rule.Finding{response("a list request without a session was refused")}
		}},
		"security_error_data_leak": {skip: rule.SkipFor(rule.Insufficient, "no error was seen")},
	}
	pass(outcomes, `capability_prompts_present capability_resources_present capability_tools_present capability_prompts_list_changed
		capability_resources_list_changed capability_tools_list_changed protocol_version_allowed protocol_version_not_deprecated server_name_present
		server_version_present server_instructions_present transport_streamable_http tools_at_least_one tools_name_present_in_all tools_names_unique
		tools_names_valid_format tools_description_present_in_all tools_input_schema_valid tools_input_properties_documented tools_output_schema_valid
		tools_output_schema_root_object tools_execution_consistent tools_icons_valid security_tls_enabled security_malformed_request_handling
		catalog_hidden_unicode catalog_no_embedded_secrets catalog_prompt_injection_phrasing readiness_2026_deprecated_features
		readiness_2026_tool_schema_dialect`)
	p := roster("roster_102")
	return Sample{"legacy", rec, o, verdicts(p, o, outcomes), p}
}

var auth = recording.Header{Name: "Authorization", Value: recording.Redacted}

// DualEra is an audit over stdio of a server that speaks both lifecycles, with readiness in the score and an experimental finding.
func DualEra() Sample {
	command := []string{"npx", "-y", "@example/notes-server", "--root", "my notes", "--key", recording.Redacted}
	rec := base(recording.Target{Display: "npx -y @example/notes-server --root 'my notes' --key [redacted]", Command: command, EnvNames: []string{"NOTES_TOKEN"}}, recording.Stdio,
		Stdio("session/initialize", "session", "initialize", "1", initializeBody,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{},"tools":{}},"serverInfo":{"name":"notes","version":"4.0.1","title":"Notes"}}}`),
		Stdio("session/initialized", "session", "notifications/initialized", "", initializedBody, ""),
		Stdio("session/tools/list/1", "session", "tools/list", "2", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"note","description":"Take a note","inputSchema":{"type":"object"}}]}}`),
		Stdio("probe/discover", "probe", "server/discover", "30", `{"jsonrpc":"2.0","id":30,"method":"server/discover","params":{"_meta":{}}}`,
			`{"jsonrpc":"2.0","id":30,"result":{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}}}}`),
	)
	rec.Processes = []recording.Process{{Connection: "session", FirstByte: 812_000, Stopped: "stdin-closed"}}
	o := observe.Decode(rec)
	o.Era = observe.DualEra
	outcomes := map[string]outcome{
		"tools_annotations_destructive_declared": {find: func(o *observe.Observation) []rule.Finding {
			return []rule.Finding{rule.AtItem("tool", o.Tools.Items[0], "/annotations/destructiveHint", "missing_hint", "no destructiveHint", "true or false")}
		}},
		"tools_annotations_present": {find: func(o *observe.Observation) []rule.Finding {
			return []rule.Finding{rule.AtItem("tool", o.Tools.Items[0], "/annotations", "missing_annotations", "no annotations", "an annotations object")}
		}},
		"readiness_2026_result_type": {find: func(*observe.Observation) []rule.Finding {
			f := response("the result of server/discover has no resultType")
			f.Step, f.Pointer = "probe/discover", "/result/resultType"
			return []rule.Finding{f}
		}},
		"resources_uris_valid": {skip: rule.SkipFor(rule.Insufficient, "resources/list could not be read: no answer within 10s")},
		"experimental_stdout_only_messages": {find: func(*observe.Observation) []rule.Finding {
			return []rule.Finding{{Entity: "server", Index: -1, Reason: "log_line", Seen: "a line of text on standard output", Want: "messages only"}}
		}},
	}
	pass(outcomes, `capability_tools_present protocol_version_allowed protocol_version_latest server_name_present server_version_present server_title_present
		tools_name_present_in_all tools_names_unique tools_description_present_in_all tools_input_schema_valid catalog_hidden_unicode
		readiness_2026_server_discover readiness_2026_stateless_request readiness_2026_supported_versions`)
	p := roster("roster_150")
	return Sample{"dual-era", rec, o, verdicts(p, o, outcomes), p}
}

// Partial is an audit of a server that wants credentials.
func Partial() Sample {
	const url = "https://gated.example/mcp"
	rec := base(recording.Target{Display: url, URL: url}, "",
		HTTP("session/initialize", url, "initialize", "1", initializeBody, 401, `{"error":"unauthorized"}`),
		HTTP("probe/unauthenticated", url, "initialize", "40", initializeBody, 401, ""),
	)
	o := observe.Decode(rec)
	o.Kind, o.Transport = observe.Partial, ""
	outcomes := map[string]outcome{
		"auth_www_authenticate": {find: func(*observe.Observation) []rule.Finding {
			f := response("status 401 came without a challenge")
			f.ProbeID, f.Step = observe.ProbeUnauthenticated, "probe/unauthenticated"
			return []rule.Finding{f}
		}},
	}
	p := roster("roster_150")
	for _, c := range p.Categories {
		for _, e := range c.Rules {
			if _, ok := outcomes[e.ID]; !ok && (c.Name == "primitives" || c.Name == "protocol") {
				outcomes[e.ID] = outcome{skip: rule.SkipFor(rule.Insufficient, "the server could not be read: the audit is partial")}
			}
		}
	}
	pass(outcomes, "security_tls_enabled")
	return Sample{"partial", rec, o, verdicts(p, o, outcomes), p}
}

// Failed is an audit that could not run.
func Failed() Sample {
	const url = "http://127.0.0.1:9/mcp"
	rec := base(recording.Target{Display: url, URL: url}, "")
	rec.Failure = &recording.Failure{Class: recording.FailRefused, Phase: "connect", Detail: "dial 127.0.0.1:9: connection refused"}
	rec.Requests = 1
	return Sample{"failed", rec, observe.Decode(rec), nil, roster("roster_150")}
}

// Attack is what the hostile sample says wherever a server can say something.
const Attack = "x\x1b[2J\x1b]0;pwn\a \u009b31m \u202eevil\u202c\r\n::add-mask::b\n##[error]no | `y` \u200b\U000e0041 日本語"

// Secret is a made-up credential that the hostile sample publishes.
const Secret = "ghp_" + "x7Kq2mZp9Rt4Vw8Yb3Nc6Ls1Hd5Jf0GaQeUi"

// Hostile is an audit of a server that puts terminal sequences, direction marks, line breaks, workflow commands and credentials into
// everything it says.
func Hostile() Sample {
	const url = "https://hostile.example/mcp?token=[redacted]"
	quoted := strings.NewReplacer("\\", `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\x1b", `\u001b`, "\a", `\u0007`).Replace(Attack)
	rec := base(recording.Target{Display: url, URL: url, HeaderNames: []string{"X-Api-Key"}}, recording.StreamableHTTP,
		HTTP("session/initialize", url, "initialize", "1", initializeBody, 200,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25`+quoted+`","capabilities":{"tools":{}},"serverInfo":{"name":"`+quoted+`","version":"`+quoted+`"}}}`,
			recording.Header{Name: "X-Api-Key", Value: recording.Redacted}),
		HTTP("session/tools/list/1", url, "tools/list", "2", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, 200,
			`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"`+quoted+`","description":"`+quoted+` key `+Secret+`","inputSchema":{"type":"object"}}`+
				strings.Repeat(`,{"name":"`+strings.Repeat("long", 30)+`","inputSchema":{"type":"object"}}`, 40)+`]}}`,
			recording.Header{Name: "X-Api-Key", Value: recording.Redacted}),
	)
	rec.Exchanges[0].Response.Body.Bytes = append(rec.Exchanges[0].Response.Body.Bytes, '\n')
	o := observe.Decode(rec)
	outcomes := map[string]outcome{
		"tools_description_present_in_all": {find: func(o *observe.Observation) (found []rule.Finding) {
			for _, item := range o.Tools.Items {
				found = append(found, rule.AtItem("tool", item, "/description", Attack, Attack+" "+Secret, Attack))
			}
			return found
		}, details: map[string]any{Attack: []string{Attack, Secret}, "key " + Secret: 1}},
		"server_title_present": {find: func(o *observe.Observation) []rule.Finding {
			return []rule.Finding{rule.AtField(o.ServerInfo, "/serverInfo/title", "/title", "missing_title", Attack, "a title")}
		}},
		"tools_names_unique": {skip: rule.SkipFor(rule.Insufficient, "%s", Attack)},
	}
	pass(outcomes, "server_name_present")
	p := roster("roster_150")
	return Sample{"hostile", rec, o, verdicts(p, o, outcomes), p}
}

// Perfect is an audit in which nothing failed and everything was seen.
func Perfect() Sample {
	s := DualEra()
	outcomes := map[string]outcome{}
	for _, c := range s.Policy.Categories {
		for _, e := range c.Rules {
			outcomes[e.ID] = outcome{}
		}
	}
	return Sample{"perfect", s.Recording, s.Observed, verdicts(s.Policy, s.Observed, outcomes), s.Policy}
}

func response(seen string) rule.Finding {
	return rule.Finding{Entity: "response", Index: -1, Reason: "wrong_answer", Seen: seen, Want: "an answer of revision 2026-07-28"}
}

func pass(outcomes map[string]outcome, ids string) {
	for _, id := range strings.Fields(ids) {
		outcomes[id] = outcome{}
	}
}

func roster(name string) *policy.Policy {
	p, err := policy.Load(name)
	if err != nil {
		panic(fmt.Sprintf("reporttest: %v", err))
	}
	return p
}
