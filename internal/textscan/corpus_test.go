package textscan

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// corpusText is one line of what bench/corpus/gather.sh writes.
type corpusText struct {
	Server, Kind, Item, Path, Text string
}

// readCorpus reads the texts that real servers publish. They are not part of the repository.
func readCorpus(t testing.TB) []corpusText {
	t.Helper()
	name := os.Getenv("HALLMARK_CORPUS")
	if name == "" {
		t.Skip("HALLMARK_CORPUS does not name a corpus (see bench/corpus/gather.sh)")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []corpusText
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var text corpusText
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// justified are the findings that a reading of the corpus left standing, with the reason, by package, matcher and excerpt.
var justified = map[[3]string]string{
	{"@larksuiteoapi/lark-mcp", "hidden", ", see the **How <U+200B><U+200B>to obtain thread"}: "two zero-width spaces from copying: harmless, and hidden all the same",
}

// falsePositiveLimit is how many findings per matcher a corpus of honest servers may have that are not in justified.
const falsePositiveLimit = 0

// TestCorpus counts what the matchers find in the texts of real servers, which are taken to be honest.
func TestCorpus(t *testing.T) {
	texts := readCorpus(t)
	names := map[string][]string{}
	for _, c := range texts {
		if c.Path == "/name" {
			names[c.Server] = append(names[c.Server], c.Text)
		}
	}
	listings := map[string]*Names{}
	for server, list := range names {
		listings[server] = NewNames(list)
	}
	servers := map[string]bool{}
	unfair, standing := map[string]int{}, map[string]int{}
	for _, c := range texts {
		servers[c.Server] = true
		for _, m := range matchers {
			if m.name == "errorleak" {
				continue // reads answers to broken requests, not catalogs
			}
			scan := m.scan
			if m.name == "crosstool" {
				scan = func(text string) []Match { return listings[c.Server].CrossTool(text, c.Item) }
			}
			for _, f := range scan(c.Text) {
				pkg := c.Server[:strings.LastIndex(c.Server, "@")]
				if why, ok := justified[[3]string{pkg, m.name, f.Excerpt}]; ok {
					standing[m.name]++
					t.Logf("stands (%s): %s %s %s%s: %s", why, f.Kind, c.Server, c.Item, c.Path, f.Excerpt)
					continue
				}
				unfair[m.name]++
				t.Logf("%s %s %s%s: %s", f.Kind, c.Server, c.Item, c.Path, f.Excerpt)
			}
		}
	}
	t.Logf("%d texts of %d servers", len(texts), len(servers))
	for _, m := range matchers {
		if m.name == "errorleak" {
			continue
		}
		t.Logf("%-12s %d findings taken for false, %d that stand", m.name, unfair[m.name], standing[m.name])
		if unfair[m.name] > falsePositiveLimit {
			t.Errorf("%s: %d findings in honest texts", m.name, unfair[m.name])
		}
	}
}

// BenchmarkCorpus scans the texts of real servers, at most 10,000.
func BenchmarkCorpus(b *testing.B) {
	texts := readCorpus(b)
	texts = texts[:min(len(texts), 10_000)]
	for _, m := range matchers {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				for _, c := range texts {
					m.scan(c.Text)
				}
			}
		})
	}
}
