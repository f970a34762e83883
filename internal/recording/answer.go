package recording

import (
	"bytes"
	"mime"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/sse"
)

// Message returns the JSON-RPC message that answers the request of e: the one with the request's id, or an error without an id
// (JSON-RPC 2.0 section 5: an id that could not be detected is null). ok is false when none arrived.
func (e *Exchange) Message() (msg jsondoc.Value, notes jsondoc.Notes, ok bool) {
	if e == nil {
		return jsondoc.Value{}, jsondoc.Notes{}, false
	}
	var id string
	if e.Request != nil {
		id = e.Request.ID
	}
	if e.Answer != nil {
		v, n, err := jsondoc.Parse(e.Answer.Bytes)
		return v, n, err == nil && !e.Answer.Cut
	}
	responses := e.Resumed
	if e.Response != nil {
		responses = append([]Response{*e.Response}, e.Resumed...)
	}
	for _, r := range responses {
		media := MediaType(&r)
		if r.Body == nil || r.Body.Cut && media != "text/event-stream" { // the beginning of a JSON text is none
			continue
		}
		if v, n, ok := FindAnswer(media, r.Body.Bytes, id); ok {
			return v, n, true
		}
	}
	return jsondoc.Value{}, jsondoc.Notes{}, false
}

// FindAnswer looks in a response body for the message that answers the request with this id (as JSON). In an event stream that is
// the first event with a matching message; a JSON body is itself the answer whatever its id (rules look at the id), and a JSON
// array (batch of 2025-03-26) is searched.
func FindAnswer(mediaType string, body []byte, id string) (jsondoc.Value, jsondoc.Notes, bool) {
	if mediaType == "text/event-stream" {
		for _, ev := range sse.Events(body) {
			if len(bytes.TrimSpace(ev.Data)) == 0 {
				continue
			}
			v, n, err := jsondoc.Parse(ev.Data)
			if err != nil {
				continue
			}
			if v, ok := answerIn(v, id); ok {
				return v, n, true
			}
		}
		return jsondoc.Value{}, jsondoc.Notes{}, false
	}
	v, n, err := jsondoc.Parse(body)
	if err != nil {
		return jsondoc.Value{}, jsondoc.Notes{}, false
	}
	if v.IsArray() {
		v, ok := answerIn(v, id)
		return v, n, ok
	}
	return v, n, IsMessage(v)
}

// answerIn finds the answer in a message or a batch of them.
func answerIn(v jsondoc.Value, id string) (jsondoc.Value, bool) {
	if Answers(v, id) {
		return v, true
	}
	for _, el := range v.Elements() {
		if Answers(el.Value, id) {
			return el.Value, true
		}
	}
	return jsondoc.Value{}, false
}

// IsMessage reports whether a JSON body is a JSON-RPC answer at all. A text as error without "jsonrpc" is how OAuth says no
// (RFC 6749 section 5.2), so that is none.
func IsMessage(v jsondoc.Value) bool {
	e := v.Get("error")
	return v.Get("result").Exists() || e.Exists() && (!e.IsString() || v.Get("jsonrpc").Exists())
}

// Answers reports whether msg is a response to the request with this id, written as JSON. An id of another type with the same
// digits counts (the audit goes on; a rule may look at it), and so does an error whose id is null or absent.
func Answers(msg jsondoc.Value, id string) bool {
	if !msg.IsObject() || msg.Get("method").Exists() {
		return false
	}
	hasError := msg.Get("error").Exists()
	if !hasError && !msg.Get("result").Exists() {
		return false
	}
	got := msg.Get("id")
	if got.Missing() {
		return hasError
	}
	want, _, err := jsondoc.Parse([]byte(id))
	if err != nil {
		return false
	}
	return jsondoc.Equal(got, want) || bytes.Equal(bytes.Trim(got.Raw(), `"`), bytes.Trim(want.Raw(), `"`))
}

// MediaType returns the media type of a response in lower case without its parameters, empty when there is none or it does not
// parse.
func MediaType(r *Response) string {
	value, _ := r.Get("Content-Type")
	t, _, err := mime.ParseMediaType(value)
	if err != nil {
		if i := bytes.IndexByte([]byte(value), ';'); i >= 0 {
			t, _, err = mime.ParseMediaType(value[:i])
		}
		if err != nil {
			return ""
		}
	}
	return t
}
