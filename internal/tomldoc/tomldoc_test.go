package tomldoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline writes a tree with the line of every key and value.
func outline(b *strings.Builder, v *Value, indent string) {
	for _, m := range v.Members {
		fmt.Fprintf(b, "%s%d %s = ", indent, m.Line, m.Key)
		show(b, m.Value, indent)
	}
}

func show(b *strings.Builder, v *Value, indent string) {
	fmt.Fprintf(b, "%d %s", v.Line, v.Kind)
	switch v.Kind {
	case String:
		fmt.Fprintf(b, " %q", v.Text)
	case Number:
		fmt.Fprintf(b, " %d", v.Number)
	case Bool:
		fmt.Fprintf(b, " %v", v.Bool)
	case Date:
		fmt.Fprintf(b, " %s", v.Date.Format("2006-01-02"))
	}
	b.WriteString("\n")
	outline(b, v, indent+"  ")
	for _, e := range v.Elements {
		b.WriteString(indent + "  - ")
		show(b, e, indent+"  ")
	}
}

func TestParse(t *testing.T) {
	doc, err := Parse([]byte(`# first
top = "x"
"a*b" = 'y'   # quoted

[rules]
one = "off"
"two" = { level = "low", reason = "a\nb" }
three.level = "high"
three.expires = 2027-01-31

[rules.four]
on = true
count = 1_000
many = [
  "p",
  "q",
]

[[waiver]]
rule = "r"

[[waiver]]
rule = "s"
at = 2027-01-31T10:00:00Z
`))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	outline(&b, doc, "")
	want := `2 top = 2 a string "x"
3 a*b = 3 a string "y"
5 rules = 5 a table
  6 one = 6 a string "off"
  7 two = 7 a table
    7 level = 7 a string "low"
    7 reason = 7 a string "a\nb"
  8 three = 8 a table
    8 level = 8 a string "high"
    9 expires = 9 a date 2027-01-31
  11 four = 11 a table
    12 on = 12 a boolean true
    13 count = 13 a whole number 1000
    14 many = 14 an array
      - 15 a string "p"
      - 16 a string "q"
19 waiver = 19 an array
  - 19 a table
    20 rule = 20 a string "r"
  - 22 a table
    23 rule = 23 a string "s"
    24 at = 24 a date 2027-01-31
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		words      string
	}{
		{"no value", "a = 1\nb =\n", 2, ""},
		{"key twice", "a = 1\n\na = 2\n", 3, "a"},
		{"table twice", "[a]\n[b]\n[a]\n", 3, "a"},
		{"not UTF-8", "a = 1\nb = \"\xff\"\n", 2, "not UTF-8"},
		{"too large", strings.Repeat("#", MaxSize+1), 0, "larger than"},
	} {
		_, err := Parse([]byte(c.text))
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v is no *Error", c.name, err)
			continue
		}
		if e.Line != c.line || !strings.Contains(e.Text, c.words) {
			t.Errorf("%s: line %d: %s; want line %d and %q", c.name, e.Line, e.Text, c.line, c.words)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a = 1\n[b]\nc.d = [{e = 2}, 1979-05-27]\n[[f]]\n[f.g]\n")
	f.Add("'' = {}\n[''.\"\\u0000\"]\nx = 1979-05-27T07:32:00-08:00\n")
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := Parse([]byte(text))
		if (doc == nil) == (err == nil) {
			t.Errorf("document %v with error %v", doc, err)
		}
	})
}
