package textscan

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	md "github.com/mcp-hallmark/hallmark/internal/markdown"
)

// Exfiltration finds links and markup that would carry data away or run code when a client renders the text.
//
// Kinds:
//   - exfiltration_query: an image, style sheet, frame or other resource fetched without a click whose
//     address has a slot ({data}, ${data}, <data>, $DATA) before its fragment; or a link to click whose query
//     has a slot named after what a conversation holds (its messages, credentials, files, memory)
//   - script_uri: a link or resource with a javascript: or vbscript: address
//   - data_uri: one with a data: address that is no raster image
//
// The text is read as CommonMark and the result as a browser reads HTML, so code spans, code blocks, comments
// and inert elements are no links. A link to click with an ordinary slot, as in the reference of an API, is
// documentation and no finding, nor is unusual markup as such.
//
// Limits: an address written out without markup is no link; text longer than exfilChunk is read in pieces
// cut at blank lines; nested frames are read three levels deep.
func Exfiltration(text string) []Match {
	if !mayLink(text) {
		return nil
	}
	var ms []Match
	ex := newExcerpter(text)
	for from := 0; from < len(text) && len(ms) < maxMatches; {
		to := from + md.Piece(text[from:], exfilChunk)
		seek := from
		for _, l := range readLinks(text[from:to]) {
			kind := l.judge()
			if kind == "" {
				continue
			}
			start, end := locate(text, from, seek, to, l.written)
			if end > start {
				seek = start + 1
			}
			ms = append(ms, Match{kind, start, end, ex.cut(start, end)})
		}
		from = to
	}
	return sortMatches(ms)
}

const exfilChunk = 64 << 10

// mayLink reports whether text holds the beginnings of a link and of an address.
func mayLink(text string) bool {
	return (strings.Contains(text, "](") || strings.Contains(text, "]:") || strings.Contains(text, "<")) &&
		(strings.ContainsAny(text, `:&\`) || strings.Contains(text, "//"))
}

// locate returns the offsets of an address in the text between from and to: at seek or later, else anywhere,
// else (it was written with escapes) the first place that could hold a link.
func locate(text string, from, seek, to int, address string) (start, end int) {
	if address != "" {
		for _, i := range []int{seek, from} {
			if at := strings.Index(text[i:to], address); at >= 0 {
				return i + at, i + at + len(address)
			}
		}
	}
	for _, sign := range []string{"](", "<", "]:"} {
		if at := strings.Index(text[from:to], sign); at >= 0 {
			start = from + at
			end = min(to, start+200)
			if line := strings.IndexByte(text[start:end], '\n'); line > 0 {
				end = start + line
			}
			return start, end
		}
	}
	return from, from
}

// link is an address in the markup.
type link struct {
	written string // as it stands in the markup, character references decoded
	address string // resolved against the base, as far as that is needed
	loads   bool   // fetched on display, without a click
	host    bool   // only the host name is sent
}

var (
	slotPattern = sync.OnceValue(func() *regexp.Regexp {
		const name = `[\pL_][\pL\pN_. -]{0,63}`
		return regexp.MustCompile(`\{[ \t]*(` + name + `)\}|\$\{([^{}]{1,64})\}|<(` + name + `)>|\$([A-Z_][A-Z0-9_]{0,63})`)
	})
	wordPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z]*[a-z]+|[A-Z]+`) })
)

// carried are the words, in a slot's name, for what a conversation holds and a documentation link has no use for.
var carried = map[string]bool{
	"conversation": true, "chat": true, "transcript": true, "history": true, "context": true, "memory": true,
	"memories": true, "prompt": true, "prompts": true, "instructions": true, "system": true, "message": true, "messages": true,
	"secret": true, "secrets": true, "password": true, "passwords": true, "token": true, "tokens": true,
	"credential": true, "credentials": true, "cookie": true, "cookies": true, "apikey": true, "passphrase": true,
	"env": true, "environment": true, "data": true, "contents": true, "dump": true, "stolen": true, "exfil": true,
	"leak": true, "base64": true, "b64": true, "encoded": true, "answer": true, "response": true, "output": true, "result": true, "results": true,
	"ssh": true, "private": true, "sensitive": true, "personal": true, "session": true, "everything": true, "summary": true,
}

