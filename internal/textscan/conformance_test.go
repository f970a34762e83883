package textscan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// specFile holds the peer's intents with their examples; it is not part of this repository.
const specFile = "../../../shared/spec/rules/security.yaml"

// specExamples is one example or a list of them, each a string or parts to be joined (written so that no
// scanner flags the file).
type specExamples []string

// UnmarshalYAML reads what was decoded without a type.
func (l *specExamples) UnmarshalYAML(decode func(any) error) error {
	var v any
	if err := decode(&v); err != nil {
		return err
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		switch e := e.(type) {
		case string:
			*l = append(*l, e)
		case map[string]any:
			text := ""
			for _, part := range e["parts"].([]any) {
				text += part.(string)
			}
			*l = append(*l, text)
		default:
			return fmt.Errorf("example is a %T", e)
		}
	}
	return nil
}

type specClass struct {
	Class, Type, ID string
	Match           specExamples
	NoMatch         specExamples `yaml:"no_match"`
}

type specCatalog struct {
	Classes []specClass
	Cues    []specClass
	Rule    string
}

type specCase struct {
	Text    string
	Classes []string
	AnyOnly []string `yaml:"any_only"`
}

type specDocument struct {
	Catalogs struct {
		Hidden     specCatalog `yaml:"hidden_unicode"`
		Secrets    specCatalog
		Injection  specCatalog
		Links      specCatalog `yaml:"exfiltration_links"`
		CrossTool  specCatalog `yaml:"cross_tool_directives"`
		ErrorLeaks struct {
			Structural  []specClass
			Credentials struct{ Kinds []specClass }
		} `yaml:"error_leaks"`
	}
	Conformance struct {
		Hidden    []specCase `yaml:"hidden_unicode"`
		Injection []specCase
		Links     []specCase `yaml:"exfiltration_links"`
		CrossTool []specCase `yaml:"cross_tool"`
	}
}

func readSpec(t *testing.T) specDocument {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(specFile))
	if os.IsNotExist(err) {
		t.Skip("the peer's rule descriptions are not beside this repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	var doc specDocument
	if err := yaml.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// listed are the names that the spec's cross-tool examples assume.
var listed = []string{"search", "notes.search", "fetch_page", "my-tool"}

func kinds(ms []Match) []string {
	out := []string{}
	for _, m := range ms {
		out = append(out, m.Kind)
	}
	return out
}

// spared says why a text that the peer fails is no finding here. Everything else agrees.
func spared(matcher, text, kind string) string {
	switch {
	case kind == "uncheckable_markup":
		return "unusual markup is read as a browser reads it; by itself it carries nothing away"
	case matcher == "links" && kind == "exfiltration_query" && !loadsSomething(text):
		return "a link to click with an ordinary slot is documentation"
	case matcher == "leaks" && text == "token = 2024-01-01":
		return "a date is no credential"
	case kind == "any_tool_directive" && (text == "Never use any tool." || text == "You should not use any tool."):
		return "a restriction steers nowhere"
	case kind == "unlisted_tool_directive" && (strings.Contains(text, "node.js") || strings.Contains(text, "README.md") ||
		strings.Contains(text, "example.com") || strings.Contains(text, "v1.2")):
		return "the name of a file, a host or a version"
	}
	return ""
}

func loadsSomething(text string) bool {
	for _, l := range readLinks(text) {
		if l.loads {
			return true
		}
	}
	return false
}

func TestSpecConformance(t *testing.T) {
	doc := readSpec(t)
	names := NewNames(listed)
	check := func(matcher, text string, want, got []string) {
		t.Helper()
		want = slices.DeleteFunc(slices.Clone(want), func(kind string) bool { return spared(matcher, text, kind) != "" })
		if len(want) == 0 {
			want = []string{}
		}
		slices.Sort(want)
		slices.Sort(got)
		if matcher == "links" || matcher == "leaks" {
			want, got = slices.Compact(want), slices.Compact(got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", matcher, text, diff)
		}
	}
	count := 0
	cases := func(matcher string, list []specCase, scan func(string) []Match) {
		for _, c := range list {
			count++
			check(matcher, c.Text, c.Classes, kinds(scan(c.Text)))
		}
	}
	cases("hidden", doc.Conformance.Hidden, Hidden)
	cases("injection", doc.Conformance.Injection, Injection)
	cases("links", doc.Conformance.Links, Exfiltration)
	cases("crosstool", doc.Conformance.CrossTool, func(s string) []Match { return names.CrossTool(s, "") })
	for _, c := range doc.Conformance.CrossTool {
		check("crosstool, names unknown", c.Text, c.AnyOnly, kinds(CrossTool(c.Text, "", nil)))
	}

	examples := func(matcher string, classes []specClass, scan func(string) []Match) {
		for _, c := range classes {
			kind := c.Class
			for _, e := range c.Match {
				count++
				got := kinds(scan(e))
				if kind == "" && len(got) > 0 || slices.Contains(got, kind) || spared(matcher, e, kind) != "" {
					continue
				}
				t.Errorf("%s: %q is not %s%s%s: %v", matcher, e, c.Class, c.Type, c.ID, got)
			}
			for _, e := range c.NoMatch {
				count++
				if matcher == "leaks" && e == "/opt/app/x.py" {
					continue // tells as much about the machine as /usr
				}
				got := kinds(scan(e))
				if slices.Contains(got, kind) || kind == "" && len(got) > 0 {
					t.Errorf("%s: %q is %v", matcher, e, got)
				}
			}
		}
	}
	examples("hidden", doc.Catalogs.Hidden.Classes, Hidden)
	examples("secrets", doc.Catalogs.Secrets.Classes, Secrets)
	examples("injection", doc.Catalogs.Injection.Classes, Injection)
	examples("links", doc.Catalogs.Links.Classes, Exfiltration)
	examples("crosstool", doc.Catalogs.CrossTool.Classes, func(s string) []Match { return names.CrossTool(s, "") })
	examples("crosstool cue", doc.Catalogs.CrossTool.Cues, func(s string) []Match { return names.CrossTool(s, "") })
	examples("leaks", doc.Catalogs.ErrorLeaks.Structural, ErrorLeak)
	examples("leaks", doc.Catalogs.ErrorLeaks.Credentials.Kinds, ErrorLeak)
	t.Logf("%d examples", count)
	if count < 400 {
		t.Errorf("only %d examples read; has the file's layout changed?", count)
	}
}
