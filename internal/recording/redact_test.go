package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedactorFindsEveryEncoding(t *testing.T) {
	const secret = `s3cr/t+"k€y"\&<7>`
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	escaped := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, `\u%04X`, r)
		}
		return b.String()
	}
	percent := func(s, format string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, format, s[i])
		}
		return b.String()
	}
	tests := map[string]string{
		"plain":                   secret,
		"JSON":                    quoted(secret),
		"JSON in JSON":            quoted(quoted(secret)),
		"JSON thrice":             quoted(quoted(quoted(secret))),
		"JSON, slash escaped":     strings.ReplaceAll(quoted(secret), "/", `\/`),
		"JSON, all escaped":       escaped(secret),
		"query":                   url.QueryEscape(secret),
		"query, lower case":       strings.ToLower(url.QueryEscape(secret)),
		"path":                    url.PathEscape(secret),
		"percent, every byte":     percent(secret, "%%%02x"),
		"percent, every byte, up": percent(secret, "%%%02X"),
		"percent twice":           url.QueryEscape(url.QueryEscape(secret)),
		"query in JSON":           quoted("https://h/?a=" + url.QueryEscape(secret)),
		"HTML":                    html.EscapeString(secret),
		"hex":                     hex.EncodeToString([]byte(secret)),
		"hex, upper case":         strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			in := "before " + text + " after"
			got := NewRedactor(secret).String(in)
			if strings.HasPrefix(text, `"`) {
				text = text[strings.IndexByte(text, 's') : len(text)-1]
			}
			if strings.Contains(got, "s3cr") || strings.Contains(got, "7") || !strings.Contains(got, Redacted) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("%s\nbecame %s", in, got)
			}
		})
	}
}

func TestRedactorBase64AtAnyAlignment(t *testing.T) {
	const secret = "hunter2-\xff\xfe\xfb-token"
	for name, enc := range map[string]*base64.Encoding{"std": base64.StdEncoding, "raw": base64.RawStdEncoding, "url": base64.URLEncoding, "raw url": base64.RawURLEncoding} {
		for before := range 4 {
			for after := range 4 {
				t.Run(fmt.Sprintf("%s/%d/%d", name, before, after), func(t *testing.T) {
					plain := strings.Repeat("u", before) + secret + strings.Repeat("v", after)
					got := NewRedactor(secret).String(`{"auth":"` + enc.EncodeToString([]byte(plain)) + `"}`)
					rest := strings.ReplaceAll(strings.Replace(got, Redacted, "", 1), "=", "")
					if !strings.Contains(got, Redacted) || len(rest) > len(`{"auth":""}`)+(before*4+2)/3+(after*4+2)/3 {
						t.Errorf("%q became %s", plain, got)
					}
					if !json.Valid([]byte(got)) {
						t.Errorf("no JSON any more: %s", got)
					}
				})
			}
		}
	}
}

