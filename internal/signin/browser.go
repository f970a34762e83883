package signin

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
)

// Browser starts a program with the address as its last argument, without a shell.
type Browser struct {
	// Command is the program, with arguments before the address when there are blanks in it and no program has that whole name. Empty
	// stands for the system's way to open an address.
	Command string
	Env     []string // NAME=VALUE
}

// Open starts the program and waits for its end. A program that was named must start and must not fail; when the system has no
// browser, the user can still open the address that was printed, so that is no error.
func (b Browser) Open(_ context.Context, address string) error {
	words := b.words()
	if words == nil {
		return nil
	}
	// The program is not tied to the context: it may be the user's browser with all its windows.
	cmd := exec.Command(words[0], append(words[1:], address)...)
	cmd.Env = b.Env
	err := cmd.Run()
	if err == nil || b.Command == "" {
		return nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s ended with %s before the answer came", words[0], exit.ProcessState)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return fmt.Errorf("%s cannot be started: %w", words[0], err)
}

func (b Browser) words() []string {
	if b.Command != "" {
		if _, err := exec.LookPath(b.Command); err == nil {
			return []string{b.Command}
		}
		return strings.Fields(b.Command)
	}
	switch runtime.GOOS {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case "darwin":
		return []string{"open"}
	}
	return []string{"xdg-open"}
}
