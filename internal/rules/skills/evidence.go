// Package skills holds the rules about Agent Skills that a server offers over MCP (Skills extension, SEP-2640).
package skills

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// needEvidence wants skills to have been asked for.
func needEvidence(o *observe.Observation) *rule.Skip {
	if s := rule.NeedSkills(o); s != nil {
		return s
	}
	if o.Skills == nil {
		return rule.SkipFor(rule.Insufficient, "no skills could be read")
	}
	return nil
}

// needEntries wants at least one entry of skills/list that a rule can judge; what names the kind of entry.
func needEntries(judges func(observe.Item) bool, what string) rule.Need {
	return func(o *observe.Observation) *rule.Skip {
		if s := needEvidence(o); s != nil {
			return s
		}
		switch s := o.Skills; {
		case !s.Listed:
			return rule.SkipFor(rule.Insufficient, "skills/list could not be read%s", because(s.ListError))
		case len(s.Entries) == 0 && !s.Complete:
			return rule.SkipFor(rule.Insufficient, "skills/list ended before its first skill%s", because(s.ListError))
		case len(s.Entries) == 0:
			return rule.SkipFor(rule.NotApplicable, "the server lists no skills")
		}
		if len(judged(o, judges)) == 0 {
			return rule.SkipFor(rule.Insufficient, "no listed skill has %s", what)
		}
		return nil
	}
}

func because(e *observe.SkillError) string {
	if e == nil || e.Text == "" {
		return ""
	}
	return ": " + e.Text
}

func judged(o *observe.Observation, judges func(observe.Item) bool) []observe.Item {
	var items []observe.Item
	for _, item := range o.Skills.Entries {
		if judges(item) {
			items = append(items, item)
		}
	}
	return items
}

func isEntry(observe.Item) bool       { return true }
func isObject(item observe.Item) bool { return item.IsObject() }

func hasManifest(item observe.Item) bool    { return item.Get("resources").IsArray() }
func hasFrontmatter(item observe.Item) bool { return item.Get("frontmatter").IsObject() }

func isDynamic(v jsondoc.Value) bool { return v.Get("resources").TextOr("") == "dynamic" }

// needManifest wants an entry that lists its files. Skills whose files are generated on request have nothing to count.
func needManifest(o *observe.Observation) *rule.Skip {
	s := needEntries(hasManifest, "a list of resources")(o)
	if s == nil || o.Skills == nil || len(o.Skills.Entries) == 0 {
		return s
	}
	for _, item := range o.Skills.Entries {
		if !isDynamic(item.Value) {
			return s
		}
	}
	return rule.SkipFor(rule.NotApplicable, "every listed skill generates its files on request")
}

// uriOf is the URI of an entry.
func uriOf(v jsondoc.Value) (string, bool) { return v.Get("uri").Text() }

// readOf is the read of an entry's SKILL.md, nil when there is no text of it.
func readOf(o *observe.Observation, item observe.Item) *observe.SkillFile {
	uri, ok := uriOf(item.Value)
	if !ok {
		return nil
	}
	return o.Skills.ReadOf(uri)
}

// atFile places a finding at the SKILL.md that was read.
func atFile(item observe.Item, f *observe.SkillFile, path, reason, seen, want string) rule.Finding {
	return rule.Finding{Entity: "skill", Index: item.Index, Name: item.Label(), Path: path, Step: f.Step, Pointer: "/result/contents", Reason: reason, Seen: seen, Want: want}
}

// atCall places a finding at an answer that concerns no entry.
func atCall(path, step, reason, seen, want string) rule.Finding {
	return rule.Finding{Entity: "skill", Index: -1, Path: path, Step: step, Reason: reason, Seen: seen, Want: want}
}

// problem is a defect of an entry at a path relative to it.
type problem struct {
	path               jsondoc.Pointer
	reason, seen, want string
}

func at(item observe.Item, p problem) rule.Finding {
	return rule.AtItem("skill", item, p.path, p.reason, p.seen, p.want)
}

