package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/render"
	"github.com/mcp-hallmark/hallmark/internal/report"
)

// output is one report file; the file "-" is standard output.
type output struct{ format, file string }

// document is what a report file is made of.
type document struct {
	report *report.Report
	rec    *recording.Recording
	dir    string // in which the server's command starts, empty for the working directory
}

// formats are the report formats by name.
var formats = map[string]func(io.Writer, document) error{
	"json": func(w io.Writer, d document) error { return render.JSON(w, d.report) },
	"text": func(w io.Writer, d document) error {
		return render.Terminal(w, d.report, render.Options{Width: 80, Verbose: true})
	},
	"html":            func(w io.Writer, d document) error { return render.HTML(w, d.report, d.rec) },
	"sarif":           func(w io.Writer, d document) error { return render.SARIF(w, d.report, projectFile(d.rec, d.dir)) },
	"markdown":        func(w io.Writer, d document) error { return render.Markdown(w, d.report) },
	"junit":           func(w io.Writer, d document) error { return render.JUnit(w, d.report) },
	"badge":           func(w io.Writer, d document) error { return render.Badge(w, d.report) },
	"readiness-badge": func(w io.Writer, d document) error { return render.ReadinessBadge(w, d.report) },
}

// endings choose a format by how a file's name ends; the first that fits decides.
var endings = []struct{ ending, format string }{
	{".sarif.json", "sarif"}, {".sarif", "sarif"}, {".json", "json"}, {".txt", "text"}, {".html", "html"}, {".htm", "html"},
	{".md", "markdown"}, {".xml", "junit"}, {".svg", "badge"},
}

// parseOutput reads the value of --output: a file's name whose ending tells the format, or FORMAT:FILE.
func parseOutput(value string) (output, error) {
	if format, file, prefixed := strings.Cut(value, ":"); prefixed && formats[format] != nil {
		if strings.TrimSpace(file) == "" {
			return output{}, usage(fmt.Sprintf("--output %q names no file", value), "write "+format+":NAME, or "+format+":- for standard output")
		}
		return output{format, file}, nil
	}
	for _, e := range endings {
		if name := strings.ToLower(filepath.Base(value)); strings.HasSuffix(name, e.ending) {
			return output{e.format, value}, nil
		}
	}
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return output{}, usage(fmt.Sprintf("cannot tell the format of --output %q", value), "end the name with .html, .sarif, .md, .xml, .svg, .json or .txt, or write FORMAT:NAME with one of "+strings.Join(names, ", "))
}

// parseOutputs reads --output and --sarif. Standard output takes one document.
func (f *outputFlags) parseOutputs() error {
	for _, value := range f.outputs {
		o, err := parseOutput(value)
		if err != nil {
			return err
		}
		f.parsed = append(f.parsed, o)
	}
	for _, file := range f.sarif {
		if strings.TrimSpace(file) == "" {
			return usage("--sarif names no file", "write --sarif NAME, or --sarif - for standard output")
		}
		f.parsed = append(f.parsed, output{"sarif", file})
	}
	seen := map[string]bool{}
	for _, o := range f.parsed {
		switch {
		case o.file == "-" && f.json:
			return usage(fmt.Sprintf("--json and %s:- both write to standard output", o.format), "let one of them write to a file")
		case seen[o.file] && o.file == "-":
			return usage("two reports are to be written to standard output", "let one of them write to a file")
		case seen[o.file]:
			return usage(fmt.Sprintf("two reports are to be written to %s", o.file), "give each its own name")
		}
		seen[o.file] = true
	}
	return nil
}

// toStdout tells whether standard output belongs to a document.
func (f *outputFlags) toStdout() bool {
	return f.json || slices.ContainsFunc(f.parsed, func(o output) bool { return o.file == "-" })
}

// sources are endings of files that a server can consist of.
var sources = []string{".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".go", ".rb", ".php", ".rs", ".java", ".jar", ".kts", ".cs", ".lua", ".pl", ".sh"}

// projectFile finds the file of the project that a local server was started from: a program or a script that the command names, inside
// the repository around the working directory. It returns a slash-separated path relative to the repository's root, empty when there is
// none.
func projectFile(rec *recording.Recording, dir string) string {
	if rec == nil || len(rec.Target.Command) == 0 {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return ""
	}
	root := here
	for folder := here; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
			root = folder
			break
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(here, dir)
	}
	for n, word := range rec.Target.Command {
		isProgram := n == 0 && strings.ContainsAny(word, `/\`) // otherwise it is looked for in PATH
		if !isProgram && !slices.Contains(sources, strings.ToLower(filepath.Ext(word))) {
			continue
		}
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if relative, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(relative) {
			return filepath.ToSlash(relative)
		}
	}
	return ""
}
