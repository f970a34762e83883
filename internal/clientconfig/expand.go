package clientconfig

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

var reference = regexp.MustCompile(`\$\{([^{}]*)\}`)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// public are variables that hold nothing secret.
var public = map[string]bool{"HOME": true, "USER": true, "USERNAME": true, "USERPROFILE": true, "PATH": true, "PWD": true, "SHELL": true, "LANG": true, "TMPDIR": true, "TEMP": true, "APPDATA": true, "LOCALAPPDATA": true}

// expand fills in what clients fill in: ${input:ID}, ${env:NAME}, ${NAME}, ${NAME:-default}, ${userHome}, ${workspaceFolder} and their
// like. What has no value is an error; a client would go on with nothing or with the words as they stand.
func (r *reader) expand(s *Server, what, text string) (string, error) {
	var problem error
	out := reference.ReplaceAllStringFunc(text, func(whole string) string {
		value, secret, err := r.value(whole[2 : len(whole)-1])
		if err != nil && problem == nil {
			problem = fmt.Errorf("its %s refers to %s: %w", what, whole, err)
		}
		if secret && value != "" {
			s.Secrets = append(s.Secrets, value)
		}
		return value
	})
	return out, problem
}

func (r *reader) value(name string) (value string, secret bool, err error) {
	kind, rest, qualified := strings.Cut(name, ":")
	switch {
	case name == "userHome":
		if r.around.Home == "" {
			return "", false, errors.New("there is no home directory")
		}
		return r.around.Home, false, nil
	case name == "workspaceFolder" || name == "workspaceRoot":
		return r.around.Workspace, false, nil
	case name == "workspaceFolderBasename":
		return path.Base(strings.ReplaceAll(r.around.Workspace, `\`, "/")), false, nil
	case name == "pathSeparator" || name == "/":
		if strings.Contains(r.around.Workspace, `\`) {
			return `\`, false, nil
		}
		return "/", false, nil
	case qualified && kind == "input":
		return r.input(rest)
	case qualified && kind == "env":
		return r.variable(rest)
	case qualified && identifier.MatchString(kind) && strings.HasPrefix(rest, "-"):
		if v := r.around.Getenv(kind); v != "" {
			return v, !public[kind], nil
		}
		return rest[1:], false, nil
	case identifier.MatchString(name):
		return r.variable(name)
	}
	return "", false, errors.New("this means nothing outside of the client")
}

func (r *reader) variable(name string) (string, bool, error) {
	v := r.around.Getenv(name)
	if v == "" {
		return "", false, fmt.Errorf("the environment variable %s is not set", name)
	}
	return v, !public[name], nil
}

// input answers what a client would ask the user: with --input, else with the default that the file has.
func (r *reader) input(id string) (string, bool, error) {
	question, asked := r.asked[id]
	secret := question.Get("password").True() || !asked
	if v, ok := r.around.Inputs[id]; ok {
		return v, secret, nil
	}
	if v, ok := question.Get("default").Text(); ok {
		return v, secret, nil
	}
	what := ""
	if d := strings.TrimSpace(question.Get("description").TextOr("")); d != "" {
		what = " (" + d + ")"
	}
	return "", false, fmt.Errorf("give --input %s=VALUE%s", id, what)
}
