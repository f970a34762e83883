package observe

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// source is a recording that is being decoded. Several questions look at the same answer; short of a bound on what is kept, each is
// decoded once.
type source struct {
	*recording.Recording
	answers map[*recording.Exchange]decoded
	heads   map[*recording.Exchange]decoded // of messages for which there was no room, without their results' members
	walks   map[string]walk                 // by prefix and method
	room    int                             // bytes of messages that may still be kept
}

type decoded struct {
	msg   jsondoc.Value
	notes jsondoc.Notes
	ok    bool
}

// keptMessages bounds the JSON text whose decoded form a source keeps, in bytes: enough for every common server, little beside what a
// catalog of thousands of tools takes.
const keptMessages = 4 << 20

func newSource(rec *recording.Recording) *source {
	return &source{Recording: rec, answers: map[*recording.Exchange]decoded{}, heads: map[*recording.Exchange]decoded{}, walks: map[string]walk{}, room: keptMessages}
}

// message is Exchange.Message of one of the recording's exchanges, or of nil.
func (s *source) message(e *recording.Exchange) (jsondoc.Value, jsondoc.Notes, bool) {
	if a, known := s.answers[e]; known {
		return a.msg, a.notes, a.ok
	}
	var a decoded
	a.msg, a.notes, a.ok = e.Message()
	if size := len(a.msg.Raw()); size <= s.room {
		s.room -= size
		s.answers[e] = a
	} else {
		s.heads[e] = decoded{a.msg.Hollow("result"), a.notes, a.ok}
	}
	return a.msg, a.notes, a.ok
}

// head is message for those who look at a message's own members only.
func (s *source) head(e *recording.Exchange) (jsondoc.Value, jsondoc.Notes, bool) {
	if a, known := s.heads[e]; known {
		return a.msg, a.notes, a.ok
	}
	return s.message(e)
}
