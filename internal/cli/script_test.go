package cli

import (
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/testserver"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script/*.txt: a page for each command and for each exit code, to be read like a manual. Besides the commands of
// testscript, a script has
//
//	exits CODE COMMAND [ARG...]    runs a command whose exit code must be CODE
//	webserver NAME [FLAG...]       starts an MCP server and puts its URL into the variable NAME; -help lists the flags
//	registry NAME FOLDER           serves a folder as a package registry and puts its URL into the variable NAME
//	server BEHAVIOUR               (a program) a stdio server of package testserver
//	stuck FILE                     (a program) a stdio server that never answers a listing; FILE comes into being when it is asked
//	awaits FILE REGEXP             waits until a file matches
//	interrupted FILE COMMAND...    (a program) runs a command and presses Ctrl-C when FILE exists
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"webserver": webserver,
			"registry":  registryServer,
			"awaits":    awaits,
		},
		RequireUniqueNames: true,
	})
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func webserver(ts *testscript.TestScript, _ bool, args []string) {
	flags := flag.NewFlagSet("webserver", flag.ContinueOnError)
	sse := flags.Bool("sse", false, "speak HTTP+SSE of 2024-11-05")
	modern := flags.Bool("modern", false, "speak the stateless lifecycle too")
	status := flags.Int("status", 0, "answer everything with this `status`")
	token := flags.String("token", "", "want this bearer `token`")
	events := flags.Bool("events", false, "answer with event streams")
	catalog := flags.String("catalog", "", "serve what stands in this JSON `file`")
	certificate := flags.String("tls", "", "speak TLS and write the certificate to this `file`")
	ts.Check(flags.Parse(args[1:]))

	var handler http.Handler
	switch {
	case *sse:
		handler = newOldServer()
	case *status != 0:
		handler = always(*status, "text/plain", http.StatusText(*status))
	default:
		web := &testserver.Web{Legacy: true, Modern: *modern, Sessions: true, Token: *token, Events: *events, StrictOrigin: true, StrictCursors: true,
			Catalog: testserver.DefaultCatalog()}
		if *catalog != "" {
			var err error
			web.Catalog, err = testserver.ReadCatalog(ts.MkAbs(*catalog))
			ts.Check(err)
		}
		handler = web
	}
	srv := httptest.NewUnstartedServer(handler)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that we break off
	if *certificate == "" {
		srv.Start()
	} else {
		srv.StartTLS()
		block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
		ts.Check(os.WriteFile(ts.MkAbs(*certificate), block, 0o600))
	}
	ts.Defer(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	ts.Setenv(args[0], srv.URL+"/mcp")
}
