package spec

import "testing"

func TestOrderOfRevisions(t *testing.T) {
	for _, r := range []Revision{"draft", "zzz", "9999", "", "2026-7-28"} {
		if r.AtLeast(Rev20241105) {
			t.Errorf("%q has no place in the order", r)
		}
	}
	if !Revision("2099-01-01").AtLeast(Latest) || Rev20251125.AtLeast(Latest) {
		t.Error("well-formed identifiers are ordered by date")
	}
	for _, r := range Published() {
		if r.Stateful() == r.Stateless() {
			t.Errorf("%s must be either stateful or stateless", r)
		}
	}
}

func TestCitationText(t *testing.T) {
	c := MCP(Rev20251125, "Server › Tools › Tool Names").WithSEP(986)
	if got, want := c.String(), "MCP 2025-11-25, Server › Tools › Tool Names (SEP-986)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c.URL != "https://modelcontextprotocol.io/specification/2025-11-25/server/tools" {
		t.Errorf("URL = %q", c.URL)
	}
}
