package render

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// officialSARIF is the schema of OASIS, which go-sarif carries as a constant. Its own Validate encodes a log again before it looks, so that
// what is missing or unknown in ours would not be noticed.
var officialSARIF = sync.OnceValues(func() (*jsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg/report/v210/sarif/schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && text == "" {
			text, err = strconv.Unquote(lit.Value)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

type failer interface {
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// checkSARIF validates a log against the official schema and tests what code scanning asks for beyond it.
func checkSARIF(t failer, what string, out []byte) {
	schema, err := officialSARIF()
	if err != nil {
		t.Fatalf("the official schema: %v", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	var log sarifLog
	if err := json.Unmarshal(out, &log); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	run := log.Runs[0]
	id := run.AutomationDetails.ID
	if parts := strings.Split(id, "/"); len(parts) != 3 || strings.HasSuffix(id, "/") || url.PathEscape(parts[1]) != parts[1] {
		t.Errorf("%s: run id %q", what, id)
	}
	for _, r := range run.Results {
		if len(r.Locations) != 1 {
			t.Errorf("%s: %s has %d locations", what, r.RuleID, len(r.Locations))
			continue
		}
		uri := r.Locations[0].PhysicalLocation.ArtifactLocation.URI
		if u, err := url.Parse(uri); err != nil || u.IsAbs() || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") || strings.Contains("/"+u.Path+"/", "/../") {
			t.Errorf("%s: %s is at %q, which is no relative path", what, r.RuleID, uri)
		}
		if r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s: %s has rule index %d", what, r.RuleID, r.RuleIndex)
		}
		if len(r.PartialFingerprints["primaryLocationLineHash"]) != 32 {
			t.Errorf("%s: %s has no fingerprint", what, r.RuleID)
		}
		if strings.TrimSpace(r.Message.Text) == "" {
			t.Errorf("%s: %s has no message", what, r.RuleID)
		}
	}
	for _, d := range run.Tool.Driver.Rules {
		if d.Help.Text == "" || d.Help.Markdown == "" || d.ShortDescription.Text == "" || d.FullDescription.Text == "" {
			t.Errorf("%s: %s is not described", what, d.ID)
		}
	}
}

func TestSARIFIsValid(t *testing.T) {
	everyReport(t, func(name string, r *report.Report, rec *recording.Recording) {
		out := rendered(t, fileFormats[0].write, r, rec)
		checkSARIF(t, name, out)
		log, err := sarif.FromBytes(out)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		failed := 0
		for _, list := range [][]report.Result{r.Results, r.Readiness.Results} {
			failed += len(failures(list))
		}
		if got := len(log.Runs[0].Results); got != failed {
			t.Errorf("%s: %d results for %d failed rules", name, got, failed)
		}
	})
}

// The schema is the real one: it notices what we could do wrong.
func TestSARIFSchemaIsStrict(t *testing.T) {
	good := string(rendered(t, fileFormats[0].write, reporttest.Legacy().Report(), nil))
	for _, change := range [][2]string{
		{`"level": "error"`, `"level": "high"`},
		{`"executionSuccessful": true`, `"successful": true`},
		{`"version": "2.1.0"`, `"version": "2.2"`},
		{`"startLine": 1`, `"startLine": 0`},
		{`"startTimeUtc": "2026-11-30T17:46:05.123Z"`, `"startTimeUtc": "yesterday"`},
		{`"helpUri": "https://`, `"helpUri": "no link `},
	} {
		if !strings.Contains(good, change[0]) {
			t.Errorf("the log has no %s", change[0])
			continue
		}
		schema, err := officialSARIF()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(good, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("%s passes", change[1])
		}
	}
}

func TestSARIFLevels(t *testing.T) {
	s := reporttest.Legacy()
	var log sarifLog
	if err := json.Unmarshal(rendered(t, fileFormats[0].write, s.Report(), nil), &log); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range log.Runs[0].Results {
		got[r.RuleID] = r.Level
	}
	for id, want := range map[string]string{
		"security_origin_validation": "error", "server_title_present": "warning", "server_icons_present": "note",
		"readiness_2026_server_discover": "note", // critical, but it does not count
	} {
		if got[id] != want {
			t.Errorf("%s has level %q, want %q", id, got[id], want)
		}
	}
	for _, d := range log.Runs[0].Tool.Driver.Rules {
		severity, scored := d.Properties["security-severity"]
		if (d.Properties["category"] == string(rule.Security)) != scored {
			t.Errorf("%s: security-severity %v", d.ID, severity)
		}
		if d.ID == "security_origin_validation" && severity != "7.0" {
			t.Errorf("%s: security-severity %v", d.ID, severity)
		}
	}
}

// The fingerprint is the one that alerts of the comparable tool have, so that they go on.
func TestSARIFFingerprint(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal(rendered(t, fileFormats[0].write, reporttest.Legacy().Report(), nil), &log); err != nil {
		t.Fatal(err)
	}
	for _, r := range log.Runs[0].Results {
		// printf 'security_origin_validation\nhttps://weather.example/mcp' | sha256sum | cut -c 1-32
		if r.RuleID == "security_origin_validation" && r.PartialFingerprints["primaryLocationLineHash"] != "44fff2e4ad19965dcbc1352052fa36ac" {
			t.Errorf("fingerprint %s", r.PartialFingerprints["primaryLocationLineHash"])
		}
	}
}

func TestSARIFPlace(t *testing.T) {
	stdio := recording.Stdio
	tests := []struct {
		name, target string
		transport    *recording.Transport
		file         string
		shown, uri   string
	}{
		{"URL", "https://mcp.example:8443/a/mcp?token=x", nil, "", "https://mcp.example:8443/a/mcp", "mcp.example%3A8443/a/mcp"},
		{"URL without a path", "https://mcp.example", nil, "", "https://mcp.example", "mcp.example"},
		{"URL with odd characters", "https://mcp.example/a b/%C3%A4", nil, "", "https://mcp.example/a%20b/%C3%A4", "mcp.example/a%20b/%C3%A4"},
		{"URL that climbs", "https://mcp.example/../../etc", nil, "", "https://mcp.example/../../etc", "mcp.example/etc"},
		{"URL that cannot be read", "https://[::1", nil, "", "unreadable-url", "unreadable-url"},
		{"command", "npx -y @scope/server --key [redacted]", &stdio, "", "npx", "npx"},
		{"program with a path", "/usr/local/bin/server --x", &stdio, "", "server", "server"},
		{"quoted program", "'/opt/my tools/server' x", &stdio, "", "server", "server"},
		{"Windows program", `'C:\tools\server.exe' x`, &stdio, "", "server.exe", "server.exe"},
		{"file of the project", "python3 src/server.py", &stdio, "src/server.py", "python3", "src/server.py"},
		{"file with odd characters", "python3 x", &stdio, "a b/ü#1.py", "python3", "a%20b/%C3%BC%231.py"},
		{"package", "npm:@scope/name@1.2.3", nil, "", "npm:@scope/name@1.2.3", "npm/@scope/name@1.2.3"},
		{"nothing left", "..", nil, "", "..", "mcp-server/5ec1f7e7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := reporttest.Legacy().Report()
			r.Target, r.Transport = tt.target, tt.transport
			if got := shownTarget(r); got != tt.shown {
				t.Errorf("shown as %q, want %q", got, tt.shown)
			}
			var b bytes.Buffer
			if err := SARIF(&b, r, tt.file); err != nil {
				t.Fatal(err)
			}
			checkSARIF(t, tt.name, b.Bytes())
			var log sarifLog
			if err := json.Unmarshal(b.Bytes(), &log); err != nil {
				t.Fatal(err)
			}
			if got := log.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; got != tt.uri {
				t.Errorf("at %q, want %q", got, tt.uri)
			}
		})
	}
}

func TestScrubURLs(t *testing.T) {
	tests := []struct{ in, want string }{
		{"no URL", "no URL"},
		{"see https://a.example/x?token=1#f for more", "see https://a.example/x for more"},
		{"at https://a.example/x.", "at https://a.example/x."},
		{"at https://a.example/x?q=1.", "at https://a.example/x"},
		{"https://user:secret@a.example/", "https://a.example/"},
		{"(ws://a.example)", "(ws://a.example)"},
		{"https://[bad", "unreadable-url"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, scrubURLs(tt.in)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.in, diff)
		}
	}
}

// A server cannot write links or placeholders into messages.
func TestSARIFMessages(t *testing.T) {
	got := sarifMessage("a [link](https://evil.example/?x=1) {0} C:\\x\n::add-mask::b").Text
	if want := "a \\[link\\](https://evil.example/ {{0}} C:\\\\x\n\\\\x3a:add-mask::b"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSARIFOfAnAuditThatDidNotRun(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal(rendered(t, fileFormats[0].write, reporttest.Failed().Report(), nil), &log); err != nil {
		t.Fatal(err)
	}
	inv := log.Runs[0].Invocations[0]
	if inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 1 || inv.ToolExecutionNotifications[0].Level != "error" {
		t.Errorf("invocation %+v", inv)
	}
}

func TestSARIFConfiguration(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal(rendered(t, fileFormats[0].write, reportOf(configured()), nil), &log); err != nil {
		t.Fatal(err)
	}
	inv := log.Runs[0].Invocations[0]
	off := false
	want := []sarifOverride{
		{sarifReference{"server_icons_present"}, sarifConfiguration{Enabled: &off}},
		{sarifReference{"server_title_present"}, sarifConfiguration{Level: "note"}},
	}
	if diff := cmp.Diff(want, inv.RuleConfigurationOverrides, cmp.AllowUnexported()); diff != "" {
		t.Errorf("overrides (-want +got):\n%s", diff)
	}
	if n := inv.ToolConfigurationNotifications; len(n) != 1 || n[0].AssociatedRule.ID != "server_icons_present" || !strings.Contains(n[0].Message.Text, "no icons yet") {
		t.Errorf("notifications %+v", n)
	}
}
