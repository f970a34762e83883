package ruletest

import (
	"fmt"
	"net/http"

	"github.com/mcp-hallmark/hallmark/internal/coordinate"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// packageObservation builds the observation of a package audit from {"package": coordinate, "project": answer, "release": answer, "index":
// answer}. An answer is {"status": 200, "body": any JSON} or {"status": …, "text": what is no JSON} or {"failure": class}.
func packageObservation(in jsondoc.Value) (*observe.Observation, error) {
	p, err := coordinate.Parse(in.Get("package").TextOr(""))
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	rec := &recording.Recording{Format: recording.Format, Version: recording.Version}
	rec.Target.Display, rec.Target.Package = p.String(), &p
	for _, m := range in.Members() {
		step := map[string]string{"project": recording.PackageProject, "release": recording.PackageRelease, "index": recording.PackageIndex}[m.Name]
		if step == "" && m.Name != "package" {
			return nil, fmt.Errorf("input: unknown member %q", m.Name)
		}
		if step == "" {
			continue
		}
		e := recording.Exchange{Step: step, Via: "http", Request: &recording.Request{Method: http.MethodGet, URL: "https://registry.example/" + m.Name}}
		if class, ok := m.Value.Get("failure").Text(); ok {
			e.Failure = &recording.Failure{Class: recording.Class(class), Detail: class}
		} else {
			status, _ := m.Value.Get("status").Int()
			e.Response = &recording.Response{Status: int(status)}
			body := m.Value.Get("body").Raw()
			if text, ok := m.Value.Get("text").Text(); ok {
				body = []byte(text)
			}
			e.Response.Body = recording.NewBody(body)
		}
		rec.Exchanges = append(rec.Exchanges, e)
	}
	return observe.Decode(rec), nil
}
