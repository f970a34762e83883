package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxFile is the largest report that Read accepts, in bytes.
const MaxFile = 64 << 20

// Read decodes a report. Fields that it does not know, of a later version, are passed over. A report of mcpscore is read as far as the
// two agree; its engine is then "mcpscore". The error says what the file is not.
func Read(in io.Reader) (*Report, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxFile {
		return nil, fmt.Errorf("larger than %d bytes", MaxFile)
	}
	doc := struct {
		*Report
		Peer string `json:"mcpscore_version"`
	}{Report: &Report{}}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("not a report: %w", err)
	}
	r := doc.Report
	switch {
	case r.SchemaVersion == 0 || r.Target == "":
		return nil, errors.New("not a report: it lacks schema_version or target")
	case r.SchemaVersion != SchemaVersion:
		return nil, fmt.Errorf("reports of schema version %d are not supported, this program reads version %d", r.SchemaVersion, SchemaVersion)
	}
	if doc.Peer != "" && r.Engine.Name == "" {
		r.Engine = Engine{Name: "mcpscore", Version: doc.Peer}
	}
	for _, list := range [][]Result{r.Results, r.Readiness.Results, r.Experimental.Results} {
		for i := range list {
			if err := list[i].readDetails(); err != nil {
				return nil, fmt.Errorf("not a report: the details of %s: %w", list[i].RuleID, err)
			}
		}
	}
	return r, nil
}

// readDetails gives the findings in details the types that a report has when it is built.
func (r *Result) readDetails() error {
	issues, ok := r.Details["issues"]
	if !ok {
		return nil
	}
	text, err := json.Marshal(issues)
	if err != nil {
		return err
	}
	var typed []Issue
	if err := json.Unmarshal(text, &typed); err != nil {
		return err
	}
	r.Details["issues"] = typed
	for _, key := range []string{"issues_total", "issues_omitted"} {
		if n, ok := r.Details[key].(float64); ok {
			r.Details[key] = int(n)
		}
	}
	return nil
}
