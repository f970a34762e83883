package coordinate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    recording.Package
		written string // the coordinate as it is written back
	}{
		{"npm:x", recording.Package{Registry: "npm", Identifier: "x"}, "npm:x"},
		{" NPM: x @ 1 ", recording.Package{Registry: "npm", Identifier: "x", Requested: "1"}, "npm:x@1"},
		{"npm:@s/x@1", recording.Package{Registry: "npm", Identifier: "@s/x", Requested: "1"}, "npm:@s/x@1"},
		{"npm:@s/x@^1.2 || 3", recording.Package{Registry: "npm", Identifier: "@s/x", Requested: "^1.2 || 3"}, "npm:@s/x@^1.2 || 3"},
		{"npm:x@latest", recording.Package{Registry: "npm", Identifier: "x", Requested: "latest"}, "npm:x@latest"},
		{"pypi:x", recording.Package{Registry: "pypi", Identifier: "x"}, "pypi:x"},
		{"pypi:X_y.z==1.0", recording.Package{Registry: "pypi", Identifier: "X_y.z", Requested: "1.0"}, "pypi:X_y.z==1.0"},
		{"pypi:x==1==2", recording.Package{Registry: "pypi", Identifier: "x", Requested: "1==2"}, "pypi:x==1==2"},
		{"pypi:x===1.0", recording.Package{Registry: "pypi", Identifier: "x", Requested: "1.0"}, "pypi:x==1.0"},
		{"pypi:x >= 1, < 2", recording.Package{Registry: "pypi", Identifier: "x", Requested: ">=1,<2"}, "pypi:x>=1,<2"},
		{"pypi:x==1.*", recording.Package{Registry: "pypi", Identifier: "x", Requested: "==1.*"}, "pypi:x==1.*"},
		{"pypi:x~=1.4", recording.Package{Registry: "pypi", Identifier: "x", Requested: "~=1.4"}, "pypi:x~=1.4"},
		{"pkg:npm/%40s/x@1.2.3", recording.Package{Registry: "npm", Identifier: "@s/x", Requested: "1.2.3"}, "npm:@s/x@1.2.3"},
		{"pkg:pypi/X_y@1.0", recording.Package{Registry: "pypi", Identifier: "x-y", Requested: "1.0"}, "pypi:x-y==1.0"},
	} {
		got, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
		if got.String() != c.written {
			t.Errorf("%q is written back as %q, want %q", c.text, got, c.written)
		}
		if !Is(c.text) {
			t.Errorf("%q is not taken for a coordinate", c.text)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"x":                                  "the registry is missing: write npm:NAME or pypi:NAME",
		"oci:x":                              `packages of "oci" cannot be audited, only those of npm and pypi`,
		"pkg:cargo/x":                        `packages of "cargo" cannot be audited, only those of npm and pypi`,
		"npm:":                               "the name is missing",
		"pypi: ":                             "the name is missing",
		"npm:x@":                             "no version follows the @",
		"pypi:x==":                           "no version follows the ==",
		"pypi:x[extra]":                      "extras in brackets are not part of a project's name: leave them out",
		"npm:a/b":                            `"a/b" is no name of an npm package`,
		"npm:@x":                             `"@x" is no name of an npm package`,
		"npm:@/x":                            `"@/x" is no name of an npm package`,
		"npm:a@b@c":                          `"a@b" is no name of an npm package`,
		"npm:..":                             `".." is no name of an npm package`,
		"pypi:../x":                          `"../x" is no name of a PyPI project`,
		"pypi:x/y":                           `"x/y" is no name of a PyPI project`,
		"pypi:x>=":                           `">=" is no set of version specifiers (such as >=1.2,<2)`,
		"pypi:x==>=1":                        `">=1" is no version`,
		"pkg:npm/x?repository_url=https://h": "the registry comes from your client configuration: leave out repository_url",
		"pkg:npm/x#sub":                      "a part of a package has no metadata of its own: leave out what follows the #",
	} {
		_, err := Parse(text)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
