package capture

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// param is a member of an object that is written in this order.
type param struct {
	name  string
	value any // string, []param, raw or nil for {}
}

type raw string

// request writes a JSON-RPC request; a negative id makes it a notification. Members stand in the order given, so that the same request
// has the same bytes in every audit.
func request(id int, method string, params ...param) []byte {
	members := []param{{"jsonrpc", "2.0"}}
	if id >= 0 {
		members = append(members, param{"id", raw(strconv.Itoa(id))})
	}
	members = append(members, param{"method", method})
	if len(params) > 0 {
		members = append(members, param{"params", params})
	}
	return object(members)
}

func object(members []param) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(m.name))
		b.WriteByte(':')
		switch v := m.value.(type) {
		case string:
			b.Write(quoted(v))
		case raw:
			b.WriteString(string(v))
		case []param:
			b.Write(object(v))
		default:
			b.WriteString("{}")
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

func quoted(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimRight(b.Bytes(), "\n")
}

// skillsCapability declares that the client knows Agent Skills: some servers hide them otherwise (SEP-2640).
var skillsCapability = []param{{"extensions", []param{{spec.ExtensionSkills, nil}}}}

func (a *audit) clientInfo() []param {
	return []param{{"name", a.opts.Engine.Name}, {"version", a.opts.Engine.Version}}
}

// initialize is the body of a handshake that offers a revision.
func (a *audit) initialize(id int, revision spec.Revision, capabilities []param) []byte {
	return request(id, "initialize", param{"protocolVersion", string(revision)}, param{"capabilities", orEmpty(capabilities)}, param{"clientInfo", a.clientInfo()})
}

// meta is the envelope that every request of the stateless lifecycle carries (MCP 2026-07-28, Basic › Messages).
func (a *audit) meta(revision spec.Revision, capabilities []param) param {
	return param{"_meta", []param{
		{spec.MetaProtocolVersion, string(revision)},
		{spec.MetaClientInfo, a.clientInfo()},
		{spec.MetaClientCapabilities, orEmpty(capabilities)},
	}}
}

func orEmpty(members []param) any {
	if len(members) == 0 {
		return nil
	}
	return members
}

// answerTo writes our answer to a request of the server: an empty result to ping, "method not found" to everything else, for an auditor
// offers nothing to a server.
func answerTo(method, id string) []byte {
	if method == "ping" {
		return object([]param{{"jsonrpc", "2.0"}, {"id", raw(id)}, {"result", nil}})
	}
	return object([]param{{"jsonrpc", "2.0"}, {"id", raw(id)}, {"error", []param{{"code", raw("-32601")}, {"message", "an auditor offers no such method"}}}})
}

// result reads the result of an answer, absent when it has none.
func result(answer []byte) jsondoc.Value {
	v, _, err := jsondoc.Parse(answer)
	if err != nil {
		return jsondoc.Value{}
	}
	return v.Get("result")
}

func errorOf(answer []byte) jsondoc.Value {
	v, _, err := jsondoc.Parse(answer)
	if err != nil {
		return jsondoc.Value{}
	}
	return v.Get("error")
}

func sortStrings(s []string) { slices.Sort(s) }

// shellJoin writes a command the way one could type it.
func shellJoin(words []string) string {
	quotedWords := make([]string, len(words))
	for i, w := range words {
		if w != "" && strings.IndexFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r))
		}) < 0 {
			quotedWords[i] = w
			continue
		}
		quotedWords[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
	}
	return strings.Join(quotedWords, " ")
}
