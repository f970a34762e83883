package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcp-hallmark/hallmark/internal/capture"
	"github.com/mcp-hallmark/hallmark/internal/clientconfig"
	"github.com/mcp-hallmark/hallmark/internal/coordinate"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// targetFlags say which of the things that the command line names are audited.
type targetFlags struct {
	pkg       string
	servers   []string
	inputs    []string
	jobs      int
	outputDir string
	formats   []string
}

func (f *targetFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.pkg, "package", "", "`coordinate` of a package whose metadata is audited in place of a server: npm:NAME[@VERSION], pypi:NAME[==VERSION], or a package URL")
	f.choose(flags)
	flags.IntVar(&f.jobs, "jobs", 4, "most servers audited at once")
	flags.StringVar(&f.outputDir, "output-dir", "", "`folder` for a report of each of several servers, and summary.json")
	flags.StringArrayVar(&f.formats, "format", nil, "`format` of the reports in --output-dir, as in --output (json when not given); recording keeps the recordings (repeatable)")
}

// choose adds the flags that choose a server of a file and complete it.
func (f *targetFlags) choose(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.servers, "server", nil, "`name` of the server to audit of a client configuration or server.json (repeatable)")
	flags.StringArrayVar(&f.inputs, "input", nil, "`NAME=VALUE`, or NAME to copy it from the environment, for what a client configuration or server.json asks for (repeatable)")
}

// An entry is one thing to audit.
type entry struct {
	name     string // in the summary and in names of files
	target   capture.Target
	header   http.Header
	secrets  []string
	pkg      *recording.Package
	base     string // the package's registry where it is not the user's
	fromFile bool   // a configuration says what goes to the server, our environment adds nothing
	skip     string // why it is not audited, though nothing is wrong
	err      error  // why it cannot be audited
}

// shown names an entry in messages and reports, without secrets.
func (e *entry) shown() string {
	switch {
	case e.pkg != nil:
		return e.pkg.String()
	case e.target.URL != "" || len(e.target.Command) > 0:
		return shown(e.target)
	}
	return e.name
}

// entries are what the command line names in forms that hold more than a URL or a command: a package, client configurations, a list, or
// several targets. fleet says that the outcome is a summary even where there is one. Both are empty where the command line names one
// server in the plain way.
func (f *auditFlags) entries(env *Env, stdio *stdioCommand, args []string) (list []entry, fleet bool, err error) {
	t := &f.targets
	if t.pkg != "" {
		switch {
		case stdio.given || len(args) > 0:
			return nil, false, usage("--package and a server exclude each other", "audit them one after the other")
		case len(f.env) > 0 || f.cwd != "":
			return nil, false, usage("--env and --cwd are for commands, nothing of a package is run", "")
		}
		e, err := packageEntry(t.pkg)
		return []entry{e}, false, err
	}
	if stdio.given {
		return nil, false, t.unused(false)
	}
	inputs, err := t.answers(env)
	if err != nil {
		return nil, false, err
	}
	files := 0
	for _, arg := range args {
		kind := kindOf(arg)
		var more []entry
		switch kind {
		case fileTarget:
			files++
			more, err = t.configured(env, arg, inputs)
		case listTarget:
			more, err = t.listed(env, inputs)
		default:
			var e entry
			e, err = plainEntry(arg, kind)
			more = []entry{e}
		}
		if err != nil {
			return nil, false, err
		}
		list = append(list, more...)
		fleet = fleet || kind == listTarget || kind == fileTarget && len(t.servers) != 1
	}
	if err := t.unused(files > 0 || fleet); err != nil {
		return nil, false, err
	}
	fleet = fleet || len(args) > 1
	if !fleet && files == 0 && !slices.ContainsFunc(list, func(e entry) bool { return e.pkg != nil }) {
		return nil, false, t.alone()
	}
	if !fleet {
		return list, false, t.alone()
	}
	return list, true, f.apart()
}

