package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
)

// Limits of what is kept between two calls.
const (
	maxReports     = 32
	maxReportBytes = 64 << 20 // of all reports
)

// store keeps the last reports under handles that are derived from their text, so that a handle always means the same report. The zero
// value is empty.
type store struct {
	mu    sync.Mutex
	order []string // the oldest first
	texts map[string][]byte
	bytes int
}

func (s *store) add(text []byte) (id string) {
	sum := sha256.Sum256(text)
	id = hex.EncodeToString(sum[:16])
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.texts[id]; known {
		return id
	}
	if s.texts == nil {
		s.texts = map[string][]byte{}
	}
	s.texts[id] = slices.Clone(text)
	s.order = append(s.order, id)
	s.bytes += len(text)
	for len(s.order) > 1 && (len(s.order) > maxReports || s.bytes > maxReportBytes) {
		s.bytes -= len(s.texts[s.order[0]])
		delete(s.texts, s.order[0])
		s.order = s.order[1:]
	}
	return id
}

func (s *store) get(id string) (text []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok = s.texts[id]
	return text, ok
}
