package capture

import (
	"context"
	"slices"
	"sync"
)

// Priorities of requests that wait for a place: the session's chain of requests is the longest and goes first.
const (
	urgent = iota
	normal
	later
)

// gate bounds the requests in flight. Of those that wait the most urgent goes first, and among equals the one that came first.
type gate struct {
	mu      sync.Mutex
	free    int
	waiting [later + 1][]chan struct{}
}

func newGate(places int) *gate { return &gate{free: places} }

// enter waits for a place. It returns false when ctx ends first.
func (g *gate) enter(ctx context.Context, priority int) bool {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return true
	}
	turn := make(chan struct{})
	g.waiting[priority] = append(g.waiting[priority], turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return true
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		if i := slices.Index(g.waiting[priority], turn); i >= 0 {
			g.waiting[priority] = slices.Delete(g.waiting[priority], i, i+1)
			return false
		}
		g.passOn() // the place was given to us at the same moment
		return false
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.passOn()
}

func (g *gate) passOn() {
	for p := range g.waiting {
		if len(g.waiting[p]) > 0 {
			close(g.waiting[p][0])
			g.waiting[p] = g.waiting[p][1:]
			return
		}
	}
	g.free++
}

// parallel runs functions side by side and waits for all of them.
func parallel(tasks ...func()) {
	var wg sync.WaitGroup
	for _, t := range tasks {
		wg.Go(t)
	}
	wg.Wait()
}
