// Package ci tests the parts for other people's pipelines: that they are well-formed and name nothing that moves, and that their scripts
// do what they say. Programs that only a pipeline has are played by small scripts.
package ci

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t *testing.T, file string, into any, known bool) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader(read(t, file)))
	d.KnownFields(known)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

type action struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			Name, ID, If, Uses, Shell, Run string
			With, Env                      map[string]string
		}
	}
}

func TestAction(t *testing.T) {
	var a action
	decode(t, "../action.yml", &a, false)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("the action is %q with %d steps", a.Runs.Using, len(a.Runs.Steps))
	}
	used := map[string]bool{}
	ids := map[string]bool{}
	pinned := regexp.MustCompile(`^[\w-]+/[\w/-]+@[0-9a-f]{40}$`)
	for _, s := range a.Runs.Steps {
		ids[s.ID] = true
		switch {
		case s.Uses != "" && !pinned.MatchString(s.Uses):
			t.Errorf("step %q uses %s, which is not pinned to a commit", s.Name, s.Uses)
		case s.Run != "" && s.Shell == "":
			t.Errorf("step %q has no shell", s.Name)
		case strings.Contains(s.Run, "${{"):
			t.Errorf("step %q pastes a value into its script, where it could be code", s.Name)
		}
		text := s.If
		for _, m := range []map[string]string{s.With, s.Env} {
			for _, v := range m {
				text += " " + v
			}
		}
		for _, m := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
			if _, there := a.Inputs[m[1]]; !there {
				t.Errorf("step %q reads the input %s, which is not declared", s.Name, m[1])
			}
		}
	}
	for name, in := range a.Inputs {
		if !used[name] || in.Description == "" {
			t.Errorf("input %s: used %v, description %q", name, used[name], in.Description)
		}
	}
	for name, out := range a.Outputs {
		m := regexp.MustCompile(`^\$\{\{ steps\.(\w+)\.outputs\.([\w-]+) \}\}$`).FindStringSubmatch(out.Value)
		if m == nil || !ids[m[1]] {
			t.Errorf("output %s is %s, which no step gives", name, out.Value)
		}
	}
}

func TestHooks(t *testing.T) {
	var hooks []struct {
		ID, Name, Description, Entry, Language string
		PassFilenames                          bool `yaml:"pass_filenames"`
		AlwaysRun                              bool `yaml:"always_run"`
	}
	decode(t, "../.pre-commit-hooks.yaml", &hooks, true)
	for _, h := range hooks {
		if h.ID == "" || h.Name == "" || !strings.HasPrefix(h.Entry, "hallmark ") || h.Language != "golang" || h.PassFilenames {
			t.Errorf("hook %+v", h)
		}
	}
	if len(hooks) != 2 {
		t.Errorf("%d hooks", len(hooks))
	}
}

func TestRelease(t *testing.T) {
	var r struct {
		Version int
		Builds  []struct {
			Main         string
			Env, Flags   []string
			Goos, Goarch []string
			Ldflags      []string
		}
		Checksum struct{ Algorithm string }
		Sboms    []struct{ Artifacts string }
	}
	decode(t, "../.goreleaser.yaml", &r, false)
	if r.Version != 2 || len(r.Builds) != 1 {
		t.Fatalf("version %d, %d builds", r.Version, len(r.Builds))
	}
	b := r.Builds[0]
	want := [][]string{{"CGO_ENABLED=0"}, {"-trimpath"}, {"linux", "darwin", "windows"}, {"amd64", "arm64"}}
	if diff := cmp.Diff(want, [][]string{b.Env, b.Flags, b.Goos, b.Goarch}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join("..", b.Main)); err != nil {
		t.Error(err)
	}
	if r.Checksum.Algorithm != "sha256" || len(r.Sboms) == 0 {
		t.Errorf("checksums %q, %d SBOMs", r.Checksum.Algorithm, len(r.Sboms))
	}
	// The variable that all builds set is one that there is.
	variable := "github.com/mcp-hallmark/hallmark/internal/cli.Version="
	for _, file := range []string{"../.goreleaser.yaml", "../Dockerfile", "../packaging/binary.sh"} {
		if !bytes.Contains(read(t, file), []byte("-X "+variable)) {
			t.Errorf("%s does not set the version", file)
		}
	}
	if !regexp.MustCompile(`(?m)^var Version = ""`).Match(read(t, "../internal/cli/version.go")) {
		t.Error("package cli has no variable Version")
	}
}

