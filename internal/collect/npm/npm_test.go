package npm

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/collect/registry"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// place is a configuration in a folder of its own.
func place(t *testing.T, env map[string]string) registry.Place {
	return registry.Place{Getenv: func(n string) string { return env[n] }, Dir: filepath.Join(t.TempDir(), "work"), Home: t.TempDir()}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	env := map[string]string{"PREFIX": t.TempDir(), "TOKEN": "s3cret"}
	p := place(t, env)
	find := func(name string) registry.Endpoint {
		t.Helper()
		e, err := Find(p, name)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := find("x"); e.URL == "" || e.Source != "npm's default" || e.Header != nil {
		t.Errorf("without configuration: %+v", e)
	}
	write(t, filepath.Join(env["PREFIX"], "etc", "npmrc"), "registry=https://global.example/\n")
	if e := find("x"); e.URL != "https://global.example/" {
		t.Errorf("global: %+v", e)
	}
	write(t, filepath.Join(p.Home, ".npmrc"), "; mine\nregistry = https://user.example/npm/\n@s:registry=https://scope.example\n//user.example/npm/:_authToken=${TOKEN}\n"+
		"//scope.example/:username=me\n//scope.example/:_password=cGFzc3dvcmQ=\n")
	if e := find("x"); e.URL != "https://user.example/npm/" || e.Header.Get("Authorization") != "Bearer s3cret" {
		t.Errorf("user: %+v", e)
	}
	if e := find("@s/x"); e.URL != "https://scope.example" || e.Header.Get("Authorization") != "Basic bWU6cGFzc3dvcmQ=" {
		t.Errorf("scope: %+v", e)
	}
	if e := find("@other/x"); e.URL != "https://user.example/npm/" {
		t.Errorf("another scope: %+v", e)
	}
	write(t, filepath.Join(p.Dir, "package.json"), "{}")
	write(t, filepath.Join(p.Dir, ".npmrc"), "registry=https://project.example\n")
	p.Dir = filepath.Join(p.Dir, "deep", "down")
	if e := find("x"); e.URL != "https://project.example" || e.Header != nil {
		t.Errorf("project: %+v", e)
	}
	env["NPM_CONFIG_REGISTRY"] = "https://env.example"
	if e := find("x"); e.URL != "https://env.example" || e.Source != "NPM_CONFIG_REGISTRY" {
		t.Errorf("environment: %+v", e)
	}
}

func TestFindNamesAnUnreadableFile(t *testing.T) {
	p := place(t, map[string]string{"PREFIX": t.TempDir()})
	if err := os.MkdirAll(filepath.Join(p.Home, ".npmrc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(p, "x"); err == nil || !strings.Contains(err.Error(), ".npmrc") {
		t.Errorf("got %v", err)
	}
}

func collect(t *testing.T, handler http.HandlerFunc, p recording.Package, env map[string]string) *observe.Observation {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	if env == nil {
		env = map[string]string{}
	}
	env["npm_config_registry"], env["PREFIX"] = srv.URL+"/npm/", t.TempDir()
	at := place(t, env)
	write(t, filepath.Join(at.Home, ".npmrc"), strings.Replace(env["npmrc"], "HOST", strings.TrimPrefix(srv.URL, "http:"), 1))
	rec, err := Collect(t.Context(), p, registry.Options{AsOf: time.Unix(0, 0), Timeout: 20 * time.Second, Place: at})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := recording.Write(&text, rec); err != nil {
		t.Fatal(err)
	}
	if secret := env["secret"]; secret != "" && strings.Contains(text.String(), secret) {
		t.Error("the recording holds the credential")
	}
	return observe.Decode(rec)
}

func TestCollect(t *testing.T) {
	var asked []string
	o := collect(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.EscapedPath()+" "+r.Header.Get("Authorization"))
		w.Write([]byte(`{"dist-tags":{"latest":"2.0.0"},"time":{"1.5.0":"2024-01-02T03:04:05.678Z"},"versions":{"1.4.0":{},"1.5.0":{"description":" d "},"2.0.0":{}}}`))
	}, recording.Package{Registry: "npm", Identifier: "@s/x", Requested: "^1"}, map[string]string{"npmrc": "HOST/npm/:_authToken=tok-123456\n", "secret": "tok-123456"})
	if diff := cmp.Diff([]string{"GET /npm/%40s%2Fx Bearer tok-123456"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	p := o.Package
	if o.Kind != observe.PackageAudit || p.Outcome != observe.PackageFound || p.Release != (observe.Release{Version: "1.5.0", How: observe.ReleaseRange, Available: 3}) ||
		p.Description.Text != "d" || p.Published.Format(time.RFC3339) != "2024-01-02T03:04:05Z" {
		t.Errorf("decoded %+v", p)
	}
}

// A document that is too large to keep is replaced by that of the version, where one was asked for.
func TestCollectTooLarge(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/npm/x/latest" {
			w.Write([]byte(`{"version":"3.0.0","license":"MIT"}`))
			return
		}
		w.Write([]byte(`{"readme":"` + strings.Repeat("x", registry.MaxDocument) + `"}`))
	}
	o := collect(t, handler, recording.Package{Registry: "npm", Identifier: "x"}, nil)
	if p := o.Package; p.Outcome != observe.PackageFound || p.Release.Version != "3.0.0" || p.License.Expression != "MIT" {
		t.Errorf("decoded %+v", p)
	}
	o = collect(t, handler, recording.Package{Registry: "npm", Identifier: "x", Requested: "^1"}, nil)
	if o.Kind != "" || o.Failure.Class != recording.FailTooLarge {
		t.Errorf("a range: kind %q, failure %+v", o.Kind, o.Failure)
	}
}

func TestCollectFailures(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		outcome string
		class   recording.Class
	}{
		"absent":       {http.NotFound, observe.PackageNotFound, ""},
		"unauthorized": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, observe.PackageError, recording.FailUnauthorized},
		"broken":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, observe.PackageError, recording.FailServerError},
		"page":         {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, observe.PackageError, recording.FailHTML},
		"array":        {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("[]")) }, observe.PackageError, recording.FailNotJSON},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.example/x", http.StatusFound)
		}, observe.PackageError, recording.FailRedirected},
	} {
		o := collect(t, c.handler, recording.Package{Registry: "npm", Identifier: "x"}, nil)
		if o.Package.Outcome != c.outcome {
			t.Errorf("%s: outcome %s, want %s", name, o.Package.Outcome, c.outcome)
		}
		if c.class != "" && (o.Kind != "" || o.Failure == nil || o.Failure.Class != c.class) {
			t.Errorf("%s: kind %q, failure %+v, want %s", name, o.Kind, o.Failure, c.class)
		}
	}
}

func TestCollectRefusesABadAddress(t *testing.T) {
	p := place(t, map[string]string{"npm_config_registry": "ftp://secret:word@h/"})
	_, err := Collect(context.Background(), recording.Package{Registry: "npm", Identifier: "x"}, registry.Options{Place: p})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "npm_config_registry") {
		t.Errorf("got %v", err)
	}
}
