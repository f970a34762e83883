package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

// Over standard input and output a client can have this machine audited, and nothing else that is not public.
func TestMCPOverStdio(t *testing.T) {
	web := &testserver.Web{Legacy: true, Token: "wanted"}
	local := web.Start(t)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan int, 1)
	var stderr strings.Builder
	go func() {
		ended <- Main(t.Context(), []string{"mcp"}, Env{
			Stdin: fromClient, Stdout: toClient, Stderr: &stderr, Now: func() time.Time { return now }, Width: func(io.Writer) int { return 0 },
			Getenv: func(name string) string { return map[string]string{"HALLMARK_TOKEN": "wanted"}[name] },
		})
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		url, want string
		failed    bool
	}{
		{local, "wants credentials and none were given", false}, // the user's token is for the user
		{"http://169.254.169.254/latest/meta-data", "leads into a private network", true},
		{"http://[::ffff:10.1.2.3]/mcp", "leads into a private network", true},
	} {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "audit_server", Arguments: map[string]any{"url": tt.url}})
		if err != nil {
			t.Fatal(err)
		}
		text, ok := r.Content[0].(*mcp.TextContent)
		if !ok || r.IsError != tt.failed || !strings.Contains(text.Text, tt.want) {
			t.Errorf("%s: failed: %v, %+v; want %q", tt.url, r.IsError, r.Content[0], tt.want)
		}
	}
	for _, seen := range web.Requests() {
		if strings.Contains(seen.Header.Get("Authorization"), "wanted") {
			t.Errorf("%s %s carries the user's token", seen.HTTP, seen.RPC)
		}
	}
	session.Close()
	if code := <-ended; code != ExitOK || stderr.Len() > 0 {
		t.Errorf("exit code %d, standard error %q", code, stderr.String())
	}
}

// Over HTTP the program serves until it is told to stop, at the address that it names.
func TestMCPOverHTTP(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"mcp", "--http", "localhost:0"}, Env{
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr, Getenv: func(string) string { return "" }, Width: func(io.Writer) int { return 0 },
		})
		stderr.Close()
	}()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, url, found := strings.Cut(strings.TrimSpace(line), "serving MCP at ")
	if !found || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("said %q", line)
	}
	o := run(t, "audit", "--json", "--no-config", "--fail-under", "100", "--fail-under-readiness", "100", url)
	o.want(t, ExitOK)
	if r := o.report(t); r.Partial || r.Score != r.MaxScore || r.Readiness.Score != r.Readiness.MaxScore {
		t.Errorf("%d of %d points, readiness %d of %d, partial: %v", r.Score, r.MaxScore, r.Readiness.Score, r.Readiness.MaxScore, r.Partial)
	}
	resp, err := http.Get(strings.TrimSuffix(url, "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("beside the endpoint: status %d", resp.StatusCode)
	}
	stop()
	if code := <-ended; code != ExitOK {
		t.Errorf("exit code %d after it was told to stop", code)
	}
}
