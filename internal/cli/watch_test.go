package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// awaits waits until a file matches an expression: awaits FILE REGEXP.
func awaits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	text := []byte(nil)
	for range 3000 {
		if text, err = os.ReadFile(ts.MkAbs(args[0])); err == nil && want.Match(text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s never matched %s (%v):\n%s", args[0], args[1], err, text)
}

func TestWatchedFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, name := range []string{"server.py", "src/a.py", "node_modules/x/index.js", ".git/index", "src/__pycache__/a.pyc", "src/a.py~", ".env", "report.html", "vendor/server.js"} {
		put(name, "x")
	}
	w := &watched{folders: []string{"."}, named: []string{"vendor/server.js"}, out: map[string]bool{}}
	w.leaveOut("./report.html")
	look := func() snapshot {
		t.Helper()
		s, err := w.look()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := look()
	want := []string{".env", "server.py", filepath.FromSlash("src/a.py"), filepath.FromSlash("vendor/server.js")}
	if diff := cmp.Diff(want, first.since(nil)); diff != "" {
		t.Errorf("watched files (-want +got):\n%s", diff)
	}
	if got := look().since(first); len(got) > 0 {
		t.Errorf("%q changed, though nobody touched a file", got)
	}

	put("server.py", "longer")
	put("src/new.py", "x")
	put("report.html", "longer")
	if err := os.Remove(".env"); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes("vendor/server.js", now, now); err != nil { // the same size
		t.Fatal(err)
	}
	want = []string{".env", "server.py", filepath.FromSlash("src/new.py"), filepath.FromSlash("vendor/server.js")}
	if diff := cmp.Diff(want, look().since(first)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestTold(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"a"}, "changed: a"},
		{[]string{"a", "b"}, "changed: a, b"},
		{[]string{"a", "b", "c", "d", "e", "f"}, "changed: a, b, c, d, e and 1 more file"},
		{[]string{"a", "b", "c", "d", "e", "f", "g"}, "changed: a, b, c, d, e and 2 more files"},
	} {
		if got := told(c.files); got != c.want {
			t.Errorf("told(%q) = %q, want %q", c.files, got, c.want)
		}
	}
}
