package wire

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 3*lineChunk)
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"last line without end", "a\nb", []string{"a", "b"}},
		{"CR LF", "a\r\nb\n", []string{"a crlf", "b"}},
		{"blank lines", "\n\r\na\n", []string{"", " crlf", "a"}},
		{"longer than a chunk", long + "\nb\n", []string{long, "b"}},
		{"longer than the cap", strings.Repeat("y", 5*lineChunk) + "\nb\n", []string{"yyyy cut 327681", "b"}},
		{"longer than the cap at the end", "a\n" + strings.Repeat("y", 5*lineChunk), []string{"a", "yyyy cut 327680"}},
	}
	for _, tt := range tests {
		for _, halves := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", tt.name, halves), func(t *testing.T) {
				src := iotest.DataErrReader(strings.NewReader(tt.in))
				if halves {
					src = iotest.HalfReader(src)
				}
				r := newLineReader(src, 4*lineChunk, 4, nil)
				var got []string
				for {
					l, ok := r.next()
					if !ok {
						break
					}
					if l.began.IsZero() {
						t.Error("a line without a time")
					}
					s := string(l.text)
					if l.crlf {
						s += " crlf"
					}
					if l.cut {
						s += fmt.Sprintf(" cut %d", l.size)
					}
					got = append(got, s)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("lines (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestMessages(t *testing.T) {
	tests := []struct{ text, want, noise string }{
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{`{"id":1,"result":{}}`, `{"id":1,"result":{}}`, ""},
		{`{"jsonrpc":"2.0","id":null,"error":{}}`, `{"jsonrpc":"2.0","id":null,"error":{}}`, ""},
		{`{"jsonrpc":"2.0","method":"x"}`, `{"jsonrpc":"2.0","method":"x"}`, ""},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a\tb\"}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a\tb\"}", ""},
		{`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"}]`, `{"jsonrpc":"2.0","id":1,"result":{}} {"jsonrpc":"2.0","method":"x"}`, ""},
		{`[{"jsonrpc":"2.0","id":1,"result":{}},7]`, `{"jsonrpc":"2.0","id":1,"result":{}}`, "json"},
		{`[]`, "", "json"},
		{`{"level":"info","method":"GET"}`, "", "json"},
		{`{"level":50,"error":"boom"}`, "", "json"},
		{`{"level":"info"}`, "", "json"},
		{`[INFO] hello`, "", "text"},
		{`{"a":1} trailing`, "", "text"},
		{`{`, "", "text"},
		{`hello`, "", "text"},
		{`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 20000), "", "text"},
	}
	for _, tt := range tests {
		found, noise := messages([]byte(tt.text))
		var raw []string
		for _, m := range found {
			raw = append(raw, string(m.raw))
		}
		if got := strings.Join(raw, " "); got != tt.want || noise != tt.noise {
			t.Errorf("%.80s: got %s, noise %q", tt.text, got, noise)
		}
	}
}

// The short cut to the members that matter finds what the full parser finds.
func TestMessageHead(t *testing.T) {
	m, ok := parseMessage([]byte(` {"result":{"id":5,"method":"x"},"jsonrpc":"2.0","i\u0064":3,"id":"\u0034","extra":[{}]} `))
	if !ok || string(m.head.Get("id").Raw()) != `"\u0034"` || m.incoming() || !m.rpc() {
		t.Errorf("head %s", m.head.Raw())
	}
	if !recording.Answers(m.head, `"4"`) || recording.Answers(m.head, "3") {
		t.Error("the last of two ids counts")
	}
}

func TestCutAnswer(t *testing.T) {
	tests := []struct {
		beginning, end, id string
		ok                 bool
	}{
		{`{"jsonrpc":"2.0","id":12,"result":{"tools":[`, `xxx`, "12", true},
		{`{"id":"a","result":`, ``, `"a"`, true},
		{`{"result":{"id":3,"x":[`, `]},"jsonrpc":"2.0","id":4}`, "4", true},
		{`{"result":{"x":[`, `]},"id":"q","jsonrpc":"2.0"}` + "\n", `"q"`, true},
		{`{"result":{"x":[`, `]},"other":{"id":4,"z":1}}`, "", true},
		{`[{"jsonrpc":"2.0","id":1,"result":`, `}}]`, "", true},
		{`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":`, `"id":1}`, "", false},
		{`log text`, `more`, "", false},
		{`[INFO] log text`, `"id":1}`, "", false},
	}
	for _, tt := range tests {
		if id, ok := cutAnswer([]byte(tt.beginning), []byte(tt.end)); id != tt.id || ok != tt.ok {
			t.Errorf("%s ... %s: %q %v", tt.beginning, tt.end, id, ok)
		}
	}
}

func TestTellingLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "\n \n", ""},
		{"python", "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'mcp'\n", "ModuleNotFoundError: No module named 'mcp'"},
		{"node", "node:internal/modules:1\n  throw err;\n  ^\n\nError: Cannot find module 'x'\n    at Module._load (a.js:1)\n  code: 'X',\n}\n\nNode.js v22.1.0\n", "Error: Cannot find module 'x'"},
		{"go", "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:4\nexit status 2\n", "panic: boom"},
		{"indented only", "   usage: server DIR\n", "usage: server DIR"},
		{"carriage returns", "10%\r50%\rfailed to install", "failed to install"},
	}
	for _, tt := range tests {
		if got := tellingLine(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTail(t *testing.T) {
	redact := recording.NewRedactor("verysecretvalue")
	stderr := tail{keep: 12}
	stderr.add([]byte("short verysecretvalue"))
	if b := stderr.body(redact); !strings.HasPrefix(string(b.Bytes), recording.Redacted) || !b.Cut || b.Size != 21 {
		t.Errorf("%+v", b)
	}
	whole := tail{keep: 40}
	whole.add([]byte("a verysecretvalue"))
	if b := whole.body(redact); string(b.Bytes) != "a "+recording.Redacted || b.Cut {
		t.Errorf("%+v", b)
	}
	split := tail{keep: 4}
	for range 10 {
		split.add([]byte("é€")) // five bytes
	}
	if b := split.body(nil); string(b.Bytes) != "€" || b.Size != 50 {
		t.Errorf("%q %d", b.Bytes, b.Size)
	}
}