func TestRedactorSecrets(t *testing.T) {
	tests := []struct{ name, secret, in, want string }{
		{"bearer token alone", "Bearer abcdef123", "x abcdef123 y", "x [redacted] y"},
		{"whole header", "Bearer abcdef123", "Authorization: Bearer abcdef123", "Authorization: [redacted]"},
		{"basic password", "Basic " + base64.StdEncoding.EncodeToString([]byte("me:opensesame")), "opensesame", "[redacted]"},
		{"short", "abc", "abcabc", "abcabc"},
		{"twice, touching", "abcdef", "abcdefabcdef", "[redacted]"},
		{"with itself overlapping", "ababab", "xabababab-", "x[redacted]-"},
		{"nothing there", "abcdef", "plain text", "plain text"},
		{"HTML inside JSON", "a<b&c\"d", `{"page":"a\u0026lt;b\u0026amp;c\u0026#34;d"}`, `{"page":"[redacted]"}`},
		{"blank as plus", "two words", "q=two+words", "q=[redacted]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, NewRedactor(tt.secret).String(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
	both := NewRedactor("abcdef123", "f123456")
	if got := both.String("-abcdef123456-"); got != "-[redacted]-" {
		t.Errorf("overlapping secrets: %s", got)
	}
	var none *Redactor
	if got := none.String("abcdef"); got != "abcdef" {
		t.Errorf("nil Redactor: %s", got)
	}
}

func TestRedactorCut(t *testing.T) {
	r := NewRedactor("topsecret/value")
	for n := 2; n < len("topsecret/value"); n++ {
		in := "text " + "topsecret/value"[:n]
		if got := string(r.Cut([]byte(in))); got != "text [redacted]" {
			t.Errorf("end cut after %d: %s", n, got)
		}
		in = "topsecret/value"[n-1:] + " text"
		if n > len("topsecret/value")-2 {
			continue
		}
		if got := string(r.Tail([]byte(in))); got != "[redacted] text" {
			t.Errorf("beginning cut at %d: %s", n-1, got)
		}
	}
	for _, in := range []string{"a topsecret%", "a topsecret%2", `a topsecret\`, `a topsecret\u00`, "a dG9wc2Vjcm"} {
		if got := string(r.Cut([]byte(in))); got != "a [redacted]" {
			t.Errorf("%s: %s", in, got)
		}
	}
	if got := string(r.Bytes([]byte("ends with topse"))); got != "ends with topse" {
		t.Errorf("whole text was cut: %s", got)
	}
}

func TestRedactorHeader(t *testing.T) {
	r := NewRedactor(HeaderSecrets(map[string][]string{"X-Key": {"k1"}, "Accept": {"application/json"}, "X-Tenant": {"tenant-123"}})...)
	tests := []struct{ name, value, want string }{
		{"Authorization", "Bearer made-up", Redacted},
		{"set-cookie", "a=b; Path=/", Redacted},
		{"Mcp-Session-Id", "1", Redacted},
		{"X-Key", "k1", Redacted},
		{"X-Echo", "k1k1", "k1k1"},
		{"X-Echo", "for tenant-123!", "for [redacted]!"},
		{"Content-Type", "application/json", "application/json"},
	}
	for _, tt := range tests {
		if got := r.Header(tt.name, tt.value); got != tt.want {
			t.Errorf("%s: %s became %s, want %s", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestRedactorLearnsTokensOnly(t *testing.T) {
	r := NewRedactor()
	hidden := []string{"4f9c1a2b", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "abcdefghijklmnopqrstuvwx"}
	kept := []string{"tools", "inputSchema", "ignore all previous 1", "https://h/?q={x}", "1234567", "a<b>c12345678"}
	for _, v := range append(hidden, kept...) {
		r.Learn(v)
	}
	for _, v := range hidden {
		if got := r.String(v); got != Redacted {
			t.Errorf("%s was kept", v)
		}
	}
	for _, v := range kept {
		if got := r.String(v); got != v {
			t.Errorf("%s became %s", v, got)
		}
	}
}

func TestRedactorConcurrentUse(t *testing.T) {
	r := NewRedactor("first-secret")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r.Add(fmt.Sprintf("secret-number-%d", i))
			if got := r.String(fmt.Sprintf("first-secret secret-number-%d", i)); got != "[redacted] [redacted]" {
				t.Error(got)
			}
		})
	}
	wg.Wait()
}

func FuzzRedactor(f *testing.F) {
	f.Add("s3cr3t/+=€", "before ", " after", uint8(0))
	f.Add("ababab", "ab", "ab", uint8(5))
	f.Add(`%25%41\u0041`, `\`, `"`, uint8(9))
	f.Fuzz(func(t *testing.T, secret, before, after string, cut uint8) {
		secret = strings.TrimSpace(secret)
		if len(secret) < minSecret || len(secret) > 200 || strings.ContainsAny(secret, "[]") || strings.Contains(Redacted, secret) {
			t.Skip("no secret that is replaced, or one that the mark itself could spell")
		}
		r := NewRedactor(secret)
		quoted, _ := json.Marshal(secret)
		var percent strings.Builder
		for i := range len(secret) {
			fmt.Fprintf(&percent, "%%%02x", secret[i])
		}
		forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), percent.String(), strings.ToUpper(percent.String()),
			hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret))}
		if json.Valid(quoted) && !strings.Contains(string(quoted), `\ufffd`) && !strings.Contains(secret, "\t") && !strings.ContainsFunc(secret, func(r rune) bool { return r < 0x20 }) {
			forms = append(forms, string(quoted[1:len(quoted)-1]))
		}
		for _, form := range forms {
			text := before + form + after
			got := r.Bytes([]byte(text))
			if bytes.Contains(got, []byte(form)) {
				t.Fatalf("%q survives in %q", form, got)
			}
			if again := r.Bytes(got); !bytes.Equal(again, got) {
				t.Fatalf("%q is not stable: %q", got, again)
			}
			n := len(before) + int(cut)%(len(form)+1)
			kept := r.Cut([]byte(text[:n]))
			if part := text[len(before):n]; len(part) > 12 && // more than the first character, however it is escaped
				bytes.HasSuffix(kept, []byte(part)) {
				t.Fatalf("%q survives at the end of %q", part, kept)
			}
		}
	})
}

