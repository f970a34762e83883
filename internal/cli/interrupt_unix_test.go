//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// running reports whether a process exists and is no zombie that only waits to be reaped.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	if runtime.GOOS != "linux" {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// Whatever signal ends an audit in the middle of a listing: no process of the server is left, the report is one whole document that says
// so, and nothing else stands in its folder.
func TestInterruptedDuringAListing(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			if ossignal.Ignored(signal) {
				t.Skip("this run was started with the signal ignored (nohup), which programs inherit and respect")
			}
			dir := t.TempDir()
			asked := filepath.Join(t.TempDir(), "asked")
			file := filepath.Join(dir, "report.json")
			cmd := exec.Command("hallmark", "audit", "--json", "--output", file, "--record", filepath.Join(dir, "rec.json"), "--stdio", "stuck", asked)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for n := 0; ; n++ {
				if _, err := os.Stat(asked); err == nil {
					break
				}
				if n > 1000 {
					cmd.Process.Kill()
					t.Fatalf("no listing was asked for; standard error:\n%s", stderr.String())
				}
				time.Sleep(10 * time.Millisecond)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ExitInterrupted {
				t.Errorf("ended with %v, want exit code %d; standard error:\n%s", err, ExitInterrupted, stderr.String())
			}
			for _, pid := range numbers(t, read(t, asked)) {
				if running(pid) {
					t.Errorf("process %d of the server lives on", pid)
				}
			}
			r := &report.Report{}
			if err := json.Unmarshal(stdout.Bytes(), r); err != nil {
				t.Fatalf("standard output is no whole document: %v", err)
			}
			if r.Failure == nil || r.Failure.Class != recording.FailInterrupted || r.Failure.Phase != "listing" {
				t.Errorf("failure %+v, want class interrupted in phase listing", r.Failure)
			}
			if r.ServerInfo == nil || len(r.IncompleteListings) == 0 {
				t.Error("what was read before is not in the report, or passes for everything")
			}
			if got := read(t, file); got != stdout.String() {
				t.Error("the file differs from standard output")
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 2 {
				t.Errorf("%d files were left behind, want the report and the recording: %v, %v", len(entries), entries, err)
			}
		})
	}
}

// A recording is for its owner's eyes, and stays so when it replaces a file that others may read.
func TestModesOfFiles(t *testing.T) {
	dir := t.TempDir()
	fresh, link := filepath.Join(dir, "fresh.json"), filepath.Join(dir, "link.json")
	if err := os.Symlink("target.json", link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "target.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "audit", "--quiet", "--record", fresh, "--output", link, "http://"+closedPort(t)+"/mcp").want(t, ExitTarget)
	for name, want := range map[string]os.FileMode{fresh: 0o600, link: os.ModeSymlink | 0o777, filepath.Join(dir, "target.json"): 0o600} {
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != want && runtime.GOOS == "linux" {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
	if !strings.Contains(read(t, link), `"connection-refused"`) {
		t.Error("the report did not reach what the link points to")
	}
}

// Pipes cannot be replaced by a file, so they are written to.
func TestOutputToAPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		data, err := os.ReadFile(fifo)
		if err != nil {
			data = []byte(err.Error())
		}
		text <- string(data)
	}()
	run(t, "audit", "--quiet", "--output", "json:"+fifo, "http://"+closedPort(t)+"/mcp").want(t, ExitTarget)
	if got := <-text; !strings.Contains(got, `"connection-refused"`) {
		t.Errorf("the pipe carried %q", got)
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe was replaced: %v, %v", info, err)
	}
}
