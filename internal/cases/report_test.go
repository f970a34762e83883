package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// Case 65: a server without tools earns nothing by rules that could not fail, and the empty server is itself told.
func TestEmptyServerPassesNothingForNothing(t *testing.T) {
	catalog := testserver.DefaultCatalog()
	catalog.Capabilities = json.RawMessage(`{"tools":{}}`)
	catalog.Tools, catalog.Resources, catalog.ResourceTemplates, catalog.Prompts = nil, nil, nil, nil
	check := func(t *testing.T, o outcome) {
		o.ran(t)
		o.want(t, map[string]string{"server_exposes_primitive": "fail", "tools_names_unique": "not-applicable"})
		for _, r := range o.Results {
			if r.GroupName == "tools" || r.GroupName == "transport" && o.rec.Transport == recording.Stdio {
				t.Errorf("%s was judged, passed %v", r.RuleID, r.Passed)
			}
		}
		full := overHTTP(t, &testserver.Web{Legacy: true}, capture.Options{})
		if o.MaxScore >= full.MaxScore || o.Score >= full.Score {
			t.Errorf("%d of %d points, a server with tools gets %d of %d", o.Score, o.MaxScore, full.Score, full.MaxScore)
		}
	}
	t.Run("http", func(t *testing.T) {
		check(t, overHTTP(t, &testserver.Web{Legacy: true, Catalog: catalog}, capture.Options{}))
	})
	t.Run("stdio", func(t *testing.T) {
		file := t.TempDir() + "/catalog.json"
		writeFile(t, file, `{"capabilities":{"tools":{}},"tools":[],"resources":[],"resourceTemplates":[],"prompts":[]}`)
		check(t, overStdio(t, capture.Options{}, "server", file))
	})
}

// Cases 67 and 68: a public server over TLS that asks for nothing fails no rule about authorization, and no tool is called, not even one
// with an output schema that only a call could put to the test.
func TestPublicServerIsOnlyRead(t *testing.T) {
	catalog := testserver.DefaultCatalog()
	catalog.Tools = append(catalog.Tools, json.RawMessage(`{"name":"count","title":"Count","description":"Returns how many stations there are.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer","description":"How many"}}},"annotations":{"readOnlyHint":true}}`))
	web := &testserver.Web{Legacy: true, Modern: true, StrictOrigin: true, StrictCursors: true, Catalog: catalog}
	url, roots, dial := web.StartTLS(t)
	o := run(t, capture.Target{URL: url}, capture.Options{RootCAs: roots, Dial: dial})
	o.ran(t)
	for _, r := range o.Results {
		if r.Category == "security_auth" && !r.Passed {
			t.Errorf("%s fails %s", r.RuleID, o.why(r.RuleID))
		}
	}
	for _, id := range []string{"auth_www_authenticate", "auth_protected_resource_metadata", "auth_invalid_token_rejected"} {
		o.want(t, map[string]string{id: "not-applicable"})
	}
	for _, r := range web.Requests() {
		reads := r.RPC == "" || r.RPC == "initialize" || r.RPC == "ping" || r.RPC == "server/discover" || strings.HasPrefix(r.RPC, "notifications/") ||
			strings.HasSuffix(r.RPC, "/list") || r.RPC == "resources/read" || r.RPC == "prompts/get" || strings.HasPrefix(r.RPC, "hallmark/")
		if !reads {
			t.Errorf("%s was sent", r.RPC)
		}
	}
}

// Cases 85 and 86: what a server puts into names, errors, headers and standard error stays text in every output.
func TestHostileTextStaysText(t *testing.T) {
	catalog := testserver.DefaultCatalog()
	catalog.ServerInfo = json.RawMessage(`{"name":"x\u001b[2J\u001b]0;pwn\u0007","version":"\u009b31m\u202e"}`)
	catalog.Tools = []json.RawMessage{json.RawMessage(`{"name":"a\n::add-mask::b","inputSchema":{"type":"object"}}`), json.RawMessage(`{"name":"x | y\r\n# h1","inputSchema":{"type":"object"}}`)}
	web := &testserver.Web{Legacy: true, Catalog: catalog}
	web.Intercept = on("prompts/list", func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no\u001b[1A\r\n::error::gone"}}`, m.ID)
	})
	o := overHTTP(t, web, capture.Options{})
	o.ran(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"json": func(b *bytes.Buffer) error { return render.JSON(b, o.Report) },
		"terminal": func(b *bytes.Buffer) error {
			return render.Terminal(b, o.Report, render.Options{Width: 80, Verbose: true})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Errorf("%s: %U is in the output", name, r)
				break
			}
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.HasPrefix(line, "# h1") {
				t.Errorf("%s: a line begins with %q", name, line)
			}
		}
	}
}

