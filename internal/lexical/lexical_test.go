package lexical

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// check runs a predicate over texts that must satisfy it and texts that must not.
func check(t *testing.T, holds func(string) bool, good, bad []string) {
	t.Helper()
	for _, s := range good {
		if !holds(s) {
			t.Errorf("%q was refused", s)
		}
	}
	for _, s := range bad {
		if holds(s) {
			t.Errorf("%q was accepted", s)
		}
	}
}

func accepts(f func(string) error) func(string) bool {
	return func(s string) bool { return f(s) == nil }
}

func TestBlank(t *testing.T) {
	check(t, Blank,
		[]string{"", " \t\n", "\u00a0\u3000", "\x1c\x1f", "\u200b", "\u2060\ufeff", "\u3164", "\u2800", "\U000E0041"},
		[]string{"a", " . ", "é", "\u200ba", "👍"})
}

func TestAbsoluteURI(t *testing.T) {
	check(t, accepts(AbsoluteURI),
		[]string{
			"file:///a", "urn:x", "test:", "http:", "http:///p", "HTTP://X", "a+b-c.1://h", "x://u:p@h:1/p?q=/?#f/?", "http://[::1]:80/",
			"http://[fe80::1%25eth0]/", "http://[v1.a:b]/", "http://h:/", "http://h:65535", "npm://@scope/pkg", "a:%20%C3%A9", "mailto:a@b@c", "x://",
		},
		[]string{
			"", "docs/readme", "/a", "1a:b", ":b", "custom://a b", "file:///é", "http://x/%zz", "http://x/%2", "http://x:65536/", "http://x:99999999999999999999/", "http://x:-1",
			"http://x/{id}", `a:\b`, "a:b\n", "a:#b#c", "a:b[1]", "http://h/?a[]=1", "http://[::1", "http://::1]/", "http://[1.2.3.4]/", "http://[::1]a/", "http://a[::1]/",
			"http://a@b@c/", "http://a:b:c/", "http://[u]@h/", "a:#[",
		})
}

func TestWebURL(t *testing.T) {
	check(t, accepts(WebURL),
		[]string{"https://example.org", "HTTP://h:8080/p"},
		[]string{"", "example.org", "not a url", "https://", "https:///p", "javascript:alert(1)", "ftp://h/"})
}

func TestMediaType(t *testing.T) {
	check(t, MediaType,
		[]string{"text/plain", "image/svg+xml", "text/plain; charset=utf-8", "a/b;c=d", "a/b \t;\tc=\"\"", `a/b;c="x\"y"`, "text/*", "TEXT/Plain"},
		[]string{"", "markdown", "text/", "/plain", "text/plain;", "text/plain; charset", " text/plain", "text/plain ", "text/plain\n", "a/b/c", `a/b;c="`, "a/b; c = d", "text/pläin"})
}

func TestTimestamp(t *testing.T) {
	check(t, Timestamp,
		[]string{
			"2025-01-12", "20250112", "2025-W02", "2025-W02-7", "2025W027", "2020-W53-1", "2025-012", "2024-366", "2025012", "2024-02-29",
			"2025-01-12T15:00:58Z", "2025-01-12T15:00:58+02:00", "2025-01-12T15:00:58.123456789-0330", "2025-01-12T15:00:58,5", "2025-01-12 15:00", "20250112T150058Z",
			"2025-01-12T15", "2025-01-12T15:30.5+01", "2025-01-12T24:00:00Z", "2016-12-31T23:59:60Z", "2025-01-12T15:00:58+05:30:15",
		},
		[]string{
			"", "2025", "2025-01", "2025-1-2", "2025-13-01", "2025-02-29", "2025-00-10", "2025-01-00", "0000-01-01", "2025-000", "2025-366", "2025-W00", "2025-W53", "2025-W02-8",
			"2025-01-12Z", "2025-01-12T", "2025-01-12T15:00:58z", "2025-01-12t15:00:58Z", "2025-01-12x15:00:58Z", "2025-01-12T15:00:58 Z", "2025-01-12T15:00:58xZ", "2025-01-12T25:00Z",
			"2025-01-12T24:00:01", "2025-01-12T15:60", "2025-01-12T15:00:61", "2025-01-12T15:00:58+24:00", "2025-01-12T15:00:58+02:60", "2025-01-12T15:00:58.Z", "1700000000",
			"Sun, 12 Jan 2025 15:00:58 GMT", "yesterday", " 2025-01-12", "2025-01-12\n", "12025-01-12",
		})
}

