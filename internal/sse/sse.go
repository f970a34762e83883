// Package sse reads the event-stream format of the HTML standard (section 9.2, "Server-sent events") from bytes, incrementally or
// whole. It is used both while a stream is read and when a recorded body is decoded, so that the two can never disagree.
package sse

import (
	"bytes"
	"strconv"
	"time"
)

// Event is one dispatched block of an event stream. An event without data (a priming event, SEP-1699) is kept: its id and retry
// matter, its data does not.
type Event struct {
	ID    string        // last event id in force after this block
	HasID bool          // the block itself had an id field
	Type  string        // "message" when the stream names none
	Data  []byte        // data lines joined by LF
	Retry time.Duration // 0 when the block named none
}

// Parser cuts a byte stream into events whatever its chunking and line ends (LF, CR, CRLF). The zero Parser is ready.
type Parser struct {
	line    []byte
	sawCR   bool
	started bool
	event   Event
	lastID  string
	data    [][]byte
	any     bool
}

// Feed consumes bytes and returns the events that they complete. The parser keeps at most one unfinished event; the caller
// bounds what it feeds.
func (p *Parser) Feed(chunk []byte) []Event {
	var events []Event
	for len(chunk) > 0 {
		if p.sawCR {
			p.sawCR = false
			if chunk[0] == '\n' {
				chunk = chunk[1:]
				continue
			}
		}
		i := bytes.IndexAny(chunk, "\r\n")
		if i < 0 {
			p.line = append(p.line, chunk...)
			break
		}
		p.line = append(p.line, chunk[:i]...)
		p.sawCR = chunk[i] == '\r'
		chunk = chunk[i+1:]
		if e, ok := p.endLine(); ok {
			events = append(events, e)
		}
	}
	return events
}

// Rest returns the unfinished event at the end of a stream, if it has data. The standard discards it; a recorded body that was cut
// or a server that forgets the last blank line still shows what was said.
func (p *Parser) Rest() (Event, bool) {
	if len(p.line) > 0 {
		p.endLine()
	}
	if len(p.data) == 0 {
		return Event{}, false
	}
	return p.dispatch(), true
}

func (p *Parser) endLine() (Event, bool) {
	line := p.line
	p.line = p.line[:0]
	if !p.started {
		p.started = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) == 0 {
		if !p.any {
			return Event{}, false
		}
		return p.dispatch(), true
	}
	if line[0] == ':' {
		return Event{}, false
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		p.data = append(p.data, bytes.Clone(value))
	case "event":
		p.event.Type = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			p.lastID, p.event.HasID = string(value), true
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			p.event.Retry = time.Duration(ms) * time.Millisecond
		}
	default:
		return Event{}, false
	}
	p.any = true
	return Event{}, false
}

func (p *Parser) dispatch() Event {
	e := p.event
	e.ID, e.Data = p.lastID, bytes.Join(p.data, []byte("\n"))
	if e.Type == "" {
		e.Type = "message"
	}
	p.event, p.data, p.any = Event{}, nil, false
	return e
}

// Events reads a whole recorded body, including an unfinished last event.
func Events(body []byte) []Event {
	var p Parser
	events := p.Feed(body)
	if e, ok := p.Rest(); ok {
		events = append(events, e)
	}
	return events
}
