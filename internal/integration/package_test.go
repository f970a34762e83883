//go:build unix

package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"
)

// TestPackages asks the registries that npm and pip are configured to use here about packages that have been there for long.
func TestPackages(t *testing.T) {
	if os.Getenv("HALLMARK_INTEGRATION") == "" {
		t.Skip("HALLMARK_INTEGRATION is not set: registries are asked by make integration")
	}
	for _, c := range []struct {
		coordinate, version, resolution, outcome string
	}{
		{"npm:left-pad@1.3.0", "1.3.0", "pinned", "ok"},
		{"npm:semver@~7.5.0", "7.5.4", "range", "ok"},
		{"npm:@modelcontextprotocol/sdk@latest", "", "tag", "ok"},
		{"pkg:npm/%40modelcontextprotocol/sdk@1.0.0", "1.0.0", "pinned", "ok"},
		{"npm:left-pad@99", "", "", "version-not-found"},
		{"pypi:mcp", "", "newest", "ok"},
		{"pypi:Zope.Interface>=4,<5", "4.7.2", "range", "ok"},
		{"pypi:mcp==0.0.0.0.1", "", "", "version-not-found"},
	} {
		t.Run(c.coordinate, func(t *testing.T) {
			cmd := exec.Command(binary, "audit", "--json", "--package", c.coordinate)
			cmd.Dir = t.TempDir()
			var out, problems bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &problems
			var exit *exec.ExitError
			if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			var r struct {
				Package struct {
					Version    *string `json:"resolved_version"`
					Resolution *string `json:"resolution"`
					Outcome    string  `json:"outcome"`
				} `json:"package"`
			}
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatalf("%v\n%s", err, problems.String())
			}
			text := func(s *string) string {
				if s == nil {
					return ""
				}
				return *s
			}
			if r.Package.Outcome != c.outcome || c.version != "" && text(r.Package.Version) != c.version || text(r.Package.Resolution) != c.resolution {
				t.Errorf("outcome %s, version %q by %q; want %s, %q by %q\n%s", r.Package.Outcome, text(r.Package.Version), text(r.Package.Resolution), c.outcome, c.version, c.resolution, problems.String())
			}
		})
	}
}
