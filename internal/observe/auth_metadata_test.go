package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestAuthMetadata(t *testing.T) {
	const (
		pathURL = "https://h.example/.well-known/oauth-protected-resource/mcp"
		rootURL = "https://h.example/.well-known/oauth-protected-resource"
		doc     = `{"resource":"https://h.example/mcp","authorization_servers":["https://idp.example/t1"],"scopes_supported":["read"]}`
		asDoc   = `{"issuer":"https://idp.example/t1","authorization_endpoint":"https://idp.example/a","token_endpoint":"https://idp.example/t","code_challenge_methods_supported":["S256"],"registration_endpoint":"https://idp.example/r"}`
	)
	page := func(step string) recording.Exchange {
		return answer(step, 200, "<!doctype html>", "Content-Type: text/html")
	}
	gate := answer("probe/unauthenticated", 401, "", `WWW-Authenticate: Bearer resource_metadata="https://h.example/meta.json"`)
	plain := answer("probe/unauthenticated", 401, "", "WWW-Authenticate: Bearer")
	resource := func(n string, status int, body, url string) recording.Exchange {
		return at(answer("auth/resource-metadata/"+n, status, body), url)
	}
	server := func(n string, status int, body, url string) recording.Exchange {
		return at(answer("auth/authorization-server/"+n, status, body), url)
	}
	type facts map[string]any
	tests := []struct {
		name      string
		exchanges []recording.Exchange
		want      Outcome
		facts     facts
	}{
		{"at the place the challenge names", []recording.Exchange{gate, resource("1", 200, doc, "https://h.example/meta.json")}, Supported,
			facts{"discovery": "challenge", "challenge_metadata_http_status": int64(200), "resource": "https://h.example/mcp"}},
		{"root only", []recording.Exchange{plain, resource("1", 404, "", pathURL), resource("2", 200, doc, rootURL)}, Supported,
			facts{"discovery": "root", "metadata_url": rootURL, "urls_tried": []string{pathURL, rootURL}}},
		{"a single-page application answers for the path", []recording.Exchange{plain, at(page("auth/resource-metadata/1"), pathURL), resource("2", 200, doc, rootURL)}, Supported,
			facts{"discovery": "root"}},
		{"nowhere", []recording.Exchange{plain, resource("1", 404, "", pathURL), resource("2", 404, "", rootURL)}, Unsupported, facts{"http_status": int64(404)}},
		{"one place could not be read", []recording.Exchange{plain, resource("1", 503, "", pathURL), resource("2", 404, "", rootURL)}, Unobserved,
			facts{"unreachable_locations": []string{pathURL}}},
		{"nothing reachable", []recording.Exchange{plain, at(lost("auth/resource-metadata/1", recording.FailTimeout), pathURL)}, Unobserved, nil},
		{"the named place does not answer", []recording.Exchange{gate, at(lost("auth/resource-metadata/1", recording.FailTimeout), "https://h.example/meta.json"),
			resource("2", 200, doc, pathURL)}, Supported, facts{"discovery": "path", "challenge_metadata_error": "timeout"}},
		{"the named place must not be dialled", []recording.Exchange{gate, at(lost("auth/resource-metadata/1", recording.FailBlocked), "https://h.example/meta.json"),
			resource("2", 404, "", pathURL)}, Unsupported, facts{"challenge_metadata_blocked": true}},
		{"the challenge names no URL", []recording.Exchange{answer("probe/unauthenticated", 401, "", `WWW-Authenticate: Bearer resource_metadata="/meta"`),
			resource("1", 200, doc, pathURL)}, Supported, facts{"challenge_metadata_url": "/meta", "challenge_metadata_invalid": true}},
		{"challenge on a 400", []recording.Exchange{answer("probe/unauthenticated", 400, "", `WWW-Authenticate: Bearer resource_metadata=https://h.example/meta.json`),
			resource("1", 200, doc, "https://h.example/meta.json")}, Supported, facts{"discovery": "challenge"}},
		{"a 200 with a resource that is no string", []recording.Exchange{plain, resource("1", 200, `{"resource":5}`, pathURL)}, Unsupported, nil},

		{"issuer with a path, OpenID at its end", []recording.Exchange{plain, resource("1", 200, doc, pathURL),
			server("1", 404, "", "https://idp.example/.well-known/oauth-authorization-server/t1"), server("2", 404, "", "https://idp.example/.well-known/openid-configuration/t1"),
			server("3", 200, asDoc, "https://idp.example/t1/.well-known/openid-configuration")}, Supported,
			facts{"auth_server_metadata_present": true, "auth_server_has_endpoints": true, "auth_server_pkce_s256": true, "auth_server_registration_endpoint": true,
				"auth_server_metadata_url": "https://idp.example/t1/.well-known/openid-configuration", "auth_server_issuer": "https://idp.example/t1"}},
		{"another issuer", []recording.Exchange{plain, resource("1", 200, doc, pathURL), server("1", 200, `{"issuer":"https://other.example"}`, "https://idp.example/x")}, Supported,
			facts{"auth_server_metadata_present": false, "auth_server_issuer_mismatch": map[string]any{"metadata_url": "https://idp.example/x", "issuer": "https://other.example"}}},
		{"a slash more", []recording.Exchange{plain, resource("1", 200, doc, pathURL),
			server("1", 200, `{"issuer":"https://idp.example/t1/","token_endpoint":"t"}`, "https://idp.example/x")}, Supported,
			facts{"auth_server_metadata_present": true, "auth_server_issuer_declared": "https://idp.example/t1/", "auth_server_has_endpoints": false}},
		{"client credentials only", []recording.Exchange{plain, resource("1", 200, doc, pathURL),
			server("1", 200, `{"issuer":"https://idp.example/t1","token_endpoint":"t","grant_types_supported":["client_credentials"]}`, "https://idp.example/x")}, Supported,
			facts{"auth_server_has_endpoints": true}},
		{"empty object and a page are no metadata", []recording.Exchange{plain, resource("1", 200, doc, pathURL), server("1", 200, `{}`, "https://idp.example/x"),
			at(page("auth/authorization-server/2"), "https://idp.example/y")}, Supported,
			facts{"auth_server_metadata_present": false, "auth_server_metadata_error": nil, "auth_server_issuer_mismatch": nil}},
		{"authorization server times out", []recording.Exchange{plain, resource("1", 200, doc, pathURL),
			at(lost("auth/authorization-server/1", recording.FailTimeout), "https://idp.example/x")}, Supported, facts{"auth_server_metadata_error": "timeout"}},
		{"authorization server with a broken address", []recording.Exchange{plain, resource("1", 200, `{"resource":"r","authorization_servers":["https://[bad"]}`, pathURL)}, Supported,
			facts{"auth_server_issuer": nil, "auth_server_invalid": true}},
		{"authorization servers of another type", []recording.Exchange{plain, resource("1", 200, `{"resource":"r","authorization_servers":"https://a"}`, pathURL)}, Supported,
			facts{"authorization_servers": nil, "auth_server_invalid": nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := newSource(&recording.Recording{Target: recording.Target{URL: "https://h.example/mcp"}, Exchanges: tt.exchanges})
			o := &Observation{Target: rec.Target, Probes: map[string]Probe{}}
			decodeSecurityProbes(rec, o)
			p := o.Probe(ProbeAuthMetadata)
			if p.Outcome != tt.want {
				t.Errorf("outcome %q (%s), want %q", p.Outcome, p.Reason, tt.want)
			}
			for name, want := range tt.facts {
				if diff := cmp.Diff(want, p.Facts[name]); diff != "" {
					t.Errorf("fact %s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}
