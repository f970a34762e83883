package smoke

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
	"github.com/mcp-hallmark/hallmark/internal/toolschema"
)

// What grounds the checks. The page on tools lists an unknown tool under protocol errors and invalid input under errors of the tool, and asks
// servers to validate every input.
var basis = map[string]spec.Citation{
	StructuredContent: spec.MCP(spec.LatestStateful, "Server › Tools › Output Schema"),
	InvalidArguments:  spec.MCP(spec.LatestStateful, "Server › Tools › Security Considerations"),
	UnknownTool:       spec.MCP(spec.LatestStateful, "Server › Tools › Error Handling"),
}

// Limits of what a report holds of a call.
const (
	maxFirstText = 80 // characters
	maxShown     = 2000
	maxMessage   = 300
)

// Judge says what the calls in a recording have shown, nil when it holds none. Waived reports whether the user accepts that a check fails.
func Judge(rec *recording.Recording, waived func(check, tool string) bool) *report.Smoke {
	if rec.Smoke == nil {
		return nil
	}
	p := NewPlan(rec, rec.Smoke.CallAll)
	s := &report.Smoke{CallAll: rec.Smoke.CallAll, DryRun: rec.Smoke.DryRun, Reason: p.Reason, Checks: []report.SmokeCheck{}}
	s.Coverage.ToolsTotal = p.Tools
	switch {
	case s.Reason != "":
	case s.DryRun:
		s.Reason = "the calls were planned and not made"
	default:
		s.Executed = true
	}
	called := map[string]bool{}
	for _, c := range p.checks {
		r := judge(&c, rec.Smoke)
		switch r.Verdict {
		case pass:
			s.Summary.Passed++
		case fail:
			s.Summary.Failed++
			if waived != nil && waived(c.id, c.call.Tool) {
				r.Waived = true
				s.Summary.Waived++
			}
		default:
			s.Summary.Skipped++
		}
		if c.tool != nil && r.Details.Called {
			called[*c.tool] = true
		}
		s.Checks = append(s.Checks, r)
	}
	s.Coverage.ToolsCalled = len(called)
	return s
}

const (
	pass = "pass"
	fail = "fail"
	skip = "skip"
)

// judge judges one check.
func judge(c *check, made *recording.Smoke) report.SmokeCheck {
	r := report.SmokeCheck{CheckID: c.id, Verdict: skip, Details: report.SmokeDetails{Basis: basis[c.id].String()}}
	if c.tool != nil {
		name := shown(*c.tool, maxMessage)
		r.ToolName = &name
	} else {
		r.Details.RequestedTool = c.call.Tool
	}
	if c.skip != "" {
		r.Message = c.skip
		return r
	}
	text := shown(string(c.call.Arguments), maxShown)
	r.Details.Arguments, r.Details.Violation = &text, shown(c.what, maxMessage)
	if made.DryRun {
		r.Message = "not called: a dry run"
		return r
	}
	e := made.Find(c.call.Step)
	if e == nil || e.Request == nil {
		r.Message = "not called: the time for all calls ended, or the server could not be reached again"
		return r
	}
	r.Details.Step = e.Step
	a := read(e)
	r.Details.Called, r.Details.ErrorCode, r.Details.Response = a.called(), a.code, a.response
	switch c.id {
	case StructuredContent:
		r.Verdict, r.Message = structured(c, &a)
	case InvalidArguments:
		r.Verdict, r.Message, r.Details.Note = invalid(c, &a)
	case UnknownTool:
		r.Verdict, r.Message, r.Details.Note = unknownTool(&a)
	}
	r.Message = shown(r.Message, maxMessage)
	return r
}

// kind is how a call ended.
type kind int

const (
	succeeded    kind = iota // a result
	toolError                // a result with isError
	wantsInput               // a result, or an error, that asks the user something
	protocolErr              // a JSON-RPC error
	refused                  // an HTTP status of a client's fault, without a message
	unobservable             // the server put us off, or wants other credentials
	timedOut
	closed
	unreadable
)