func TestImage(t *testing.T) {
	text := string(read(t, "../Dockerfile"))
	last := text[strings.LastIndex(text, "\nFROM "):]
	for _, want := range []string{"FROM scratch\n", "ca-certificates.crt", "\nUSER 65532:65532\n", "\nENTRYPOINT [\"/hallmark\"]"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last stage has no %q", want)
		}
	}
	version := regexp.MustCompile(`(?m)^go (.+)$`).FindSubmatch(read(t, "../go.mod"))
	image := regexp.MustCompile(`(?m)^FROM golang:(\S+) `).FindStringSubmatch(text)
	if version == nil || image == nil || image[1] < string(version[1]) {
		t.Errorf("the image builds with Go %q, the module wants %q", image, version)
	}
}

// A runner is what a pipeline has around its scripts.
type runner struct {
	t   *testing.T
	dir string
	env []string
}

func newRunner(t *testing.T) *runner {
	if runtime.GOOS == "windows" {
		t.Skip("the programs around the scripts are played by POSIX scripts")
	}
	r := &runner{t: t, dir: t.TempDir()}
	bin := filepath.Join(r.dir, "bin")
	r.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "RUNNER_TEMP="+r.dir,
		"GITHUB_OUTPUT="+filepath.Join(r.dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(r.dir, "summary"), "GITHUB_REPOSITORY=o/r")
	return r
}

func (r *runner) program(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, "bin", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *runner) run(env []string, words ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(r.env, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (r *runner) file(name string) string {
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Error(err)
	}
	return string(text)
}

// audited notes its words and leaves reports as an audit does.
const audited = `printf '%s\n' "$@" >"$RUNNER_TEMP/words"
reports=$RUNNER_TEMP/hallmark-reports
echo '{"percentage": 91}' >"$reports/report.json"
echo '# the report' >"$reports/report.md"
exit 3
`

func TestAuditStep(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq, which the runners of GitHub have, is not here")
	}
	r := newRunner(t)
	r.program("hallmark", audited)
	out, code := r.run([]string{"HALLMARK_BINARY=hallmark", "HALLMARK_COMMAND=node server.js --name $(id) *\n", "HALLMARK_ARGS=--header\nX-Key: a b\n", "HALLMARK_FAIL_UNDER=95", "HALLMARK_BASELINE=b.json"}, "bash", "action/audit.sh")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	reports := filepath.Join(r.dir, "hallmark-reports")
	want := []string{"audit"}
	for _, format := range []string{"json", "md", "html", "sarif"} {
		want = append(want, "--output", filepath.Join(reports, "report."+format))
	}
	want = append(want, "--fail-under", "95", "--baseline", "b.json", "--header", "X-Key: a b", "--stdio", "node", "server.js", "--name", "$(id)", "*")
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(r.file("words")), "\n")); diff != "" {
		t.Errorf("words of hallmark (-want +got):\n%s", diff)
	}
	if got, want := r.file("output"), "exit-code=3\nscore=91\nreports="+reports+"\n"; got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
	if got := r.file("summary"); got != "# the report\n" {
		t.Errorf("summary %q", got)
	}

	r.run([]string{"HALLMARK_BINARY=hallmark", "HALLMARK_COMMAND=node\na file.js\n"}, "bash", "action/audit.sh")
	if got := r.file("words"); !strings.HasSuffix(got, "\n--stdio\nnode\na file.js\n") {
		t.Errorf("a command with a word a line became %q", got)
	}
	r.run([]string{"HALLMARK_BINARY=hallmark", "HALLMARK_TARGET=--json"}, "bash", "action/audit.sh")
	if got := r.file("words"); !strings.HasSuffix(got, "\n--\n--json\n") {
		t.Errorf("a target became %q", got)
	}
	for _, env := range [][]string{{}, {"HALLMARK_TARGET=a", "HALLMARK_COMMAND=b"}} {
		if out, code := r.run(append(env, "HALLMARK_BINARY=hallmark"), "bash", "action/audit.sh"); code != 1 || !strings.Contains(out, "::error::") {
			t.Errorf("%q: exit code %d: %s", env, code, out)
		}
	}
	r.program("hallmark", "exit 1\n")
	if out, code := r.run([]string{"HALLMARK_BINARY=hallmark", "HALLMARK_TARGET=a"}, "bash", "action/audit.sh"); code != 1 || !strings.Contains(out, "left no report") {
		t.Errorf("no report: exit code %d: %s", code, out)
	}
}

