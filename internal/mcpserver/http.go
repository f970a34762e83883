package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody is the largest request that is read, in bytes: two whole reports fit.
const maxBody = 20 << 20

// Handler serves over Streamable HTTP without sessions. Requests that a browser sends for a page of another origin are refused, and so
// are those that name another host than this machine (DNS rebinding).
func Handler(srv *mcp.Server) http.Handler {
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	return http.NewCrossOriginProtection().Handler(refuseMalformed(streamable))
}

// refuseMalformed answers a body that is no JSON with the parse error of JSON-RPC, and a method that is no text with "invalid request"
// (JSON-RPC 2.0 section 5.1). The SDK answers both in plain text.
func refuseMalformed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "the request ended early", http.StatusBadRequest)
			return
		}
		var message struct {
			Method any `json:"method"`
		}
		if !json.Valid(body) {
			refuse(w, -32700, "the body is not JSON")
			return
		}
		if json.Unmarshal(body, &message) == nil && message.Method != nil {
			if _, text := message.Method.(string); !text {
				refuse(w, -32600, "the method is not a string")
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, why)
}
