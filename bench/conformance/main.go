// Command conformance runs the client scenarios of the MCP conformance suite against hallmark audit and judges what the suite saw. An
// audit sends on purpose what a client must not send, so some of the suite's checks have to fail; scenarios.go says which and why. The
// command fails when any other check fails, when an excuse is no longer needed, and when the suite has a scenario that is not listed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

type tools struct{ hallmark, node, suite, browser, work string }

func main() {
	var t tools
	flag.StringVar(&t.hallmark, "hallmark", "", "program to test")
	flag.StringVar(&t.node, "node", "node", "Node.js 22 or newer")
	flag.StringVar(&t.suite, "suite", "", "index.js of the conformance suite")
	flag.StringVar(&t.browser, "browser", "", "program that plays the browser")
	flag.StringVar(&t.work, "work", "", "folder for results")
	only := flag.String("only", "", "run only scenarios whose name contains this")
	jobs := flag.Int("jobs", 2, "scenarios that run side by side")
	doc := flag.Bool("doc", false, "print docs/conformance.md and end")
	flag.Parse()
	if *doc {
		fmt.Print(document())
		return
	}
	if err := run(t, *only, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// trial is one scenario at one revision.
type trial struct {
	scenario
	revision string // empty for the suite's choice
	problems []string
	excused  []string // checks
	elapsed  time.Duration
}

func run(t tools, only string, jobs int) error {
	listed, err := t.list()
	if err != nil {
		return err
	}
	var trials []*trial
	left := 0
	for _, s := range scenarios {
		revisions, ok := listed[s.name]
		if !ok {
			return fmt.Errorf("the suite has no scenario %s", s.name)
		}
		delete(listed, s.name)
		if s.notRun != "" {
			left++
			continue
		}
		for _, r := range revisions {
			if strings.Contains(s.name, only) {
				trials = append(trials, &trial{scenario: s, revision: r})
			}
		}
	}
	for name := range listed {
		return fmt.Errorf("scenario %s is not listed in scenarios.go", name)
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, max(jobs, 1))
	for _, one := range trials {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			began := time.Now()
			t.try(one)
			one.elapsed = time.Since(began)
		})
	}
	group.Wait()
	return tell(trials, left)
}

// tell prints what came of the trials; the error counts the bad ones.
func tell(trials []*trial, left int) error {
	bad := 0
	used := map[string]bool{}
	for _, one := range trials {
		outcome := "pass"
		if len(one.problems) > 0 {
			outcome, bad = "FAIL", bad+1
		}
		note := ""
		if len(one.excused) > 0 {
			note = "excused: " + strings.Join(one.excused, ", ")
		}
		fmt.Printf("%-4s %-46s %-10s %4.1fs  %s\n", outcome, one.name, one.revision, one.elapsed.Seconds(), note)
		for _, p := range one.problems {
			fmt.Println("       " + p)
		}
		for _, id := range one.excused {
			used[one.name+" "+id] = true
		}
	}
	fmt.Printf("%d runs, %d failed; %d scenarios do not apply\n", len(trials), bad, left)
	if bad > 0 {
		return fmt.Errorf("%d of %d runs failed", bad, len(trials))
	}
	return stale(trials, used)
}

// stale tells excuses that no run of their scenario needed.
func stale(trials []*trial, used map[string]bool) error {
	for _, one := range trials {
		for _, e := range one.excuses {
			shared := e.check == madeUpToken.check // not needed where the sign-in has to fail
			needed := slices.ContainsFunc(one.excused, func(id string) bool { ok, _ := path.Match(e.check, id); return ok }) || used[one.name+" "+e.check]
			if !shared && !needed {
				return fmt.Errorf("%s passes %s now: take the excuse out of scenarios.go", one.name, e.check)
			}
		}
	}
	return nil
}

var listLine = regexp.MustCompile(`^\s+- (\S+) \[([^\]]*)\]`)

// list asks the suite for its client scenarios and the revisions at which each can run.
func (t tools) list() (map[string][]string, error) {
	out, err := exec.Command(t.node, t.suite, "list", "--client").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the scenarios: %w", err)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		m := listLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		revisions := strings.Split(m[2], ",")
		if m[2] == "extension" {
			revisions = []string{""}
		}
		found[m[1]] = revisions
	}
	if len(found) == 0 {
		return nil, errors.New("the suite lists no scenarios")
	}
	return found, nil
}

