package textscan

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// Secrets finds credentials whose format says what they are: cloud, forge, chat, payment and model keys,
// PEM private keys, JSON Web Tokens, bearer tokens. Kinds: aws_access_key_id, github_token, gitlab_token,
// slack_token, stripe_live_key, anthropic_api_key, openai_api_key, google_api_key, private_key, jwt,
// bearer_token.
//
// What documentation shows is not counted: the samples vendors publish, values that call themselves
// placeholders, values of hardly any variety, values that count up. Limits: a credential without a format
// of its own (a password, a bare hexadecimal key) is not seen here; formats change, and new ones must be added.
func Secrets(text string) []Match {
	found := findSecrets(text)
	if len(found) == 0 {
		return nil
	}
	ms := make([]Match, 0, len(found))
	for _, f := range found {
		if len(ms) == maxMatches {
			break
		}
		ms = append(ms, Match{f.format.name, f.start, f.end, Visible(text[f.start:f.start+f.format.shown]) + redacted})
	}
	return sortMatches(ms)
}

// secretFormat describes one credential format. find returns the end of the credential whose prefix starts
// at i; when there is none, how far no other can start either (0: only here), so that the scan stays linear.
type secretFormat struct {
	name   string
	prefix string
	shown  int // how many leading bytes tell the kind and nothing secret
	find   func(text string, i int) (end int, ok bool)
}

type foundSecret struct {
	format *secretFormat
	span
}

var secretFormats = sync.OnceValue(func() []secretFormat {
	run := func(name, prefix string, set func(byte) bool, least, most int, wordEnd bool) secretFormat {
		return secretFormat{name, prefix, len(prefix), func(text string, i int) (int, bool) {
			end := i + len(prefix)
			for end < len(text) && set(text[end]) {
				end++
			}
			n := end - i - len(prefix)
			if !startsWord(text, i) || n < least {
				return 0, false
			}
			if most > 0 && n > most {
				if wordEnd {
					return 0, false
				}
				end = i + len(prefix) + most
			}
			if wordEnd && !endsWord(text, end) {
				return 0, false
			}
			return end, true
		}}
	}
	formats := []secretFormat{
		run("aws_access_key_id", "AKIA", upperAlnum, 16, 16, true),
		run("aws_access_key_id", "ASIA", upperAlnum, 16, 16, true),
		run("github_token", "github_pat_", wordByte, 60, 255, false),
		run("gitlab_token", "glpat-", wordOrHyphen, 20, 0, false),
		run("stripe_live_key", "sk_live_", alnum, 20, 0, false),
		run("stripe_live_key", "rk_live_", alnum, 20, 0, false),
		run("anthropic_api_key", "sk-ant-", wordOrHyphen, 30, 0, false),
		run("openai_api_key", "sk-proj-", wordOrHyphen, 40, 0, false),
		run("openai_api_key", "sk-svcacct-", wordOrHyphen, 40, 0, false),
		{"openai_api_key", "sk-", len("sk-"), openAIKey},
		{"google_api_key", "AIza", len("AIza"), googleKey},
		{"private_key", "-----BEGIN ", len("-----BEGIN "), pemHeader},
		{"jwt", "eyJ", len("eyJ"), jsonWebToken},
	}
	for _, kind := range "pousr" {
		formats = append(formats, run("github_token", "gh"+string(kind)+"_", alnum, 36, 255, true))
	}
	for _, kind := range "abposr" {
		formats = append(formats, run("slack_token", "xox"+string(kind)+"-", alnumOrHyphen, 10, 0, false))
	}
	return formats
})

// bearerFormat is found by its own scan, since its prefix is a word in any case.
var bearerFormat = &secretFormat{name: "bearer_token", shown: len("Bearer ")}

func findSecrets(text string) []foundSecret {
	if len(text) < len("xoxb-")+10 {
		return nil
	}
	var found []foundSecret
	if mayHoldSecret(text) {
		formats := secretFormats()
		for f := range formats {
			format := &formats[f]
			for i := 0; ; {
				at := strings.Index(text[i:], format.prefix)
				if at < 0 {
					break
				}
				start := i + at
				end, ok := format.find(text, start)
				if !ok {
					i = max(end, start+len(format.prefix))
					continue
				}
				if !sample(text[start:end]) {
					found = append(found, foundSecret{format, span{start, end}})
				}
				i = end
			}
		}
	}
	return append(found, bearerTokens(text)...)
}

// mayHoldSecret looks for the few letters one of which is in every prefix, so that most texts are done with
// after one pass.
func mayHoldSecret(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case 'k', 'K':
			// sk-, sk_live_, rk_live_, AKIA
			if i > 0 && i+1 < len(text) && (text[i+1] == '-' || text[i+1] == '_' || text[i+1] == 'I') {
				return true
			}
		case 'S', 'I':
			if strings.HasPrefix(text[i:], "SIA") || strings.HasPrefix(text[i:], "Iza") {
				return true
			}
		case 'g':
			if strings.HasPrefix(text[i:], "gh") || strings.HasPrefix(text[i:], "git") || strings.HasPrefix(text[i:], "glpat") {
				return true
			}
		case 'x':
			if strings.HasPrefix(text[i:], "xox") {
				return true
			}
		case 'e':
			if strings.HasPrefix(text[i:], "eyJ") {
				return true
			}
		case '-':
			if strings.HasPrefix(text[i:], "-----BEGIN ") {
				return true
			}
		}
	}
	return false
}

