package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcp-hallmark/hallmark/internal/audit"
	"github.com/mcp-hallmark/hallmark/internal/config"
	"github.com/mcp-hallmark/hallmark/internal/gate"
	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/tomldoc"
)

// projectFlags say which configuration an audit is judged under and which gates it must pass.
type projectFlags struct {
	config             string
	noConfig           bool
	failUnder          int
	failUnderReadiness int
	failOn             string
	categories         []string
	baseline           string
	lock               string

	applied *config.Config
	gates   gate.Gates
	pinned  *pinnedCatalog
}

func (f *projectFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.config, "config", "", "configuration `file`; otherwise hallmark.toml, or [tool.hallmark] in pyproject.toml, from here up to the repository's root")
	flags.BoolVar(&f.noConfig, "no-config", false, "look for no configuration")
	flags.IntVar(&f.failUnder, "fail-under", -1, "exit with 3 when the score is below this `percentage`")
	flags.IntVar(&f.failUnderReadiness, "fail-under-readiness", -1, "exit with 3 when readiness is below this `percentage`")
	flags.StringVar(&f.failOn, "fail-on", "", "exit with 3 when a rule of this `severity` or above fails (low, medium, high, critical)")
	flags.StringArrayVar(&f.categories, "fail-under-category", nil, "`NAME=PERCENTAGE` that a category must reach (repeatable)")
	flags.StringVar(&f.baseline, "baseline", "", "`file` of hallmark baseline; exit with 3 when something fails that it does not know")
	flags.StringVar(&f.lock, "lock", "", "`file` of hallmark lock; exit with 3 when the server's catalog is another one")
	flags.Lookup("fail-under").DefValue = ""
	flags.Lookup("fail-under-readiness").DefValue = ""
}

// check tests what can be told from the command line alone.
func (f *projectFlags) check() error {
	if f.config != "" && f.noConfig {
		return usage("--config and --no-config exclude each other", "give one of them")
	}
	for _, p := range []struct {
		name  string
		value int
	}{{"fail-under", f.failUnder}, {"fail-under-readiness", f.failUnderReadiness}} {
		if p.value < -1 || p.value > 100 {
			return usage(fmt.Sprintf("--%s %d is no percentage", p.name, p.value), "use a whole number from 0 to 100")
		}
	}
	return nil
}

// load finds and reads the configuration and the files of the gates. What stands on the command line counts before the configuration.
func (f *projectFlags) load(env *Env, p *policy.Policy, quiet bool) error {
	path := ""
	var err error
	switch {
	case f.noConfig:
	case f.config != "":
		path = f.config
		f.applied, err = readConfig(f.config, f.config, formsOf(f.config), p)
		if errors.Is(err, config.ErrNoTable) {
			err = fmt.Errorf("%s has no table [tool.hallmark]", f.config)
		}
	default:
		f.applied, path, err = findConfig(env, p)
	}
	if err != nil {
		return usage(err.Error(), "")
	}
	if f.applied != nil {
		for _, w := range f.applied.Warnings {
			fmt.Fprintf(env.Stderr, "hallmark: warning: %s\n", visible(w))
		}
		if !quiet {
			fmt.Fprintf(env.Stderr, "hallmark: configuration %s\n", visible(f.applied.Source))
		}
	}
	return f.loadGates(filepath.Dir(path), p)
}