// entrySize is the size that a manifest item declares: a whole number of bytes, 0 or more.
func entrySize(item jsondoc.Value) (int64, bool) {
	n, ok := item.Get("size").Int()
	return n, ok && n >= 0
}

func isDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(hex) != 64 {
		return false
	}
	return strings.Trim(hex, "0123456789abcdef") == ""
}

const maxDescription = 1024 // characters (Agent Skills specification, description field)

func validDescription(v jsondoc.Value) bool {
	s, ok := v.Text()
	n := len([]rune(s))
	return ok && n > 0 && n <= maxDescription
}

// manifestProblems are the defects of an entry's resources (Skills extension, Resources).
func manifestProblems(entry jsondoc.Value) []problem {
	resources := entry.Get("resources")
	if isDynamic(entry) {
		return nil
	}
	if !resources.IsArray() {
		return []problem{{"/resources", "missing_resources", "resources is neither an array nor \"dynamic\"", "the list of the skill's files, or \"dynamic\""}}
	}
	var found []problem
	uri, hasURI := uriOf(entry)
	root, own := observe.SkillRoot(uri), observe.NormalURI(uri)
	if root != "" {
		root = observe.NormalURI(root)
	}
	seen := map[string]bool{}
	listed := false
	for i, el := range resources.Elements() {
		at := jsondoc.Pointer("/resources").Index(i)
		file, ok := el.Value.Get("uri").Text()
		if !ok {
			found = append(found, problem{at, "invalid_file_entry", "the item is no object with a uri", "an object with uri, digest and size"})
			continue
		}
		if digest, ok := el.Value.Get("digest").Text(); !ok || !isDigest(digest) {
			found = append(found, problem{at + "/digest", "invalid_digest", "digest is missing or has another form", "sha256: and 64 lower-case hexadecimal digits"})
		}
		if _, ok := entrySize(el.Value); !ok {
			found = append(found, problem{at + "/size", "invalid_size", "size is missing or no whole number of bytes", "the size of the file in bytes"})
		}
		normal := observe.NormalURI(file)
		if seen[normal] {
			found = append(found, problem{at + "/uri", "duplicate_file", "the file is listed before", "each file once"})
		}
		seen[normal] = true
		if !hasURI {
			continue
		}
		if normal == own {
			listed = true
		} else if root != "" && !inside(root, normal) {
			found = append(found, problem{at + "/uri", "outside_skill", "the file is not below the skill's directory", "a file below " + root + "/"})
		}
	}
	if hasURI && !listed {
		found = append(found, problem{"/resources", "skill_file_unlisted", "the SKILL.md itself is not listed", "an item with the uri of the entry"})
	}
	return found
}

// inside reports whether a URI in normal form lies below a root without empty or dot segments.
func inside(root, uri string) bool {
	rest, ok := strings.CutPrefix(uri, root+"/")
	if !ok {
		return false
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// completeEntry says what keeps a skill from being a complete entry for a URI, empty when nothing does.
func completeEntry(skill jsondoc.Value, uri string) string {
	got, ok := uriOf(skill)
	name, _ := skill.Path("frontmatter", "name").Text()
	pathName, named := observe.SkillPathName(got)
	switch {
	case !skill.IsObject():
		return "there is no skill object"
	case !ok || observe.NormalURI(got) != observe.NormalURI(uri):
		return "the entry is for another uri"
	case !hasFrontmatterValue(skill):
		return "the entry has no frontmatter object"
	case len(nameProblems(name)) > 0:
		return "the entry's name breaks the rules for names"
	case !named || pathName != name:
		return "the entry's name is not the last segment of its path"
	case !validDescription(skill.Path("frontmatter", "description")):
		return "the entry has no description of 1 to 1024 characters"
	}
	if p := manifestProblems(skill); len(p) > 0 {
		return fmt.Sprintf("the entry's resources have a defect (%s)", p[0].reason)
	}
	return ""
}

func hasFrontmatterValue(v jsondoc.Value) bool { return v.Get("frontmatter").IsObject() }
