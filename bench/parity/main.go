// Command parity audits the servers of the oracle corpus (../shared/oracle) and compares the verdicts with the peer's recorded ones: rule by
// rule, and for era, negotiated revision, transport, partial flag and, where all verdicts agree, score and readiness. A verdict may
// differ where a row of docs/differences names the rule and the pair of verdicts; anything else is a disagreement.
//
// Usage, from the root of the project: go run ./bench/parity [-work FOLDER] [-hallmark BINARY] [-only NAME,...] [-rules PREFIX,...] [-v]
//
// It exits with 1 when there is a disagreement. The servers must have been installed with ../shared/oracle/install.sh FOLDER.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/differences"
)

func main() {
	var c config
	cache, _ := os.UserCacheDir()
	flag.StringVar(&c.oracle, "oracle", "../shared/oracle", "folder of the corpus")
	flag.StringVar(&c.work, "work", filepath.Join(cache, "hallmark-oracle"), "folder in which the servers are installed")
	flag.StringVar(&c.binary, "hallmark", "", "program to run; built from this tree when empty")
	flag.StringVar(&c.keep, "keep", "", "folder to keep reports and recordings in")
	flag.StringVar(&c.replay, "replay", "", "folder of recordings that -keep wrote: judge them again instead of auditing")
	flag.BoolVar(&c.verbose, "v", false, "print every rule, also where all agree")
	only := flag.String("only", "", "names of configurations, separated by commas")
	rules := flag.String("rules", "", "prefixes of rule ids to compare, separated by commas")
	flag.Parse()
	c.only, c.rules = list(*only), list(*rules)
	ok, err := c.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "parity:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

type config struct {
	oracle, work, binary, keep, replay string
	verbose                            bool
	only, rules                        []string
}

// peerVerdicts is the recorded outcome of the peer.
type peerVerdicts struct {
	Score             int               `json:"score"`
	MaxScore          int               `json:"max_score"`
	Partial           bool              `json:"partial"`
	Transport         *string           `json:"transport"`
	Era               *string           `json:"era"`
	NegotiatedVersion *string           `json:"negotiated_version"`
	Verdicts          map[string]string `json:"verdicts"`
	Readiness         struct {
		Score    int `json:"score"`
		MaxScore int `json:"max_score"`
	} `json:"readiness"`
}

// ourReport is what is read of our report.
type ourReport struct {
	Score     int      `json:"score"`
	MaxScore  int      `json:"max_score"`
	Partial   bool     `json:"partial"`
	Transport *string  `json:"transport"`
	Results   []result `json:"results"`
	Skipped   []struct {
		RuleID string `json:"rule_id"`
		Reason string `json:"reason"`
		Text   string `json:"reason_text"`
	} `json:"skipped_rules"`
	Spec struct {
		Era        *string `json:"era"`
		Negotiated *string `json:"negotiated_version"`
	} `json:"spec"`
	Readiness struct {
		Score    int      `json:"score"`
		MaxScore int      `json:"max_score"`
		Results  []result `json:"results"`
	} `json:"readiness"`
	Failure *struct {
		Class  string `json:"class"`
		Detail string `json:"detail"`
	} `json:"failure"`
}

type result struct {
	RuleID  string `json:"rule_id"`
	Passed  bool   `json:"passed"`
	Message string `json:"message"`
}

func (r *ourReport) verdicts() (verdicts, notes map[string]string) {
	verdicts, notes = map[string]string{}, map[string]string{}
	for _, list := range [][]result{r.Results, r.Readiness.Results} {
		for _, x := range list {
			verdicts[x.RuleID] = "fail"
			if x.Passed {
				verdicts[x.RuleID] = "pass"
			}
			notes[x.RuleID] = x.Message
		}
	}
	for _, s := range r.Skipped {
		verdicts[s.RuleID], notes[s.RuleID] = "skip: "+s.Reason, s.Text
	}
	return verdicts, notes
}

// tally counts agreement per rule.
type tally struct{ same, explained, other int }

func (c *config) run() (bool, error) {
	rows, err := readRows("docs/differences")
	if err != nil {
		return false, err
	}
	if c.binary == "" {
		dir, err := os.MkdirTemp("", "parity")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		c.binary = filepath.Join(dir, "hallmark")
		build := exec.Command("go", "build", "-o", c.binary, "./cmd/hallmark")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			return false, fmt.Errorf("building hallmark: %w", err)
		}
	}
	if c.binary, err = filepath.Abs(c.binary); err != nil {
		return false, err
	}
	files, err := filepath.Glob(filepath.Join(c.oracle, "*", "verdicts.json"))
	if err != nil || len(files) == 0 {
		return false, fmt.Errorf("no verdicts below %s", c.oracle)
	}
	byRule := map[string]*tally{}
	var complaints []string
	servers, explainedPairs := 0, 0
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if c.only != nil && !slices.Contains(c.only, name) {
			continue
		}
		var peer peerVerdicts
		if err := readJSON(file, &peer); err != nil {
			return false, err
		}
		servers++
		began := time.Now()
		ours, err := c.audit(name)
		if err != nil {
			complaints = append(complaints, fmt.Sprintf("%s: %v", name, err))
			fmt.Printf("%-28s not audited: %v\n", name, err)
			continue
		}
		verdicts, notes := ours.verdicts()
		same, explained, other := 0, 0, 0
		for _, id := range sortedKeys(peer.Verdicts) {
			if !c.wants(id) {
				continue
			}
			t := byRule[id]
			if t == nil {
				t = &tally{}
				byRule[id] = t
			}
			want, got := peer.Verdicts[id], verdicts[id]
			switch {
			case want == got:
				t.same++
				same++
			case explains(rows, id, want, got):
				t.explained++
				explained++
			default:
				t.other++
				other++
				complaints = append(complaints, fmt.Sprintf("%s: %s: the peer says %s, we say %s (%s)", name, id, want, orDash(got), notes[id]))
			}
		}
		explainedPairs += explained
		facts := c.facts(name, &peer, ours, explained+other == 0)
		complaints = append(complaints, facts...)
		fmt.Printf("%-28s %3d same, %2d explained, %2d other; score %d/%d (peer %d/%d); %.1f s\n",
			name, same, explained, other+len(facts), ours.Score, ours.MaxScore, peer.Score, peer.MaxScore, time.Since(began).Seconds())
	}
	fmt.Println()
	for _, id := range sortedKeys(byRule) {
		t := byRule[id]
		if c.verbose || t.explained+t.other > 0 {
			fmt.Printf("%-56s %3d same, %2d explained, %2d other\n", id, t.same, t.explained, t.other)
		}
	}
	if len(complaints) > 0 {
		fmt.Printf("\n%d disagreements without a row in docs/differences:\n", len(complaints))
		for _, line := range complaints {
			fmt.Println(" ", line)
		}
	}
	fmt.Printf("\n%d servers, %d rules, %d pairs explained, %d disagreements\n", servers, len(byRule), explainedPairs, len(complaints))
	return len(complaints) == 0, nil
}

