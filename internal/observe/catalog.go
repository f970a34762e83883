package observe

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// surface ties a catalog to its method and to the member of the result that holds its items.
type surface struct{ name, method, member, capability string }

var surfaces = []surface{
	{"tools", "tools/list", "tools", "tools"},
	{"resources", "resources/list", "resources", "resources"},
	{"resource_templates", "resources/templates/list", "resourceTemplates", "resources"},
	{"prompts", "prompts/list", "prompts", "prompts"},
}

func decodeCatalogs(rec *source, o *Observation) {
	for i, s := range surfaces {
		c := o.Catalogs()[i]
		if o.Session == "" && o.ModernSupport() {
			*c = decodeCatalog(rec, s, "stateless")
			c.Revision = o.Negotiated
			continue
		}
		*c = decodeCatalog(rec, s, "session")
		c.Revision = o.Negotiated
		if c.Attempted && !c.Complete {
			recoverCatalog(rec, s, c)
		}
	}
}

// recoverCatalog replaces a catalog that the session did not serve whole by the one that the stateless lifecycle serves, if that is
// better. The session's error stays.
func recoverCatalog(rec *source, s surface, c *Catalog) {
	other := decodeCatalog(rec, s, "stateless")
	if !other.Served || c.Served && !other.Complete || other.Complete && !saysComplete(rec, s) && c.Served {
		return
	}
	other.Error, other.Recovered, other.Revision = c.Error, true, spec.Latest
	other.Complete = other.Complete && saysComplete(rec, s)
	*c = other
}

// saysComplete reports whether the first stateless page carries resultType "complete", which tells a list of the stateless lifecycle from
// a legacy server that answers without a handshake.
func saysComplete(rec *source, s surface) bool {
	return message(rec, "stateless/"+s.method+"/1").Path("result", "resultType").TextOr("") == "complete"
}

// decodeCatalog reads the pages "<lifecycle>/<method>/<n>" of one listing.
func decodeCatalog(rec *source, s surface, lifecycle string) Catalog {
	c := Catalog{Name: s.name, Method: s.method}
	var earlier [][]byte
	for page := 1; ; page++ {
		e := rec.Find(lifecycle + "/" + s.method + "/" + strconv.Itoa(page))
		if e == nil {
			break
		}
		c.Attempted = true
		list, failure := pageItems(rec, e, s, page-1)
		if failure != nil {
			c.Error = failure
			return c
		}
		c.Served = true
		c.PageSteps = append(c.PageSteps, e.Step)
		if repeats(earlier, list) {
			c.Error = &ListingError{Outcome: "page-repeated", PageIndex: page - 1, Text: "a later page repeats an earlier one", Step: e.Step}
			return c
		}
		earlier = append(earlier, list.Raw())
		at := jsondoc.Pointer("/result").Child(s.member)
		for i, el := range list.Elements() {
			c.Items = append(c.Items, Item{Index: len(c.Items), Value: el.Value, Step: e.Step, Pointer: at.Index(i)})
		}
	}
	for _, l := range rec.Listings {
		if l.Lifecycle == lifecycle && l.Method == s.method {
			c.Complete = c.Served && l.Complete
			if !l.Complete && c.Error == nil {
				c.Error = &ListingError{Outcome: l.Reason, PageIndex: max(l.Pages-1, 0), Text: listingReason(l.Reason)}
			}
		}
	}
	return c
}

// repeats reports whether a page holds exactly the items of an earlier one.
func repeats(earlier [][]byte, list jsondoc.Value) bool {
	if list.Len() == 0 {
		return false
	}
	for _, raw := range earlier {
		if bytes.Equal(raw, list.Raw()) {
			return true
		}
	}
	return false
}

func listingReason(reason string) string {
	switch reason {
	case "cursor-repeated":
		return "the server gave a cursor a second time"
	case "cursor-invalid":
		return "nextCursor is no string"
	case "page-limit":
		return "the listing has more pages than an audit reads"
	case "item-limit":
		return "the listing is larger than an audit reads"
	case "time-limit":
		return "the time for the listing ended"
	}
	return reason
}

