// Package clientconfig reads the files in which people have their MCP servers: configurations of clients (mcp.json, .vscode/mcp.json,
// claude_desktop_config.json and their like) and server.json of the MCP Registry. It says what a client would start or call, and of each
// server that it cannot say it of why not; it starts and calls nothing.
package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// Server is one server of a file.
type Server struct {
	Name string

	// One of three: a URL, a command, a package.
	URL       string
	Transport recording.Transport // that the file names for the URL, empty to detect it
	Header    []Pair
	Command   []string // program and arguments
	Dir       string   // empty for the working directory
	Env       []Pair   // by name
	Package   *recording.Package
	Registry  string // the package's registry where it is not the usual one

	Secrets []string // what was filled in from outside the file, or is marked as secret
	Skip    string   // why a client would not use it, or it has nothing to audit; empty otherwise
	Err     error    // why it cannot be audited
}

// Pair is a header or a variable.
type Pair struct{ Name, Value string }

// Around is what a file can refer to.
type Around struct {
	Getenv    func(string) string
	Inputs    map[string]string // answers to what the file asks for
	Home      string
	Workspace string // the folder that ${workspaceFolder} stands for
}

// ErrNone says that a file has no servers in any form that is known.
var ErrNone = errors.New("it names no MCP servers: neither mcpServers nor servers, nor the remotes or packages of a server.json")

// Parse reads a file. Comments and trailing commas are allowed. The order is the file's.
func Parse(text []byte, around Around) ([]Server, error) {
	plain, err := hujson.Standardize(bytes.TrimPrefix(bytes.Clone(text), []byte("\uFEFF")))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	doc, notes, err := jsondoc.Parse(plain)
	if err != nil || !doc.IsObject() {
		return nil, errors.New("it is no JSON object")
	}
	r := &reader{around: around, twice: notes.Duplicates, asked: map[string]jsondoc.Value{}}
	for _, place := range []struct{ at, inputs jsondoc.Pointer }{
		{"/mcpServers", "/inputs"}, {"/servers", "/inputs"}, {"/mcp/servers", "/mcp/inputs"}, {"/mcp/mcpServers", "/mcp/inputs"},
	} {
		servers := doc.Resolve(place.at)
		if !servers.IsObject() {
			continue
		}
		for _, e := range doc.Resolve(place.inputs).Elements() {
			if id, ok := e.Value.Get("id").Text(); ok {
				r.asked[id] = e.Value
			}
		}
		var list []Server
		for _, m := range servers.Members() {
			list = append(list, r.entry(place.at, m))
		}
		return list, nil
	}
	if wrapped := doc.Get("server"); wrapped.IsObject() { // as the registry's interface answers
		doc = wrapped
	}
	if doc.Get("remotes").IsArray() || doc.Get("packages").IsArray() {
		return r.published(doc), nil
	}
	return nil, ErrNone
}

// reader reads one file.
type reader struct {
	around Around
	twice  []string                 // pointers of members that stand twice
	asked  map[string]jsondoc.Value // the file's inputs by id
}

// entry reads one member of mcpServers or servers.
func (r *reader) entry(at jsondoc.Pointer, m jsondoc.Member) Server {
	s := Server{Name: m.Name}
	if !m.Value.IsObject() {
		s.Err = fmt.Errorf("it is a JSON %s, not an object", m.Value.Kind())
		return s
	}
	if slices.Contains(r.twice, string(at.Child(m.Name))) {
		s.Err = errors.New("two servers have this name")
		return s
	}
	for _, key := range []string{"disabled", "enabled"} {
		if off, ok := m.Value.Get(key).Bool(); ok && off == (key == "disabled") {
			s.Skip = "it is switched off in the file"
		}
	}
	s.Err = r.fill(&s, m.Value)
	return s
}

func (r *reader) fill(s *Server, v jsondoc.Value) error {
	address := ""
	for _, key := range []string{"url", "serverUrl", "httpUrl"} {
		if a, ok := v.Get(key).Text(); ok && address == "" {
			address = a
		}
	}
	kind := strings.ToLower(v.Get("type").TextOr(v.Get("transport").TextOr("")))
	command, hasCommand := v.Get("command").Text()
	if kind != "stdio" && address != "" && !(hasCommand && kind == "") {
		return r.fillURL(s, v, address, kind)
	}
	switch {
	case address != "" && kind == "":
		return errors.New("it has both a command and a url, and no type that says which counts")
	case !hasCommand && v.Get("command").Exists():
		return fmt.Errorf("its command is a JSON %s, not a text", v.Get("command").Kind())
	case strings.TrimSpace(command) == "":
		return errors.New("it has neither a command nor a url")
	}
	return r.fillCommand(s, v, command)
}

