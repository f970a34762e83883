package ruletest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// exchanges builds a recording from the member of this name, step -> what came back, and decodes its probes. An exchange names only what
// matters: status (default 200 over HTTP), content_type (default application/json), headers, body (text as received, or JSON), result or
// error (the JSON-RPC message around them is added; an error may be its code alone), failure (class), rpc (method asked), sent (the
// request's params._meta), url (asked), and id. Steps "tcp/…" are attempts to connect. Over stdio (transport "stdio") there is no response, only the message. The URL is a made-up one
// unless the example gives it.
func exchanges(o *observe.Observation, in jsondoc.Value) error {
	list := in.Get("exchanges")
	if !list.Exists() {
		return nil
	}
	stdio := in.Get("transport").TextOr("") == string(recording.Stdio)
	if !stdio && o.Target.URL == "" {
		setURL(o, "https://example.com/mcp", in, false)
	}
	rec := &recording.Recording{Format: recording.Format, Version: recording.Version, Target: o.Target, Transport: o.Transport}
	for _, m := range list.Members() {
		e, err := exchange(m.Name, m.Value, stdio)
		if err != nil {
			return fmt.Errorf("input: exchange %s: %w", m.Name, err)
		}
		rec.Exchanges = append(rec.Exchanges, e)
	}
	rec.Sort()
	if e := rec.Find("probe/discover"); e != nil && !in.Get("discovered").Exists() {
		msg, _, _ := e.Message()
		if result := msg.Get("result"); result.Get("supportedVersions").IsArray() {
			o.Discovered = observe.Field{Value: result, Step: e.Step, Pointer: "/result"}
			if o.Session == "" {
				o.Capabilities = observe.Field{Value: result.Get("capabilities"), Step: e.Step, Pointer: "/result/capabilities"}
			}
		}
	}
	observe.DecodeProbes(rec, o)
	return nil
}

func exchange(step string, v jsondoc.Value, stdio bool) (recording.Exchange, error) {
	e := recording.Exchange{Step: step, Via: "http", Connection: "probe"}
	for _, m := range v.Members() {
		switch m.Name {
		case "status", "content_type", "headers", "body", "result", "error", "failure", "rpc", "sent", "url", "id":
		default:
			return e, fmt.Errorf("unknown member %q", m.Name)
		}
	}
	id := "1"
	if given := v.Get("id"); given.Exists() {
		id = string(given.Raw())
	}
	e.Request = &recording.Request{Method: "POST", RPC: v.Get("rpc").TextOr(""), URL: v.Get("url").TextOr(""), ID: "1"}
	if sent := v.Get("sent"); sent.Exists() {
		e.Request.Body = recording.NewBody([]byte(`{"jsonrpc":"2.0","id":1,"params":{"_meta":` + string(sent.Raw()) + `}}`))
	}
	if class, ok := v.Get("failure").Text(); ok {
		e.Failure = &recording.Failure{Class: recording.Class(class), Detail: class}
	}
	var body *recording.Body
	switch {
	case v.Get("result").Exists():
		body = recording.NewBody([]byte(`{"jsonrpc":"2.0","id":` + id + `,"result":` + string(v.Get("result").Raw()) + `}`))
	case v.Get("error").Exists():
		text := string(v.Get("error").Raw())
		if code, ok := v.Get("error").Int(); ok {
			text = `{"code":` + strconv.FormatInt(code, 10) + `,"message":"refused"}`
		}
		body = recording.NewBody([]byte(`{"jsonrpc":"2.0","id":` + id + `,"error":` + text + `}`))
	case v.Get("body").IsString():
		body = recording.NewBody([]byte(v.Get("body").TextOr("")))
	case v.Get("body").Exists():
		body = recording.NewBody(v.Get("body").Raw())
	}
	if stdio {
		e.Via, e.Answer = "stdio", body
		return e, nil
	}
	if strings.HasPrefix(step, "tcp/") {
		e.Via = "tcp"
		return e, nil
	}
	status, hasStatus := v.Get("status").Int()
	if !hasStatus {
		if e.Failure != nil {
			return e, nil
		}
		status = 200
	}
	e.Response = &recording.Response{Status: int(status), Body: body}
	if t, ok := v.Get("content_type").Text(); ok {
		e.Response.Headers = append(e.Response.Headers, recording.Header{Name: "Content-Type", Value: t})
	} else if body != nil && !v.Get("content_type").Exists() {
		e.Response.Headers = append(e.Response.Headers, recording.Header{Name: "Content-Type", Value: "application/json"})
	}
	for _, m := range v.Get("headers").Members() {
		e.Response.Headers = append(e.Response.Headers, recording.Header{Name: m.Name, Value: m.Value.TextOr("")})
	}
	return e, nil
}
