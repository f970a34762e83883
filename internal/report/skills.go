package report

import (
	"path"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// Limits of the skills block, and of what OpenAI's clients were published to import (a vendor's limits, not the extension's).
const (
	maxSkillsShown    = 32
	maxScripts        = 20
	importedAtMost    = 5
	importFiles       = 100
	importSkillMD     = 256 << 10
	importFile        = 1 << 20
	importSkill       = 5 << 20
	scanArchiveLimit  = 8 << 20
	zipFileOverhead   = 128
	zipArchiveTrailer = 22
)

// SkillsEvidence tells what was seen of a server's skills. It is never scored.
type SkillsEvidence struct {
	Listed            int          `json:"skills_listed"`
	ListingIncomplete bool         `json:"listing_incomplete"`
	WithAllowedTools  int          `json:"skills_with_allowed_tools"`
	WithScripts       int          `json:"skills_with_scripts"`
	Skills            []Skill      `json:"skills"` // those with allowed tools or scripts, at most 32
	OpenAIImport      OpenAIImport `json:"openai_import"`
}

// Skill is a skill that asks for tools or brings scripts.
type Skill struct {
	URI          string   `json:"uri"`
	AllowedTools *string  `json:"allowed_tools"`
	Scripts      []string `json:"scripts"` // at most 20
	ScriptsTotal int      `json:"scripts_total"`
}

// OpenAIImport estimates whether one vendor's client could import the listed skills. Fits is null when too little is known.
type OpenAIImport struct {
	ImportedAtMost   int   `json:"skills_imported_at_most"`
	ListedBytes      int64 `json:"listed_bytes"`
	ScanArchiveLimit int64 `json:"scan_archive_limit_bytes"`
	Fits             *bool `json:"fits"`
}

func skillsEvidence(s *observe.Skills) *SkillsEvidence {
	if s == nil {
		return nil
	}
	e := &SkillsEvidence{Listed: len(s.Entries), ListingIncomplete: !s.Complete, Skills: []Skill{},
		OpenAIImport: OpenAIImport{ImportedAtMost: importedAtMost, ScanArchiveLimit: scanArchiveLimit}}
	for _, entry := range s.Entries {
		shown := Skill{URI: shownText(entry.Get("uri").TextOr("")), Scripts: []string{}}
		if tools, ok := entry.Path("frontmatter", "allowed-tools").Text(); ok && strings.TrimSpace(tools) != "" {
			text := shownText(tools)
			shown.AllowedTools = &text
			e.WithAllowedTools++
		}
		for _, file := range entry.Get("resources").Elements() {
			uri, ok := file.Value.Get("uri").Text()
			if !ok || !isScript(uri) {
				continue
			}
			shown.ScriptsTotal++
			if len(shown.Scripts) < maxScripts {
				shown.Scripts = append(shown.Scripts, shownText(uri))
			}
		}
		if shown.ScriptsTotal > 0 {
			e.WithScripts++
		}
		if (shown.AllowedTools != nil || shown.ScriptsTotal > 0) && len(e.Skills) < maxSkillsShown {
			e.Skills = append(e.Skills, shown)
		}
	}
	e.OpenAIImport.measure(s)
	return e
}

// isScript tells code that an agent may be asked to run: what lies in a scripts folder (Agent Skills specification, Optional
// directories), or has the ending of a scripting language.
func isScript(uri string) bool {
	endings := []string{".py", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".ps1", ".bat", ".cmd", ".lua"}
	return strings.Contains(uri, "/scripts/") || slices.Contains(endings, strings.ToLower(path.Ext(uri)))
}

// measure adds up what the manifests declare and estimates the size of an archive of all files.
func (o *OpenAIImport) measure(s *observe.Skills) {
	fits, known := true, s.Complete
	archive := int64(0)
	if len(s.Entries) > importedAtMost {
		fits = false
	}
	for _, entry := range s.Entries {
		manifest := entry.Get("resources")
		if !manifest.IsArray() {
			known = false
			continue
		}
		archive += zipArchiveTrailer
		total := int64(0)
		own := observe.NormalURI(entry.Get("uri").TextOr(""))
		for _, file := range manifest.Elements() {
			uri, named := file.Value.Get("uri").Text()
			size, sized := file.Value.Get("size").Int()
			if !named || !sized || size < 0 {
				known = false
				continue
			}
			total += size
			archive += size + size/1000 + 5 + zipFileOverhead + 2*int64(len(uri))
			if limit := int64(importFile); size > limit || observe.NormalURI(uri) == own && size > importSkillMD {
				fits = false
			}
		}
		o.ListedBytes += total
		if manifest.Len() > importFiles || total > importSkill {
			fits = false
		}
	}
	switch {
	case !fits:
		no := false
		o.Fits = &no
	case known:
		yes := archive <= scanArchiveLimit
		o.Fits = &yes
	}
}

// shownText masks secrets and bounds a text of the server.
func shownText(text string) string {
	runes := []rune(textscan.Mask(text))
	if len(runes) > maxText {
		runes = runes[:maxText]
	}
	return string(runes)
}
