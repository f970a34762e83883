package wire

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// process is a running command, the leader of a group of its own, with the near ends of its three pipes.
type process struct {
	cmd    *exec.Cmd
	group  *processGroup
	stdin  *os.File
	stdout *os.File
	stderr *os.File
}

// startProcess runs a command without a shell. env is its whole environment.
func startProcess(command []string, dir string, env []string) (_ *process, err error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{}, env...) // never nil, which would mean our own environment
	cmd.SysProcAttr = groupAttributes()

	var opened []*os.File
	defer func() {
		if err != nil {
			for _, f := range opened {
				f.Close()
			}
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
			opened = append(opened, r, w)
		}
		return r, w
	}
	// Pipes of our own rather than cmd.StdoutPipe: Wait then returns when the process ends, whoever still holds the pipes, and what
	// it printed last stays readable.
	theirStdin, stdin := pipe()
	stdout, theirStdout := pipe()
	stderr, theirStderr := pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirStdin, theirStdout, theirStderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	group, err := newProcessGroup(cmd.Process)
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	theirStdin.Close()
	theirStdout.Close()
	theirStderr.Close()
	return &process{cmd: cmd, group: group, stdin: stdin, stdout: stdout, stderr: stderr}, nil
}

// sweep ends what is left of the group after its leader ended: asked first, killed after grace. Nothing happens, at no cost, when
// nobody is left.
func (p *process) sweep(grace time.Duration) {
	if p.group.empty() {
		p.group.release()
		return
	}
	p.group.terminate()
	if !p.group.emptyWithin(grace) {
		p.group.kill()
		p.group.emptyWithin(killPatience)
	}
	p.group.release()
}

// killPatience is how long to wait for killed processes to be gone; they cannot refuse, but the kernel takes a moment.
const killPatience = 250 * time.Millisecond

func (g *processGroup) emptyWithin(limit time.Duration) bool {
	for pause, end := time.Millisecond, time.Now().Add(limit); ; pause = min(2*pause, 20*time.Millisecond) {
		if g.empty() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(pause)
	}
}

// Environment returns the environment of an audited server: of the parent's variables only those in InheritedVariables, then the
// explicit NAME=VALUE pairs, which win. It is sorted by name. The parent's secrets so never reach a server unless its user named them.
func Environment(parent, explicit []string) []string {
	values := map[string]string{}
	for _, pair := range parent {
		name, value, ok := strings.Cut(pair, "=")
		// Exported shell functions (value "() {...") are code, not settings.
		if ok && inherits(name) && !strings.HasPrefix(value, "()") {
			values[variableKey(name)] = pair
		}
	}
	for _, pair := range explicit {
		if name, _, ok := strings.Cut(pair, "="); ok && name != "" {
			values[variableKey(name)] = pair
		}
	}
	env := make([]string, 0, len(values))
	for _, pair := range values {
		env = append(env, pair)
	}
	slices.Sort(env)
	return env
}

// InheritedVariables lists, for the system this runs on, the variables that a server inherits; a trailing * stands for any ending.
func InheritedVariables() []string { return slices.Clone(inheritedVariables) }

func inherits(name string) bool {
	key := variableKey(name)
	return slices.ContainsFunc(inheritedVariables, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(key, prefix)
		}
		return key == pattern
	})
}

// exitCode returns the exit code of an ended process, 128+n after signal n.
func exitCode(state *os.ProcessState) int {
	if n, ok := endingSignal(state); ok {
		return 128 + n
	}
	return state.ExitCode()
}
