package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/cli"
)

func TestManual(t *testing.T) {
	page := manual(cli.Commands())
	for _, want := range []string{`.TH "HALLMARK" "1"`, `.SS "hallmark audit"`, `.SS "hallmark watch"`, `.B "\-\-fail\-under percentage"`, `.SH "EXIT STATUS"`, `.B "130"`, `.B "HALLMARK_TOKEN"`} {
		if !strings.Contains(page, want+"\n") && !strings.Contains(page, want+" ") {
			t.Errorf("the page has no %s", want)
		}
	}
	if page != manual(cli.Commands()) {
		t.Error("the page is another one each time")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff, which would read the page, is not here")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Errorf("groff: %v\n%s", err, complaints.String())
	}
}

func TestRoff(t *testing.T) {
	m := &manPage{}
	m.text(".not a request\n'nor this\na\\b -c")
	m.macro("B", `say "-x"`)
	want := "\\&.not a request\n\\&'nor this\na\\eb \\-c\n.B \"say \\(dq\\-x\\(dq\"\n"
	if got := m.b.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriteManual(t *testing.T) {
	dir := t.TempDir()
	if err := writeManual(dir); err != nil {
		t.Fatal(err)
	}
	for file, word := range map[string]string{
		"hallmark.1": ".TH", "completions/hallmark.bash": "__start_hallmark", "completions/_hallmark": "#compdef hallmark",
		"completions/hallmark.fish": "complete -c hallmark", "completions/hallmark.ps1": "Register-ArgumentCompleter",
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(text), word) {
			t.Errorf("%s: no %q in it: %v", file, word, err)
		}
	}
}
