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
	room    int // bytes of messages that may still be kept
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
	return &source{Recording: rec, answers: map[*recording.Exchange]decoded{}, room: keptMessages}
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
	}
	return a.msg, a.notes, a.ok
}
