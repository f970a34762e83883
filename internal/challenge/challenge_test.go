package challenge

import (
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []Challenge
	}{
		{"nothing", []string{" , "}, nil},
		{"scheme alone", []string{"Bearer"}, []Challenge{{Scheme: "Bearer"}}},
		{"quoted commas and a bare URL in another case", []string{`Basic realm="a, b", bearer RESOURCE_METADATA=https://h/x`}, []Challenge{
			{Scheme: "Basic", Params: []Param{{Name: "realm", Value: "a, b", Quoted: true}}},
			{Scheme: "bearer", Params: []Param{{Name: "resource_metadata", Value: "https://h/x", Bare: true}}},
		}},
		{"two lines", []string{"Basic realm=x", `Bearer scope="a b"`}, []Challenge{
			{Scheme: "Basic", Params: []Param{{Name: "realm", Value: "x"}}},
			{Scheme: "Bearer", Params: []Param{{Name: "scope", Value: "a b", Quoted: true}}},
		}},
		{"a name that only ends in the wanted one", []string{`Bearer xresource_metadata="https://evil"`}, []Challenge{
			{Scheme: "Bearer", Params: []Param{{Name: "xresource_metadata", Value: "https://evil", Quoted: true}}},
		}},
		{"token68", []string{"Negotiate dG9rZW4=, Bearer realm=x"}, []Challenge{
			{Scheme: "Negotiate", Token68: "dG9rZW4="},
			{Scheme: "Bearer", Params: []Param{{Name: "realm", Value: "x"}}},
		}},
		{"escaped quote", []string{`Bearer a="x\"y", b = "z"`}, []Challenge{
			{Scheme: "Bearer", Params: []Param{{Name: "a", Value: `x"y`, Quoted: true}, {Name: "b", Value: "z", Quoted: true}}},
		}},
		{"unterminated", []string{`Bearer a="x`}, []Challenge{{Scheme: "Bearer", Params: []Param{{Name: "a", Value: "x", Quoted: true}}}}},
		{"junk between", []string{`"stray, x=1" ;;, Bearer`}, []Challenge{{Scheme: "Bearer"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse(tt.lines...)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestResourceMetadataParameter(t *testing.T) {
	text, err := os.ReadFile("../../../shared/spec/rules/security.yaml")
	if err != nil {
		t.Skip("the specification folder ../shared is not beside the project")
	}
	var spec struct {
		Conformance struct {
			Cases []struct {
				Header string
				Value  *string
			} `yaml:"resource_metadata_parameter"`
		}
	}
	if err := yaml.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	if len(spec.Conformance.Cases) < 10 {
		t.Fatalf("only %d cases read", len(spec.Conformance.Cases))
	}
	for _, c := range spec.Conformance.Cases {
		var got *string
		if p, ok := Find(Parse(c.Header), "resource_metadata"); ok {
			got = &p.Value
		}
		if diff := cmp.Diff(c.Value, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Header, diff)
		}
	}
}

func TestString(t *testing.T) {
	for written, want := range map[string]string{
		`bearer RESOURCE_METADATA=https://h/x, scope="a \"b"`: `bearer resource_metadata="https://h/x", scope="a \"b"`,
		"Negotiate dG9rZW4=": "Negotiate dG9rZW4=",
		"Bearer":             "Bearer",
		"realm=x":            `realm="x"`,
	} {
		if got := Parse(written)[0].String(); got != want {
			t.Errorf("%s = %s, want %s", written, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`Basic realm="a, b", bearer RESOURCE_METADATA=https://h/x`)
	f.Add(`Negotiate dG9rZW4=, =, "`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range Parse(line) {
			for _, p := range c.Params {
				if p.Name == "" || p.Name != strings.ToLower(p.Name) {
					t.Errorf("parameter name %q", p.Name)
				}
			}
		}
	})
}
