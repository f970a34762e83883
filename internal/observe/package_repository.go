package observe

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
)

// hosts are the short forms that package.json allows for repositories; the empty name is the default.
var hosts = map[string]string{
	"": "https://github.com/", "github": "https://github.com/", "gitlab": "https://gitlab.com/", "bitbucket": "https://bitbucket.org/", "gist": "https://gist.github.com/",
}

var (
	shorthand = regexp.MustCompile(`^(?:(github|gitlab|bitbucket):)?([A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+)$`)
	gist      = regexp.MustCompile(`^gist:(?:[A-Za-z0-9._-]+/)?[0-9a-f]+$`)
	scp       = regexp.MustCompile(`^(?:[^\s@/:]+@)([^\s@/:]+):([^\s/].*)$`)
)

// npmRepository reads the repository member: a string, or an object with a url; also in the short forms.
func npmRepository(v jsondoc.Value) string {
	if v.IsObject() {
		v = v.Get("url")
	}
	text := clean(v)
	if m := shorthand.FindStringSubmatch(text); m != nil {
		return hosts[m[1]] + strings.TrimSuffix(m[2], ".git")
	}
	if gist.MatchString(text) {
		return hosts["gist"] + strings.TrimPrefix(text, "gist:")
	}
	return repositoryURL(text)
}

// repositoryURL turns the address of a repository into a URL without credentials that a browser or git can open; empty when it is none.
func repositoryURL(text string) string {
	if m := scp.FindStringSubmatch(text); m != nil && !strings.Contains(text, "://") {
		text = "https://" + m[1] + "/" + m[2]
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return ""
	}
	switch scheme := strings.TrimPrefix(strings.ToLower(u.Scheme), "git+"); scheme {
	case "ssh":
		u.Scheme, u.Host = "https", u.Hostname()
		if strings.Contains(u.Host, ":") { // IPv6
			u.Host = "[" + u.Host + "]"
		}
	case "http", "https", "git":
		u.Scheme = scheme
	default:
		return ""
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if trimmed := strings.TrimSuffix(u.Path, ".git"); trimmed != u.Path {
		u.Path, u.RawPath = trimmed, ""
	}
	return u.String()
}

// labels are the names under which projects link their source, normalised, the most telling first: the well-known label "source" with its
// aliases, then what else is common. Whoever keeps a project at a forge often names that as its home page.
var labels = []string{"source", "sourcecode", "repository", "github", "code", "homepage"}

// pypiRepository reads project_urls. Labels are compared without regard to case, blanks and punctuation.
func pypiRepository(info Field) Declared {
	links := within(info, "project_urls")
	for _, label := range labels {
		for _, m := range links.Members() {
			if normalLabel(m.Name) != label {
				continue
			}
			if u := repositoryURL(clean(m.Value)); u != "" {
				return Declared{u, Field{m.Value, links.Step, links.Pointer.Child(m.Name)}}
			}
		}
	}
	return Declared{Place: links}
}

// normalLabel drops ASCII punctuation and blanks and lower-cases the rest.
func normalLabel(label string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r < 128 && unicode.IsPunct(r) || r < 128 && unicode.IsSymbol(r) {
			return -1
		}
		return r
	}, label))
}
