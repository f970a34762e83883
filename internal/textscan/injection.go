package textscan

import (
	"iter"
	"regexp"
	"strings"
	"sync"
)

// Injection finds phrasing that addresses the model instead of describing: orders to drop earlier
// instructions, to keep something from the user, to become somebody else, and the control tokens of chat
// templates.
//
// Kinds, each at most once per text: instruction_override, conceal_from_user, role_reassignment,
// chat_template_token.
//
// A phrase that is only mentioned does not count: quoted exactly, quoted as an attack to recognise, listed,
// or named as what somebody attempts or must not be led to do. Patterns end with the sentence. Give the
// whole text rather than its paragraphs, so that the words that introduce a quotation are seen.
//
// Limits: English only; encoded, misspelt or paraphrased orders pass; an order inside a quotation that a
// sentence introduces as an attack passes.
func Injection(text string) []Match {
	low := fold(text)
	var ms []Match
	var ex excerpter
	for _, c := range injectionClasses() {
		if !containsAny(low, c.words...) {
			continue
		}
		for start := range beginnings(text, low, c.starts) {
			at := c.pattern.FindStringSubmatchIndex(text[start:])
			if at == nil {
				continue
			}
			end := start + at[1]
			for g := 2; g < len(at); g += 2 {
				if at[g] >= 0 {
					end = start + at[g+1] // what follows the group is a condition, not part of the finding
				}
			}
			if c.kind != "chat_template_token" && !wholeWords(text, start, end) {
				continue
			}
			if mention(text, start, end) || c.excused != nil && c.excused(text, start, end) {
				continue
			}
			if ex.secrets == nil {
				ex = newExcerpter(text)
			}
			ms = append(ms, Match{c.kind, start, end, ex.cut(start, end)})
			break
		}
	}
	return sortMatches(ms)
}

// beginnings yields, for one word after the other, the offsets in text at which the word begins; low is the
// folded text. Trying a pattern there is much cheaper than searching the text with it.
func beginnings(text, low string, starts []string) iter.Seq[int] {
	return func(yield func(int) bool) {
		if len(low) != len(text) {
			// A letter that folds to a shorter one: try everywhere.
			for i := range text {
				if !yield(i) {
					return
				}
			}
			return
		}
		for _, word := range starts {
			for i := 0; ; i++ {
				at := strings.Index(low[i:], word)
				if at < 0 {
					break
				}
				i += at
				if !yield(i) {
					return
				}
			}
		}
	}
}

type injectionClass struct {
	kind    string
	words   []string // one of them is in every match; lower case
	starts  []string // every match begins with one of them; lower case
	pattern *regexp.Regexp
	excused func(text string, start, end int) bool // beyond mention; may be nil
}

// wholeWords reports whether the phrase is neither part of a longer word nor a possessive ("the previous
// instruction's text").
func wholeWords(text string, start, end int) bool {
	after := text[end:]
	return startsWord(text, start) && endsWord(text, end) && !strings.HasPrefix(after, "'") && !strings.HasPrefix(after, "’")
}

// ws is white space of any script, as one may use it to break a phrase without a reader's noticing.
const ws = `[\s\x{85}\p{Z}]+`

var injectionClasses = sync.OnceValue(func() []injectionClass {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(strings.ReplaceAll(s, " ", ws)) }
	return []injectionClass{
		{
			kind: "instruction_override", excused: harmlessOverride,
			words:  []string{"ignore", "disregard", "forget", "override", "attention"},
			starts: []string{"ignore", "disregard", "forget", "override", "pay"},
			pattern: re(`(?i)\A((?:ignore|disregard|forget|override|pay no attention to) (?:(?:all|any) )?(?:of )?(?:(?:the|your|my) )?` +
				`(?:previous|prior|earlier|above|preceding|system|original) ` +
				`(?:instructions?|prompts?|messages?|rules|directions|guidelines|directives)` +
				`|(?:ignore|disregard|forget) (?:everything|anything|all) (?:(?:that )?you (?:were|have been|['’]ve been) told|that came before))`),
		},
		{
			kind:   "conceal_from_user",
			words:  []string{"user"},
			starts: []string{"do", "never", "without", "hide", "conceal"},
			pattern: re(`(?im)\A(?:((?:do not|don['’]t|never) (?:tell|inform|notify|alert) the user (?:about|of) (?:this|that|it|these))\b` +
				`|((?:do not|don['’]t|never) (?:tell|inform|notify|alert) the user)(?:[\s\p{Z}]*[.;!)]|[\t\p{Z}]*\r?$)` +
				`|((?:do not|don['’]t|never) (?:mention|reveal|disclose) (?:this|that|it)(?: [^\s.!?;]+){0,6}? to the user)\b` +
				`|(without (?:telling|informing|notifying|alerting) the user)\b` +
				`|((?:hide|conceal) (?:this|it|that) from the user)\b` +
				`|((?:do not|don['’]t|never) let the user (?:know|see|find out|notice)(?: (?:about|of))?(?: (?:this|that|it|these)))\b)`),
		},
		{
			kind:   "role_reassignment",
			words:  []string{"you"},
			starts: []string{"you"},
			pattern: re(`(?i)\A(you are now (?:a|an|my) (?:[\p{L}\p{N}_'-]+ ){0,2}(?:assistant|ai|bot|agent|character|persona|player|pirate|hacker|model)` +
				`|you are now in (?:developer|god|jailbreak|unrestricted|dan) mode` +
				`|you are no longer (?:(?:a|an) )?(?:assistant|ai|bound|restricted))`),
		},
		{
			kind:    "chat_template_token",
			words:   []string{"<|", "inst]", "sys>>"},
			starts:  []string{"<|", "[", "<<"},
			pattern: regexp.MustCompile(`\A(<\|(?:im_start|im_end|system|endoftext|start_header_id)\|>|\[/?INST\]|<</?SYS>>)`),
		},
	}
})

var harmlessPatterns = sync.OnceValue(func() (p struct{ subject, source *regexp.Regexp }) {
	p.subject = regexp.MustCompile(`(?i)(?:\b(?:will|can|may|would|could|does|optionally|text|prompt|string|value|instructions|which|that|this|whether|option|flag|ability)(?:\s+to)?)\s+$`)
	p.source = regexp.MustCompile(`(?i)^\s+(?:from|in|of|on|within)\s+(?:(?:the|a|an|this|that|each|any)\s+)?(?:[\p{L}\p{N}_-]+\s+)?(?:logs?|channels?|threads?|inbox|mailbox|queues?|topics?|streams?|lists?|batch|files?|folders?|tables?|rooms?|history)\b`)
	return p
})

// harmlessOverride excuses two honest uses: a parameter said to override a default ("text to override the
// system prompt"), and messages that are data ("ignore previous messages from the log").
func harmlessOverride(text string, start, end int) bool {
	p := harmlessPatterns()
	verb := fold(text[start:min(end, start+len("override"))])
	if verb == "override" && p.subject.MatchString(text[max(0, start-lookBehind):start]) {
		return true
	}
	return strings.HasSuffix(strings.TrimSuffix(fold(text[start:end]), "s"), "message") && p.source.MatchString(text[end:min(len(text), end+100)])
}
