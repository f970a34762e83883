package skills

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// TestConformance runs the tables of the specification that concern names and links.
func TestConformance(t *testing.T) {
	text, err := os.ReadFile("../../../../shared/spec/rules/skills.yaml")
	if err != nil {
		t.Skip("the specification folder ../shared is not beside the project")
	}
	var file struct{ Conformance map[string]any }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(file.Conformance)
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Names []struct {
			Name     string
			Problems []string
		} `json:"name_problems"`
		References []struct {
			Body    string
			Targets []string
		} `json:"relative_references"`
		Resolved []struct {
			Root, Target string
			Resolved     *string
		} `json:"resolve_reference"`
	}
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Names) < 20 || len(table.References) < 20 || len(table.Resolved) < 10 {
		t.Fatal("the tables were not read")
	}
	for _, c := range table.Names {
		got := append([]string{}, nameProblems(c.Name)...)
		if diff := cmp.Diff(c.Problems, got); diff != "" {
			t.Errorf("problems of %q (-want +got):\n%s", c.Name, diff)
		}
	}
	for _, c := range table.References {
		got := []string{}
		for _, r := range relativeReferences(c.Body) {
			got = append(got, r.target)
		}
		if diff := cmp.Diff(c.Targets, got); diff != "" {
			t.Errorf("targets of %q (-want +got):\n%s", c.Body, diff)
		}
	}
	for _, c := range table.Resolved {
		var got *string
		if uri, ok := resolveReference(c.Root, c.Target); ok {
			got = &uri
		}
		if diff := cmp.Diff(c.Resolved, got); diff != "" {
			t.Errorf("%q in %s (-want +got):\n%s", c.Target, c.Root, diff)
		}
	}
}

// A block with hundreds of links is read in pieces; all but those at the cuts are found, in their lines.
func TestLinksOfPieces(t *testing.T) {
	body := ""
	for range 300 {
		body += "[a](x.md) [b](y.md)\n"
	}
	if got := relativeReferences(body); len(got) < 590 || got[len(got)-1].line != 300 {
		t.Errorf("%d links, the last one in line %d", len(got), got[len(got)-1].line)
	}
}
