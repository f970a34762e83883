package report

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

func TestWord(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"bare", "https://h.example/mcp", "https://h.example/mcp"},
		{"empty", "", "''"},
		{"blank", "my notes", "'my notes'"},
		{"quote", "it's", `'it'\''s'`},
		{"expansion", "$(rm -rf ~) `x` $HOME !!", "'$(rm -rf ~) `x` $HOME !!'"},
		{"assignment", "PATH=/x", "'PATH=/x'"},
		{"line break", "a\n::b", `"$(printf 'a\012::b')"`},
		{"terminal sequence", "\x1b[2J", `"$(printf '\033[2J')"`},
		{"option", "-n\t-n", `"$(printf '\055n\011-n')"`},
		{"format", "100%\t\\", `"$(printf '100\045\011\134')"`},
		{"not UTF-8", "\xff", `"$(printf '\377')"`},
		{"secret", "--key=[redacted]", `'--key='"$SECRET"`},
		{"nothing but a secret", "[redacted]", `"$SECRET"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := word(tt.in); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A shell reads any word as the text it was made of, and runs nothing in it.
func TestShellReadsWords(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a POSIX shell")
	}
	pieces := rapid.OneOf(
		rapid.SampledFrom([]string{"$(echo run)", "`echo run`", "'", `"`, `\`, "%s", "%%", "\n", "\r\n", ";", "&&", "|", ">", "$HOME", "${x}", "!", "#", "-n", "\x1b", "\u0085", "é", "\xff", "\x01", "  ", "*", "[a", "~"}),
		rapid.StringOf(rapid.RuneFrom([]rune("ab =:/"))),
	)
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(pieces, 0, 8).Draw(t, "pieces"), "")
		out := word(in)
		for i := range len(out) {
			if out[i] < ' ' || out[i] > '~' {
				t.Fatalf("%q holds the byte %#x", out, out[i])
			}
		}
		got, err := exec.Command(shell, "-c", "printf '%s' "+out).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		want := in
		if strings.HasPrefix(out, `"$(printf`) {
			want = strings.TrimRight(in, "\n")
		}
		if string(got) != want {
			t.Fatalf("%q became %s, which a shell reads as %q", in, out, got)
		}
	})
}

func TestASCIIJSONMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text")
		doc, err := json.Marshal(map[string]any{in: []string{in}})
		if err != nil {
			t.Fatal(err)
		}
		out, ok := asciiJSON(string(doc))
		if !ok {
			if strings.ContainsRune(string(doc), '\uFFFD') {
				return
			}
			t.Fatalf("%s cannot be written", doc)
		}
		a, _, err := jsondoc.Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := jsondoc.Parse([]byte(out))
		if err != nil || !jsondoc.Equal(a, b) {
			t.Fatalf("%s became %s: %v", doc, out, err)
		}
	})
	for _, malformed := range []string{"{\"a\":\x01}", "é", `{"a":"` + "\x02" + `"}`, `"\é"`, "\xff"} {
		if out, ok := asciiJSON(malformed); ok && out != malformed {
			t.Errorf("%q became %q", malformed, out)
		}
	}
}

func TestVariable(t *testing.T) {
	for header, want := range map[string]string{"Authorization": "HEADER_AUTHORIZATION", "X-Api-Key": "HEADER_X_API_KEY", "x.y$(z)": "HEADER_X_Y__Z_"} {
		if got := variable(header); got != want {
			t.Errorf("variable(%q) = %s, want %s", header, got, want)
		}
	}
	for name, want := range map[string]bool{"TOKEN": true, "_x1": true, "1x": false, "a-b": false, "": false, "A=B": false, "é": false} {
		if variableName(name) != want {
			t.Errorf("variableName(%q) = %t", name, !want)
		}
	}
}
