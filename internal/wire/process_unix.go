//go:build unix

package wire

import (
	"errors"
	"os"
	"syscall"
)

var inheritedVariables = []string{"HOME", "LANG", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}

func variableKey(name string) string { return name }

// processGroup is a Unix process group. A process that starts a session of its own (setsid) leaves it.
type processGroup struct{ id int }

func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func newProcessGroup(leader *os.Process) (*processGroup, error) {
	return &processGroup{id: leader.Pid}, nil
}

func (g *processGroup) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }

func (g *processGroup) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// empty reports whether no process of the group runs.
func (g *processGroup) empty() bool {
	return errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) || onlyZombies(g.id)
}

func (g *processGroup) release() {}

func endingSignal(state *os.ProcessState) (int, bool) {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return 0, false
	}
	return int(ws.Signal()), true
}

func wrongFormat(err error) bool { return errors.Is(err, syscall.ENOEXEC) }
