package wire

import (
	"bytes"
	"io"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// message is a JSON-RPC message as it stood on the wire. head has its members jsonrpc, id and method; of result and error it only
// tells that they are there, so that matching an answer of many megabytes builds no tree of it.
type message struct {
	raw  []byte
	head jsondoc.Value
}

// messages returns the JSON-RPC messages on a line: one, or those of a batch (JSON-RPC 2.0 section 6). noise is the kind of what
// else stood there, empty when nothing did.
func messages(text []byte) (found []message, noise string) {
	switch text[0] {
	case '{':
		m, ok := parseMessage(text)
		if !ok {
			return nil, "text"
		}
		if m.rpc() {
			return []message{m}, ""
		}
		return nil, "json"
	case '[':
		elements, ok := splitArray(text)
		if !ok {
			return nil, "text"
		}
		if len(elements) == 0 {
			noise = "json"
		}
		for _, el := range elements {
			if m, ok := parseMessage(el); ok && m.rpc() {
				found = append(found, m)
			} else {
				noise = "json"
			}
		}
		return found, noise
	}
	return nil, "text"
}

// rpc reports whether m is a request, notification or answer. Log lines often have members such as "method" and "error" too, so
// those count only next to "jsonrpc"; an answer with an id may lack it, which a rule can then tell.
func (m message) rpc() bool {
	if m.head.Get("method").Exists() {
		return m.head.Get("jsonrpc").Exists()
	}
	if !m.head.Get("result").Exists() && !m.head.Get("error").Exists() {
		return false
	}
	return !m.head.Get("id").Missing() || m.head.Get("jsonrpc").Exists()
}

// incoming reports whether m is a request or notification of the server's own.
func (m message) incoming() bool { return m.head.Get("method").Exists() }

// maxHead bounds what is kept of one member in message.head. A longer id or method is shown as a value that matches nothing.
const maxHead = 4 << 10

func parseMessage(text []byte) (message, bool) {
	if head, ok := parseHead(text); ok {
		return message{raw: text, head: head}, true
	}
	// The full parser also reads documents with raw control bytes inside strings.
	v, _, err := jsondoc.Parse(text)
	return message{raw: text, head: v}, err == nil && v.IsObject()
}

func parseHead(text []byte) (jsondoc.Value, bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return jsondoc.Value{}, false
	}
	head := []byte{'{'}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return jsondoc.Value{}, false
		}
		name := tok.String()
		value := []byte("[]")
		switch name {
		case "jsonrpc", "id", "method":
			raw, err := dec.ReadValue()
			if err != nil {
				return jsondoc.Value{}, false
			}
			if len(raw) <= maxHead {
				value = raw
			}
		default:
			if dec.SkipValue() != nil {
				return jsondoc.Value{}, false
			}
			if name != "result" && name != "error" {
				continue
			}
		}
		if len(head) > 1 {
			head = append(head, ',')
		}
		head = append(append(append(append(head, '"'), name...), `":`...), value...)
		if len(head) > 8*maxHead {
			return jsondoc.Value{}, false // repeated names without end
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return jsondoc.Value{}, false
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return jsondoc.Value{}, false
	}
	v, _, err := jsondoc.Parse(append(head, '}'))
	return v, err == nil
}

func splitArray(text []byte) (elements [][]byte, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	for dec.PeekKind() != ']' {
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		elements = append(elements, bytes.Clone(raw))
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	_, err := dec.ReadToken()
	return elements, err == io.EOF
}

var trailingID = regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)

// cutAnswer looks at a line of which only the beginning and the end are there. ok is false when it is no answer: text, or a message with
// a method. The id is empty when it is not found: servers write it before the result or as one of the last members.
func cutAnswer(beginning, end []byte) (id string, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(beginning), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	tok, err := dec.ReadToken()
	if err != nil || tok.Kind() != '{' && tok.Kind() != '[' {
		return "", false
	}
	if tok.Kind() == '[' {
		return "", dec.PeekKind() == '{' // a batch
	}
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		name := tok.String()
		if name == "method" {
			return "", false
		}
		raw, err := dec.ReadValue()
		if err != nil {
			break
		}
		if name == "id" {
			id = string(raw)
		}
	}
	if m := trailingID.FindSubmatch(end); m != nil && id == "" {
		id = string(m[1])
	}
	return id, true
}

// sameID reports whether an answer with this id answers a request with the other, both as JSON.
func sameID(got, want string) bool {
	v, _, err := jsondoc.Parse([]byte(`{"result":0,"id":` + got + `}`))
	return err == nil && recording.Answers(v, want)
}