// check is one check of the suite.
type check struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Status  string          `json:"status"`
	Message string          `json:"errorMessage"`
	Details json.RawMessage `json:"details"`
}

const limit = 2 * time.Minute // of one run

func (t tools) try(one *trial) {
	fault := func(format string, args ...any) { one.problems = append(one.problems, fmt.Sprintf(format, args...)) }
	dir, err := os.MkdirTemp(t.work, "run-")
	if err != nil {
		fault("%v", err)
		return
	}
	record, report := filepath.Join(dir, "audit.rec.json"), filepath.Join(dir, "audit.json")
	command := []string{t.hallmark, "audit", "--quiet", "--record", record, "--output", "json:" + report}
	if slices.Contains(one.flags, "--oauth") {
		command = append(command, "--browser", t.browser)
	}
	args := []string{t.suite, "client", "--command", strings.Join(append(command, one.flags...), " "), "--scenario", one.name, "--output-dir", filepath.Join(dir, "out"), "--timeout", "60000"}
	if one.revision != "" {
		args = append(args, "--spec-version", one.revision)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.node, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), one.env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		fault("not finished within %v", limit)
		return
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fault("%v", err)
		return
	}
	checks, err := results(filepath.Join(dir, "out"))
	if err != nil {
		fault("%v; the suite said: %s", err, end(said.String()))
		return
	}
	one.judge(checks, fault)
	if one.sound {
		for _, p := range unsound(record) {
			fault("%s", p)
		}
	}
	if one.finds != "" && !reports(report, one.finds) {
		fault("the report does not say that %s failed", one.finds)
	}
}

// judge looks at the suite's checks. Warnings count: they are about what the specification says a client SHOULD do.
func (one *trial) judge(checks []check, fault func(string, ...any)) {
	good := 0
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			good++
		case "FAILURE", "WARNING":
			if !one.excuse(c) {
				fault("%s %s (%s): %s %s", c.Status, c.ID, c.Name, c.Message, c.Details)
			}
		}
	}
	if good == 0 && len(one.excused) == 0 {
		fault("no check of the suite passed")
	}
}

func (one *trial) excuse(c check) bool {
	for _, e := range one.excuses {
		if ok, _ := path.Match(e.check, c.ID); !ok || !regexp.MustCompile(e.as).MatchString(c.Message+" "+string(c.Details)) {
			continue
		}
		if !slices.Contains(one.excused, c.ID) {
			one.excused = append(one.excused, c.ID)
		}
		return true
	}
	return false
}

// results reads the checks of the only run that a folder holds.
func results(dir string) ([]check, error) {
	var found []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "checks.json" {
			found = append(found, file)
		}
		return err
	})
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("the suite left %d results", len(found))
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	var checks []check
	return checks, json.Unmarshal(b, &checks)
}

// deliberate are the requests of the stateless lifecycle that lack something on purpose.
var deliberate = []string{"probe/header-mismatch", "probe/invalid-request", "probe/malformed-json", "probe/malformed-meta", "probe/missing-method-header",
	"probe/missing-protocol-version", "probe/prompt-name-mismatch", "probe/resource-name-mismatch", "probe/unknown-version"}

// unsound looks for requests that are neither of the older lifecycle nor deliberately incomplete and yet lack a header or a member that
// revision 2026-07-28 wants of every request.
func unsound(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return []string{"no recording: " + err.Error()}
	}
	defer f.Close()
	rec, err := recording.Read(f)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	seen := 0
	for _, e := range rec.Exchanges {
		if e.Request == nil || e.Request.RPC == "" || older(e) || slices.Contains(deliberate, e.Step) {
			continue
		}
		seen++
		for _, p := range incomplete(e.Request) {
			problems = append(problems, e.Step+": "+p)
		}
	}
	if seen < 5 {
		problems = append(problems, fmt.Sprintf("only %d requests of the stateless lifecycle were recorded", seen))
	}
	return problems
}

// older reports whether a request belongs to the lifecycle with sessions.
func older(e recording.Exchange) bool {
	return e.Connection == "session" || slices.ContainsFunc(e.Request.Headers, func(h recording.Header) bool { return h.Name == "Mcp-Session-Id" })
}

