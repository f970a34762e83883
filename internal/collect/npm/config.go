package npm

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/registry/pkg/model"
	"gopkg.in/ini.v1"

	"github.com/mcp-hallmark/hallmark/internal/collect/registry"
)

// Find returns the registry for a package, by the rules of npm's own configuration: what the environment says (npm_config_registry), then
// the .npmrc of the project, of the user and of the machine, then the default. A scope may have a registry of its own. Credentials are
// those that the files hold for that registry. npm itself is not run.
func Find(place registry.Place, name string) (registry.Endpoint, error) {
	files := files(place)
	values := map[string]string{}
	sources := map[string]string{}
	for i := len(files) - 1; i >= 0; i-- { // the most general first
		if err := read(files[i], place, values, sources); err != nil {
			return registry.Endpoint{}, err
		}
	}
	for _, key := range []string{"registry", scope(name) + ":registry"} {
		for _, variable := range []string{"npm_config_" + key, "NPM_CONFIG_" + strings.ToUpper(key)} {
			if v := place.Getenv(variable); v != "" {
				values[key], sources[key] = v, variable
			}
		}
	}
	e := registry.Endpoint{URL: model.RegistryURLNPM, Source: "npm's default"}
	for _, key := range []string{"registry", scope(name) + ":registry"} {
		if v := values[key]; v != "" {
			e.URL, e.Source = v, sources[key]
		}
	}
	e.Header = credentials(e.URL, values)
	return e, nil
}

// scope is the scope of a package name, "@" when it has none, which is no scope.
func scope(name string) string {
	if s, _, ok := strings.Cut(name, "/"); ok {
		return s
	}
	return "@"
}

// files are the places of configuration files, the most particular first.
func files(place registry.Place) []string {
	var list []string
	user := place.Getenv("npm_config_userconfig")
	if user == "" {
		user = place.Getenv("NPM_CONFIG_USERCONFIG")
	}
	if user == "" && place.Home != "" {
		user = filepath.Join(place.Home, ".npmrc")
	}
	if project := filepath.Join(root(place.Dir), ".npmrc"); project != user {
		list = append(list, project)
	}
	if user != "" {
		list = append(list, user)
	}
	global := place.Getenv("npm_config_globalconfig")
	if global == "" {
		global = place.Getenv("NPM_CONFIG_GLOBALCONFIG")
	}
	if global == "" {
		prefix := place.Getenv("PREFIX")
		if prefix == "" {
			if node, err := exec.LookPath("node"); err == nil { // where npm takes its prefix from
				prefix = filepath.Dir(filepath.Dir(node))
			}
		}
		if prefix != "" {
			global = filepath.Join(prefix, "etc", "npmrc")
		}
	}
	if global != "" {
		list = append(list, global)
	}
	return list
}

// root is the folder that npm takes for the project: the nearest one upwards with a package.json or a node_modules, else the folder itself.
func root(dir string) string {
	for at := dir; ; {
		for _, name := range []string{"package.json", "node_modules"} {
			if _, err := os.Stat(filepath.Join(at, name)); err == nil {
				return at
			}
		}
		up := filepath.Dir(at)
		if up == at {
			return dir
		}
		at = up
	}
}

func read(file string, place registry.Place, values, sources map[string]string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", file, err)
	}
	parsed, err := ini.LoadSources(ini.LoadOptions{KeyValueDelimiters: "=", AllowBooleanKeys: true, IgnoreInlineComment: true, SkipUnrecognizableLines: true}, text)
	if err != nil {
		return fmt.Errorf("%s cannot be read as the configuration of npm", file)
	}
	for key, v := range parsed.Section("").KeysHash() {
		values[key], sources[key] = expand(v, place.Getenv), file
	}
	return nil
}

var variable = regexp.MustCompile(`\$\{([^}?]+)(\??)\}`)

// expand replaces ${NAME}. A variable that is not set stays as it stands, with ${NAME?} it is empty.
func expand(text string, getenv func(string) string) string {
	return variable.ReplaceAllStringFunc(text, func(whole string) string {
		m := variable.FindStringSubmatch(whole)
		if v := getenv(m[1]); v != "" || m[2] != "" {
			return v
		}
		return whole
	})
}

// credentials are those that the configuration binds to a registry: to its address or to one above it.
func credentials(address string, values map[string]string) http.Header {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	for at := "//" + u.Host + strings.TrimRight(u.EscapedPath(), "/") + "/"; len(at) > len("//"+u.Host); {
		for _, key := range []string{at, strings.TrimRight(at, "/")} {
			if token := values[key+":_authToken"]; token != "" {
				return http.Header{"Authorization": {"Bearer " + token}}
			}
			if basic := values[key+":_auth"]; basic != "" {
				return http.Header{"Authorization": {"Basic " + basic}}
			}
			user, password := values[key+":username"], values[key+":_password"]
			if plain, err := base64.StdEncoding.DecodeString(password); err == nil && user != "" && password != "" {
				return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+string(plain)))}}
			}
		}
		shorter := strings.TrimRight(at, "/")
		at = shorter[:strings.LastIndexByte(shorter, '/')+1]
	}
	return nil
}
