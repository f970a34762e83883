package textscan

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// redacted stands where a credential stood.
const redacted = "[redacted]"

// Mask replaces every credential that the text holds by "[redacted]": those [Secrets] and [ErrorLeak] find
// (of a private key the whole block), user and password in URLs, and the values of URL query parameters
// that are named like credentials. Masking twice changes nothing more.
func Mask(text string) string {
	spans := maskSpans(text)
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(redacted)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// maskSpans returns what Mask replaces: sorted, not overlapping, not touching.
func maskSpans(text string) []span {
	var spans []span
	for _, f := range findSecrets(text) {
		switch f.format.name {
		case "private_key":
			f.end = pemEnd(text, f.end)
		case "bearer_token":
			f.start += len("Bearer ")
		}
		spans = append(spans, f.span)
	}
	for _, c := range findCredentials(text) {
		spans = append(spans, c.value)
	}
	spans = append(spans, urlSecrets(text)...)
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && s.start <= merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, s.end)
			continue
		}
		if text[s.start:s.end] != redacted {
			merged = append(merged, s)
		}
	}
	return merged
}

// maxPEM is more than any private key takes.
const maxPEM = 64 << 10

// pemEnd returns where the block whose header ends at i is over: behind its END line, or behind what looks
// like its content when that line is missing.
func pemEnd(text string, i int) int {
	rest := text[i:min(len(text), i+maxPEM)]
	if at := strings.Index(rest, "-----END "); at >= 0 {
		if tail := strings.Index(rest[at+len("-----END "):], "-----"); tail >= 0 && tail < 64 {
			return i + at + len("-----END ") + tail + len("-----")
		}
	}
	end := i
	for end < len(text) && (alnum(text[end]) || strings.IndexByte("+/=\r\n\\ ", text[end]) >= 0) {
		end++
	}
	return end
}

var urlSecretPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]{0,30}://([^\s/?#@"'<>]+)@` +
		`|[?&;](?i:access[_-]token|refresh[_-]token|id[_-]token|token|api[_-]key|apikey|client[_-]secret|password|secret|authorization|code)=([^\s&#"'<>;]+)`)
})

// urlSecrets finds user information and credential parameters in URLs. Placeholders are masked as well: what
// is masked is not judged.
func urlSecrets(text string) []span {
	if !strings.Contains(text, "=") && !strings.Contains(text, "@") {
		return nil
	}
	if !strings.ContainsAny(text, "?&;") && !strings.Contains(text, "://") {
		return nil
	}
	var spans []span
	for _, at := range urlSecretPattern().FindAllStringSubmatchIndex(text, -1) {
		if at[2] >= 0 {
			spans = append(spans, span{at[2], at[3]})
		} else {
			spans = append(spans, span{at[4], at[5]})
		}
	}
	return spans
}
