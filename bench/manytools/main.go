// Command manytools is an MCP server with a very large catalog, for measuring audits: distinct, well-made tools on pages of 100.
//
//	manytools -n 10000 -lifecycle dual -listen 127.0.0.1:0    Streamable HTTP; the URL is printed on a line
//	manytools -n 10000                                        stdio, the stateful lifecycle only
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/mcp-hallmark/hallmark/internal/testserver"
)

func main() {
	n := flag.Int("n", 10_000, "how many tools")
	listen := flag.String("listen", "", "`address` to serve HTTP on; stdio without")
	lifecycle := flag.String("lifecycle", "stateful", "stateful, stateless or dual (over HTTP)")
	flag.Parse()
	catalog := testserver.DefaultCatalog()
	catalog.Tools, catalog.PageSize = testserver.VariedTools(*n), 100
	var err error
	if *listen == "" {
		err = overStdio(&testserver.Session{Catalog: catalog}, os.Stdin, os.Stdout)
	} else {
		err = overHTTP(&testserver.Web{Catalog: catalog, Legacy: *lifecycle != "stateless", Modern: *lifecycle != "stateful"}, *listen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manytools:", err)
		os.Exit(1)
	}
}

func overHTTP(server http.Handler, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	return http.Serve(l, server)
}

func overStdio(session *testserver.Session, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if answer := session.Answer(lines.Bytes()); answer != nil {
			if _, err := out.Write(append(answer, '\n')); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}
