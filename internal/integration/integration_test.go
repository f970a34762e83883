//go:build unix

// Package integration audits real servers that other people wrote. It needs the servers of the corpus (../shared/oracle/install.sh FOLDER)
// and runs when HALLMARK_INTEGRATION is set and ORACLE_WORK names that folder; `make integration` does both.
package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

var (
	work   string // folder of the installed servers
	binary string // hallmark
)

func TestMain(m *testing.M) {
	if os.Getenv("HALLMARK_INTEGRATION") == "" {
		os.Exit(m.Run())
	}
	os.Exit(prepared(m))
}

func prepared(m *testing.M) int {
	work = os.Getenv("ORACLE_WORK")
	dir, err := os.MkdirTemp("", "hallmark-integration")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "hallmark")
	build := exec.Command("go", "build", "-o", binary, "../../cmd/hallmark")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building hallmark: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

func needServers(t *testing.T) {
	t.Helper()
	if os.Getenv("HALLMARK_INTEGRATION") == "" {
		t.Skip("HALLMARK_INTEGRATION is not set: real servers are audited by make integration")
	}
}

// server is a real server and what is known about it.
type server struct {
	name      string
	command   []string // stdio: what hallmark starts; otherwise what the test starts
	env       []string // of a server over HTTP
	path      string   // of the endpoint
	port      int
	transport recording.Transport
	tools     int // at least so many
}

func (s server) url() string { return fmt.Sprintf("http://127.0.0.1:%d%s", s.port, s.path) }

func servers(t *testing.T) []server {
	t.Helper()
	bin := filepath.Join(work, "node/node_modules/.bin/")
	everything := filepath.Join(bin, "mcp-server-everything")
	http, sse := freePort(t), freePort(t)
	return []server{
		{name: "everything over stdio", command: []string{"node", everything}, transport: recording.Stdio, tools: 10},
		{name: "everything over Streamable HTTP", command: []string{"node", everything, "streamableHttp"}, env: []string{fmt.Sprintf("PORT=%d", http)}, port: http, path: "/mcp", transport: recording.StreamableHTTP, tools: 10},
		{name: "everything over SSE", command: []string{"node", everything, "sse"}, env: []string{fmt.Sprintf("PORT=%d", sse)}, port: sse, path: "/sse", transport: recording.SSE, tools: 10},
		{name: "filesystem", command: []string{"node", filesystemServer(t), t.TempDir()}, transport: recording.Stdio, tools: 10},
		{name: "memory", command: []string{"node", filepath.Join(bin, "mcp-server-memory")}, transport: recording.Stdio, tools: 5},
		{name: "time", command: []string{filepath.Join(work, "py/ref/bin/mcp-server-time"), "--local-timezone", "UTC"}, transport: recording.Stdio, tools: 2},
		{name: "git", command: []string{filepath.Join(work, "py/ref/bin/mcp-server-git"), "--repository", filepath.Join(work, "data/repo")}, transport: recording.Stdio, tools: 5},
		{name: "go-sdk hello", command: []string{filepath.Join(work, "go/gosdk-hello")}, transport: recording.Stdio, tools: 1},
		{name: "mcp-go everything", command: []string{filepath.Join(work, "go/mcpgo-everything")}, transport: recording.Stdio, tools: 3},
	}
}

