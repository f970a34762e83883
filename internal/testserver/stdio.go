// Package testserver holds MCP servers for tests: one that does everything right and many that misbehave in one way each. Stdio servers
// need no program besides the test itself: the test binary runs again as the server. A package that uses them has
//
//	func TestMain(m *testing.M) {
//		testserver.Main()
//		os.Exit(m.Run())
//	}
//
// and starts a server with the words of Command.
package testserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
)

// marker is the first argument of a test binary that is to be a server.
const marker = "run-test-server"

// Command returns the words that start a stdio server with this behaviour; see Behaviours for the names and their arguments.
func Command(t testing.TB, behaviour string, args ...string) []string {
	t.Helper()
	if _, ok := behaviours[behaviour]; !ok {
		t.Fatalf("testserver: no behaviour is called %q, only %s", behaviour, strings.Join(Behaviours(), ", "))
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatalf("testserver: %v", err)
	}
	return append([]string{exe, marker, behaviour}, args...)
}

// Behaviours lists the names that Command takes, sorted.
func Behaviours() []string {
	names := make([]string, 0, len(behaviours))
	for name := range behaviours {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Main becomes the server and never returns when the process was started by the words of Command; otherwise it does nothing.
func Main() {
	if len(os.Args) < 3 || os.Args[1] != marker {
		return
	}
	run, ok := behaviours[os.Args[2]]
	if !ok {
		fmt.Fprintf(os.Stderr, "no behaviour is called %q\n", os.Args[2])
		exit(64)
	}
	if err := run(os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(1)
	}
	exit(0)
}

// exit ends the server. os.Exit would wait for a second in a binary with the race detector.
func exit(code int) { syscall.Exit(code) }

// pipeline is a line-by-line stdio server. The zero value of each hook is the right behaviour.
type pipeline struct {
	session Session
	// before runs ahead of each answer; it may print, and may take the message by returning true.
	before func(message []byte, out *bufio.Writer) (taken bool)
	// write prints one answer; nil prints it on a line.
	write func(answer []byte, out *bufio.Writer)
}

// serve answers until standard input ends.
func (p *pipeline) serve() error {
	in, out := bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriter(os.Stdout)
	for {
		message, err := in.ReadBytes('\n')
		if message = bytes.TrimSpace(message); len(message) > 0 {
			if p.before == nil || !p.before(message, out) {
				if answer := p.session.Answer(message); answer != nil {
					p.print(answer, out)
				}
			}
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *pipeline) print(answer []byte, out *bufio.Writer) {
	if p.write != nil {
		p.write(answer, out)
		return
	}
	out.Write(answer)
	out.WriteByte('\n')
}

// newPipeline serves the catalog in the file named by the first argument, the default one without an argument.
func newPipeline(args []string) (*pipeline, error) {
	p := &pipeline{session: Session{Catalog: DefaultCatalog()}}
	if len(args) > 0 {
		c, err := ReadCatalog(args[0])
		if err != nil {
			return nil, err
		}
		p.session.Catalog = c
	}
	return p, nil
}

func isMethod(message []byte, method string) bool {
	return bytes.Contains(message, []byte(`"method":"`+method+`"`))
}

func argument(args []string, fallback string) string {
	if len(args) > 0 {
		return args[0]
	}
	return fallback
}

func environment() []string {
	env := os.Environ()
	slices.Sort(env)
	return env
}
