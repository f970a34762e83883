package lexical

import (
	"errors"
	"regexp"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// Problem is one thing that is wrong with a JSON value.
type Problem struct {
	Pointer jsondoc.Pointer // relative to the value that was checked
	Reason  string          // stable snake_case kind
	Seen    string          // what was seen, a clause
	Want    string          // what was expected, a clause
}

const wantIconSource = "an absolute http or https URL, or a data URI with a Base64 image"

// IconProblems checks the icons member of a server, tool, resource, template or prompt against the Icon type (MCP 2025-11-25, Schema ›
// Icon): an absent or null member and an empty array are fine, an icon has at most one problem per member. Reasons are
// invalid_icon_src, invalid_icon_mimeType, invalid_icon_sizes, invalid_icon_theme and, for a value of another JSON type, wrong_type.
func IconProblems(icons jsondoc.Value) []Problem {
	if icons.Missing() {
		return nil
	}
	if !icons.IsArray() {
		return []Problem{{"", "wrong_type", "icons is " + Excerpt(icons), "an array of icons"}}
	}
	var problems []Problem
	for i, element := range icons.Elements() {
		at, icon := jsondoc.Pointer("").Index(i), element.Value
		if !icon.IsObject() {
			problems = append(problems, Problem{at, "wrong_type", "an icon is " + Excerpt(icon), "an object with a src"})
			continue
		}
		for _, p := range []*Problem{iconSource(icon), iconMediaType(icon), iconSizes(icon), iconTheme(icon)} {
			if p != nil {
				p.Pointer = at + p.Pointer
				problems = append(problems, *p)
			}
		}
	}
	return problems
}

func iconSource(icon jsondoc.Value) *Problem {
	v := icon.Get("src")
	text, ok := v.Text()
	switch {
	case v.Missing():
		return &Problem{"/src", "invalid_icon_src", "the icon has no src", wantIconSource}
	case !ok:
		return &Problem{"/src", "wrong_type", "src is " + Excerpt(v), "a string"}
	}
	if err := IconSource(text); err != nil {
		return &Problem{"/src", "invalid_icon_src", "src is " + Excerpt(v) + ": " + err.Error(), wantIconSource}
	}
	return nil
}

func iconMediaType(icon jsondoc.Value) *Problem {
	v := icon.Get("mimeType")
	text, ok := v.Text()
	switch {
	case v.Missing() || ok && MediaType(text):
		return nil
	case !ok:
		return &Problem{"/mimeType", "wrong_type", "mimeType is " + Excerpt(v), "a string"}
	}
	return &Problem{"/mimeType", "invalid_icon_mimeType", "mimeType is " + Excerpt(v), "a media type such as image/png"}
}

var sizePattern = regexp.MustCompile(`^(?:any|[1-9][0-9]*x[1-9][0-9]*)$`)

func iconSizes(icon jsondoc.Value) *Problem {
	v := icon.Get("sizes")
	switch {
	case v.Missing():
		return nil
	case !v.IsArray():
		return &Problem{"/sizes", "wrong_type", "sizes is " + Excerpt(v), "an array of strings, one size each"}
	}
	for _, element := range v.Elements() {
		text, ok := element.Value.Text()
		if !ok {
			return &Problem{"/sizes", "wrong_type", "sizes holds " + Excerpt(element.Value), "strings, one size each"}
		}
		if !sizePattern.MatchString(text) {
			return &Problem{"/sizes", "invalid_icon_sizes", "sizes holds " + Excerpt(element.Value), "sizes such as 48x48, or any"}
		}
	}
	return nil
}

func iconTheme(icon jsondoc.Value) *Problem {
	v := icon.Get("theme")
	text, ok := v.Text()
	switch {
	case v.Missing() || text == "light" || text == "dark":
		return nil
	case !ok:
		return &Problem{"/theme", "wrong_type", "theme is " + Excerpt(v), "light or dark"}
	}
	return &Problem{"/theme", "invalid_icon_theme", "theme is " + Excerpt(v), "light or dark"}
}

// dataImage is what follows "data:" in an address that holds an image in Base64 (RFC 2397).
var dataImage = regexp.MustCompile(`(?i)^image/[A-Z0-9!#$&^_.+-]+(?:;[A-Z0-9!#$&^_.+-]+=[A-Z0-9!#$&^_.+%-]+)*;base64,([A-Z0-9+/]+={0,2})$`)

// IconSource checks where an icon is said to be: an absolute http or https URL with a host, or a data URI that holds an image in
// Base64. Clients must refuse everything else (MCP 2025-11-25, Basic › icons), plain http usually with it. The error says what is
// wrong in a clause about "it".
func IconSource(s string) error {
	scheme, host, err := splitURI(s)
	switch {
	case err != nil:
		return err
	case (scheme == "http" || scheme == "https") && host == "":
		return errors.New("it has no host")
	case scheme == "data":
		m := dataImage.FindStringSubmatch(s[len("data:"):])
		if m == nil || len(m[1])%4 != 0 {
			return errors.New("it holds no image in whole Base64")
		}
	case scheme != "http" && scheme != "https":
		return errors.New("clients must refuse the scheme " + excerptText(strings.ToLower(scheme)))
	}
	return nil
}
