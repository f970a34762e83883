package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/testserver"
	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is three programs besides the tests: hallmark itself, the stdio servers of package testserver, and what the scripts need
// to press Ctrl-C.
func TestMain(m *testing.M) {
	testserver.Main()
	testscript.Main(m, map[string]func(){
		"hallmark":    func() { os.Exit(Run()) },
		"server":      server,
		"stuck":       stuck,
		"interrupted": interrupted,
		"parrot":      parrot,
	})
}

// server is the stdio server of package testserver whose behaviour the first argument names.
func server() {
	os.Args = append([]string{os.Args[0], "run-test-server"}, os.Args[1:]...)
	testserver.Main()
	panic("package testserver starts its servers by another word now")
}

// stuck is a stdio server that shakes hands and never answers a listing. When the first one is asked for, it starts a child that holds
// its pipes and writes both process ids to the file that its argument names.
func stuck() {
	session := testserver.Session{Catalog: testserver.DefaultCatalog()}
	started := false
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if !bytes.Contains(in.Bytes(), []byte(`/list"`)) {
			if answer := session.Answer(in.Bytes()); answer != nil {
				fmt.Printf("%s\n", answer)
			}
			continue
		}
		if started {
			continue
		}
		started = true
		child := exec.Command("server", "sleeper")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		writeFile(os.Args[1], fmt.Sprintf("%d %d\n", os.Getpid(), child.Process.Pid))
	}
	time.Sleep(2 * time.Minute) // the end of its input does not end it
}

// interrupted runs the command after its first argument, sends it SIGINT when the file that the first argument names exists, and exits as
// the command does.
func interrupted() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for n := 0; ; n++ {
		if _, err := os.Stat(os.Args[1]); err == nil {
			break
		}
		if n > 1000 {
			fmt.Fprintln(os.Stderr, os.Args[1], "never came into being")
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
}

func writeFile(name, text string) {
	// Renamed into place, so that nobody reads half of it.
	err := os.WriteFile(name+".part", []byte(text), 0o600)
	if err = errors.Join(err, os.Rename(name+".part", name)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// outcome is what a run of the program left behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs the program inside the test.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	return runWith(t, context.Background(), nil, args...)
}

func runWith(t *testing.T, ctx context.Context, variables map[string]string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(ctx, args, Env{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(name string) string { return variables[name] },
		Now:    func() time.Time { return now },
		Width:  func(io.Writer) int { return 0 },
	})
	return outcome{code, stdout.String(), stderr.String()}
}

// report reads the JSON report on standard output.
func (o outcome) report(t *testing.T) *report.Report {
	t.Helper()
	r := &report.Report{}
	dec := json.NewDecoder(strings.NewReader(o.stdout))
	if err := dec.Decode(r); err != nil {
		t.Fatalf("standard output is no report: %v\n%s\nstandard error:\n%s", err, o.stdout, o.stderr)
	}
	if dec.More() {
		t.Error("something follows the report on standard output")
	}
	return r
}

// want checks the exit code.
func (o outcome) want(t *testing.T, code int) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d; standard error:\n%s", o.code, code, o.stderr)
	}
}

func result(r *report.Report, rule string) *report.Result {
	for _, list := range [][]report.Result{r.Results, r.Readiness.Results, r.Experimental.Results} {
		for i := range list {
			if list[i].RuleID == rule {
				return &list[i]
			}
		}
	}
	return nil
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func numbers(t *testing.T, text string) []int {
	t.Helper()
	var list []int
	for _, field := range strings.Fields(text) {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}