// loadGates settles the gates; files that the configuration names are looked for beside it.
func (f *projectFlags) loadGates(folder string, p *policy.Policy) error {
	var categories []string
	for _, c := range p.Categories {
		categories = append(categories, c.Name)
	}
	var g config.Gate
	source := ""
	if f.applied != nil {
		g, source = f.applied.Gate, f.applied.Source
	}
	configured := func(key string, value any) string { return fmt.Sprintf("%s %v of %s", key, value, source) }
	f.gates = gate.Gates{}
	switch {
	case f.failUnder >= 0:
		f.gates.Score = &gate.Percent{Name: fmt.Sprintf("--fail-under %d", f.failUnder), Least: f.failUnder}
	case g.FailUnder != nil:
		f.gates.Score = &gate.Percent{Name: configured("fail_under", *g.FailUnder), Least: *g.FailUnder}
	}
	switch {
	case f.failUnderReadiness >= 0:
		f.gates.Readiness = &gate.Percent{Name: fmt.Sprintf("--fail-under-readiness %d", f.failUnderReadiness), Least: f.failUnderReadiness}
	case g.FailUnderReadiness != nil:
		f.gates.Readiness = &gate.Percent{Name: configured("fail_under_readiness", *g.FailUnderReadiness), Least: *g.FailUnderReadiness}
	}
	given := map[string]bool{}
	for _, c := range f.categories {
		name, value, ok := strings.Cut(c, "=")
		n, err := strconv.Atoi(value)
		if !ok || err != nil || n < 0 || n > 100 {
			return usage(fmt.Sprintf("--fail-under-category %q is not of the form NAME=PERCENTAGE", c), "for example --fail-under-category security=90")
		}
		if !slices.Contains(categories, name) {
			return usage(fmt.Sprintf("--fail-under-category: no category is called %q%s", name, tomldoc.OrOneOf(name, categories)), "")
		}
		given[name] = true
		f.gates.Categories = append(f.gates.Categories, gate.Percent{Name: "--fail-under-category " + c, Category: name, Least: n})
	}
	for _, m := range g.Categories {
		if !given[m.Category] {
			f.gates.Categories = append(f.gates.Categories, gate.Percent{Name: configured(m.Category, m.Percent), Category: m.Category, Least: m.Percent})
		}
	}
	switch severity := rule.Severity(strings.ToUpper(f.failOn)); {
	case f.failOn != "" && !slices.Contains([]rule.Severity{rule.Low, rule.Medium, rule.High, rule.Critical}, severity):
		words := []string{"low", "medium", "high", "critical"}
		return usage(fmt.Sprintf("--fail-on %q is no severity%s", f.failOn, tomldoc.OrOneOf(f.failOn, words)), "")
	case f.failOn != "":
		f.gates.FailOn = &gate.Severity{Name: "--fail-on " + strings.ToLower(f.failOn), Least: severity}
	case g.FailOn != "":
		f.gates.FailOn = &gate.Severity{Name: configured("fail_on", strings.ToLower(string(g.FailOn))), Least: g.FailOn}
	}
	baseline, name := f.baseline, "--baseline "+f.baseline
	if baseline == "" && g.Baseline != "" {
		baseline, name = beside(folder, g.Baseline), configured("baseline", g.Baseline)
	}
	if baseline != "" {
		b, err := readBaseline(baseline)
		if err != nil {
			return err
		}
		f.gates.Baseline = &gate.Against{Name: name, Baseline: b}
	}
	pinned, name := f.lock, "--lock "+f.lock
	if pinned == "" && g.Lock != "" {
		pinned, name = beside(folder, g.Lock), configured("lock", g.Lock)
	}
	if pinned != "" {
		l, err := readLock(pinned)
		if err != nil {
			return err
		}
		f.pinned = &pinnedCatalog{name: name, lock: l}
	}
	return nil
}