// unused refuses flags that nothing on the command line takes.
func (t *targetFlags) unused(files bool) error {
	switch {
	case files:
		return nil
	case len(t.servers) > 0:
		return usage("--server chooses from a client configuration, and none is named", "hallmark audit --server NAME mcp.json")
	case len(t.inputs) > 0:
		return usage("--input answers what a client configuration asks for, and none is named", "for a command use --env, for a URL --header")
	}
	return t.alone()
}

// alone refuses flags that are for several targets.
func (t *targetFlags) alone() error {
	if t.outputDir != "" || len(t.formats) > 0 {
		return usage("--output-dir and --format are for several servers", "use --output for one")
	}
	return nil
}

// apart refuses flags that are for one server: a credential for one would be sent to all of them, and a file can hold one report.
func (f *auditFlags) apart() error {
	t := &f.targets
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--header", len(f.headers) > 0}, {"--token", f.token != ""}, {"--cert", f.cert != ""}, {"--oauth", f.oauth.on}, {"--env", len(f.env) > 0}, {"--cwd", f.cwd != ""},
		{"--transport", f.transport != "auto" && f.transport != ""}, {"--record", f.record != ""}, {"--output", len(f.out.outputs) > 0}, {"--sarif", len(f.out.sarif) > 0},
		{"--smoke", f.smoke.on}, {"--baseline", f.out.project.baseline != ""}, {"--lock", f.out.project.lock != ""},
	} {
		if flag.given {
			return usage(flag.name+" is for one server, and several are audited", "name one with --server; reports go to --output-dir, credentials into the configuration")
		}
	}
	if t.jobs < 1 || t.jobs > 64 {
		return usage("--jobs must be between 1 and 64", "")
	}
	if len(t.formats) > 0 && t.outputDir == "" {
		return usage("--format is for the reports in --output-dir", "name the folder, or use --json")
	}
	for _, name := range t.formats {
		if formats[name] == nil && name != "recording" {
			return usage(fmt.Sprintf("--format %q is not known%s", name, didYouMean(name, formatNames())), "use "+strings.Join(formatNames(), ", "))
		}
	}
	return nil
}

