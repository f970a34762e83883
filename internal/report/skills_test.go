package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
)

func TestSkillsEvidence(t *testing.T) {
	entry := func(text string) observe.Item { return observe.Item{Value: jsondoc.MustParse(text)} }
	yes, no := true, false
	tools := "Read Bash(git:*)"
	tests := []struct {
		name    string
		entries []observe.Item
		whole   bool
		want    SkillsEvidence
	}{
		{"nothing listed", nil, true, SkillsEvidence{Skills: []Skill{}, OpenAIImport: OpenAIImport{5, 0, 8 << 20, &yes}}},
		{"tools and scripts", []observe.Item{
			entry(`{"uri":"skill://a/SKILL.md","frontmatter":{"allowed-tools":"Read Bash(git:*)"},"resources":[{"uri":"skill://a/SKILL.md","size":10},{"uri":"skill://a/scripts/run","size":5}]}`),
			entry(`{"uri":"skill://b/SKILL.md","frontmatter":{"allowed-tools":["x"]},"resources":[{"uri":"skill://b/SKILL.md","size":1}]}`)}, true,
			SkillsEvidence{Listed: 2, WithAllowedTools: 1, WithScripts: 1,
				Skills:       []Skill{{URI: "skill://a/SKILL.md", AllowedTools: &tools, Scripts: []string{"skill://a/scripts/run"}, ScriptsTotal: 1}},
				OpenAIImport: OpenAIImport{5, 16, 8 << 20, &yes}}},
		{"one file too large", []observe.Item{entry(`{"uri":"skill://a/SKILL.md","resources":[{"uri":"skill://a/SKILL.md","size":262145}]}`)}, true,
			SkillsEvidence{Listed: 1, Skills: []Skill{}, OpenAIImport: OpenAIImport{5, 262145, 8 << 20, &no}}},
		{"a size is unknown", []observe.Item{entry(`{"uri":"skill://a/SKILL.md","resources":[{"uri":"skill://a/SKILL.md"}]}`)}, true,
			SkillsEvidence{Listed: 1, Skills: []Skill{}, OpenAIImport: OpenAIImport{5, 0, 8 << 20, nil}}},
		{"an entry of another type", []observe.Item{entry(`5`)}, false,
			SkillsEvidence{Listed: 1, ListingIncomplete: true, Skills: []Skill{}, OpenAIImport: OpenAIImport{5, 0, 8 << 20, nil}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := skillsEvidence(&observe.Skills{Entries: tt.entries, Complete: tt.whole})
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if skillsEvidence(nil) != nil {
		t.Error("no evidence must give no block")
	}
}
