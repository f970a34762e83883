package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updatePages = flag.Bool("update-pages", false, "rewrite the output of the commands on the pages in docs with what they print now")

// TestPages runs the commands that the pages in docs show and compares what they print. On a page,
//
//	<!-- file: NAME -->       makes a file of the block that follows
//	<!-- run: COMMAND -->     runs a command that readers do not see
//	```console                starts a block of commands, each after "$ ", with what they print, standard error included
//
// A page has a folder of its own, in which everything on it happens in order. The program weather-server there is a stdio server of package
// testserver, which serves what stands in weather.json if there is such a file; RECORDINGS is the folder of the recordings that we keep.
// Moments are always the same one.
func TestPages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages show commands of a POSIX shell")
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range pages {
		text := read(t, page)
		if !strings.Contains(text, "```console\n") {
			continue
		}
		ran++
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			got := runPage(t, text)
			if got == text {
				return
			}
			if *updatePages {
				if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s is not what the commands print (-page +now; -update-pages rewrites it):\n%s", page, cmp.Diff(text, got))
		})
	}
	if ran < 5 {
		t.Errorf("only %d pages show commands", ran)
	}
}

var moment = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)`)

// runPage returns a page with what its commands print now.
func runPage(t *testing.T, text string) string {
	shell := newPageShell(t)
	var out strings.Builder
	file := ""
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		out.WriteString(lines[i])
		switch {
		case strings.HasPrefix(line, "<!-- file: "):
			file = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- file: "), " -->")
		case strings.HasPrefix(line, "<!-- run: "):
			command := strings.TrimSuffix(strings.TrimPrefix(line, "<!-- run: "), " -->")
			if printed := shell.run(command); shell.code != 0 {
				t.Errorf("%s ends with %d:\n%s", command, shell.code, printed)
			}
		case strings.HasPrefix(line, "```"):
			var block []string
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				block = append(block, lines[i])
			}
			switch {
			case file != "":
				text := strings.Join(block, "")
				var line bytes.Buffer
				if file == "weather.json" && json.Compact(&line, []byte(text)) == nil {
					text = line.String() // the server writes its items as they stand there, each must be on one line
				}
				shell.write(file, text, 0o644)
				file = ""
			case line == "```console":
				block = shell.session(block)
			}
			for _, l := range block {
				out.WriteString(l)
			}
			if i < len(lines) {
				out.WriteString(lines[i])
			}
		}
	}
	return out.String()
}

type pageShell struct {
	t    *testing.T
	dir  string
	env  []string
	code int // of the last command
}

func newPageShell(t *testing.T) *pageShell {
	recordings, err := filepath.Abs("../../testdata/recordings")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	s := &pageShell{t: t, dir: dir}
	s.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "RECORDINGS="+recordings, "HOME="+dir, "HALLMARK_TOKEN=", "MCPSCORE_TOKEN=")
	s.write(filepath.Join(bin, "weather-server"), "#!/bin/sh\nif [ -f weather.json ]; then exec server server weather.json; fi\nexec server server\n", 0o755)
	return s
}

func (s *pageShell) write(name, text string, mode os.FileMode) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.dir, name)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), mode)); err != nil {
		s.t.Fatal(err)
	}
}

// session runs the commands of a block and returns the block with what they print.
func (s *pageShell) session(block []string) []string {
	var out []string
	for i := 0; i < len(block); i++ {
		command, ok := strings.CutPrefix(block[i], "$ ")
		if !ok {
			continue // what it printed before
		}
		out = append(out, block[i])
		for strings.HasSuffix(command, "\\\n") && i+1 < len(block) {
			i++
			command += block[i]
			out = append(out, block[i])
		}
		if printed := s.run(command); printed != "" {
			out = append(out, strings.TrimSuffix(printed, "\n")+"\n")
		}
	}
	return out
}

// run runs a command in the page's folder and returns what it printed.
func (s *pageShell) run(command string) string {
	cmd := exec.Command("sh", "-c", fmt.Sprintf("(exit %d)\n%s", s.code, command))
	cmd.Dir, cmd.Env = s.dir, s.env
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		s.code = exit.ExitCode()
	case err != nil:
		s.t.Fatalf("%s: %v", command, err)
	default:
		s.code = 0
	}
	text := strings.ReplaceAll(printed.String(), s.dir, "/home/you/project")
	return moment.ReplaceAllString(text, "2026-11-30T17:46:05.000000+00:00")
}
