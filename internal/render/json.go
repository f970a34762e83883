// Package render writes a report: as JSON for programs, as text for people. It decides nothing and recomputes nothing; every number and
// every word about the server comes from the report. Whatever a server wrote, no output holds a control character.
package render

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// JSON writes the report as one document, indented by two blanks, in printable ASCII, with a newline at the end. The keys of objects
// without an order of their own are sorted. The error is the writer's.
func JSON(w io.Writer, r *report.Report) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(ascii(b.Bytes()))
	return err
}

func ascii(text []byte) []byte { return jsondoc.ASCII(text) }
