package recording

import (
	"encoding/json"
	"fmt"
	"io"
)

// Write encodes r as one JSON document. The caller creates the file with mode 0600: what a server publishes may be secret.
func Write(w io.Writer, r *Recording) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// MaxFile is the largest recording that Read accepts, in bytes.
const MaxFile = 1 << 30

// Read decodes a recording. The error says what the file is not.
func Read(r io.Reader) (*Recording, error) {
	limited := &io.LimitedReader{R: r, N: MaxFile + 1}
	dec := json.NewDecoder(limited)
	var rec Recording
	if err := dec.Decode(&rec); err != nil {
		if limited.N <= 0 {
			return nil, fmt.Errorf("larger than %d bytes", int64(MaxFile))
		}
		return nil, fmt.Errorf("not a recording: %w", err)
	}
	if rec.Format != Format {
		return nil, fmt.Errorf("not a recording: its format is %q, expected %q", rec.Format, Format)
	}
	if rec.Version != Version {
		return nil, fmt.Errorf("recording version %d is not supported, this program reads version %d", rec.Version, Version)
	}
	return &rec, nil
}
