package observe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// answer builds an exchange over HTTP. Body is JSON unless a header says otherwise; header lines read "Name: value".
func answer(step string, status int, body string, headers ...string) recording.Exchange {
	e := recording.Exchange{Step: step, Via: "http", Request: &recording.Request{Method: "POST", ID: "10", Body: recording.NewBody([]byte("{}"))}}
	e.Response = &recording.Response{Status: status, Body: recording.NewBody([]byte(body))}
	media := "application/json"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Content-Type" {
			media = value
			continue
		}
		e.Response.Headers = append(e.Response.Headers, recording.Header{Name: name, Value: value})
	}
	e.Response.Headers = append(e.Response.Headers, recording.Header{Name: "content-type", Value: media})
	return e
}

func lost(step string, class recording.Class) recording.Exchange {
	return recording.Exchange{Step: step, Via: "http", Request: &recording.Request{ID: "10"}, Failure: &recording.Failure{Class: class}}
}

func at(e recording.Exchange, url string) recording.Exchange {
	e.Request.URL = url
	return e
}

const (
	discoverResult   = `{"jsonrpc":"2.0","id":10,"result":{"supportedVersions":["2026-07-28"]}}`
	initializeResult = `{"jsonrpc":"2.0","id":10,"result":{"protocolVersion":"2025-11-25"}}`
	toolsResult      = `{"jsonrpc":"2.0","id":10,"result":{"tools":[]}}`
	noSession        = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`
	invalidToken     = `WWW-Authenticate: Bearer error="invalid_token"`
)

func TestSecurityProbes(t *testing.T) {
	const local, remote = "http://localhost:3000/mcp", "https://h.example/mcp"
	type facts map[string]any
	tests := []struct {
		name      string
		probe     string
		url       string
		params    []string
		exchanges []recording.Exchange
		want      Outcome
		facts     facts
	}{
		{"anonymous request served", ProbeUnauthenticated, remote, nil, []recording.Exchange{answer("probe/unauthenticated", 200, toolsResult)},
			Supported, facts{"http_status": int64(200), "www_authenticate": nil}},
		{"two challenge lines", ProbeUnauthenticated, remote, nil,
			[]recording.Exchange{answer("probe/unauthenticated", 401, "", "WWW-Authenticate: Basic realm=x", "www-authenticate: Bearer")},
			Supported, facts{"www_authenticate": "Basic realm=x, Bearer"}},
		{"anonymous request lost", ProbeUnauthenticated, remote, nil, []recording.Exchange{lost("probe/unauthenticated", recording.FailTimeout)}, Unobserved, nil},
		{"never asked", ProbeUnauthenticated, remote, nil, nil, NotTried, nil},

		{"token refused", ProbeInvalidToken, remote, nil,
			[]recording.Exchange{answer("probe/unauthenticated", 401, ""), answer("probe/invalid-token", 401, "")}, Supported, facts{"method": "tools/list", "anonymous_http_status": int64(401)}},
		{"token refused with 400 invalid_token", ProbeInvalidToken, remote, nil,
			[]recording.Exchange{answer("probe/unauthenticated", 401, ""), answer("probe/invalid-token", 400, "", invalidToken)}, Supported, nil},
		{"token served", ProbeInvalidToken, remote, nil,
			[]recording.Exchange{answer("probe/unauthenticated", 401, ""), answer("probe/invalid-token", 200, toolsResult)}, Unsupported, facts{"http_status": int64(200)}},
		{"200 with an error is no service", ProbeInvalidToken, remote, nil,
			[]recording.Exchange{answer("probe/unauthenticated", 401, ""), answer("probe/invalid-token", 200, noSession)}, NotApplicable, nil},
		{"rate limited", ProbeInvalidToken, remote, nil,
			[]recording.Exchange{answer("probe/unauthenticated", 401, ""), answer("probe/invalid-token", 429, "")}, Unobserved, nil},
		{"initialize served with a made-up token only", ProbeInvalidToken, remote, nil, []recording.Exchange{
			answer("probe/unauthenticated", 401, ""), answer("probe/invalid-token", 400, noSession),
			answer("probe/invalid-token-initialize", 200, initializeResult), answer("probe/invalid-token-control", 401, "")}, Unsupported, facts{"method": "initialize"}},
		{"initialize served with and without", ProbeInvalidToken, remote, nil, []recording.Exchange{
			answer("probe/unauthenticated", 401, ""), answer("probe/invalid-token", 400, noSession),
			answer("probe/invalid-token-initialize", 200, initializeResult), answer("probe/invalid-token-control", 200, initializeResult)}, NotApplicable, nil},
		{"open server", ProbeInvalidToken, remote, nil, []recording.Exchange{answer("probe/unauthenticated", 200, toolsResult)}, NotApplicable, nil},

		{"foreign origin refused", ProbeOriginValidation, remote, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/foreign-origin", 403, "")},
			Supported, facts{"control_shape": "modern", "control_http_status": int64(200), "http_status": int64(403)}},
		{"foreign origin served", ProbeOriginValidation, remote, nil,
			[]recording.Exchange{answer("probe/origin-control", 200, discoverResult), answer("probe/foreign-origin", 200, discoverResult)}, Unsupported, nil},
		{"legacy control", ProbeOriginValidation, remote, nil, []recording.Exchange{
			answer("probe/origin-control", 400, noSession), answer("probe/foreign-origin", 400, noSession),
			answer("probe/origin-control-initialize", 200, initializeResult), answer("probe/foreign-origin-initialize", 403, "")},
			Supported, facts{"control_shape": "legacy-initialize", "modern_control_http_status": int64(400)}},
		{"the session's handshake is the legacy control", ProbeOriginValidation, remote, nil, []recording.Exchange{
			answer("probe/discover", 404, ""), answer("session/initialize", 200, initializeResult), answer("probe/foreign-origin-initialize", 200, initializeResult)},
			Unsupported, facts{"control_shape": "legacy-initialize"}},
		{"gated control", ProbeOriginValidation, remote, nil,
			[]recording.Exchange{answer("probe/discover", 401, ""), answer("session/initialize", 401, ""), answer("probe/foreign-origin", 401, "")}, NotApplicable, nil},
		{"origin answered with 429", ProbeOriginValidation, remote, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/foreign-origin", 429, "")}, Unobserved, nil},
		{"control lost", ProbeOriginValidation, remote, nil,
			[]recording.Exchange{lost("probe/discover", recording.FailReset), answer("probe/foreign-origin", 403, "")}, Unobserved, nil},

		{"host of a remote server", ProbeHostValidation, remote, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult)}, NotApplicable, nil},
		{"foreign host refused", ProbeHostValidation, local, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/foreign-host", 421, "")}, Supported, nil},
		{"foreign host served", ProbeHostValidation, local, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/foreign-host", 200, discoverResult)}, Unsupported, nil},
		{"foreign host redirected", ProbeHostValidation, local, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/foreign-host", 301, "")}, Unobserved, nil},
		{"foreign host and 503", ProbeHostValidation, local, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/foreign-host", 503, "")}, Unobserved, nil},

		{"parse error", ProbeMalformedJSON, remote, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult),
			answer("probe/malformed-json", 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)},
			Supported, facts{"response_id_absent_or_null": true, "error_code": int64(-32700)}},
		{"parse error without an id, as an event", ProbeMalformedJSON, remote, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult),
			answer("probe/malformed-json", 200, ": hi\n\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}\n\n", "Content-Type: text/event-stream")},
			Supported, nil},
		{"parse error with an id", ProbeMalformedJSON, remote, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult),
			answer("probe/malformed-json", 400, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32700,"message":"Parse error"}}`)}, Unsupported, facts{"response_id_absent_or_null": false}},
		{"a page", ProbeMalformedJSON, remote, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult),
			answer("probe/malformed-json", 400, "<html>", "Content-Type: text/html")}, Unsupported, facts{"body": "<html>"}},
		{"crash", ProbeMalformedJSON, remote, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/malformed-json", 500, "oops")}, Unsupported, nil},
		{"gateway down", ProbeMalformedJSON, remote, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult), answer("probe/malformed-json", 502, "bad")}, Unobserved, nil},
		{"control in another protocol", ProbeMalformedJSON, remote, nil,
			[]recording.Exchange{answer("probe/discover", 401, `{"error":"invalid_token"}`), answer("probe/malformed-json", 401, "secret path /usr/local/x")},
			NotApplicable, facts{"body": "secret path /usr/local/x"}},

		{"no credential in the URL", ProbeQueryCredential, remote, nil, nil, NotApplicable, nil},
		{"credential needed in the URL", ProbeQueryCredential, remote, []string{"api_key"},
			[]recording.Exchange{answer("probe/query-given", 200, toolsResult), answer("probe/query-stripped", 401, "")},
			Unsupported, facts{"credential_params": []string{"api_key"}, "without_credential_http_status": int64(401)}},
		{"credential not needed", ProbeQueryCredential, remote, []string{"api_key"},
			[]recording.Exchange{answer("probe/query-given", 200, toolsResult), answer("probe/query-stripped", 200, toolsResult)}, Supported, nil},
		{"both broken", ProbeQueryCredential, remote, []string{"api_key"},
			[]recording.Exchange{answer("probe/query-given", 500, ""), answer("probe/query-stripped", 500, "")}, NotApplicable, facts{"credential_params": []string{"api_key"}}},
		{"decided by initialize", ProbeQueryCredential, remote, []string{"api_key"}, []recording.Exchange{
			answer("probe/query-given", 400, noSession), answer("probe/query-stripped", 400, noSession),
			answer("probe/query-given-initialize", 200, initializeResult), answer("probe/query-stripped-initialize", 403, "")}, Unsupported, facts{"method": "initialize"}},

		{"bind: other address refuses connections", ProbeLocalBind, local, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), lost("tcp/1", recording.FailRefused)}, Supported, facts{"port": int64(3000), "interfaces_checked": int64(1)}},
		{"bind: other address serves", ProbeLocalBind, local, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult),
			{Step: "tcp/1", Via: "tcp"}, answer("probe/bind/1", 200, discoverResult)}, Unsupported, facts{"interfaces_serving": int64(1)}},
		{"bind: other address refuses the request", ProbeLocalBind, local, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult),
			{Step: "tcp/1", Via: "tcp"}, answer("probe/bind/1", 403, "")}, Supported, facts{"interfaces_listening": int64(1)}},
		{"bind: no answer", ProbeLocalBind, local, nil,
			[]recording.Exchange{answer("probe/discover", 200, discoverResult), lost("tcp/1", recording.FailTimeout)}, Unobserved, facts{"interfaces_unknown": int64(1)}},
		{"bind: no other address", ProbeLocalBind, local, nil, []recording.Exchange{answer("probe/discover", 200, discoverResult)}, NotApplicable, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := newSource(&recording.Recording{Target: recording.Target{URL: tt.url, CredentialParams: tt.params}, Exchanges: tt.exchanges})
			o := &Observation{Target: rec.Target, Probes: map[string]Probe{}}
			decodeTLS(rec, o)
			decodeSecurityProbes(rec, o)
			p := o.Probe(tt.probe)
			if p.Outcome != tt.want {
				t.Errorf("outcome %q (%s), want %q", p.Outcome, p.Reason, tt.want)
			}
			if p.Outcome != Supported && p.Outcome != Unsupported && p.Outcome != NotTried && p.Reason == "" {
				t.Error("no reason")
			}
			for name, want := range tt.facts {
				if diff := cmp.Diff(want, p.Facts[name]); diff != "" {
					t.Errorf("fact %s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestSecurityProbesOverStdio(t *testing.T) {
	o := &Observation{Target: recording.Target{Command: []string{"server"}}, Probes: map[string]Probe{}}
	decodeSecurityProbes(newSource(&recording.Recording{}), o)
	if len(o.Probes) != 8 {
		t.Errorf("%d probes", len(o.Probes))
	}
	for id, p := range o.Probes {
		if p.Outcome != NotApplicable || p.Reason == "" {
			t.Errorf("%s: %q, %q", id, p.Outcome, p.Reason)
		}
	}
}
