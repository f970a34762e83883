package cli

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// registryServer is the script command "registry NAME FOLDER": it serves FOLDER as a package registry and puts its URL into the variable
// NAME. The document at /a/b is the file a/b.json; what is no file is a 404.
func registryServer(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[1])
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, err := url.PathUnescape(strings.Trim(r.URL.EscapedPath(), "/"))
		if err != nil || !filepath.IsLocal(path) {
			http.NotFound(w, r)
			return
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)+".json"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	}))
	ts.Defer(srv.Close)
	ts.Setenv(args[0], srv.URL)
}