// openAIKey reads the form with the marker in the middle: 20 or more characters, T3BlbkFJ, 20 or more.
func openAIKey(text string, i int) (end int, ok bool) {
	if !startsWord(text, i) {
		return 0, false
	}
	end = i + len("sk-")
	for end < len(text) && wordOrHyphen(text[end]) {
		end++
	}
	body := text[i+len("sk-") : end]
	for _, infix := range []string{"proj-", "svcacct-", ""} {
		rest, ok := strings.CutPrefix(body, infix)
		if !ok {
			continue
		}
		if at := strings.LastIndex(rest, "T3BlbkFJ"); at >= 20 && len(rest)-at-len("T3BlbkFJ") >= 20 {
			return end, true
		}
	}
	return end, false
}

func googleKey(text string, i int) (end int, ok bool) {
	end = i + len("AIza") + 35
	if !startsWord(text, i) || end > len(text) {
		return 0, false
	}
	for _, c := range []byte(text[i+len("AIza") : end]) {
		if !wordOrHyphen(c) {
			return 0, false
		}
	}
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	next, size := utf8.DecodeRuneInString(text[end:])
	if isWord(last) == (size > 0 && isWord(next)) {
		return 0, false
	}
	return end, true
}

func pemHeader(text string, i int) (end int, ok bool) {
	rest := text[i+len("-----BEGIN "):]
	if label := strings.IndexByte(rest, ' '); label > 0 && !strings.HasPrefix(rest, "PRIVATE KEY") {
		for _, c := range []byte(rest[:label]) {
			if !upperAlnum(c) {
				return 0, false
			}
		}
		rest = rest[label+1:]
	}
	rest, ok = strings.CutPrefix(rest, "PRIVATE KEY")
	if !ok {
		return 0, false
	}
	rest = strings.TrimPrefix(rest, " BLOCK")
	if rest, ok = strings.CutPrefix(rest, "-----"); !ok {
		return 0, false
	}
	return len(text) - len(rest), true
}

func jsonWebToken(text string, i int) (end int, ok bool) {
	if !startsWord(text, i) {
		return 0, false
	}
	end = i
	first := 0 // the end of the first part
	for part, least := range []int{len("eyJ") + 8, len("eyJ") + 8, 16} {
		if part > 0 {
			if end == len(text) || text[end] != '.' {
				return first, false
			}
			end++
		}
		start := end
		for end < len(text) && wordOrHyphen(text[end]) {
			end++
		}
		if end-start < least || part < 2 && !strings.HasPrefix(text[start:], "eyJ") {
			return first, false
		}
		if part == 0 {
			first = end
		}
	}
	return end, true
}

var bearerPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:bearer)[\s\x{85}\x{a0}\p{Z}]+[A-Za-z0-9._~+/-]{24,}=?`)
})

func bearerTokens(text string) []foundSecret {
	if !strings.Contains(text, "earer") && !strings.Contains(fold(text), "bearer") {
		return nil
	}
	var found []foundSecret
	for _, at := range bearerPattern().FindAllStringIndex(text, -1) {
		if startsWord(text, at[0]) && !sample(text[at[0]:at[1]]) {
			found = append(found, foundSecret{bearerFormat, span{at[0], at[1]}})
		}
	}
	return found
}

// sample reports whether a value that has a credential's format is there to show the format.
func sample(value string) bool {
	return strings.Contains(value, "AKIAIOSFODNN7EXAMPLE") || // AWS documentation
		strings.Contains(value, "eyJzdWIiOiIxMjM0NTY3ODkwI") || // the token every JWT debugger opens with
		saysPlaceholder(value) || lowVariety(value) || countsUp(value)
}

// saysPlaceholder looks for a word that says so, standing on its own: part of a longer run of letters it is
// chance.
func saysPlaceholder(value string) bool {
	low := fold(value)
	for _, word := range []string{"example", "placeholder", "your", "xxxx"} {
		for i := 0; ; {
			at := strings.Index(low[i:], word)
			if at < 0 {
				break
			}
			start, end := i+at, i+at+len(word)
			for word == "xxxx" && end < len(low) && low[end] == 'x' {
				end++
			}
			if (start == 0 || !alnum(low[start-1])) && (end == len(low) || !letter(low[end])) {
				return true
			}
			i = end
		}
	}
	return false
}

func lowVariety(value string) bool {
	var seen [256]bool
	distinct := 0
	for _, c := range []byte(value[max(0, len(value)-16):]) {
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	return distinct <= 4
}

// countsUp reports a run of eight characters in which each is the last one's successor (12345678,
// abcdefgh). A random key has one by chance less than once in a thousand million.
func countsUp(value string) bool {
	run := 1
	for i := 1; i < len(value); i++ {
		if value[i] == value[i-1]+1 || value[i] == '0' && value[i-1] == '9' {
			if run++; run == 8 {
				return true
			}
		} else {
			run = 1
		}
	}
	return false
}

func letter(c byte) bool        { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool         { return '0' <= c && c <= '9' }
func alnum(c byte) bool         { return letter(c) || digit(c) }
func wordByte(c byte) bool      { return alnum(c) || c == '_' }
func upperAlnum(c byte) bool    { return 'A' <= c && c <= 'Z' || digit(c) }
func wordOrHyphen(c byte) bool  { return wordByte(c) || c == '-' }
func alnumOrHyphen(c byte) bool { return alnum(c) || c == '-' }
