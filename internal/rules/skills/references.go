package skills

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/mcp-hallmark/hallmark/internal/markdown"
	"github.com/mcp-hallmark/hallmark/internal/observe"
)

// maxMarkdown is the largest body that is searched for links, in bytes.
const maxMarkdown = 64 << 10

// reference is a relative link or image of a Markdown text.
type reference struct {
	target string // escaped as in a URI, without query and fragment
	line   int    // of the text, from 1
}

// relativeReferences lists the links and images of a Markdown text that lead to files beside it.
func relativeReferences(body string) []reference {
	var found []reference
	for at, line := 0, 0; at < len(body); {
		piece := body[at : at+markdown.Piece(body[at:], maxMarkdown)]
		for _, r := range referencesOf(piece) {
			found = append(found, reference{r.target, r.line + line})
		}
		at, line = at+len(piece), line+strings.Count(piece, "\n")
	}
	return found
}

func referencesOf(body string) []reference {
	doc := goldmark.DefaultParser().Parse(text.NewReader([]byte(body)))
	var found []reference
	line := 1
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			line = 1 + strings.Count(body[:n.Lines().At(0).Start], "\n")
		}
		switch n := n.(type) {
		case *ast.Text: // its own line, not that of the block
			line = 1 + strings.Count(body[:n.Segment.Start], "\n")
		case *ast.Link:
			found = appendReference(found, n.Destination, line)
		case *ast.Image:
			found = appendReference(found, n.Destination, line)
			return ast.WalkSkipChildren, nil // links in the text that stands for a picture are no links
		}
		return ast.WalkContinue, nil
	})
	return found
}

func appendReference(found []reference, destination []byte, line int) []reference {
	target := string(util.URLEscape(destination, true))
	if target == "" || target[0] == '#' || target[0] == '/' || hasScheme(target) {
		return found
	}
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	if target == "" {
		return found
	}
	return append(found, reference{target, line})
}

func hasScheme(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == ':':
			return i > 0
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

// resolveReference resolves a target against a skill's root as a path of files would. ok is false when it leaves the root.
func resolveReference(root, target string) (uri string, ok bool) {
	if target != "" {
		target = strings.TrimSuffix(target, "/")
	}
	var path []string
	for segment := range strings.SplitSeq(target, "/") {
		switch segment {
		case ".":
		case "..":
			if len(path) == 0 {
				return "", false
			}
			path = path[:len(path)-1]
		default:
			path = append(path, segment)
		}
	}
	for _, segment := range path {
		root += "/" + segment
	}
	return root, true
}

// resolves reports whether a target leads to a listed file or to a directory with a listed file below it. Files are in normal form.
func resolves(root, target string, files map[string]bool) bool {
	resolved, ok := resolveReference(observe.NormalURI(root), observe.NormalURI(target))
	if !ok {
		return true // it leaves the skill, for a sibling or for something that is none of this skill's business
	}
	last := target[strings.LastIndexByte(target, '/')+1:]
	if files[resolved] && last != "" && last != "." && last != ".." {
		return true
	}
	for f := range files {
		if strings.HasPrefix(f, resolved+"/") {
			return true
		}
	}
	return false
}
