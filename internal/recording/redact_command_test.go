package recording

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandSecrets(t *testing.T) {
	tests := []struct {
		words string // separated by "|"
		want  []string
	}{
		{"server|--api-key|abc", []string{"abc"}},
		{"server|--api-key=abc", []string{"abc"}},
		{"server|-token|abc", []string{"abc"}},
		{"docker|run|-e|GITHUB_PERSONAL_ACCESS_TOKEN=abc|image", []string{"abc"}},
		{"npx|mcp-remote|https://h/mcp|--header|Authorization: Bearer abc", []string{"Bearer abc"}},
		{"npx|mcp-remote|https://h/mcp|--header|X-Api-Key:abc", []string{"abc"}},
		{"server|postgresql://me:pass@h/db", []string{"me:pass", "pass"}},
		{"server|https://h/mcp?token=abc", []string{"abc"}},
		{"server|ghp_abcdefgh", []string{"ghp_abcdefgh"}},
		{"server|--password=a=b", []string{"a=b"}},
		{"server|--token|--verbose", nil},
		{"server|--token", nil},
		{"server|--token=", nil},
		{"token|abc", nil},
		{"server|--key|server.pem", nil},
		{"server|--root|/srv/token|--mode=production", nil},
		{`C:\servers\token.exe|C:\data`, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, CommandSecrets(strings.Split(tt.words, "|"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.words, diff)
		}
	}
}