func (r *reader) fillURL(s *Server, v jsondoc.Value, address, kind string) error {
	switch kind {
	case "", "http":
	case "streamable-http", "streamablehttp", "streamable_http":
		s.Transport = recording.StreamableHTTP
	case "sse":
		s.Transport = recording.SSE
	default:
		return fmt.Errorf("its type %q is not known: use stdio, http or sse", kind)
	}
	var err error
	if s.URL, err = r.expand(s, "url", address); err != nil {
		return err
	}
	s.Header, err = r.pairs(s, v.Get("headers"), "headers")
	return err
}

func (r *reader) fillCommand(s *Server, v jsondoc.Value, command string) error {
	program, err := r.program(s, "command", command)
	if err != nil {
		return err
	}
	s.Command = []string{program}
	args := v.Get("args")
	if args.Exists() && !args.IsArray() && args.Kind() != jsondoc.Null {
		return fmt.Errorf("its args are a JSON %s, not an array", args.Kind())
	}
	for i, e := range args.Elements() {
		arg, ok := e.Value.Text()
		if !ok {
			return fmt.Errorf("argument %d is a JSON %s, not a text", i+1, e.Value.Kind())
		}
		if arg, err = r.expand(s, fmt.Sprintf("argument %d", i+1), arg); err != nil {
			return err
		}
		s.Command = append(s.Command, arg)
	}
	if len(s.Command) == 1 {
		if first, rest, ok := strings.Cut(strings.TrimSpace(program), " "); ok && (!strings.ContainsAny(first, `/\`) || strings.HasPrefix(strings.TrimSpace(rest), "-")) {
			return fmt.Errorf("its command %q is a whole command line: put the arguments into args", program)
		}
	}
	if dir, ok := v.Get("cwd").Text(); ok && dir != "" {
		if s.Dir, err = r.program(s, "cwd", dir); err != nil {
			return err
		}
	}
	if v.Get("envFile").Exists() {
		return errors.New("its envFile is not read: put the variables into env")
	}
	if s.Env, err = r.pairs(s, v.Get("env"), "env"); err != nil {
		return err
	}
	slices.SortStableFunc(s.Env, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

var shellism = regexp.MustCompile(`\$[A-Za-z_][A-Za-z0-9_]*|%[A-Za-z_][A-Za-z0-9_]*%`)

// program reads the path of a program or a folder, in which no client expands what a shell would.
func (r *reader) program(s *Server, what, text string) (string, error) {
	if strings.HasPrefix(text, "~") {
		return "", fmt.Errorf("its %s %q begins with ~, which only a shell expands: write the whole path, or ${userHome}", what, text)
	}
	path, err := r.expand(s, what, text)
	if err != nil {
		return "", err
	}
	if word := shellism.FindString(text); word != "" {
		return "", fmt.Errorf("its %s %q holds %s, which only a shell expands: write ${%s}", what, text, word, strings.Trim(word, "$%"))
	}
	return path, nil
}

// pairs reads an object of texts. Numbers and truth values count as the texts that they look like; null leaves a member out.
func (r *reader) pairs(s *Server, v jsondoc.Value, what string) ([]Pair, error) {
	if !v.Missing() && !v.IsObject() {
		return nil, fmt.Errorf("its %s are a JSON %s, not an object", what, v.Kind())
	}
	var pairs []Pair
	for _, m := range v.Members() {
		var text string
		switch m.Value.Kind() {
		case jsondoc.String:
			text = m.Value.TextOr("")
		case jsondoc.Number, jsondoc.Bool:
			text = string(m.Value.Raw())
		case jsondoc.Null:
			continue
		default:
			return nil, fmt.Errorf("%s of its %s is a JSON %s, not a text", m.Name, what, m.Value.Kind())
		}
		text, err := r.expand(s, m.Name, text)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, Pair{m.Name, text})
	}
	return pairs, nil
}
