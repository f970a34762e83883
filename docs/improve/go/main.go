// Command go is a small MCP server written with the Go SDK that avoids the commonest findings. docs/improve.md shows parts of it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// version is set by the build: go build -ldflags "-X main.version=1.4.0".
var version = "1.4.0"

const instructions = `Use this server to convert lengths. Call convert_length once for each value; it rounds to two decimals.
It knows metres, feet and inches, and nothing else.`

type convertInput struct {
	Value float64 `json:"value" jsonschema:"the length to convert, zero or more"`
	From  string  `json:"from" jsonschema:"unit of the value: m, ft or in"`
	To    string  `json:"to" jsonschema:"unit of the result: m, ft or in"`
}

type convertOutput struct {
	Value float64 `json:"value" jsonschema:"the converted length, rounded to two decimals"`
	Unit  string  `json:"unit" jsonschema:"unit of the converted length: m, ft or in"`
}

func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{
		Name:       "lengths",
		Title:      "Length converter",
		Version:    version,
		WebsiteURL: "https://lengths.example/",
		Icons:      []mcp.Icon{{Source: "https://lengths.example/icon.png", MIMEType: "image/png", Sizes: []string{"48x48"}}},
	}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{}, // no logging: revision 2026-07-28 deprecates it
	})

	no := false
	mcp.AddTool(server, &mcp.Tool{
		Name:        "convert_length",
		Title:       "Convert a length",
		Description: "Converts a length between metres, feet and inches, and returns the value with its unit.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
	}, convert)

	server.AddResource(&mcp.Resource{
		URI:         "lengths://units",
		Name:        "units",
		Title:       "Known units",
		Description: "The units that convert_length knows, one on each line.",
		MIMEType:    "text/plain",
	}, readUnits)
	return server
}

func convert(_ context.Context, _ *mcp.CallToolRequest, in convertInput) (*mcp.CallToolResult, convertOutput, error) {
	metres := map[string]float64{"m": 1, "ft": 0.3048, "in": 0.0254}
	if metres[in.From] == 0 || metres[in.To] == 0 || in.Value < 0 {
		return nil, convertOutput{}, fmt.Errorf("units are m, ft and in, and a length is zero or more")
	}
	hundredths := int64(in.Value*metres[in.From]/metres[in.To]*100 + 0.5)
	return nil, convertOutput{Value: float64(hundredths) / 100, Unit: in.To}, nil
}

func readUnits(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: "m\nft\nin\n"}}}, nil
}

// handler serves MCP over Streamable HTTP, and refuses requests that a browser sends for a page of another origin.
func handler(server *mcp.Server) http.Handler {
	streamable := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true}, // revision 2026-07-28 has no sessions
	)
	return http.NewCrossOriginProtection().Handler(refuseMalformed(streamable))
}

// refuseMalformed answers a body that is no JSON with the parse error of JSON-RPC, and a method that is no string with "invalid request".
func refuseMalformed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
		if err != nil {
			http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
			return
		}
		var message struct {
			Method any `json:"method"`
		}
		switch err := json.Unmarshal(body, &message); {
		case r.Method == http.MethodPost && !json.Valid(body):
			refuse(w, -32700, "the body is not JSON")
		case err == nil && message.Method != nil && !isString(message.Method):
			refuse(w, -32600, "the method is not a string")
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		}
	})
}

func isString(v any) bool { _, ok := v.(string); return ok }

func refuse(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, why)
}

func main() {
	address := flag.String("http", "", "address for Streamable HTTP; standard input and output when empty")
	flag.Parse()
	server := newServer()
	if *address != "" {
		log.Fatal(http.ListenAndServe(*address, handler(server)))
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
