package textscan

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// lookBehind is how far before a phrase the words are read that turn it from an order into a mention.
const lookBehind = 60

type patterns struct{ attempt, let, reported, security *regexp.Regexp }

var mentionPatterns = sync.OnceValue(func() patterns {
	return patterns{
		attempt: regexp.MustCompile(`(?i)\b(?:attempts|attempting|attempted|tries|trying|tried|aims|aiming|seeks|seeking|designed|meant|intended|used)\s+to\s+$`),
		let: regexp.MustCompile(`(?i)\b(?:(?:allow|let|cause|trick|force|get)s|allowing|letting|causing|tricking|forcing|getting` +
			`|(?:never|not|n['’]t)\s+(?:allow|let|cause|force))\s+(?:[^\s.!?;]+\s+){1,3}(?:to\s+)?$`),
		reported: regexp.MustCompile(`(?i)\b(?:prompts?|texts?|messages?|inputs?|phrases?|content|payloads?|strings?|documents?|pages?|anything|something|one)\s+(?:that|which)\s+` +
			`(?:says?|tells?|asks?|instructs?|tries|try|wants?|orders?|commands?)\s+(?:[^\s.!?;]+\s+){0,3}(?:to\s+)?$`),
		security: regexp.MustCompile(`(?i)\b(?:detect|flag|block|refus|reject|prevent|catch|recogni[sz]|spot|filter|saniti[sz]|guard|match|report)(?:s|es|ing|ed|e)?\b` +
			`|\b(?:inject(?:ion|ions|ed)|jailbreaks?|attack(?:s|er|ers)?|attempts?|phrases?|phrasings?|malicious|adversarial|untrusted|suspicious|poison(?:ed|ing)|payloads?|such as|treat)\b`),
	}
})

// mention reports whether text[start:end], a phrase that would be an order, is only talked about: quoted, an
// item of a slash list, named as what somebody attempts or is made to do, or shown as an attack.
func mention(text string, start, end int) bool {
	return wrapped(text, start, end) || slashed(text, start, end) || described(text, start) || quotedAttack(text, start, end)
}

// pairs maps an opening quotation mark to its closing one.
var pairs = map[rune]rune{'"': '"', '\'': '\'', '`': '`', '‘': '’', '“': '”'}

// wrapped reports whether quotation marks enclose exactly the phrase; punctuation may stand inside.
func wrapped(text string, start, end int) bool {
	opening, _ := utf8.DecodeLastRuneInString(text[:start])
	closing, ok := pairs[opening]
	return ok && strings.HasPrefix(strings.TrimLeft(text[end:], ".,;:!?…"), string(closing))
}

func slashed(text string, start, end int) bool {
	return strings.HasSuffix(text[:start], "/") || strings.HasPrefix(text[end:], "/")
}

// described reports whether the words before the phrase make it what something tries, is designed, is let or
// is told to do. A bare "Try to" or "You need to" is still an order.
func described(text string, start int) bool {
	p := mentionPatterns()
	before := text[max(0, start-lookBehind):start]
	return p.attempt.MatchString(before) || p.let.MatchString(before) || p.reported.MatchString(before)
}

// quotedAttack reports whether the phrase is part of a longer quotation (or code) that the words before it,
// in the same paragraph, introduce as something to recognise or to refuse. Quotation marks alone do not
// excuse: a model reads through them.
func quotedAttack(text string, start, end int) bool {
	const reach = 300
	from := max(0, start-reach)
	if at := strings.LastIndex(text[from:start], "\n\n"); at >= 0 && !strings.Contains(text[from+at:start], "```") {
		from += at
	}
	before, after := text[from:start], text[end:min(len(text), end+reach)]
	quote := -1
	for opening, closing := range pairs {
		at := lastOpening(before, opening, closing)
		if at > quote && strings.ContainsRune(after, closing) {
			quote = at
		}
	}
	return quote >= 0 && mentionPatterns().security.MatchString(before[:quote])
}

// lastOpening returns the offset in before of the quotation mark that is still open at its end, or -1.
func lastOpening(before string, opening, closing rune) int {
	if opening != closing {
		at := strings.LastIndex(before, string(opening))
		if at >= 0 && strings.ContainsRune(before[at:], closing) {
			return -1
		}
		return at
	}
	open := -1
	for i, r := range before {
		if r != opening {
			continue
		}
		if open >= 0 {
			open = -1
			continue
		}
		// An apostrophe inside a word opens nothing.
		if r == '\'' && !startsWord(before, i) {
			continue
		}
		open = i
	}
	return open
}