func TestURITemplate(t *testing.T) {
	check(t, accepts(URITemplate),
		[]string{
			"file:///{id}", "{+path}", "{?x*,y:3}", "file:///a", "{=a}", "{,a}", "{!a}", "{@a}", "{|a}", "é/{c}", "{a.b_c%20}", "{x:9999}", "{#a}{.b}{/c}{;d}{&e}", "%41", "\u00a0",
		},
		[]string{
			"", "{}", "{+}", "{,}", "{=}", "{a,}", "{,a,}", "{a", "a}", "{user-id}", "{x:0}", "{x:10000}", "{x:01}", "{x:}", "{x*:3}", "{x:3*}", "a b/{c}", "%zz", "%4", "{a.}", "{.a.}", "{a..b}",
			"{é}", "{{a}}", "a'b", `a"b`, "a<b", "a\\b", "a^b", "a`b", "a|b", "a\x7f", "\u0085", "\ufffd", "a\xffb", "{=+a}",
		})
	for s, want := range map[string]string{
		"{user-id}": "it has the malformed expression {user-id}",
		"x{a":       `it has a "{" without "}"`,
		"a}":        `it has a "}" without "{"`,
		"{a} b":     "it has a character that a template must percent-encode",
	} {
		if err := URITemplate(s); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", s, err, want)
		}
	}
}

func TestReservedOperator(t *testing.T) {
	check(t, ReservedOperator, []string{"{=a}", "x{@a}", "{|a}"}, []string{"{a}", "{+a}", "=a", "x@{a}"})
}

func TestIconSource(t *testing.T) {
	check(t, accepts(IconSource),
		[]string{
			"https://x/i.png", "HTTPS://x/i.png", "http://x", "data:image/png;base64,AAAA", "DATA:IMAGE/PNG;BASE64,AA==", "data:image/svg+xml;charset=utf-8;base64,PHN2Zz4=",
		},
		[]string{
			"", "icons/i.png", "http:///i.png", "https:", "data:", "data:image/png;base64,", "data:image/png;base64,AAA", "data:image/png;base64,A===", "data:image/svg+xml,%3Csvg%3E",
			"data:text/html;base64,AAAA", "data:image/png;x;base64,AAAA", "javascript:x", "file:///i.png", "ftp://h/i.png",
		})
}

func TestIconProblems(t *testing.T) {
	type place struct{ Pointer, Reason string }
	tests := []struct {
		icons string
		want  []place
	}{
		{`null`, nil},
		{`[]`, nil},
		{`[{"src":"https://a.example/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}]`, nil},
		{`[{"src":"https://a.example/i.png","mimeType":null,"sizes":null,"theme":null}]`, nil},
		{`{"src":"https://a.example/i.png"}`, []place{{"", "wrong_type"}}},
		{`["https://a.example/i.png",null]`, []place{{"/0", "wrong_type"}, {"/1", "wrong_type"}}},
		{`[{}]`, []place{{"/0/src", "invalid_icon_src"}}},
		{`[{"src":5,"mimeType":5,"sizes":"48x48","theme":5}]`, []place{{"/0/src", "wrong_type"}, {"/0/mimeType", "wrong_type"}, {"/0/sizes", "wrong_type"}, {"/0/theme", "wrong_type"}}},
		{`[{"src":"https://a.example/"},{"src":"i.png","mimeType":"","sizes":["48X48","0x0"],"theme":"Dark"}]`,
			[]place{{"/1/src", "invalid_icon_src"}, {"/1/mimeType", "invalid_icon_mimeType"}, {"/1/sizes", "invalid_icon_sizes"}, {"/1/theme", "invalid_icon_theme"}}},
		{`[{"src":"https://a.example/","sizes":["48x48 96x96"]},{"src":"https://a.example/","sizes":[48]}]`, []place{{"/0/sizes", "invalid_icon_sizes"}, {"/1/sizes", "wrong_type"}}},
	}
	for _, tt := range tests {
		var got []place
		for _, p := range IconProblems(jsondoc.MustParse(tt.icons)) {
			got = append(got, place{string(p.Pointer), p.Reason})
			if p.Seen == "" || p.Want == "" {
				t.Errorf("%s: the problem at %s says too little", tt.icons, p.Pointer)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.icons, diff)
		}
	}
	if got := IconProblems(jsondoc.Value{}); got != nil {
		t.Errorf("absent icons: %v", got)
	}
}

func TestExcerpt(t *testing.T) {
	if got := Excerpt(jsondoc.Value{}); got != "nothing" {
		t.Errorf("absent: %s", got)
	}
	if got := Excerpt(jsondoc.MustParse(`{"a": 1}`)); got != `{"a": 1}` {
		t.Errorf("short: %s", got)
	}
	got := Excerpt(jsondoc.MustParse(`"` + strings.Repeat("é", 200) + `"`))
	if want := `"` + strings.Repeat("é", 59) + "…"; got != want {
		t.Errorf("long: %s", got)
	}
}

func FuzzForms(f *testing.F) {
	for _, s := range []string{"http://[::1]:80/", "{a:3}", "a/b;c=\"\"", "2025-W02-7T15:00:58,5+01", "data:image/png;base64,AA=="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if WebURL(s) == nil && (AbsoluteURI(s) != nil || IconSource(s) != nil) {
			t.Errorf("%q is a web URL and no URI or no icon source", s)
		}
		if Blank(s) && (AbsoluteURI(s) == nil || MediaType(s) || Timestamp(s)) {
			t.Errorf("%q is blank and has a form", s)
		}
		_ = URITemplate(s)
	})
}
