package render

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/score"
)

// Badge writes the score as an SVG image for a README. Where there is no score it says "unknown"; a partial audit says so. The error is
// the writer's.
func Badge(w io.Writer, r *report.Report) error {
	value, color := "unknown", badgeGray
	if r.Percentage != nil {
		value, color = fmt.Sprintf("%d %%", *r.Percentage), badgeColor(*r.Percentage)
		if r.Partial {
			value, color = value+" (partial)", badgeGray
		}
	}
	return writeBadge(w, "MCP audit", value, color, utcDay(r.GeneratedAt))
}

// ReadinessBadge writes how ready the server is for the latest revision of the protocol, in the form of [Badge].
func ReadinessBadge(w io.Writer, r *report.Report) error {
	value, color := "unknown", badgeGray
	if p, ok := score.Percent(r.Readiness.Score, r.Readiness.MaxScore); ok {
		value, color = fmt.Sprintf("%d %%", p), badgeColor(p)
	}
	label := "MCP readiness"
	if t := r.Spec.ReadinessTarget; t != "" {
		label = "MCP " + string(t)
	}
	return writeBadge(w, label, value, color, utcDay(r.GeneratedAt))
}

// White on each of these has a contrast of 4.5 or more.
const (
	badgeLabel  = "#40454d"
	badgeGreen  = "#1a7f42"
	badgeYellow = "#8f6400"
	badgeRed    = "#c0392b"
	badgeGray   = "#6a6f76"
)

func badgeColor(percentage int) string {
	switch grade(percentage) {
	case green:
		return badgeGreen
	case yellow:
		return badgeYellow
	}
	return badgeRed
}

func writeBadge(w io.Writer, label, value, color, day string) error {
	label, value, day = html.EscapeString(visible(label)), html.EscapeString(visible(value)), html.EscapeString(visible(day))
	left, right := badgeWidth(label)+12, badgeWidth(value)+12
	title := label + ": " + value
	about := ""
	if day != "" {
		about = "  <desc>Audited on " + day + " by Hallmark</desc>\n"
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" viewBox="0 0 %[1]d 20" role="img" aria-label="%[2]s">
  <title>%[2]s</title>
%[3]s  <clipPath id="r"><rect width="%[1]d" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="%[4]d" height="20" fill="%[5]s"/>
    <rect x="%[4]d" width="%[6]d" height="20" fill="%[7]s"/>
  </g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle" aria-hidden="true">
    <text x="%[8]s" y="14" textLength="%[9]d">%[10]s</text>
    <text x="%[11]s" y="14" textLength="%[12]d">%[13]s</text>
  </g>
</svg>
`, left+right, title, about, left, badgeLabel, right, color, half(left), left-12, label, half(2*left+right), right-12, value)
	return err
}

func half(n int) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/2), ".0") }

// badgeWidth estimates the width in pixels of a text in Verdana at 11 pixels. textLength makes up for what it misses.
func badgeWidth(text string) int {
	tenths := 0
	for _, c := range text {
		switch {
		case strings.ContainsRune("ijl.,:|'!()", c):
			tenths += 38
		case strings.ContainsRune("frt -", c):
			tenths += 45
		case strings.ContainsRune("mwMW%@", c):
			tenths += 105
		case 'A' <= c && c <= 'Z':
			tenths += 76
		default:
			tenths += 68
		}
	}
	return (tenths + 5) / 10
}

// utcDay is the day of a report's time.
func utcDay(generated string) string {
	day, _, _ := strings.Cut(generated, "T")
	return day
}
