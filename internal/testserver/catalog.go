package testserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Catalog is what a test server offers. Its members are written out as given, so a test can make any of them wrong.
type Catalog struct {
	ServerInfo   json.RawMessage `json:"serverInfo"`
	Capabilities json.RawMessage `json:"capabilities"`
	Instructions string          `json:"instructions"`
	// Revisions are the protocol revisions that the server speaks, the preferred one first.
	Revisions         []string          `json:"revisions"`
	Tools             []json.RawMessage `json:"tools"`
	Resources         []json.RawMessage `json:"resources"`
	ResourceTemplates []json.RawMessage `json:"resourceTemplates"`
	Prompts           []json.RawMessage `json:"prompts"`
	PageSize          int               `json:"pageSize"` // items of a page, 0 for all on one
}

// DefaultCatalog is a small server that does everything right.
func DefaultCatalog() *Catalog {
	raw := func(items ...string) []json.RawMessage {
		out := []json.RawMessage{}
		for _, item := range items {
			out = append(out, json.RawMessage(item))
		}
		return out
	}
	return &Catalog{
		ServerInfo:   json.RawMessage(`{"name":"weather-desk","title":"Weather desk","version":"2.3.1"}`),
		Capabilities: json.RawMessage(`{"tools":{},"resources":{},"prompts":{}}`),
		Instructions: "Ask for a forecast by city, then read the station list for details.",
		Revisions:    []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"},
		Tools: raw(
			`{"name":"get_forecast","title":"Get forecast","description":"Returns the forecast of the next days for one city.","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"Name of the city"}},"required":["city"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":true}}`,
			`{"name":"list_alerts","title":"List alerts","description":"Lists the weather alerts that are in force for a region.","inputSchema":{"type":"object","properties":{"region":{"type":"string","description":"Code of the region"}},"required":["region"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":true}}`),
		Resources: raw(
			`{"uri":"weather://stations","name":"stations","title":"Stations","description":"All measuring stations with their places.","mimeType":"application/json"}`),
		ResourceTemplates: raw(
			`{"uriTemplate":"weather://stations/{id}","name":"station","title":"Station","description":"One measuring station with its latest values.","mimeType":"application/json"}`),
		Prompts: raw(
			`{"name":"plan_trip","title":"Plan a trip","description":"Plans a day outside around the weather of a city.","arguments":[{"name":"city","description":"Name of the city","required":true}]}`),
	}
}

// ReadCatalog reads a catalog from a JSON file; what the file leaves out is as in DefaultCatalog.
func ReadCatalog(file string) (*Catalog, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := DefaultCatalog()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// ManyTools returns n distinct, well-made tools.
func ManyTools(n int) []json.RawMessage {
	tools := make([]json.RawMessage, n)
	for i := range tools {
		tools[i] = fmt.Appendf(nil, `{"name":"measure_%d","title":"Measure %d","description":"Returns what sensor %d measured on one day.","inputSchema":{"type":"object","properties":{"day":{"type":"string","description":"The day, written as YYYY-MM-DD"}},"required":["day"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`, i, i, i)
	}
	return tools
}

// Session answers the requests of one client by the stateful lifecycle, over whatever transport. It is safe for concurrent use.
type Session struct {
	Catalog *Catalog

	mu          sync.Mutex
	initialized bool
}

// request is the part of a message that a Session looks at.
type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		Cursor          *string `json:"cursor"`
		ProtocolVersion string  `json:"protocolVersion"`
	} `json:"params"`
}

// Answer returns the answer to one message, nil for notifications and answers of the client.
func (s *Session) Answer(message []byte) []byte {
	var r request
	if err := json.Unmarshal(message, &r); err != nil {
		if !json.Valid(message) {
			return rpcError(nil, -32700, "Parse error")
		}
		var id struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(message, &id) // not even an object: no id then
		return rpcError(id.ID, -32600, "Invalid request")
	}
	switch {
	case len(r.ID) == 0 || r.Method == "":
		return nil
	case r.JSONRPC != "2.0":
		return rpcError(r.ID, -32600, "Invalid request")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case "ping":
		return rpcResult(r.ID, []byte("{}"))
	case "initialize":
		s.initialized = true
		return rpcResult(r.ID, s.Catalog.handshake(r.Params.ProtocolVersion))
	case "tools/list", "resources/list", "resources/templates/list", "prompts/list":
		if !s.initialized {
			return rpcError(r.ID, -32600, "Initialize first")
		}
		page, ok := s.Catalog.page(r.Method, r.Params.Cursor)
		if !ok {
			return rpcError(r.ID, -32602, "Unknown cursor")
		}
		return rpcResult(r.ID, page)
	}
	return rpcError(r.ID, -32601, "Method not found")
}

func (c *Catalog) handshake(asked string) []byte {
	revision := asked
	if !slices.Contains(c.Revisions, asked) {
		revision = c.Revisions[0]
	}
	return mustJSON(struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      json.RawMessage `json:"serverInfo"`
		Instructions    string          `json:"instructions,omitempty"`
	}{revision, c.Capabilities, c.ServerInfo, c.Instructions})
}

// page returns the result of a listing request. A cursor is "after-" with the number of items before the page.
func (c *Catalog) page(method string, cursor *string) (result []byte, ok bool) {
	member, items := "", []json.RawMessage(nil)
	switch method {
	case "tools/list":
		member, items = "tools", c.Tools
	case "resources/list":
		member, items = "resources", c.Resources
	case "resources/templates/list":
		member, items = "resourceTemplates", c.ResourceTemplates
	case "prompts/list":
		member, items = "prompts", c.Prompts
	}
	from := 0
	if cursor != nil {
		digits, found := strings.CutPrefix(*cursor, "after-")
		n, err := strconv.Atoi(digits)
		if !found || err != nil || c.PageSize == 0 || n <= 0 || n >= len(items) || n%c.PageSize != 0 {
			return nil, false
		}
		from = n
	}
	to := len(items)
	if c.PageSize > 0 {
		to = min(to, from+c.PageSize)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"%s":[`, member)
	b.Write(bytes.Join(rawSlices(items[from:to]), []byte(",")))
	b.WriteByte(']')
	if to < len(items) {
		fmt.Fprintf(&b, `,"nextCursor":"after-%d"`, to)
	}
	b.WriteByte('}')
	return b.Bytes(), true
}

func rawSlices(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

func rpcResult(id json.RawMessage, result []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func rpcError(id json.RawMessage, code int, text string) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, text)
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("testserver: %v", err))
	}
	return data
}