func (c *config) wants(id string) bool {
	return c.rules == nil || slices.ContainsFunc(c.rules, func(p string) bool { return strings.HasPrefix(id, p) })
}

// facts compares what stands beside the verdicts. Scores must agree only where all verdicts do.
func (c *config) facts(name string, peer *peerVerdicts, ours *ourReport, allSame bool) []string {
	if c.rules != nil {
		return nil
	}
	var out []string
	differ := func(what, p, o string) {
		if p != o {
			out = append(out, fmt.Sprintf("%s: %s: the peer says %s, we say %s", name, what, p, o))
		}
	}
	differ("transport", deref(peer.Transport), deref(ours.Transport))
	differ("era", deref(peer.Era), deref(ours.Spec.Era))
	differ("negotiated revision", deref(peer.NegotiatedVersion), deref(ours.Spec.Negotiated))
	differ("partial", fmt.Sprint(peer.Partial), fmt.Sprint(ours.Partial))
	if allSame {
		differ("score", fmt.Sprintf("%d/%d", peer.Score, peer.MaxScore), fmt.Sprintf("%d/%d", ours.Score, ours.MaxScore))
		differ("readiness", fmt.Sprintf("%d/%d", peer.Readiness.Score, peer.Readiness.MaxScore), fmt.Sprintf("%d/%d", ours.Readiness.Score, ours.Readiness.MaxScore))
	}
	return out
}

// audit runs hallmark on one configuration.
func (c *config) audit(name string) (*ourReport, error) {
	var server struct {
		Transport string `json:"transport"`
	}
	if err := readJSON(filepath.Join(c.oracle, name, "server.json"), &server); err != nil {
		return nil, err
	}
	args := []string{filepath.Join(c.oracle, "run.sh"), name, "--", c.binary, "audit", "--json"}
	if c.keep != "" {
		keep, err := filepath.Abs(c.keep)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(keep, 0o755); err != nil {
			return nil, err
		}
		args = append(args, "--record", filepath.Join(keep, name+".rec.json"), "--output", filepath.Join(keep, name+".json"))
	}
	args = append(args, "{}")
	work, err := filepath.Abs(c.work)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("bash", args...)
	if c.replay != "" {
		cmd = exec.Command(c.binary, "replay", "--json", filepath.Join(c.replay, name+".rec.json"))
	}
	cmd.Env = append(os.Environ(), "ORACLE_WORK="+work)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	var r ourReport
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("no report (%v): %s", runErr, lastLine(stderr.String()))
	}
	if r.Failure != nil && len(r.Results) == 0 {
		return nil, fmt.Errorf("%s: %s", r.Failure.Class, r.Failure.Detail)
	}
	return &r, nil
}

func explains(rows []differences.Row, id, peer, us string) bool {
	return slices.ContainsFunc(rows, func(r differences.Row) bool {
		return slices.Contains(r.Rules, id) && slices.Contains(r.Verdicts, differences.Change{Peer: peer, Us: us})
	})
}

func readRows(dir string) ([]differences.Row, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	var rows []differences.Row
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		more, err := differences.Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func deref(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

func orDash(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
