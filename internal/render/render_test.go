package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
)

var update = flag.Bool("update", false, "rewrite testdata with what is rendered now")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-golden +now; -update rewrites it):\n%s", path, diff)
	}
}

func asJSON(t testing.TB, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asText(t testing.TB, r *report.Report, opts Options) string {
	t.Helper()
	var b strings.Builder
	if err := Terminal(&b, r, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONGoldens(t *testing.T) {
	for _, s := range reporttest.Samples() {
		t.Run(s.Name, func(t *testing.T) { golden(t, s.Name+".json", asJSON(t, s.Report())) })
	}
}

func TestTerminalGoldens(t *testing.T) {
	for _, s := range reporttest.Samples() {
		t.Run(s.Name, func(t *testing.T) {
			for _, w := range []int{60, 80, 120} {
				golden(t, fmt.Sprintf("%s-%d.txt", s.Name, w), []byte(asText(t, s.Report(), Options{Width: w})))
			}
			golden(t, s.Name+"-verbose.txt", []byte(asText(t, s.Report(), Options{Width: 80, Verbose: true})))
		})
	}
	golden(t, "legacy-color.txt", []byte(asText(t, reporttest.Legacy().Report(), Options{Width: 80, Color: true})))
}

// Two builds and renderings of the same recording agree byte for byte.
func TestSameInputSameBytes(t *testing.T) {
	first, second := reporttest.Samples(), reporttest.Samples()
	for i := range first {
		a, b := first[i].Report(), second[i].Report()
		if !bytes.Equal(asJSON(t, a), asJSON(t, b)) {
			t.Errorf("%s: JSON differs", first[i].Name)
		}
		opts := Options{Width: 80, Verbose: true, Color: true}
		if asText(t, a, opts) != asText(t, b, opts) {
			t.Errorf("%s: text differs", first[i].Name)
		}
	}
}

var selectGraphicRendition = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkHarmless reports what a terminal, a log or a pipe would act on.
func checkHarmless(t interface{ Errorf(string, ...any) }, what, out string, columns int) {
	if !utf8.ValidString(out) {
		t.Errorf("%s: not UTF-8", what)
	}
	for n, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		for _, r := range line {
			if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || 0xe0000 <= r && r <= 0xe007f || r == 0x200b {
				t.Errorf("%s: line %d holds %U: %q", what, n+1, r, line)
			}
		}
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("%s: line %d is a command to a build: %q", what, n+1, line)
		}
		broken := strings.Contains(line, `\x23`) || strings.Contains(line, `\x3a`) // a command made harmless takes more room
		if columns > 0 && !broken && uniseg.StringWidth(line) > columns {
			t.Errorf("%s: line %d is %d columns wide: %q", what, n+1, uniseg.StringWidth(line), line)
		}
	}
}

func TestHostileServer(t *testing.T) {
	r := reporttest.Hostile().Report()
	for _, columns := range []int{0, 40, 41, 60, 80, 120, 1000} {
		for _, color := range []bool{false, true} {
			out := asText(t, r, Options{Width: columns, Color: color})
			checkHarmless(t, fmt.Sprintf("%d columns", columns), selectGraphicRendition.ReplaceAllString(out, ""), min(max(columns, 40), 120))
		}
		checkHarmless(t, "verbose", asText(t, r, Options{Width: columns, Verbose: true}), 0) // commands are never wrapped
	}
	out := string(asJSON(t, r))
	for i, c := range []byte(out) {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("JSON holds the byte %#x at %d", c, i)
		}
	}
	all := out + asText(t, r, Options{Width: 80, Verbose: true})
	if strings.Contains(all, reporttest.Secret[:20]) {
		t.Error("a credential that the server published is shown")
	}
	// The JSON keeps what the server wrote, apart from that.
	var back report.Report
	if err := json.Unmarshal([]byte(out), &back); err != nil {
		t.Fatal(err)
	}
	if got := *back.ServerInfo.Name; got != reporttest.Attack {
		t.Errorf("server name came back as %q", got)
	}
}

// Any text in any place of a report leaves every output harmless.
func TestAnyTextIsHarmless(t *testing.T) {
	nasty := rapid.OneOf(
		rapid.SampledFrom([]string{"::add-mask::", "##[error]", "\x1b[2J", "\r\n", "\u202e", "\u0085", "\u009b1m", "\u200b", "\ufeff", "👩‍👩‍👧", "日本", "e\u0301", "\xff", "\xed\xa0\xbd", " ", strings.Repeat("x", 90)}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string { return strings.Join(rapid.SliceOfN(nasty, 0, 6).Draw(t, name), "") }
		r := reporttest.Legacy().Report()
		s := draw("name")
		r.ServerInfo.Name, r.Target = &s, draw("target")
		r.Results[0].Message, r.Results[0].RuleID = draw("message"), draw("rule")
		for i := range r.Results {
			for j, issue := range r.Results[i].Issues()[:min(1, len(r.Results[i].Issues()))] {
				issue.Name, issue.Seen, issue.Excerpt = draw("item"), draw("seen"), draw("excerpt")
				r.Results[i].Issues()[j] = issue
			}
		}
		r.SkippedRules[0].ReasonText = draw("reason")
		r.FixPlan[0].Change = draw("change")
		columns := rapid.IntRange(40, 120).Draw(t, "columns")
		var out strings.Builder
		if err := Terminal(&out, r, Options{Width: columns}); err != nil {
			t.Fatal(err)
		}
		checkHarmless(t, "text", out.String(), columns)
		var doc bytes.Buffer
		if err := JSON(&doc, r); err != nil {
			t.Fatal(err)
		}
		var back any
		if err := json.Unmarshal(doc.Bytes(), &back); err != nil {
			t.Fatalf("invalid JSON: %v", err)
		}
	})
}

func TestASCII(t *testing.T) {
	for _, in := range []string{"", "plain", "ä", "日本語", "👩‍👩‍👧", "\u2028", "\U0010ffff", "\x7f"} {
		doc, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out := ascii(doc)
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != in {
			t.Errorf("%q became %s, which reads %q, %v", in, out, back, err)
		}
		for _, c := range out {
			if c < ' ' || c > '~' {
				t.Errorf("%q became %q", in, out)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		name, in string
		columns  int
		want     []string
	}{
		{"fits", "one two", 10, []string{"one two"}},
		{"between words", "one two three", 9, []string{"one two", "three"}},
		{"nothing", "", 10, []string{""}},
		{"long word", "abcdefghijkl", 8, []string{"abcdefgh", "ijkl"}},
		{"long word after a short one", "ab cdefghijklmn", 8, []string{"ab", "cdefghij", "klmn"}},
		{"two columns each", "日本語日本語", 8, []string{"日本語日", "本語"}},
		{"combining characters stay together", strings.Repeat("e\u0301", 9), 8, []string{strings.Repeat("e\u0301", 8), "e\u0301"}},
		{"line breaks become visible", "a\nb", 10, []string{`a\nb`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, wrap(tt.in, tt.columns)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		in      string
		columns int
		want    string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"日本語", 6, "日本語"},
	}
	for _, tt := range tests {
		if got := cut(tt.in, tt.columns); got != tt.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.in, tt.columns, got, tt.want)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriterErrorsAreReturned(t *testing.T) {
	r := reporttest.Legacy().Report()
	if JSON(brokenPipe{}, r) == nil || Terminal(brokenPipe{}, r, Options{Width: 80}) == nil {
		t.Error("the writer's error is lost")
	}
}