func beside(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// forSeveral drops the gates of the configuration that are about one server: the flags for them are refused where several are audited.
func (f *projectFlags) forSeveral(env *Env) {
	if f.pinned != nil {
		fmt.Fprintf(env.Stderr, "hallmark: warning: %s: a lock is of one server, and is not checked where several are audited\n", visible(f.pinned.name))
		f.pinned = nil
	}
	if f.gates.Baseline != nil {
		fmt.Fprintf(env.Stderr, "hallmark: warning: %s: a baseline is of one server, and is not used where several are audited\n", visible(f.gates.Baseline.Name))
		f.gates.Baseline = nil
	}
}

// judge judges a recording under the configuration and puts the outcome of the gates into the report.
func (f *projectFlags) judge(env *Env, rec *recording.Recording, p *policy.Policy) (*report.Report, error) {
	r, err := guarded(rec, p, func() (*report.Report, error) { return audit.JudgeUnder(rec, p, engine(), f.applied) })
	if err != nil {
		return nil, err
	}
	if f.applied != nil {
		for _, w := range audit.ConfigWarnings(f.applied, r) {
			fmt.Fprintf(env.Stderr, "hallmark: warning: %s\n", visible(w))
		}
	}
	if !r.Ran() {
		return r, nil
	}
	gates, failed := gate.Check(r, f.gates)
	if f.pinned != nil {
		gates = append(gates, f.pinned.gate(r, rec))
	}
	r.Gates = gates
	if r.Config != nil && f.applied.Gate.FailOn != "" && f.gates.FailOn != nil {
		r.Config.Gate = &report.ConfigGate{FailOn: f.gates.FailOn.Least, Failed: failed}
	}
	return r, nil
}

// conclude names each gate that failed, and how the catalog has changed when that is one of them.
func (f *projectFlags) conclude(env *Env, r *report.Report) error {
	failed := false
	for _, g := range r.Gates {
		if !g.Passed {
			failed = true
			fmt.Fprintf(env.Stderr, "hallmark: gate: %s: %s\n", visible(g.Name), visible(g.Message))
		}
	}
	if f.pinned != nil {
		f.pinned.explain(env.Stderr, r)
	}
	if b := f.gates.Baseline; b != nil && r.Ran() {
		if ids := b.Baseline.Repaired(r); len(ids) > 0 {
			fmt.Fprintf(env.Stderr, "hallmark: note: the baseline can be renewed, these pass now: %s\n", strings.Join(ids, ", "))
		}
	}
	if failed {
		return &exitError{code: ExitGate}
	}
	return nil
}

// formsOf are the forms that a file with this name can have.
func formsOf(name string) []config.Form {
	var forms []config.Form
	for _, form := range config.Forms {
		if form.File == filepath.Base(name) {
			forms = append(forms, form)
		}
	}
	if forms == nil {
		return []config.Form{config.Own}
	}
	return forms
}

// readConfig reads a file in the first of the forms whose table it has.
func readConfig(path, label string, forms []config.Form, p *policy.Policy) (*config.Config, error) {
	text, err := readText(path)
	if err != nil {
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return nil, fmt.Errorf("cannot read %s: %w", label, err)
	}
	v, err := audit.Vocabulary(p)
	if err != nil {
		return nil, err
	}
	var c *config.Config
	for _, form := range forms {
		if c, err = config.Parse(label, form, text, v); !errors.Is(err, config.ErrNoTable) {
			break
		}
	}
	return c, err
}

// readText reads a file that a person wrote, or as much of it as shows that it is too large.
func readText(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, tomldoc.MaxSize+1))
}

// findConfig looks for a configuration in the working directory and above it, up to the root of the repository. The first file found
// decides alone.
func findConfig(env *Env, p *policy.Policy) (c *config.Config, path string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, "", fmt.Errorf("cannot tell the working directory: %w", err)
	}
	for folder := here; ; folder = filepath.Dir(folder) {
		for _, form := range config.Forms {
			path := filepath.Join(folder, form.File)
			label := path
			if folder == here {
				label = form.File
			}
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				continue
			}
			c, err := readConfig(path, label, []config.Form{form}, p)
			switch {
			case errors.Is(err, config.ErrNoTable):
				continue
			case err != nil && form.Table != "" && errors.Is(err, fs.ErrPermission):
				fmt.Fprintf(env.Stderr, "hallmark: warning: %v; it is passed over\n", err)
				continue
			}
			return c, path, err
		}
		if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil || folder == filepath.Dir(folder) {
			return nil, "", nil
		}
	}
}