func TestMaskURL(t *testing.T) {
	tests := []struct{ in, want string }{
		{"https://h/mcp", "https://h/mcp"},
		{"https://user:pass@h/mcp", "https://h/mcp"},
		{"https://user@h:8443/mcp?x=1", "https://h:8443/mcp?x=1"},
		{"https://u:p/a@h/mcp", "https://h/mcp"},
		{"https://u:p?a@h/mcp", "https://h/mcp"},
		{"https://h/a@b", "https://h/a@b"},
		{"https://h:80/a@b", "https://h:80/a@b"},
		{"https://h/?api_key=abc&x=1&Access-Token=z", "https://h/?api_key=[redacted]&x=1&Access-Token=[redacted]"},
		{"https://h/?key=abc&key=abc123abc123abc123ab", "https://h/?key=abc&key=[redacted]"},
		{"/cb?code=123;state=5#access_token=abc&y=2", "/cb?code=[redacted];state=5#access_token=[redacted]&y=2"},
		{"//u:p@h/x", "//h/x"},
		{"https://h/?to%6ben=abc", "https://h/?to%6ben=[redacted]"},
		{"", ""},
		{"?", "?"},
	}
	for _, tt := range tests {
		if got := MaskURL(tt.in); got != tt.want {
			t.Errorf("%s became %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestCredentialParams(t *testing.T) {
	match := []string{"token=", "apiKey=a", "serviceAPIKey=a", "client.secret=x", "key=abc123abc123abc123ab", "key=sk_x", "id_token=1", "my_apikey_token=a",
		"sig=abc+abc1abc1abc1abc1abc1"}
	for _, q := range match {
		name, _, _ := strings.Cut(q, "=")
		if diff := cmp.Diff([]string{name}, CredentialParams("https://h/mcp?a=1&"+q+"&"+q)); diff != "" {
			t.Errorf("%s: %s", q, diff)
		}
	}
	for _, q := range []string{"author=x", "keyword=x", "key=abc", "mytoken=1", "pwd=x", "secretKey=x", "code=x", "public_key=abc", "key=ABCDEFGHIJKLMNOPQRSTUVWX", "my_apikey=a"} {
		if got := CredentialParams("https://h/mcp?" + q); got != nil {
			t.Errorf("%s: %v", q, got)
		}
	}
	if got := WithoutCredentialParams("https://h/mcp?a=1&token=x&b=2#f"); got != "https://h/mcp?a=1&b=2#f" {
		t.Error(got)
	}
	if got := WithoutCredentialParams("https://h/mcp?token=x"); got != "https://h/mcp" {
		t.Error(got)
	}
}

func TestURLSecrets(t *testing.T) {
	got := URLSecrets("https://me:pa%24s@h/mcp?token=t%2Bk&x=1")
	want := []string{"me:pa%24s", "me:pa$s", "pa%24s", "pa$s", "t%2Bk", "t+k"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
