package clientconfig

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/registry/pkg/model"

	"github.com/mcp-hallmark/hallmark/internal/coordinate"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// published reads a server.json: its remotes are servers at URLs, its packages have metadata.
func (r *reader) published(doc jsondoc.Value) []Server {
	var list []Server
	for i, e := range doc.Get("remotes").Elements() {
		s := Server{Name: fmt.Sprintf("remote-%d", i+1)}
		s.Err = r.remote(&s, e.Value)
		list = append(list, s)
	}
	for i, e := range doc.Get("packages").Elements() {
		s := Server{Name: fmt.Sprintf("package-%d", i+1)}
		s.Err = r.pack(&s, e.Value, doc.Get("name").TextOr(""))
		list = append(list, s)
	}
	return list
}

func (r *reader) remote(s *Server, v jsondoc.Value) error {
	switch kind := v.Get("type").TextOr(v.Get("transport_type").TextOr("")); kind {
	case model.TransportTypeStreamableHTTP:
		s.Transport = recording.StreamableHTTP
	case model.TransportTypeSSE:
		s.Transport = recording.SSE
	case "":
	default:
		return fmt.Errorf("its type %q is no transport of a remote server", kind)
	}
	address, ok := v.Get("url").Text()
	if !ok || address == "" {
		return errors.New("it has no url")
	}
	var err error
	if s.URL, err = r.template(s, "url", address, v.Get("variables")); err != nil {
		return err
	}
	for _, e := range v.Get("headers").Elements() {
		name := e.Value.Get("name").TextOr("")
		if name == "" {
			return errors.New("a header has no name")
		}
		value, given, err := r.ask(s, name, e.Value)
		if err != nil {
			return err
		}
		if given {
			s.Header = append(s.Header, Pair{name, value})
		}
	}
	return nil
}

var variableName = regexp.MustCompile(`\{([A-Za-z0-9_.-]+)\}`)

// template fills in {names} of variables; a name that the file declares no variable for stays.
func (r *reader) template(s *Server, what, text string, variables jsondoc.Value) (string, error) {
	var problem error
	out := variableName.ReplaceAllStringFunc(text, func(whole string) string {
		name := whole[1 : len(whole)-1]
		v := variables.Get(name)
		if !v.IsObject() {
			return whole
		}
		value, given, err := r.ask(s, name, v)
		if err == nil && !given {
			err = fmt.Errorf("its %s needs --input %s=VALUE", what, name)
		}
		if err != nil && problem == nil {
			problem = err
		}
		return value
	})
	return out, problem
}

// ask settles an input of a server.json: what the user gave, else its value, else its default.
func (r *reader) ask(s *Server, name string, v jsondoc.Value) (value string, given bool, err error) {
	keep := func(value string) (string, bool, error) {
		if v.Get("isSecret").True() || v.Get("is_secret").True() {
			s.Secrets = append(s.Secrets, value)
		}
		return value, true, nil
	}
	if answer, ok := r.around.Inputs[name]; ok {
		return keep(answer)
	}
	if text, ok := v.Get("value").Text(); ok && text != "" {
		value, err := r.template(s, name, text, v.Get("variables"))
		if err != nil {
			return "", false, err
		}
		return keep(value)
	}
	if text, ok := v.Get("default").Text(); ok && text != "" {
		return keep(text)
	}
	if !v.Get("isRequired").True() && !v.Get("is_required").True() {
		return "", false, nil
	}
	what := ""
	if d := strings.TrimSpace(v.Get("description").TextOr("")); d != "" {
		what = " (" + d + ")"
	}
	return "", false, fmt.Errorf("it wants %s: give --input %s=VALUE%s", name, name, what)
}

func (r *reader) pack(s *Server, v jsondoc.Value, server string) error {
	kind := v.Get("registryType").TextOr(v.Get("registry_type").TextOr(""))
	identifier := strings.TrimSpace(v.Get("identifier").TextOr(""))
	base := strings.TrimRight(strings.TrimSpace(v.Get("registryBaseUrl").TextOr(v.Get("registry_base_url").TextOr(""))), "/")
	usual := ""
	switch kind {
	case model.RegistryTypeNPM:
		usual = model.RegistryURLNPM
	case model.RegistryTypePyPI:
		usual = model.RegistryURLPyPI
	case "":
		return errors.New("it has no registryType")
	default:
		s.Skip = fmt.Sprintf("there is no metadata to audit for packages of type %q", kind)
		return nil
	}
	p, err := coordinate.Parse(kind + ":" + identifier)
	if err == nil && p.Requested != "" {
		err = fmt.Errorf("its identifier %q holds a version", identifier)
	}
	if err != nil {
		return err
	}
	p.Requested, p.Server = strings.TrimSpace(v.Get("version").TextOr("")), server
	s.Package = &p
	if base != usual {
		s.Registry = base
	}
	return nil
}