func TestCommentStep(t *testing.T) {
	r := newRunner(t)
	report := filepath.Join(r.dir, "report.md")
	comment := func(body string) (string, int) {
		t.Helper()
		if err := os.WriteFile(report, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
		os.Remove(filepath.Join(r.dir, "calls"))
		return r.run([]string{"HALLMARK_REPORT=" + report, "HALLMARK_PULL_REQUEST=7", "HALLMARK_AUTHOR=github-actions[bot]"}, "bash", "action/comment.sh")
	}
	const body = "<!-- hallmark-report 0123456789abcdef -->\n### Report\n"
	for _, c := range []struct{ name, found, want string }{
		{"first", "", "api --silent --method POST repos/o/r/issues/7/comments -F body=@" + report},
		{"again", "11\n12", "api --silent --method PATCH repos/o/r/issues/comments/11 -F body=@" + report},
	} {
		r.program("gh", `case "$*" in *--paginate*) printf '`+strings.ReplaceAll(c.found, "\n", `\n`)+`';; *) echo "$*" >>"$RUNNER_TEMP/calls";; esac`)
		if out, code := comment(body); code != 0 {
			t.Errorf("%s: exit code %d: %s", c.name, code, out)
		} else if got := strings.TrimSpace(r.file("calls")); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	r.program("gh", "exit 1\n")
	if out, code := comment(body); code != 0 || !strings.Contains(out, "::warning::") {
		t.Errorf("without permission: exit code %d: %s", code, out)
	}
	if out, code := comment("### no marker\n"); code != 1 || !strings.Contains(out, "::error::") {
		t.Errorf("without a marker: exit code %d: %s", code, out)
	}
}

func TestGitLab(t *testing.T) {
	var file map[string]struct {
		Image        string
		Variables    map[string]string
		BeforeScript []string `yaml:"before_script"`
		Script       []string
		Artifacts    map[string]any
	}
	decode(t, "gitlab.yml", &file, true)
	job, there := file[".hallmark"]
	if !there || len(job.Script) != 1 {
		t.Fatalf("jobs %v", file)
	}
	r := newRunner(t)
	r.program("hallmark", `printf '%s\n' "$@" >"$RUNNER_TEMP/words"`)
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"HALLMARK_TARGET=https://example.com/mcp?a b"}, "--\nhttps://example.com/mcp?a b\n"},
		{[]string{"HALLMARK_COMMAND=node server.js *", "HALLMARK_FAIL_UNDER=90", "HALLMARK_ARGS=--no-config"}, "--fail-under\n90\n--no-config\n--stdio\nnode\nserver.js\n*\n"},
	} {
		cmd := append([]string{"HALLMARK_TARGET=", "HALLMARK_COMMAND=", "HALLMARK_FAIL_UNDER=", "HALLMARK_BASELINE=", "HALLMARK_ARGS="}, c.env...)
		out, code := r.run(cmd, "sh", "-euc", "cd "+r.dir+"\n"+job.Script[0])
		if got := r.file("words"); code != 0 || !strings.HasSuffix(got, "junit:hallmark/junit.xml\n"+c.want) {
			t.Errorf("%q: exit code %d, words %q: %s", c.env, code, got, out)
		}
	}
}