// judge returns the kind of finding that the link is, "" for none.
func (l link) judge() string {
	address := strings.Trim(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(l.address), trimmed)
	scheme, rest, ok := cutScheme(address)
	switch {
	case ok && (scheme == "javascript" || scheme == "vbscript"):
		return "script_uri"
	case ok && scheme == "data":
		if !rasterImage(rest) {
			return "data_uri"
		}
		return ""
	case ok && scheme != "http" && scheme != "https":
		return ""
	case !ok && !networkPath(address):
		return ""
	}
	sent, _, _ := strings.Cut(address, "#")
	if l.host {
		sent = hostOf(sent)
	}
	if !l.loads {
		if _, sent, ok = strings.Cut(sent, "?"); !ok {
			return ""
		}
	}
	for _, slot := range slotPattern().FindAllStringSubmatch(unpercent(sent), -1) {
		if l.loads || carriesConversation(slot[1]+slot[2]+slot[3]+slot[4]) {
			return "exfiltration_query"
		}
	}
	return ""
}

func carriesConversation(slot string) bool {
	for _, word := range wordPattern().FindAllString(slot, -1) {
		if carried[strings.ToLower(word)] {
			return true
		}
	}
	return carried[strings.ToLower(slot)]
}

// trimmed is what a browser strips from both ends of an address.
const trimmed = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// cutScheme splits an address at the colon after its scheme, which it returns in lower case.
func cutScheme(address string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(address, ":")
	if !ok || scheme == "" || !letter(scheme[0]) {
		return "", address, false
	}
	for _, c := range []byte(scheme) {
		if !alnum(c) && c != '+' && c != '-' && c != '.' {
			return "", address, false
		}
	}
	return strings.ToLower(scheme), rest, true
}

func slash(c byte) bool { return c == '/' || c == '\\' }

// networkPath reports whether an address without a scheme names a host: it starts with two slashes of either kind.
func networkPath(address string) bool {
	return len(address) > 2 && slash(address[0]) && slash(address[1])
}

func hostOf(address string) string {
	_, rest, _ := cutScheme(address)
	host := strings.TrimLeft(rest, `/\`)
	if at := strings.IndexAny(host, `/\?`); at >= 0 {
		host = host[:at]
	}
	return host
}

// rasterImage reports whether what follows "data:" declares an image that cannot hold a script.
func rasterImage(rest string) bool {
	at := strings.IndexAny(rest, ";,")
	if at < 0 {
		return false
	}
	switch strings.ToLower(rest[:at]) {
	case "image/png", "image/apng", "image/jpg", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif",
		"image/x-icon", "image/vnd.microsoft.icon":
		return true
	}
	return false
}

// unpercent decodes percent escapes and leaves stray percent signs alone, so that one of them hides no slot.
func unpercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(v))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// resolve completes an address against the document's base, as far as judging needs: which host it goes to
// and what is sent there.
func resolve(base, address string) string {
	address = strings.Trim(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address), trimmed)
	baseScheme, baseRest, hasBase := cutScheme(base)
	if scheme, rest, ok := cutScheme(address); ok {
		// "https:e.com" and "http:///e.com" name a host too, unless a base of that scheme makes them relative.
		if scheme == "http" || scheme == "https" {
			if hasBase && scheme == baseScheme && !networkPath(rest) {
				return resolve(base, rest)
			}
			return scheme + "://" + strings.TrimLeft(rest, `/\`)
		}
		return address
	}
	if networkPath(address) {
		return address
	}
	if !hasBase {
		if !networkPath(base) {
			return address
		}
		baseScheme, baseRest = "https", base
	}
	host := hostOf(baseScheme + ":" + baseRest)
	root := baseScheme + "://" + host
	path, _, _ := strings.Cut(strings.TrimLeft(baseRest, `/\`)[len(host):], "#")
	switch {
	case address == "":
		return root + path
	case slash(address[0]):
		return root + address
	case address[0] == '#':
		return root + path + address
	}
	path, _, _ = strings.Cut(path, "?")
	if address[0] == '?' {
		return root + path + address
	}
	return root + path[:strings.LastIndexAny(path, `/\`)+1] + joinSlash(path) + address
}

// joinSlash returns the slash that a base without a path lacks.
func joinSlash(path string) string {
	if path == "" {
		return "/"
	}
	return ""
}