func formatNames() []string {
	names := []string{"recording"}
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func didYouMean(word string, names []string) string {
	if n := nearest(word, names); n != "" {
		return fmt.Sprintf(", did you mean %q?", n)
	}
	return ""
}

// answers reads --input.
func (t *targetFlags) answers(env *Env) (map[string]string, error) {
	inputs := map[string]string{}
	for i, in := range t.inputs {
		name, value, given := strings.Cut(in, "=")
		switch {
		case name == "":
			return nil, usage(fmt.Sprintf("--input number %d has an empty name", i+1), "write NAME=VALUE or NAME")
		case !given:
			if value = env.Getenv(name); value == "" {
				return nil, usage(fmt.Sprintf("--input number %d names a variable that is not set here", i+1), "set it, or write NAME=VALUE")
			}
		}
		inputs[name] = value
	}
	return inputs, nil
}

type targetKind int

const (
	unknownTarget targetKind = iota
	urlTarget
	scriptTarget
	packageTarget
	fileTarget
	listTarget
)

// kindOf tells by its form what a word names. Whether it exists is tested later.
func kindOf(arg string) targetKind {
	if arg == "-" {
		return listTarget
	}
	if u, err := url.Parse(arg); err == nil && (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")) {
		return urlTarget
	}
	if coordinate.Is(arg) {
		return packageTarget
	}
	if runner(arg) != nil {
		return scriptTarget
	}
	if ext := strings.ToLower(filepath.Ext(arg)); ext == ".json" || ext == ".jsonc" {
		return fileTarget
	}
	return unknownTarget
}

// runner is the command that runs a script, nil when its ending is not known. TypeScript is run by tsx where that is installed, else by
// node itself, which can since version 22.6.
func runner(script string) []string {
	switch strings.ToLower(filepath.Ext(script)) {
	case ".py":
		return []string{"python3"}
	case ".js", ".mjs", ".cjs":
		return []string{"node"}
	case ".ts", ".mts", ".cts":
		if _, err := exec.LookPath("tsx"); err == nil {
			return []string{"tsx"}
		}
		return []string{"node", "--experimental-strip-types"}
	case ".go":
		return []string{"go", "run"}
	}
	return nil
}

// positional reads a URL or a script.
func positional(t *capture.Target, arg string) error {
	switch kindOf(arg) {
	case urlTarget:
		t.URL = arg
		return nil
	case scriptTarget:
		if _, err := os.Stat(arg); err != nil {
			return usage(fmt.Sprintf("cannot read %s: %s", arg, reason(err)), "name a script that exists, or a URL")
		}
		t.Command = append(runner(arg), arg)
		if t.Command[0] == "go" { // go looks for the module of the folder in which it runs
			t.Command[2], t.Dir = filepath.Base(arg), filepath.Dir(arg)
		}
		return nil
	}
	masked := recording.MaskURL(arg)
	switch kindOf(arg) {
	case fileTarget, packageTarget, listTarget:
		return usage(fmt.Sprintf("%q can be given to hallmark audit alone", masked), "name one server here: a URL, a script, or a command after --stdio")
	}
	if strings.Contains(arg, "://") {
		return usage(fmt.Sprintf("%q is not a URL that can be audited", masked), "MCP servers are reached at http:// and https:// URLs")
	}
	return usage(fmt.Sprintf("%q is neither an http or https URL nor a script (.py, .js, .ts, .go), a client configuration (.json) or a package (npm:NAME, pypi:NAME)", masked), "for a command write: hallmark audit --stdio "+masked)
}

func plainEntry(arg string, kind targetKind) (entry, error) {
	if kind == packageTarget {
		return packageEntry(arg)
	}
	e := entry{name: recording.MaskURL(arg)}
	return e, positional(&e.target, arg)
}

func packageEntry(text string) (entry, error) {
	p, err := coordinate.Parse(text)
	if err != nil {
		return entry{name: text}, usage(fmt.Sprintf("%q is no package: %v", text, err), "for example npm:@scope/name@1.2.3 or pypi:name==1.2.3")
	}
	return entry{name: p.String(), pkg: &p}, nil
}

const (
	maxConfig = 16 << 20 // bytes of a client configuration
	maxLine   = 1 << 20  // bytes of a line of a list
	maxListed = 10_000   // targets of a list
)

// configured reads a client configuration or server.json. What is wrong with one of its servers is the entry's error.
func (t *targetFlags) configured(env *Env, file string, inputs map[string]string) ([]entry, error) {
	text, err := readBounded(file)
	if err != nil {
		return nil, usage(fmt.Sprintf("cannot read %s: %s", file, reason(err)), "name a client configuration (mcp.json) or a server.json")
	}
	if bytes.Contains(text[:min(len(text), 4096)], []byte(`"`+recording.Format+`"`)) {
		return nil, usage(file+" is a recording, not a server", "judge it again with hallmark replay "+file)
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return nil, usage(fmt.Sprintf("cannot read %s: %s", file, reason(err)), "")
	}
	workspace, dir := filepath.Dir(whole), ""
	switch folder := filepath.Base(workspace); {
	case folder == ".vscode" || folder == ".cursor":
		workspace = filepath.Dir(workspace)
		dir = workspace
	case filepath.Base(file) == ".mcp.json":
		dir = workspace
	}
	servers, err := clientconfig.Parse(text, clientconfig.Around{Getenv: env.Getenv, Inputs: inputs, Home: home(env), Workspace: workspace})
	if err != nil {
		return nil, usage(fmt.Sprintf("%s: %v", file, err), "see docs/targets.md for the forms that are known")
	}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	for _, want := range t.servers {
		if !slices.Contains(names, want) {
			hint := "it has none"
			if len(names) > 0 {
				hint = "it has " + strings.Join(names, ", ")
			}
			return nil, usage(fmt.Sprintf("%s has no server called %q%s", file, want, didYouMean(want, names)), hint)
		}
	}
	var list []entry
	for _, s := range servers {
		named := slices.Contains(t.servers, s.Name)
		if len(t.servers) > 0 && !named {
			continue
		}
		e := entryOf(s, dir, workspace)
		if named && s.Command != nil || named && s.URL != "" {
			e.skip = "" // who names a server that is switched off wants it
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, usage(file+" names no server", "")
	}
	return list, nil
}

// entryOf turns a server of a file into an entry. Its command starts in dir, empty for here, unless it names a folder.
func entryOf(s clientconfig.Server, dir, workspace string) entry {
	e := entry{name: s.Name, secrets: s.Secrets, pkg: s.Package, base: s.Registry, skip: s.Skip, fromFile: true}
	if s.Err != nil {
		e.err = usage(s.Err.Error(), "")
		return e
	}
	e.target = capture.Target{URL: s.URL, Force: s.Transport, Command: s.Command, Dir: dir}
	if s.Dir != "" {
		e.target.Dir = s.Dir
		if !filepath.IsAbs(s.Dir) {
			e.target.Dir = filepath.Join(workspace, s.Dir)
		}
	}
	for _, p := range s.Env {
		e.target.Env = append(e.target.Env, p.Name+"="+p.Value)
	}
	for _, p := range s.Header {
		if e.header == nil {
			e.header = http.Header{}
		}
		e.header.Add(p.Name, p.Value)
	}
	if err := validHeader(e.header); err != nil {
		e.err = usage(err.Error(), "")
	}
	if e.pkg != nil && e.pkg.Requested == "latest" { // a server.json must pin, and clients resolve this all the same
		e.pkg.Requested = ""
	}
	return e
}

// listed reads targets from standard input, one a line.
func (t *targetFlags) listed(env *Env, inputs map[string]string) ([]entry, error) {
	var list []entry
	lines := bufio.NewScanner(env.Stdin)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if line == "" || line[0] == '#' {
			continue
		}
		if len(list) == maxListed {
			return nil, usage(fmt.Sprintf("the list has more than %d targets", maxListed), "")
		}
		more, err := t.line(env, line, inputs)
		if err != nil {
			var exit *exitError
			errors.As(err, &exit)
			more = []entry{{name: fmt.Sprintf("line %d", n), err: usage(exit.message, exit.hint)}}
		}
		list = append(list, more...)
	}
	if err := lines.Err(); err != nil {
		return nil, usage("cannot read the list: "+reason(err), "one target a line")
	}
	if len(list) == 0 {
		return nil, usage("the list on standard input is empty", "write one target a line: a URL, a script, a package, a client configuration, or --stdio COMMAND")
	}
	return list, nil
}

func (t *targetFlags) line(env *Env, line string, inputs map[string]string) ([]entry, error) {
	if rest, ok := strings.CutPrefix(line, "--stdio"); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '=') {
		words, err := shellWords(strings.TrimPrefix(rest, "="))
		if err != nil {
			return nil, usage(err.Error(), "quote words as in a shell")
		}
		if len(words) == 0 {
			return nil, usage("--stdio is not followed by a command", "for example --stdio npx -y some-mcp-server")
		}
		return []entry{{name: words[0], target: capture.Target{Command: words}, fromFile: true}}, nil
	}
	switch kind := kindOf(line); kind {
	case listTarget:
		return nil, usage("a list cannot name itself", "")
	case fileTarget:
		every := targetFlags{}
		return every.configured(env, line, inputs)
	default:
		e, err := plainEntry(line, kind)
		e.fromFile = true
		return []entry{e}, err
	}
}

// shellWords splits a command line at blanks the way a shell does: with quotes and backslashes, and without anything being expanded.
func shellWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote, escaped := false, rune(0), false
	for _, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

func readBounded(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("it is larger than %d bytes", maxConfig)
	}
	return text, err
}

// home is the user's home directory, empty when there is none.
func home(env *Env) string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if h := env.Getenv(name); h != "" {
			return h
		}
	}
	return ""
}
