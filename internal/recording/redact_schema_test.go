package recording

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaFile = "../../schema/recording.schema.json"

// sample uses every field.
func sample() *Recording {
	exit := 3
	tlsFacts := &TLS{Version: "TLSv1.3", Cipher: "TLS_AES_128_GCM_SHA256", Verified: true, Subject: "CN=h", Issuer: "CN=ca", NotAfter: "2030-01-02T03:04:05Z"}
	response := Response{Status: 200, Proto: "HTTP/1.1", Headers: []Header{{"Content-Type", "application/json"}}, Body: &Body{Bytes: []byte("{}"), Size: 9, Cut: true},
		Encoding: "gzip", TLS: tlsFacts, Session: "visible-ascii:36", EndedBy: "limit"}
	return &Recording{
		Format: Format, Version: Version, Engine: Engine{"hallmark", "1.0.0"}, AsOf: time.Date(2026, 9, 1, 2, 3, 4, 0, time.UTC),
		Target: Target{Display: "https://h/mcp", URL: "https://h/mcp?token=[redacted]", Command: []string{"server"}, EnvNames: []string{"KEY"}, HeaderNames: []string{"Authorization"},
			Authenticated: true, Insecure: true, Proxied: true, CredentialParams: []string{"token"}},
		Transport: StreamableHTTP,
		Exchanges: []Exchange{{
			Step: "session/initialize", Via: "http", Connection: "session",
			Request:  &Request{Method: "POST", URL: "https://h/mcp", Headers: []Header{{"Authorization", Redacted}}, Body: NewBody([]byte("\xff")), RPC: "initialize", ID: "1"},
			Response: &response, Answer: NewBody([]byte("{}")), Resumed: []Response{response},
			Earlier: []Attempt{{Status: 429, RetryAfter: "1", Waited: 1000}},
			Hops:    []Hop{{Status: 307, Location: "/mcp/", Followed: true}, {Status: 302, Location: "http://h/", Refused: "downgrade"}},
			Others:  []Body{*NewBody([]byte("{}"))}, Started: 1, First: 2, Duration: 3,
			Failure: &Failure{Class: FailTooLarge, Phase: "handshake", Detail: "too large", Status: 200},
		}, {Step: "probe/discover", SameAs: "detect/discover"}},
		Listings:  []Listing{{Lifecycle: "session", Method: "tools/list", Pages: 2, Reason: "failed"}},
		Processes: []Process{{Connection: "session", Started: 1, FirstByte: 2, Exit: &exit, Stderr: Body{Bytes: []byte("x"), Size: 5, Cut: true}, Noise: []Noise{{1, *NewBody([]byte("log")), "text"}}, NoiseTotal: 1, BOM: true, CRLF: true, Stopped: "exited"}},
		Failure:   &Failure{Class: FailDeadline}, Elapsed: 5, Requests: 1,
	}
}

func TestSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Recording{
		"full":  sample(),
		"empty": {Format: Format, Version: Version, Target: Target{Display: "x"}},
	} {
		var file bytes.Buffer
		if err := Write(&file, r); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, err := Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Errorf("%s: written and read: %s", name, diff)
		}
	}
	for _, broken := range []string{`{}`, `{"format":"hallmark-recording","version":2}`} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(broken))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("%s is valid", broken)
		}
	}
}

// The schema names exactly the fields of the types.
func TestSchemaFields(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]any
		Defs       map[string]object `json:"$defs"`
	}
	var schema object
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	types := map[string]any{"engine": Engine{}, "target": Target{}, "body": bodyJSON{}, "tail": bodyJSON{}, "header": Header{}, "request": Request{}, "response": Response{}, "tls": TLS{},
		"attempt": Attempt{}, "hop": Hop{}, "failure": Failure{}, "exchange": Exchange{}, "listing": Listing{}, "process": Process{}, "noise": Noise{}, "smoke": Smoke{}}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(schema.Defs))); diff != "" {
		t.Errorf("definitions: %s", diff)
	}
	check := func(name string, v any, o object) {
		var fields []string
		for f := range reflect.TypeOf(v).Fields() {
			field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields = append(fields, field)
		}
		slices.Sort(fields)
		if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(o.Properties))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	check("recording", Recording{}, schema)
	for name, v := range types {
		check(name, v, schema.Defs[name])
	}
}

// The example in the documentation is a recording.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "```json\n")
	example, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("no example")
	}
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	r, err := Read(strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := r.Exchanges[0].Message(); !ok {
		t.Error("the example's exchange has no answer")
	}
	for _, class := range failureClasses(t) {
		if !strings.Contains(string(page), "`"+class+"`") {
			t.Errorf("failure class %s is not documented", class)
		}
	}
}

// failureClasses reads the schema's list.
func failureClasses(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Failure struct {
				Properties struct{ Class struct{ Enum []string } }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema.Defs.Failure.Properties.Class.Enum
}

// Nothing that we hold is left in a recording whose every text was redacted, whatever form the server gave it.
func TestCanaryInRecording(t *testing.T) {
	const canary = `canary/Zebra+1"2`
	r := NewRedactor("Bearer " + canary)
	encoded, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	rec := sample()
	e := &rec.Exchanges[0]
	e.Request.Headers = []Header{{"Authorization", r.Header("Authorization", "Bearer "+canary)}, {"X-Other", r.Header("X-Other", canary)}}
	e.Request.URL = r.String(MaskURL("https://me:" + "canary%2FZebra%2B1%222" + "@h/?q=canary%2FZebra%2B1%222"))
	e.Response.Body = r.Body([]byte(`{"echo":`+string(encoded)+`,"b64":"QmVhcmVyIGNhbmFyeS9aZWJyYSsxIjI="}`), 10, false)
	e.Answer = r.Body([]byte(`{"cut":"canary/Zeb`), 100, true)
	e.Failure.Detail = r.String(`server said canary\/Zebra+1\"2`)
	rec.Processes[0].Stderr = Body{Bytes: r.Tail([]byte("bra+1\"2 was the key\n")), Size: 100, Cut: true}
	var file bytes.Buffer
	if err := Write(&file, rec); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"canary", "Zeb", "bra+1", "QmVhcmVy", "YW5hcn"} {
		if strings.Contains(file.String(), part) {
			t.Errorf("%q survives:\n%s", part, file.String())
		}
	}
}
