package pypi

import (
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

func TestFind(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	env := map[string]string{"XDG_CONFIG_HOME": filepath.Join(home, "config"), "APPDATA": filepath.Join(home, "config")}
	p := registry.Place{Getenv: func(n string) string { return env[n] }, Dir: dir, Home: home}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, url string, simple ...string) {
		t.Helper()
		i, err := Find(p)
		if err != nil {
			t.Fatal(err)
		}
		if i.URL != url || !i.Configured || strings.Join(i.Simple, "/") != strings.Join(simple, "/") {
			t.Errorf("%s: %+v", what, i)
		}
	}
	write(filepath.Join(home, "pip.conf"), "[global]\ntimeout = 60\nindex-url = https://pip.example/simple/\n[install]\nno-cache-dir = true\n")
	env["VIRTUAL_ENV"] = home
	if os.PathSeparator == '\\' {
		write(filepath.Join(home, "pip.ini"), "[global]\nindex-url = https://pip.example/simple/\n")
	}
	check("pip.conf", "https://pip.example", "simple")
	write(filepath.Join(home, "config", "uv", "uv.toml"), "[[index]]\nname = \"extra\"\nurl = \"https://extra.example/simple\"\n[[index]]\nurl = \"https://uv.example/root/+simple/\"\ndefault = true\n")
	check("uv.toml", "https://uv.example/root/+simple")
	write(filepath.Join(dir, "uv.toml"), "index-url = \"https://project.example/api/pypi/x/simple\"\n")
	check("the project's uv.toml", "https://project.example/api/pypi/x", "simple")
	env["PIP_INDEX_URL"] = "https://user:word@env.example/simple"
	check("PIP_INDEX_URL", "https://user:word@env.example", "simple")
	env["UV_DEFAULT_INDEX"] = "corp=https://corp.example/simple"
	check("UV_DEFAULT_INDEX", "https://corp.example", "simple")
}

func TestFindNamesABrokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "uv.toml")
	if err := os.WriteFile(file, []byte("index-url = ["), 0o644); err != nil {
		t.Fatal(err)
	}
	p := registry.Place{Getenv: func(n string) string { return map[string]string{"UV_CONFIG_FILE": file}[n] }, Dir: t.TempDir()}
	if _, err := Find(p); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
}

const project = `{"info":{"version":"81.0.0rc1"},"releases":{"9.1.0":[{}],"68.0.0":[{}],"80.9.0":[{}],"80.9.1":[{"yanked":true}],"80.9.2":[],"81.0.0rc1":[{}]}}`

// answers maps paths to bodies; what is not there is a 404, an empty body a 500.
func collect(t *testing.T, answers map[string]string, p recording.Package) (*observe.Observation, []string) {
	t.Helper()
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.EscapedPath(), "/root")
		asked = append(asked, path)
		body, ok := answers[path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case body == "":
			w.WriteHeader(500)
		default:
			w.Write([]byte(body))
		}
	}))
	t.Cleanup(srv.Close)
	env := map[string]string{"PIP_INDEX_URL": srv.URL + "/root/simple/"}
	rec, err := Collect(t.Context(), p, registry.Options{AsOf: time.Unix(0, 0), Timeout: 20 * time.Second, Place: registry.Place{Getenv: func(n string) string { return env[n] }, Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	return observe.Decode(rec), asked
}

func TestCollect(t *testing.T) {
	release := func(v string) string {
		return `{"info":{"version":"` + v + `","license_expression":"mit"},"urls":[{"upload_time_iso_8601":"2025-05-06T07:08:09.5"},{"upload_time_iso_8601":"2025-05-05T07:08:09Z"}]}`
	}
	for name, c := range map[string]struct {
		answers   map[string]string
		requested string
		asked     []string
		outcome   string
		version   string
		class     recording.Class
	}{
		"newest (case 134)": {map[string]string{"/pypi/a-b-c/json": project, "/pypi/a-b-c/80.9.0/json": release("80.9.0")}, "",
			[]string{"/pypi/a-b-c/json", "/pypi/a-b-c/80.9.0/json"}, observe.PackageFound, "80.9.0", ""},
		"specifiers": {map[string]string{"/pypi/a-b-c/json": project, "/pypi/a-b-c/68.0.0/json": release("68.0.0")}, ">=9,<80",
			[]string{"/pypi/a-b-c/json", "/pypi/a-b-c/68.0.0/json"}, observe.PackageFound, "68.0.0", ""},
		"a pre-release is asked for":       {map[string]string{"/pypi/a-b-c/json": project}, ">=81.0.0rc1", []string{"/pypi/a-b-c/json"}, observe.PackageFound, "81.0.0rc1", ""},
		"pinned":                           {map[string]string{"/pypi/a-b-c/1%212.0%2Blocal/json": release("1!2.0")}, "1!2.0+local", []string{"/pypi/a-b-c/1%212.0%2Blocal/json"}, observe.PackageFound, "1!2.0", ""},
		"no such version":                  {map[string]string{"/pypi/a-b-c/json": project}, "5", []string{"/pypi/a-b-c/5/json", "/pypi/a-b-c/json"}, observe.PackageVersionNotFound, "", ""},
		"pinned, without a document":       {map[string]string{"/pypi/a-b-c/json": project}, "9.1", []string{"/pypi/a-b-c/9.1/json", "/pypi/a-b-c/json"}, observe.PackageFound, "9.1.0", ""},
		"chosen, without a document":       {map[string]string{"/pypi/a-b-c/json": project}, "<80", []string{"/pypi/a-b-c/json", "/pypi/a-b-c/68.0.0/json"}, observe.PackageFound, "68.0.0", ""},
		"no such project":                  {nil, "", []string{"/pypi/a-b-c/json", "/simple/a-b-c/"}, observe.PackageNotFound, "", ""},
		"no such project behind a version": {nil, "5", []string{"/pypi/a-b-c/5/json", "/pypi/a-b-c/json", "/simple/a-b-c/"}, observe.PackageNotFound, "", ""},
		"files only":                       {map[string]string{"/simple/a-b-c/": "<a>"}, "", []string{"/pypi/a-b-c/json", "/simple/a-b-c/"}, observe.PackageError, "", recording.FailHTTP},
		"the chosen one is broken":         {map[string]string{"/pypi/a-b-c/json": project, "/pypi/a-b-c/80.9.0/json": ""}, "", []string{"/pypi/a-b-c/json", "/pypi/a-b-c/80.9.0/json"}, observe.PackageError, "80.9.0", recording.FailServerError},
	} {
		t.Run(name, func(t *testing.T) {
			o, asked := collect(t, c.answers, recording.Package{Registry: "pypi", Identifier: "A_b.-C", Requested: c.requested})
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			p := o.Package
			if p.Outcome != c.outcome || p.Release.Version != c.version {
				t.Errorf("outcome %s, version %q; want %s, %q (failure %+v)", p.Outcome, p.Release.Version, c.outcome, c.version, p.Failure)
			}
			if c.class != "" && (o.Failure == nil || o.Failure.Class != c.class) {
				t.Errorf("failure %+v, want %s", o.Failure, c.class)
			}
			if c.version == "80.9.0" && c.class == "" && (p.License.Expression != "MIT" || p.Published.Format(time.RFC3339) != "2025-05-05T07:08:09Z") {
				t.Errorf("licence %+v, published %v", p.License, p.Published)
			}
		})
	}
}
