package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestParseOutput(t *testing.T) {
	tests := []struct {
		value string
		want  output // empty for an error
	}{
		{"report.html", output{"html", "report.html"}},
		{"REPORT.HTM", output{"html", "REPORT.HTM"}},
		{"a.sarif", output{"sarif", "a.sarif"}},
		{"a.sarif.json", output{"sarif", "a.sarif.json"}},
		{"a.json", output{"json", "a.json"}},
		{"out/comment.md", output{"markdown", "out/comment.md"}},
		{"results.xml", output{"junit", "results.xml"}},
		{"badge.svg", output{"badge", "badge.svg"}},
		{"readiness-badge:badge.svg", output{"readiness-badge", "badge.svg"}},
		{"junit:results.json", output{"junit", "results.json"}},
		{"text:-", output{"text", "-"}},
		{`C:\out\a.html`, output{"html", `C:\out\a.html`}},
		{"html:", output{}},
		{"html: ", output{}},
		{"report", output{}},
		{"-", output{}},
		{"", output{}},
		{"pdf:report.pdf", output{}},
	}
	for _, tt := range tests {
		got, err := parseOutput(tt.value)
		if got != tt.want || (err == nil) != (tt.want != output{}) {
			t.Errorf("%q: %+v, %v; want %+v", tt.value, got, err, tt.want)
		}
	}
}

// A local server's results stand at the file of the repository that its command names, whatever folder of it we are in.
func TestProjectFile(t *testing.T) {
	top := t.TempDir()
	repository := filepath.Join(top, "repo")
	for _, name := range []string{"repo/.git/HEAD", "repo/src/server.py", "repo/src/data.db", "repo/bin/server", "elsewhere.py"} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		here    string // below the repository
		dir     string
		command []string
		want    string
	}{
		{"script", "", "", []string{"python3", "src/server.py"}, "src/server.py"},
		{"script, seen from its folder", "src", "", []string{"python3", "-u", "server.py"}, "src/server.py"},
		{"script, seen from --cwd", "", "src", []string{"python3", "server.py"}, "src/server.py"},
		{"whole path", "src", "", []string{"python3", filepath.Join(repository, "src", "server.py")}, "src/server.py"},
		{"program", "", "", []string{"./bin/server", "--port", "1"}, "bin/server"},
		{"program of the PATH", "bin", "", []string{"server"}, ""},
		{"data", "", "", []string{"npx", "some-server", "src/data.db"}, ""},
		{"folder", "", "", []string{"./src"}, ""},
		{"outside the repository", "", "", []string{"python3", "../elsewhere.py"}, ""},
		{"not there", "", "", []string{"python3", "gone.py"}, ""},
		{"no command", "", "", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(filepath.Join(repository, tt.here))
			rec := &recording.Recording{Target: recording.Target{Command: tt.command}}
			if got := projectFile(rec, tt.dir); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