// filesystemServer installs the one server of the list that the corpus lacks.
func filesystemServer(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(work, "integration")
	entry := filepath.Join(dir, "node_modules/.bin/mcp-server-filesystem")
	if _, err := os.Stat(entry); err == nil {
		return entry
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "@modelcontextprotocol/server-filesystem@2026.8.31")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	return entry
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// serve starts a server over HTTP and returns when its port accepts.
func serve(t *testing.T, s server) {
	t.Helper()
	cmd := exec.Command(s.command[0], s.command[1:]...)
	cmd.Env = append(os.Environ(), s.env...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	deadline := time.Now().Add(time.Minute)
	for {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen: %s", s.name, log.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// target are the last words of hallmark's command line.
func (s server) target() []string {
	if s.transport == recording.Stdio {
		return append([]string{"--stdio"}, s.command...)
	}
	return []string{s.url()}
}

func hallmark(t *testing.T, args ...string) (stdout []byte, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if s := errs.String(); s != "" {
		t.Log(s)
	}
	return out.Bytes(), cmd.ProcessState.ExitCode()
}

func TestRealServers(t *testing.T) {
	needServers(t)
	schema := reportSchema(t)
	for _, s := range servers(t) {
		t.Run(s.name, func(t *testing.T) {
			if s.transport != recording.Stdio {
				serve(t, s)
			}
			rec := filepath.Join(t.TempDir(), "a.rec.json")
			report, code := hallmark(t, append([]string{"audit", "--json", "--record", rec}, s.target()...)...)
			if code != 0 {
				t.Fatalf("exit code %d", code)
			}
			checkReport(t, s, schema, report)

			again, code := hallmark(t, "replay", "--json", rec)
			if code != 0 || !bytes.Equal(report, again) {
				t.Errorf("the replay (exit code %d) differs from the audit:\n%s", code, cmp.Diff(string(report), string(again)))
			}
			text, code := hallmark(t, "replay", rec)
			if code != 0 || !strings.Contains(string(text), "points") {
				t.Errorf("the terminal report (exit code %d) shows no points:\n%s", code, text)
			}
			if info, err := os.Stat(rec); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the recording's mode is %v, want 0600 (%v)", info.Mode(), err)
			}

			second, code := hallmark(t, append([]string{"audit", "--json"}, s.target()...)...)
			if code != 0 {
				t.Fatalf("second audit: exit code %d", code)
			}
			if diff := cmp.Diff(timeless(t, report), timeless(t, second)); diff != "" {
				t.Errorf("a second audit differs in more than times:\n%s", diff)
			}
		})
	}
}

func checkReport(t *testing.T, s server, schema *jsonschema.Schema, report []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("the report does not match its schema: %v", err)
	}
	var r struct {
		Transport string `json:"transport"`
		Score     int    `json:"score"`
		MaxScore  int    `json:"max_score"`
		Partial   bool   `json:"partial"`
		Catalogs  []struct {
			Name     string `json:"name"`
			Items    int    `json:"items"`
			Complete bool   `json:"complete"`
		} `json:"catalogs"`
		Failure any `json:"failure"`
	}
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	if r.Transport != string(s.transport) || r.Partial || r.Failure != nil || r.Score <= 0 || r.Score > r.MaxScore {
		t.Errorf("transport %s, partial %v, failure %v, score %d/%d", r.Transport, r.Partial, r.Failure, r.Score, r.MaxScore)
	}
	for _, c := range r.Catalogs {
		if c.Name == "tools" && (!c.Complete || c.Items < s.tools) {
			t.Errorf("tools: complete %v, %d items, want at least %d", c.Complete, c.Items, s.tools)
		}
	}
}

var ephemeral = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// timeless drops what may differ between two audits of one server: times, and what follows from them.
func timeless(t *testing.T, report []byte) any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal(ephemeral.ReplaceAll(report, []byte("127.0.0.1:0")), &r); err != nil {
		t.Fatal(err)
	}
	delete(r, "generated_at")
	delete(r, "measurements")
	delete(r, "experimental") // holds the time to the first answer
	return r
}

func reportSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestReproductions runs the commands that findings are shown with, one per family of steps, and looks for the answer that was judged.
func TestReproductions(t *testing.T) {
	needServers(t)
	for _, s := range servers(t)[:3] {
		t.Run(s.name, func(t *testing.T) {
			if s.transport != recording.Stdio {
				serve(t, s)
			}
			file := filepath.Join(t.TempDir(), "a.rec.json")
			report, code := hallmark(t, append([]string{"audit", "--json", "--record", file}, s.target()...)...)
			if code != 0 {
				t.Fatalf("exit code %d", code)
			}
			rec := readRecording(t, file)
			families := map[string]bool{}
			for step, command := range reproductions(t, report) {
				family := regexp.MustCompile(`/\d+$`).ReplaceAllString(step, "")
				e := rec.Find(step)
				if families[family] || e == nil {
					continue
				}
				families[family] = true
				want, _, ok := e.Message()
				if !ok {
					continue
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				out, err := exec.CommandContext(ctx, "bash", "-c", command).CombinedOutput()
				cancel()
				if core := want.Get("error").Get("message").TextOr(""); core != "" && !strings.Contains(string(out), core) {
					t.Errorf("%s: the command does not bring the error %q (%v):\n%s\n%s", step, core, err, command, out)
				} else if !strings.Contains(string(out), `"jsonrpc"`) {
					t.Errorf("%s: the command brings no answer (%v):\n%s\n%s", step, err, command, out)
				}
			}
			if len(families) < 2 {
				t.Errorf("only %d families of steps could be tried", len(families))
			}
		})
	}
}

func readRecording(t *testing.T, file string) *recording.Recording {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := recording.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// reproductions finds the command of each step that a failure names.
func reproductions(t *testing.T, report []byte) map[string]string {
	t.Helper()
	var r struct {
		Results   []failed `json:"results"`
		Readiness struct {
			Results []failed `json:"results"`
		} `json:"readiness"`
	}
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	commands := map[string]string{}
	for _, f := range append(r.Results, r.Readiness.Results...) {
		for _, rep := range f.Reproduce {
			commands[rep.Step] = rep.Command
		}
	}
	return commands
}

type failed struct {
	Reproduce []struct {
		Step    string `json:"step"`
		Command string `json:"command"`
	} `json:"reproduce"`
}
