package testserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

// answers is the member "x-answers" of a tool in a catalog: what a call gets. Each is a result, an error with a code, or one of the words
// "crash" and "silent".
type answers struct {
	Valid   json.RawMessage `json:"valid"`   // done, when empty
	Invalid json.RawMessage `json:"invalid"` // what arguments get that the input schema rejects; an error, when empty
}

var (
	done        = json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`)
	badArgument = json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"the arguments are not valid"}]}`)
	noSuchTool  = json.RawMessage(`{"code":-32602,"message":"Unknown tool"}`)
)

// called answers a message that calls a tool. word is "crash" or "silent" when that is what the catalog wants instead of an answer, and
// "other" when the message calls no tool. Nobody is what the call of a tool gets that there is not, an error when empty.
func (c *Catalog) called(message []byte, nobody json.RawMessage) (answer []byte, word string) {
	var call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &call) != nil || call.Method != "tools/call" {
		return nil, "other"
	}
	chosen := nobody
	if chosen == nil {
		chosen = noSuchTool
	}
	i := slices.IndexFunc(c.Tools, func(raw json.RawMessage) bool {
		return jsondoc.MustParse(string(raw)).Get("name").TextOr("") == call.Params.Name
	})
	if i >= 0 {
		var tool struct {
			Schema  json.RawMessage `json:"inputSchema"`
			Answers answers         `json:"x-answers"`
		}
		if err := json.Unmarshal(c.Tools[i], &tool); err != nil {
			return rpcError(call.ID, -32603, err.Error()), ""
		}
		chosen = tool.Answers.Valid
		if chosen == nil {
			chosen = done
		}
		if !toolschema.NewValidator(jsondoc.MustParse(string(tool.Schema))).Check(jsondoc.MustParse(string(call.Params.Arguments))).OK {
			if chosen = tool.Answers.Invalid; chosen == nil {
				chosen = badArgument
			}
		}
	}
	if json.Unmarshal(chosen, &word) == nil {
		return nil, word
	}
	var failure struct {
		Code int `json:"code"`
	}
	if json.Unmarshal(chosen, &failure) == nil && failure.Code != 0 {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, call.ID, chosen), ""
	}
	return rpcResult(call.ID, chosen), ""
}

// Calls is an Intercept for a Web server that answers calls of tools as its catalog says; see the member x-answers. Nobody is the result, or
// the error, that the call of a tool gets that there is not; an error when empty.
func (c *Catalog) Calls(nobody string) func(w http.ResponseWriter, r *http.Request, body []byte) bool {
	return func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		var raw json.RawMessage
		if nobody != "" {
			raw = json.RawMessage(nobody)
		}
		answer, word := c.called(body, raw)
		switch word {
		case "other":
			return false
		case "crash":
			panic(http.ErrAbortHandler)
		case "silent":
			<-r.Context().Done()
			return true
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
		return true
	}
}

// caller is a stdio server that answers calls of tools as its catalog says. [CATALOG]
func caller(args []string) error {
	p, err := newPipeline(args)
	if err != nil {
		return err
	}
	for i, tool := range p.session.Catalog.Tools { // a message is one line
		var line bytes.Buffer
		if err := json.Compact(&line, tool); err != nil {
			return err
		}
		p.session.Catalog.Tools[i] = line.Bytes()
	}
	p.before = func(message []byte, out *bufio.Writer) bool {
		answer, word := p.session.Catalog.called(message, nil)
		switch word {
		case "other":
			return false
		case "crash":
			exit(3)
		case "silent":
			time.Sleep(2 * time.Minute)
		}
		p.print(answer, out)
		return true
	}
	return p.serve()
}
