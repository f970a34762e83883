package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/differences"
)

const differencesIntro = `Hallmark judges the same rules as mcpscore, under the same ids and severities, and its verdicts are compared with those of mcpscore on real
servers. Where they differ, they differ on purpose: mcpscore contradicts the specification there, takes for a verdict what could not be observed, or
counts one fault several times. Each difference below names its rules, what either side does, and the words of the specification that decide;
its example is a worked case of the rule (` + "`hallmark explain RULE`" + `). A difference that is not on this page is a fault of ours.`

// differencesPage joins the files of a folder, one per group, below a table of all rows.
func differencesPage(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", fmt.Errorf("%s holds no page", dir)
	}
	slices.Sort(files)
	var rows [][]string
	var body strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		list, err := differences.Parse(string(text))
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		for _, d := range list {
			rows = append(rows, []string{"[" + d.ID + "](#" + anchor(d.ID) + ")", someRules(d.Rules), changes(d.Verdicts)})
		}
		title, rest, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		name, ok := strings.CutPrefix(title, "# Differences: ")
		if !ok {
			return "", fmt.Errorf("%s does not begin with \"# Differences: \"", file)
		}
		body.WriteString("\n## " + strings.ToUpper(name[:1]) + name[1:] + "\n" + strings.ReplaceAll(rest, "](../", "](") + "\n")
	}
	intro := fmt.Sprintf("There are %d.", len(rows))
	return "# Differences\n\n" + paragraphs(differencesIntro+" "+intro) + "\n\n" +
		table([]string{"Difference", "Rules", "mcpscore → Hallmark"}, rows) + body.String(), nil
}

func someRules(ids []string) string {
	const shown = 2
	var list []string
	for _, id := range ids[:min(len(ids), shown)] {
		list = append(list, ruleLink(id))
	}
	if more := len(ids) - shown; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

func changes(list []differences.Change) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, escape(c.Peer)+" → "+escape(c.Us))
	}
	return strings.Join(texts, "; ")
}
