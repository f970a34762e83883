package pypi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/modelcontextprotocol/registry/pkg/model"
	"github.com/pelletier/go-toml/v2"
	"gopkg.in/ini.v1"

	"github.com/mcp-hallmark/hallmark/internal/collect/registry"
)

// Index is a package index. The JSON documents stand below the endpoint, the lists of files below Simple, a path from there.
type Index struct {
	registry.Endpoint
	Simple     []string
	Configured bool // by the user; false for the default
}

// Find returns the index that packages come from. It asks the environment first (UV_DEFAULT_INDEX
// and UV_INDEX_URL, then PIP_INDEX_URL), then the files of uv and pip, the project's before the user's before the machine's, and falls back
// on the default. Additional indexes are not asked: which of several has the package is not ours to guess.
func Find(place registry.Place) (Index, error) {
	for _, name := range []string{"UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"} {
		if v := strings.TrimSpace(place.Getenv(name)); v != "" {
			return configured(unnamed(v), name), nil
		}
	}
	readers := []struct {
		files []string
		read  func([]byte) (string, error)
	}{{uvFiles(place), uvIndex}, {pipFiles(place), pipIndex}}
	for _, r := range readers {
		for _, file := range r.files {
			text, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				continue
			}
			if err != nil {
				return Index{}, fmt.Errorf("cannot read %s: %w", file, err)
			}
			v, err := r.read(text)
			if err != nil {
				return Index{}, fmt.Errorf("%s cannot be read: %w", file, err)
			}
			if v != "" {
				return configured(v, file), nil
			}
		}
	}
	return Index{Endpoint: registry.Endpoint{URL: model.RegistryURLPyPI, Source: "the default"}}, nil
}

// configured reads an index's address, which ends in "simple" as a rule.
func configured(address, source string) Index {
	address = strings.TrimRight(strings.TrimSpace(address), "/")
	i := Index{Endpoint: registry.Endpoint{URL: address, Source: source}, Configured: true}
	if base, ok := strings.CutSuffix(address, "/simple"); ok {
		i.URL, i.Simple = base, []string{"simple"}
	}
	return i
}

// unnamed drops the name that uv allows in front of an index ("name=https://…").
func unnamed(v string) string {
	if name, rest, ok := strings.Cut(v, "="); ok && !strings.ContainsAny(name, ":/") {
		return rest
	}
	return v
}

func uvFiles(place registry.Place) []string {
	if f := place.Getenv("UV_CONFIG_FILE"); f != "" {
		return []string{f}
	}
	if place.Getenv("UV_NO_CONFIG") != "" {
		return nil
	}
	files := []string{filepath.Join(place.Dir, "uv.toml")}
	switch config := place.Getenv("XDG_CONFIG_HOME"); {
	case runtime.GOOS == "windows":
		if d := place.Getenv("APPDATA"); d != "" {
			files = append(files, filepath.Join(d, "uv", "uv.toml"))
		}
		if d := place.Getenv("PROGRAMDATA"); d != "" {
			files = append(files, filepath.Join(d, "uv", "uv.toml"))
		}
		return files
	case config != "":
		files = append(files, filepath.Join(config, "uv", "uv.toml"))
	case place.Home != "":
		files = append(files, filepath.Join(place.Home, ".config", "uv", "uv.toml"))
	}
	return append(files, "/etc/uv/uv.toml")
}

func uvIndex(text []byte) (string, error) {
	var c struct {
		IndexURL string `toml:"index-url"`
		Index    []struct {
			URL     string `toml:"url"`
			Default bool   `toml:"default"`
		} `toml:"index"`
		Pip struct {
			IndexURL string `toml:"index-url"`
		} `toml:"pip"`
	}
	if err := toml.Unmarshal(text, &c); err != nil {
		return "", errors.New("it is no TOML")
	}
	for _, i := range c.Index {
		if i.Default {
			return i.URL, nil
		}
	}
	if c.IndexURL == "" {
		return c.Pip.IndexURL, nil
	}
	return c.IndexURL, nil
}

// pipFiles are the files of pip, the most particular first: PIP_CONFIG_FILE, the virtual environment's, the user's two, the machine's.
func pipFiles(place registry.Place) []string {
	name := "pip.conf"
	if runtime.GOOS == "windows" {
		name = "pip.ini"
	}
	var files []string
	switch f := place.Getenv("PIP_CONFIG_FILE"); f {
	case "":
	case os.DevNull:
		return nil
	default:
		files = append(files, f)
	}
	if d := place.Getenv("VIRTUAL_ENV"); d != "" {
		files = append(files, filepath.Join(d, name))
	}
	switch config := place.Getenv("XDG_CONFIG_HOME"); {
	case runtime.GOOS == "windows":
		if d := place.Getenv("APPDATA"); d != "" {
			files = append(files, filepath.Join(d, "pip", name))
		}
	case runtime.GOOS == "darwin" && place.Home != "":
		files = append(files, filepath.Join(place.Home, "Library", "Application Support", "pip", name), filepath.Join(place.Home, ".config", "pip", name))
	case config != "":
		files = append(files, filepath.Join(config, "pip", name))
	case place.Home != "":
		files = append(files, filepath.Join(place.Home, ".config", "pip", name))
	}
	if place.Home != "" {
		files = append(files, filepath.Join(place.Home, ".pip", name))
	}
	switch runtime.GOOS {
	case "windows":
		if d := place.Getenv("PROGRAMDATA"); d != "" {
			files = append(files, filepath.Join(d, "pip", name))
		}
	case "darwin":
		files = append(files, "/Library/Application Support/pip/"+name)
	default:
		files = append(files, "/etc/xdg/pip/"+name, "/etc/"+name)
	}
	return files
}

func pipIndex(text []byte) (string, error) {
	parsed, err := ini.LoadSources(ini.LoadOptions{AllowPythonMultilineValues: true, IgnoreInlineComment: true, SkipUnrecognizableLines: true}, text)
	if err != nil {
		return "", errors.New("it is no pip configuration")
	}
	for _, section := range []string{"install", "download", "global"} {
		for _, key := range []string{"index-url", "index_url"} {
			if v := strings.TrimSpace(parsed.Section(section).Key(key).String()); v != "" {
				return v, nil
			}
		}
	}
	return "", nil
}