// Case 89: what could not be observed leaves both numbers and is told with what it took away; the same recording gives the same bytes.
func TestUnobservedShrinksTheMaximumAndSaysSo(t *testing.T) {
	plain := overHTTP(t, &testserver.Web{Legacy: true, StrictOrigin: true}, capture.Options{})
	web := &testserver.Web{Legacy: true, StrictOrigin: true}
	web.Intercept = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Header.Get("Origin") == "" {
			return false
		}
		http.Error(w, "bad gateway", http.StatusBadGateway)
		return true
	}
	o := overHTTP(t, web, capture.Options{})
	o.want(t, map[string]string{"security_origin_validation": "insufficient-data"})
	if plain.MaxScore-o.MaxScore != 3 || plain.Score-o.Score != 3 || o.MaxScoreLost-plain.MaxScoreLost != 3 {
		t.Errorf("%d of %d, %d lost; with the probe %d of %d, %d lost", o.Score, o.MaxScore, o.MaxScoreLost, plain.Score, plain.MaxScore, plain.MaxScoreLost)
	}
	var text bytes.Buffer
	if err := render.Terminal(&text, o.Report, render.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "could not be") {
		t.Errorf("the report does not tell that points are missing:\n%s", text.String())
	}
	p, err := policy.Load("")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := recording.Write(&file, o.rec); err != nil {
		t.Fatal(err)
	}
	again, err := recording.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for b, r := range map[*bytes.Buffer]*report.Report{&first: o.Report, &second: audit.Judge(again, p, o.rec.Engine)} {
		if err := render.JSON(b, r); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Errorf("the replay differs:\n%s", cmp.Diff(first.String(), second.String()))
	}
}

// Case 94: nothing but the target is dialled, and nothing else decides the report.
func TestNothingButTheTargetIsDialled(t *testing.T) {
	catalog := testserver.DefaultCatalog()
	catalog.ServerInfo = json.RawMessage(`{"name":"n","version":"1","websiteUrl":"https://site.example/","icons":[{"src":"https://icons.example/i.png"}]}`)
	catalog.Tools = []json.RawMessage{json.RawMessage(`{"name":"t","description":"See https://docs.example/ for more.","inputSchema":{"$schema":"https://schema.example/x","$ref":"https://schema.example/y","type":"object"},"icons":[{"src":"https://icons.example/t.png"}]}`)}
	web := &testserver.Web{Legacy: true, Modern: true, Catalog: catalog}
	url, roots, there := web.StartTLS(t)
	var mu sync.Mutex
	dialled := map[string]bool{}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		dialled[address] = true
		mu.Unlock()
		return there(ctx, network, address)
	}
	o := run(t, capture.Target{URL: url}, capture.Options{RootCAs: roots, Dial: dial})
	o.ran(t)
	if diff := cmp.Diff(map[string]bool{"example.com:443": true}, dialled); diff != "" {
		t.Errorf("dialled (-want +got):\n%s", diff)
	}
	for _, e := range o.rec.Exchanges {
		if e.Request != nil && e.Request.URL != "" && !strings.HasPrefix(e.Request.URL, "https://example.com/") {
			t.Errorf("%s asked %s", e.Step, e.Request.URL)
		}
	}
}

// Case 95: a header of the user's goes with every request to the server's origin, as given, but for those that are to be anonymous; and
// nowhere else.
func TestUserHeadersGoWithEveryRequest(t *testing.T) {
	elsewhere := 0
	other := handler(t, func(w http.ResponseWriter, r *http.Request) {
		elsewhere++
		if r.Header.Get("X-Api-Key") != "" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s of another origin was asked with %v", r.URL.Path, r.Header)
		}
		http.NotFound(w, r)
	})
	web := &testserver.Web{Legacy: true, Modern: true, Sessions: true}
	keys := []string{"one:two:three", "four"}
	web.Intercept = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if slices.Equal(r.Header.Values("X-Api-Key"), keys) {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+strings.TrimSuffix(other, "/mcp")+`/meta"`)
		http.Error(w, "key missing", http.StatusUnauthorized)
		return true
	}
	o := overHTTP(t, web, capture.Options{Header: http.Header{"X-Api-Key": keys}})
	o.ran(t)
	if o.Partial {
		t.Error("the key did not let us in")
	}
	methods := map[string]bool{}
	var without []string
	for _, r := range web.Requests() {
		if r.Header.Get("X-Api-Key") == "" {
			if r.HTTP == http.MethodPost {
				without = append(without, r.RPC)
			}
			continue
		}
		methods[r.HTTP] = true
	}
	if !methods["POST"] || !methods["GET"] || !methods["DELETE"] {
		t.Errorf("the key went with %v only", methods)
	}
	if len(without) > 4 {
		t.Errorf("%d anonymous requests: %v", len(without), without)
	}
	if elsewhere == 0 {
		t.Error("the metadata that the challenge names was not asked for")
	}
	var file bytes.Buffer
	if err := recording.Write(&file, o.rec); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file.String(), "one:two:three") {
		t.Error("the key is in the recording")
	}
	if _, err := capture.Run(context.Background(), capture.Target{URL: other}, capture.Options{Header: http.Header{"X-Api-Key": {"a\r\nInjected: 1"}}}); err == nil || strings.Contains(err.Error(), "Injected") {
		t.Errorf("a value with a line break: %v", err)
	}
}