// answer is how a call ended, with what is known of it.
type answer struct {
	kind     kind
	text     string // in a clause
	code     *int64
	result   jsondoc.Value
	response *report.SmokeResponse
}

func (a *answer) called() bool {
	return a.kind == succeeded || a.kind == toolError || a.kind == wantsInput || a.kind == protocolErr
}

// codeInputRequired is the error by which a server asks for the user to be sent to a URL (MCP 2025-11-25, Client › Elicitation).
const codeInputRequired = -32042

func read(e *recording.Exchange) answer {
	if msg, _, ok := e.Message(); ok {
		if failure := msg.Get("error"); failure.Exists() {
			a := answer{kind: protocolErr, text: "a JSON-RPC error without a code"}
			if code, ok := failure.Get("code").Int(); ok {
				a.code, a.text = &code, fmt.Sprintf("error %d", code)
				if code == codeInputRequired {
					a.kind = wantsInput
				}
			}
			if text, ok := failure.Get("message").Text(); ok && text != "" {
				a.text += ": " + text
			}
			return a
		}
		return readResult(msg.Get("result"))
	}
	status := 0
	if e.Response != nil {
		status = e.Response.Status
	}
	class, detail := recording.Class(""), "there is no answer"
	if e.Failure != nil {
		class, detail = e.Failure.Class, e.Failure.Detail
	}
	switch {
	case slices.Contains([]int{401, 402, 403, 408, 429}, status) || status >= 500:
		return answer{kind: unobservable, text: fmt.Sprintf("HTTP status %d", status)}
	case status >= 400:
		return answer{kind: refused, text: fmt.Sprintf("HTTP status %d without a JSON-RPC message", status)}
	}
	switch class {
	case recording.FailTimeout, recording.FailSilent:
		return answer{kind: timedOut, text: detail}
	case recording.FailDeadline, recording.FailInterrupted, recording.FailRateLimited:
		return answer{kind: unobservable, text: detail}
	case recording.FailExited, recording.FailReset, recording.FailNoAnswer, recording.FailNotReading, recording.FailRefused, recording.FailUnreachable:
		return answer{kind: closed, text: detail}
	}
	return answer{kind: unreadable, text: detail}
}

func readResult(result jsondoc.Value) answer {
	a := answer{kind: succeeded, result: result, response: &report.SmokeResponse{ContentTypes: []string{}}}
	switch {
	case result.Get("resultType").TextOr("") == "input_required" || result.Get("inputRequests").Exists():
		a.kind = wantsInput
	case result.Get("isError").True():
		a.kind = toolError
	}
	r := a.response
	r.IsError, r.StructuredContent = result.Get("isError").True(), result.Get("structuredContent").Exists()
	blocks := result.Get("content").Elements()
	r.ContentBlocks = len(blocks)
	for _, b := range blocks {
		if name := shown(b.Value.Get("type").TextOr("?"), 40); !slices.Contains(r.ContentTypes, name) && len(r.ContentTypes) < 20 {
			r.ContentTypes = append(r.ContentTypes, name)
		}
		if text, ok := b.Value.Get("text").Text(); ok && r.FirstText == nil {
			text = shown(text, maxFirstText)
			r.FirstText = &text
		}
	}
	slices.Sort(r.ContentTypes)
	a.text = "a result with " + plural(len(blocks), "content block")
	switch {
	case r.IsError && r.FirstText != nil:
		a.text = "isError: " + *r.FirstText
	case r.IsError:
		a.text = "isError without a text"
	case !result.Get("content").IsArray():
		a.text = "a result without an array of content"
	case r.StructuredContent:
		a.text += " and structured content"
	default:
		a.text += " and no structured content"
	}
	return a
}

