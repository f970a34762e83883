// Package score adds up an audit: points earned over points available, per category and in sum, from verdicts and a roster. It is
// arithmetic only. Which rules count is policy, what they found is the verdicts', how it looks is rendering.
package score

import (
	"math"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

// Sum is a number of rules by outcome and their points. A rule that was skipped adds to neither Earned nor Available.
type Sum struct {
	Earned, Available       int
	Passed, Failed, Skipped int
	// Unobserved are the points of rules that concern the server but could not be judged for lack of data. They are missing from
	// Available.
	Unobserved int
}

// Category is the sum of one category of the roster.
type Category struct {
	Name, Title string
	Sum
}

// Score is the outcome of an audit in numbers.
type Score struct {
	// Total holds the points of the main axis, with those of readiness when Promoted. Its numbers of rules never include readiness.
	Total     Sum
	Readiness Sum
	Promoted  bool
	// Categories sum up to Total's points. Readiness is among them only when it is promoted.
	Categories []Category
}

// Add computes a score. Rules that the roster does not name do not count. promoted says that the server speaks the lifecycle that
// readiness is about, so that readiness is no longer a matter of the future: its points then count in the total as well.
func Add(verdicts []rule.Verdict, p *policy.Policy, promoted bool) Score {
	sums := make(map[string]*Sum, len(p.Categories))
	for _, c := range p.Categories {
		sums[c.Name] = &Sum{}
	}
	for _, v := range verdicts {
		if place, ok := p.Place(v.Rule.ID); ok {
			sums[place.Category].add(v, place.Points)
		}
	}
	s := Score{Promoted: promoted}
	for _, c := range p.Categories {
		sum := *sums[c.Name]
		if c.Axis == policy.Readiness {
			s.Readiness.include(sum)
			if !promoted {
				continue
			}
			s.Total.Earned += sum.Earned
			s.Total.Available += sum.Available
			s.Total.Unobserved += sum.Unobserved
		} else {
			s.Total.include(sum)
		}
		if sum.Passed+sum.Failed+sum.Skipped > 0 {
			s.Categories = append(s.Categories, Category{c.Name, c.Title, sum})
		}
	}
	return s
}

func (s *Sum) add(v rule.Verdict, points int) {
	switch v.Result {
	case rule.Pass:
		s.Passed++
		s.Earned += points
		s.Available += points
	case rule.Fail:
		s.Failed++
		s.Available += points
	case rule.Skipped:
		s.Skipped++
		if v.Skip != nil && v.Skip.Reason == rule.Insufficient {
			s.Unobserved += points
		}
	}
}

func (s *Sum) include(o Sum) {
	s.Earned += o.Earned
	s.Available += o.Available
	s.Passed += o.Passed
	s.Failed += o.Failed
	s.Skipped += o.Skipped
	s.Unobserved += o.Unobserved
}

// Percentage is earned over available in whole percent, half a percent rounded to the even neighbour. There is none when nothing
// was available: ok is false and percent 0, which is what gates compare with.
func (s Sum) Percentage() (percent int, ok bool) { return Percent(s.Earned, s.Available) }

// Percent is Sum.Percentage for two plain numbers.
func Percent(earned, available int) (percent int, ok bool) {
	if available <= 0 {
		return 0, false
	}
	return int(math.RoundToEven(float64(earned) / float64(available) * 100)), true
}
