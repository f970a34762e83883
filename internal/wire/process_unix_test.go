//go:build unix

package wire

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
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
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// pidIn waits for a server to write the process id.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			pid, err := strconv.Atoi(string(text))
			if err != nil || !running(pid) {
				t.Fatalf("process %q is not running: %v", text, err)
			}
			return pid
		}
	}
	t.Fatal("no process id was written")
	return 0
}

func TestCloseEndsEveryDescendant(t *testing.T) {
	tests := []struct {
		behaviour string
		serves    bool
		grace     time.Duration
		stopped   string
	}{
		{"grandchild", true, patience, "stdin-closed"},
		{"stubborn-grandchild", true, patience, "stdin-closed"},
		{"stubborn", false, short, "killed"},
	}
	for _, tt := range tests {
		for _, how := range []string{"close", "cancel"} {
			t.Run(tt.behaviour+" "+how, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "pid")
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				s, failure := StartStdio(ctx, StdioOptions{Command: testserver.Command(t, tt.behaviour, file), Grace: tt.grace})
				if failure != nil {
					t.Fatalf("start: %+v", failure)
				}
				defer s.Close()
				if tt.serves {
					mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
				}
				pid := pidIn(t, file)
				leader := s.proc.cmd.Process.Pid
				stopped := tt.stopped
				if how == "cancel" {
					cancel()
					stopped = ""
				}
				s.Close()
				for _, p := range []int{pid, leader} {
					if running(p) {
						t.Errorf("process %d survived", p)
						syscall.Kill(p, syscall.SIGKILL)
					}
				}
				if got := s.Record().Stopped; stopped != "" && got != stopped {
					t.Errorf("stopped by %q, want %q", got, stopped)
				}
			})
		}
	}
}

// When the server itself is gone, what it started goes too, before anybody closes the connection.
func TestDescendantsEndWithTheServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	s := startStdio(t, StdioOptions{Command: testserver.Command(t, "orphans", file), Grace: short})
	mustFail(t, s.Do(t.Context(), stdioHandshake()), recording.FailExited, "exit status 0")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	<-s.swept
	if running(pid) {
		t.Errorf("process %d survived", pid)
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestCloseAsksBeforeItKills(t *testing.T) {
	s := startStdio(t, StdioOptions{Command: testserver.Command(t, "lingers"), Grace: short})
	mustAnswer(t, s.Do(t.Context(), stdioHandshake()))
	s.Close()
	if p := s.Record(); p.Stopped != "terminated" || p.Exit != nil {
		t.Errorf("process %+v", p)
	}
}

func TestExitBySignal(t *testing.T) {
	s := startStdioServer(t, "silent")
	time.AfterFunc(20*time.Millisecond, func() { syscall.Kill(s.proc.cmd.Process.Pid, syscall.SIGKILL) })
	mustFail(t, s.Do(t.Context(), stdioHandshake()), recording.FailExited, "(signal: killed)")
	if p := s.Record(); p.Exit == nil || *p.Exit != 137 {
		t.Errorf("process %+v", p)
	}
}