// structured judges what valid arguments got.
func structured(c *check, a *answer) (verdict, message string) {
	switch a.kind {
	case succeeded:
	case wantsInput:
		return skip, "the tool asks the user something before it answers"
	case toolError:
		return skip, "the tool ran into an error with made-up arguments: " + a.text
	default:
		return skip, "no result to look at: " + a.text
	}
	schema, content := c.item.Get("outputSchema"), a.result.Get("structuredContent")
	if !content.Exists() {
		return fail, "the tool has an output schema and returned " + a.text
	}
	if invalid := toolschema.Check(schema); !invalid.Valid() {
		return fail, "the output schema is invalid, so nothing can conform to it: " + invalid.Problems[0].Seen
	}
	v := toolschema.NewValidator(schema)
	fit := v.Check(content)
	switch {
	case v.Unjudged() != "":
		return skip, "nobody can tell whether the structured content conforms: " + v.Unjudged()
	case !fit.Judged:
		return skip, "the structured content is too large, or too much work, to validate"
	case !fit.OK && fit.At == "":
		return fail, "the structured content breaks " + fit.Keyword + " of the output schema"
	case !fit.OK:
		return fail, fmt.Sprintf("the structured content breaks %s of the output schema at %s", fit.Keyword, fit.At)
	}
	return pass, "the structured content conforms to the output schema"
}

const codeInternal = -32603

// invalid judges what arguments got that the input schema rejects.
func invalid(c *check, a *answer) (verdict, message, note string) {
	switch a.kind {
	case protocolErr:
		if a.code != nil && *a.code == codeInternal {
			return fail, "the server failed over invalid arguments instead of refusing them: " + a.text, ""
		}
		return pass, "refused with " + a.text, "since 2025-11-25 input that does not validate is a result with isError, which the model gets to see (SEP-1303)"
	case toolError:
		return pass, "refused with " + a.text, ""
	case refused:
		return pass, "refused with " + a.text, "a JSON-RPC error, or a result with isError, would say why"
	case succeeded:
		return fail, fmt.Sprintf("%s, and the tool returned %s", c.what, a.text), ""
	case wantsInput:
		return fail, c.what + ", and the tool asks the user something instead of refusing", ""
	case timedOut:
		return fail, c.what + ", and the tool did not answer: " + a.text, ""
	case closed:
		return fail, c.what + ", and the connection ended: " + a.text, ""
	case unobservable:
		return skip, "no answer to judge: " + a.text, ""
	}
	return fail, c.what + ", and the answer cannot be read: " + a.text, ""
}

// unknownTool judges what the call of a tool got that there is not. The specification lists it among protocol errors, but says nowhere that it
// must be one; what matters is that nobody takes the answer for a success. The official Python SDK answers with isError.
func unknownTool(a *answer) (verdict, message, note string) {
	switch a.kind {
	case protocolErr:
		if a.code != nil && *a.code == codeInternal {
			return fail, "the server failed over a tool that it does not have instead of refusing it: " + a.text, ""
		}
		return pass, "refused with " + a.text, ""
	case toolError:
		return pass, "refused with " + a.text, "the specification lists an unknown tool among protocol errors (JSON-RPC error -32602), not among results with isError"
	case refused:
		return pass, "refused with " + a.text, "a JSON-RPC error -32602 would say why"
	case succeeded, wantsInput:
		return fail, "a tool that does not exist was answered with " + a.text, ""
	case timedOut, closed:
		return fail, "a tool that does not exist was not answered: " + a.text, ""
	case unobservable:
		return skip, "no answer to judge: " + a.text, ""
	}
	return fail, "the answer cannot be read: " + a.text, ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shown makes text of a server harmless and short.
func shown(text string, limit int) string {
	if len(text) > 16*limit { // masking and spelling out reads no more than is shown
		text = text[:16*limit]
	}
	text = textscan.Visible(textscan.Mask(strings.ToValidUTF8(text, "\ufffd")))
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return text
}
