package experimental

import (
	"fmt"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// How long a server may take to say its first word: over HTTP to the first byte of an answer, connecting included; over stdio from the
// start of a process.
const (
	maxFirstAnswer = 2 * time.Second
	maxWarmStart   = 10 * time.Second
)

var experimentalFirstAnswer = rule.Rule{
	ID:       "experimental_first_answer",
	Title:    "The first answer comes soon",
	Group:    rule.Experimental,
	Order:    8,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedAccess, needFirstAnswer},
	Basis:    []spec.Citation{spec.Advice("people wait for the first answer whenever they open a conversation, and hosts give up on slow servers")},
	Why: "A host connects to all of its servers before a conversation begins. More than 2 seconds over HTTP, or 10 seconds from the start of a process, is a delay that people notice;" +
		" some hosts then go on without the server. The first start of a command may install it and is not judged: a later process is.",
	Fix: "Answer the handshake before you load data or call other services, and keep an instance warm where starts are slow.",
	Judge: func(o *observe.Observation) []rule.Finding {
		took, _ := firstAnswer(o)
		limit := firstAnswerLimit(o)
		if took <= limit {
			return nil
		}
		seen := fmt.Sprintf("the first answer took %.1f seconds", took.Seconds())
		return []rule.Finding{{Entity: "server", Index: -1, Reason: "slow_first_answer", Seen: seen, Want: fmt.Sprintf("at most %.0f seconds", limit.Seconds())}}
	},
	Details: func(o *observe.Observation) map[string]any {
		took, _ := firstAnswer(o)
		return map[string]any{"first_answer_ms": took.Milliseconds(), "limit_ms": firstAnswerLimit(o).Milliseconds()}
	},
}

func firstAnswerLimit(o *observe.Observation) time.Duration {
	if o.OverHTTP() {
		return maxFirstAnswer
	}
	return maxWarmStart
}

// firstAnswer is the time that is judged. Over stdio it is the fastest of the processes that were started after the first one.
func firstAnswer(o *observe.Observation) (took time.Duration, known bool) {
	if o.OverHTTP() {
		return o.FirstByte, o.FirstByte > 0
	}
	for _, p := range laterProcesses(o) {
		if t := p.FirstByte.Span(); t > 0 && (!known || t < took) {
			took, known = t, true
		}
	}
	return took, known
}

// laterProcesses are those that found everything installed: all but the one of the session, which is started first.
func laterProcesses(o *observe.Observation) []recording.Process {
	var later []recording.Process
	for _, p := range o.Processes {
		if p.Connection != "session" {
			later = append(later, p)
		}
	}
	return later
}

func needFirstAnswer(o *observe.Observation) *rule.Skip {
	if _, known := firstAnswer(o); known {
		return nil
	}
	if o.OverHTTP() {
		return rule.SkipFor(rule.Insufficient, "when the first answer came is not known")
	}
	return rule.SkipFor(rule.Insufficient, "no process but the first one wrote anything, and the first one may have been installed on the way")
}
