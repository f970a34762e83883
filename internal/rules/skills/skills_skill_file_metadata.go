package skills

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var skillsSkillFileMetadata = rule.Rule{
	ID:       "skills_skill_file_metadata",
	Title:    "A SKILL.md is served as Markdown under its own name",
	Group:    rule.Skills,
	Order:    13,
	Severity: rule.Low,
	Needs: []rule.Need{needEntries(isEntry, "anything"), func(o *observe.Observation) *rule.Skip {
		for _, item := range o.Skills.Entries {
			if f, r := servedAs(o, item), listedAs(o, item); f != nil || r != nil {
				return nil
			}
		}
		return rule.SkipFor(rule.Insufficient, "no SKILL.md was read or listed as a resource")
	}},
	Basis: []spec.Citation{spec.SkillsExtension("Resource Metadata")},
	Why:   "Clients that know resources and not skills show the file by this metadata.",
	Fix:   "Serve and list every SKILL.md as text/markdown, with name and description of its frontmatter.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, item := range o.Skills.Entries {
			file, resource := servedAs(o, item), listedAs(o, item)
			switch {
			case file != nil && !isMarkdown(file.MimeType):
				found = append(found, atFile(item, file, "/SKILL.md/mimeType", "not_markdown", "resources/read serves it as "+mediaWord(file.MimeType), "text/markdown"))
			case resource != nil && !isMarkdown(resource.Get("mimeType")):
				found = append(found, atResource(item, *resource, "mimeType", "not_markdown", "resources/list has it as "+mediaWord(resource.Get("mimeType")), "text/markdown"))
			}
			if resource == nil {
				continue
			}
			for _, field := range []string{"name", "description"} {
				want, ok := item.Path("frontmatter", field).Text()
				if got, isText := resource.Get(field).Text(); ok && (!isText || got != want) {
					found = append(found, atResource(item, *resource, field, field+"_differs", "the resource's "+field+" is not that of the frontmatter", "the "+field+" of the frontmatter"))
				}
			}
		}
		return found
	},
}

// servedAs is the read of an entry's SKILL.md that was answered.
func servedAs(o *observe.Observation, item observe.Item) *observe.SkillFile {
	uri, ok := uriOf(item.Value)
	if !ok {
		return nil
	}
	if f := o.Skills.FileOf(uri); f != nil && f.Error == nil {
		return f
	}
	return nil
}

// listedAs is the item of resources/list for an entry's SKILL.md; the two lists are only compared when they stem from one lifecycle.
func listedAs(o *observe.Observation, item observe.Item) *observe.Item {
	uri, ok := uriOf(item.Value)
	if !ok || o.Skills.Stateless {
		return nil
	}
	want := observe.NormalURI(uri)
	for i := range o.Resources.Items {
		if got, ok := o.Resources.Items[i].Get("uri").Text(); ok && observe.NormalURI(got) == want {
			return &o.Resources.Items[i]
		}
	}
	return nil
}

func atResource(item, resource observe.Item, field, reason, seen, want string) rule.Finding {
	return rule.Finding{
		Entity: "skill", Index: item.Index, Name: item.Label(), Path: "/SKILL.md/" + field, Step: resource.Step,
		Pointer: string(resource.Pointer.Child(field)), Reason: reason, Seen: seen, Want: want,
	}
}

func isMarkdown(v jsondoc.Value) bool {
	media, _, _ := strings.Cut(v.TextOr(""), ";")
	return strings.EqualFold(strings.TrimSpace(media), "text/markdown")
}

func mediaWord(v jsondoc.Value) string {
	if s, ok := v.Text(); ok {
		return fmt.Sprintf("%.80q", s)
	}
	return "nothing named"
}
