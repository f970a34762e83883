package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// dialling is how a program in Go reaches another machine.
var dialling = regexp.MustCompile(`\bnet\.Dial|\btls\.Dial|\bhttp\.(Get|Post|PostForm|Head)\(|\bhttp\.(DefaultClient|DefaultTransport|Transport\{|Client\{)|\bnet\.(DefaultResolver|Resolver|LookupHost|LookupIP|LookupAddr)`)

// dials are the files that may, and why.
var dials = map[string]string{
	"wire/http.go":       "the target, and what it names once screened",
	"wire/screen.go":     "looks up the names that it screens",
	"wire/discovered.go": "addresses that the server named, screened",
	"wire/fence.go":      "targets that a model chose, screened",
	"capture/bind.go":    "this machine's own addresses, when the target is on it",
	"signin/grant.go":    "a client on wire's connections",
	"collect/":           "third-party sources, which no audit of a server asks",
	"testserver/":        "tests only",
	"tools/":             "not shipped",
}

// TestNobodyElseIsDialled shows that one audit dials nobody but its target. This shows that there is no other place that could.
func TestWhoDials(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(file)[len("../"):]
		for n, line := range strings.Split(string(source), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if !dialling.MatchString(code) {
				continue
			}
			allowed := false
			for who := range dials {
				if name == who || strings.HasSuffix(who, "/") && strings.HasPrefix(name, who) {
					allowed, used[who] = true, true
				}
			}
			if !allowed {
				t.Errorf("%s:%d reaches out by itself; requests go through package wire, which screens and records them: %s", name, n+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for who := range dials {
		if strings.HasSuffix(who, ".go") && !used[who] {
			t.Errorf("%s stands in the list and dials nobody", who)
		}
	}
}
