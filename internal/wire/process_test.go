package wire

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("variable names are written for Unix")
	}
	parent := []string{
		"PATH=/bin", "HOME=/home/a", "LC_ALL=C", "LC=x", "XDG_CONFIG_HOME=/x", "USER=() { evil; }", "TERM=", "path=/lower",
		"AWS_SECRET_ACCESS_KEY=x", "HTTPS_PROXY=http://u:p@proxy", "broken",
	}
	got := Environment(parent, []string{"HOME=/other", "TOKEN=a=b", "=x", "novalue", "TOKEN=c"})
	want := []string{"HOME=/other", "LC_ALL=C", "PATH=/bin", "TERM=", "TOKEN=c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestStartFailures(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are made executable the way of Unix")
	}
	if os.Getuid() == 0 {
		t.Log("root may read everything but execute nothing without the x bit, so all cases hold")
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	plain := write("plain.py", "print()\n", 0o600)
	noShebang := write("bare.js", "console.log(1)\n", 0o700)
	otherSystem := write("server.exe", "MZ\x90\x00rest", 0o700)
	noInterpreter := write("script", "#!/no/such/interpreter -x\n", 0o700)
	crlf := write("dos.sh", "#!/bin/sh\r\nexit\r\n", 0o700)
	tests := []struct {
		name    string
		command []string
		dir     string
		class   recording.Class
		detail  string
	}{
		{"nothing", nil, "", recording.FailInvalidTarget, "no command was given"},
		{"empty word", []string{""}, "", recording.FailInvalidTarget, "no command was given"},
		{"unknown name", []string{"no-such-program-here", "x"}, "", recording.FailCommandNotFound, "not installed or not in PATH"},
		{"unknown path", []string{"./no/such/file"}, "", recording.FailCommandNotFound, "check the path"},
		{"home", []string{"~/bin/start.sh"}, "", recording.FailCommandNotFound, "without a shell"},
		{"variable", []string{"$HOME/start.sh"}, "", recording.FailCommandNotFound, "without a shell"},
		{"whole line", []string{"node server.js --x"}, "", recording.FailCommandNotFound, "separate words"},
		{"control characters", []string{"bad\x1b[2J"}, "", recording.FailCommandNotFound, `"bad\x1b[2J"`},
		{"NUL", []string{"sh", "a\x00b"}, "", recording.FailInvalidTarget, "NUL"},
		{"directory", []string{dir}, "", recording.FailNotExecutable, "is a directory"},
		{"not executable", []string{plain}, "", recording.FailNotExecutable, "chmod +x) or start it with its interpreter: python3 " + plain},
		{"relative to the directory", []string{"./plain.py"}, dir, recording.FailNotExecutable, "python3 ./plain.py"},
		{"no shebang", []string{noShebang}, "", recording.FailNotExecutable, "no #! line that names its interpreter or start it with its interpreter: node "},
		{"other system", []string{otherSystem}, "", recording.FailNotExecutable, "another system or processor"},
		{"missing interpreter", []string{noInterpreter}, "", recording.FailNotExecutable, "does not exist: /no/such/interpreter -x"},
		{"CR LF script", []string{crlf}, "", recording.FailNotExecutable, "CR LF"},
		{"missing directory", []string{"sh"}, filepath.Join(dir, "none"), recording.FailInvalidTarget, "working directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, f := StartStdio(t.Context(), StdioOptions{Command: tt.command, Dir: tt.dir})
			if s != nil {
				s.Close()
				t.Fatal("started")
			}
			if f.Class != tt.class || f.Phase != "start" || !strings.Contains(f.Detail, tt.detail) {
				t.Errorf("failure %+v, want %s with %q", f, tt.class, tt.detail)
			}
		})
	}
}
