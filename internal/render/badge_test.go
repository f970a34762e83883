package render

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-hallmark/hallmark/internal/report"
	"github.com/mcp-hallmark/hallmark/internal/report/reporttest"
)

func TestBadges(t *testing.T) {
	nothing := reporttest.Legacy().Report()
	nothing.Percentage = nil
	tests := []struct {
		name  string
		r     *report.Report
		write int // in fileFormats
		title string
		color string
	}{
		{"score", reporttest.Legacy().Report(), 3, "MCP audit: 84 %", badgeYellow},
		{"full score", reporttest.Perfect().Report(), 3, "MCP audit: 100 %", badgeGreen},
		{"low score", reporttest.Hostile().Report(), 3, "MCP audit: 50 %", badgeRed},
		{"partial", reporttest.Partial().Report(), 3, "MCP audit: 62 % (partial)", badgeGray},
		{"audit that did not run", reporttest.Failed().Report(), 3, "MCP audit: unknown", badgeGray},
		{"nothing judged", nothing, 3, "MCP audit: unknown", badgeGray},
		{"readiness", reporttest.Legacy().Report(), 4, "MCP 2026-07-28: 23 %", badgeRed},
		{"readiness not assessed", reporttest.Hostile().Report(), 4, "MCP 2026-07-28: unknown", badgeGray},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := rendered(t, fileFormats[tt.write].write, tt.r, nil)
			var svg struct {
				Role  string `xml:"role,attr"`
				Label string `xml:"aria-label,attr"`
				Title string `xml:"title"`
				Width int    `xml:"width,attr"`
				Boxes []struct {
					Fill  string `xml:"fill,attr"`
					Width int    `xml:"width,attr"`
				} `xml:"g>rect"`
			}
			if err := xml.Unmarshal(out, &svg); err != nil {
				t.Fatal(err)
			}
			if svg.Title != tt.title || svg.Label != tt.title || svg.Role != "img" {
				t.Errorf("title %q, label %q, role %q; want %q", svg.Title, svg.Label, svg.Role, tt.title)
			}
			if len(svg.Boxes) != 2 || svg.Boxes[1].Fill != tt.color || svg.Boxes[0].Width+svg.Boxes[1].Width != svg.Width {
				t.Errorf("%d wide, with %+v; want %s", svg.Width, svg.Boxes, tt.color)
			}
		})
	}
}

// White text can be read on every colour (WCAG 2.2, 1.4.3).
func TestBadgeContrast(t *testing.T) {
	for _, color := range []string{badgeLabel, badgeGreen, badgeYellow, badgeRed, badgeGray} {
		n, err := strconv.ParseUint(strings.TrimPrefix(color, "#"), 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		channel := func(c uint64) float64 {
			v := float64(c&0xff) / 255
			if v <= 0.04045 {
				return v / 12.92
			}
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		luminance := 0.2126*channel(n>>16) + 0.7152*channel(n>>8) + 0.0722*channel(n)
		if contrast := 1.05 / (luminance + 0.05); contrast < 4.5 {
			t.Errorf("white on %s has a contrast of %.2f", color, contrast)
		}
	}
}