// pageItems returns the array of items of a page, or how the page failed.
func pageItems(rec *source, e *recording.Exchange, s surface, index int) (jsondoc.Value, *ListingError) {
	msg, _, ok := rec.message(e)
	if f := unusable(e, msg, ok); f != nil {
		outcome := "collection_error"
		if f.Class == recording.FailTimeout || f.Class == recording.FailDeadline {
			outcome = "timeout"
		}
		if !ok && f.Class == recording.FailNotMCP {
			outcome = "invalid_response"
		}
		return jsondoc.Value{}, &ListingError{Outcome: outcome, PageIndex: index, Class: f.Class, Text: f.Detail, Step: e.Step}
	}
	if err := msg.Get("error"); err.Exists() {
		le := &ListingError{Outcome: "rpc_error", PageIndex: index, Step: e.Step, Text: "answered with an error"}
		if code, ok := err.Get("code").Int(); ok {
			le.Code = &code
			le.Text = fmt.Sprintf("answered with error %d", code)
		}
		if m, ok := err.Get("message").Text(); ok {
			le.Text += ": " + clip(m, 120)
		}
		return jsondoc.Value{}, le
	}
	list := msg.Get("result").Get(s.member)
	if !list.IsArray() {
		return jsondoc.Value{}, &ListingError{Outcome: "invalid_response", PageIndex: index, Step: e.Step,
			Text: fmt.Sprintf("the result's %s is %s, not an array", s.member, kindWord(list))}
	}
	return list, nil
}

func kindWord(v jsondoc.Value) string {
	if !v.Exists() {
		return "missing"
	}
	return v.Kind().String()
}

// unusable returns why an answer says nothing about what the server can do, nil when it is a usable JSON-RPC answer. Refusals for lack of
// credentials and for load count as unusable whatever their body.
func unusable(e *recording.Exchange, msg jsondoc.Value, ok bool) *recording.Failure {
	if e.Response != nil {
		if class := refusalClass(e.Response.Status); class != "" {
			return &recording.Failure{Class: class, Status: e.Response.Status, Detail: fmt.Sprintf("HTTP status %d", e.Response.Status)}
		}
	}
	if ok && (msg.Get("result").Exists() || msg.Get("error").IsObject()) {
		return nil
	}
	if e.Failure != nil {
		f := *e.Failure
		if f.Detail == "" {
			f.Detail = string(f.Class)
		}
		return &f
	}
	status := 0
	if e.Response != nil {
		status = e.Response.Status
	}
	if status >= 500 {
		return &recording.Failure{Class: recording.FailServerError, Status: status, Detail: fmt.Sprintf("HTTP status %d", status)}
	}
	if status >= 300 && status < 400 {
		return &recording.Failure{Class: recording.FailRedirected, Status: status, Detail: fmt.Sprintf("HTTP status %d", status)}
	}
	return &recording.Failure{Class: recording.FailNotMCP, Status: status, Detail: "the answer is no JSON-RPC response"}
}

// refusalClass names statuses by which a server, a gateway or a bot wall declines to answer at all.
func refusalClass(status int) recording.Class {
	switch status {
	case 401, 407:
		return recording.FailUnauthorized
	case 402:
		return recording.FailPayment
	case 403:
		return recording.FailForbidden
	case 408, 504:
		return recording.FailTimeout
	case 429, 503:
		return recording.FailRateLimited
	case 502:
		return recording.FailServerError
	}
	return ""
}

func bytePointer(offset int) string { return "byte " + strconv.Itoa(offset) }

// firstByte is the time from the first request to the first byte of an answer, without the start of a process.
func firstByte(rec *source) time.Duration {
	if e := rec.Find("session/initialize"); e != nil && e.First > 0 {
		return e.First.Span()
	}
	if e := rec.Find("probe/discover"); e != nil {
		return e.First.Span()
	}
	return 0
}