func incomplete(r *recording.Request) []string {
	header := map[string]string{}
	for _, h := range r.Headers {
		header[h.Name] = h.Value
	}
	var body struct {
		Method string
		Params struct {
			Name, URI string
			Meta      map[string]any `json:"_meta"`
		}
	}
	if r.Body == nil || json.Unmarshal(r.Body.Bytes, &body) != nil {
		return []string{"no JSON body"}
	}
	var problems []string
	want := func(what, got, wanted string) {
		if got != wanted {
			problems = append(problems, fmt.Sprintf("%s is %q instead of %q", what, got, wanted))
		}
	}
	want("Mcp-Protocol-Version", header["Mcp-Protocol-Version"], string(spec.Latest))
	want("Mcp-Method", header["Mcp-Method"], body.Method)
	switch body.Method {
	case "tools/call", "prompts/get":
		want("Mcp-Name", header["Mcp-Name"], body.Params.Name)
	case "resources/read":
		want("Mcp-Name", header["Mcp-Name"], body.Params.URI)
	}
	version, _ := body.Params.Meta[spec.MetaProtocolVersion].(string)
	want("_meta "+spec.MetaProtocolVersion, version, string(spec.Latest))
	for _, name := range []string{spec.MetaClientInfo, spec.MetaClientCapabilities} {
		if _, ok := body.Params.Meta[name].(map[string]any); !ok {
			problems = append(problems, "_meta lacks "+name)
		}
	}
	return problems
}

// reports tells whether a report says that a rule failed.
func reports(file, rule string) bool {
	b, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var r struct {
		Results []struct {
			Rule   string `json:"rule_id"`
			Passed *bool  `json:"passed"`
		} `json:"results"`
	}
	return json.Unmarshal(b, &r) == nil && slices.ContainsFunc(r.Results, func(v struct {
		Rule   string `json:"rule_id"`
		Passed *bool  `json:"passed"`
	}) bool {
		return v.Rule == rule && v.Passed != nil && !*v.Passed
	})
}

// end is the end of what a program printed.
func end(s string) string { return s[max(0, len(s)-600):] }

// document writes docs/conformance.md.
func document() string {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteString("## Scenarios that run\n\n| Scenario | Besides `hallmark audit` | Checks that may fail, and why |\n|---|---|---|\n")
	for _, s := range scenarios {
		if s.notRun != "" {
			continue
		}
		var why []string
		for _, e := range s.excuses {
			if e.check != madeUpToken.check {
				why = append(why, "`"+e.check+"`: "+e.reason)
			}
		}
		if s.finds != "" {
			why = append(why, "`"+s.finds+"` has to fail.")
		}
		flags := strings.Join(append(slices.Clone(s.env), s.flags...), " ")
		if flags != "" {
			flags = "`" + flags + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.name, flags, strings.Join(why, "<br>"))
	}
	fmt.Fprintf(&b, "\nIn all scenarios that sign in one more check may fail, `%s`: %s\n", madeUpToken.check, madeUpToken.reason)
	b.WriteString("\n## Scenarios that cannot concern an auditor\n\n| Scenario | Why |\n|---|---|\n")
	for _, s := range scenarios {
		if s.notRun != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", s.name, s.notRun)
		}
	}
	return b.String()
}

const preface = `# Conformance

<!-- Written by "go run ./bench/conformance -doc"; edit bench/conformance/scenarios.go instead. -->

The MCP project publishes a conformance suite, ` + "`@modelcontextprotocol/conformance`" + `, whose client scenarios put a client in front of a server of their own
and check what it sends. ` + "`make conformance`" + ` runs those of version 0.2.0-alpha.12 that concern a client that only reads, each at every revision that the
suite knows it for.

Hallmark is a client with an unusual task: it sends, on purpose, what a client must not send, to see how the server meets it. The suite
cannot tell such probes from mistakes. So a few of its checks have to fail. Each of them is named below and may fail for no other reason than the one
given; where a check can no longer tell anything, something else is looked at in its place. The run also fails when an excuse is no
longer needed, or when the suite has a scenario that is not named here.

For the scenarios under ` + "`auth/`" + ` the browser is a script that follows redirects (` + "`bench/conformance/browser.sh`" + `).

`
