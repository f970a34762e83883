package recording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Sort orders exchanges by step: the session first, then the stateless lifecycle, probes, and whatever else, numbers inside a
// step by value. Equal steps keep the order in which they were appended.
func (r *Recording) Sort() {
	slices.SortStableFunc(r.Exchanges, func(a, b Exchange) int { return CompareSteps(a.Step, b.Step) })
	slices.SortStableFunc(r.Listings, func(a, b Listing) int {
		return CompareSteps(a.Lifecycle+"/"+a.Method, b.Lifecycle+"/"+b.Method)
	})
	slices.SortStableFunc(r.Processes, func(a, b Process) int { return CompareSteps(a.Connection, b.Connection) })
}

var stepOrder = []string{"detect", "session", "stateless", "probe", "second", "auth", "skills", "tls", "tcp", "smoke"}

// CompareSteps is the order of steps in a recording.
func CompareSteps(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if c := cmp.Compare(phaseRank(as[0]), phaseRank(bs[0])); c != 0 {
		return c
	}
	for i := range min(len(as), len(bs)) {
		x, errx := strconv.Atoi(as[i])
		y, erry := strconv.Atoi(bs[i])
		c := cmp.Compare(as[i], bs[i])
		if errx == nil && erry == nil {
			c = cmp.Compare(x, y)
		}
		if as[i] != bs[i] && (as[i] == "initialize" || bs[i] == "initialize") { // the handshake opens its lifecycle
			c = 1
			if as[i] == "initialize" {
				c = -1
			}
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

func phaseRank(name string) int {
	if i := slices.Index(stepOrder, name); i >= 0 {
		return i
	}
	return len(stepOrder)
}

// Find returns the exchange with this step, following SameAs once, nil when there is none.
func (r *Recording) Find(step string) *Exchange {
	e := r.find(step)
	if e != nil && e.SameAs != "" {
		return r.find(e.SameAs)
	}
	return e
}

func (r *Recording) find(step string) *Exchange {
	for i := range r.Exchanges {
		if r.Exchanges[i].Step == step {
			return &r.Exchanges[i]
		}
	}
	return nil
}

// Discovered reports whether the exchange asked another place than the target: metadata of the resource or of an authorization server.
func (e *Exchange) Discovered() bool { return strings.HasPrefix(e.Step, "auth/") }
