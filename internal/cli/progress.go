package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// progress shows what an audit is doing on one line of the terminal that standard error is. Elsewhere it shows nothing.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	width int
	ended bool
}

func newProgress(env *Env, silent bool) *progress {
	p := &progress{w: env.Stderr, width: env.Width(env.Stderr)}
	if silent || env.Getenv("TERM") == "dumb" {
		p.width = 0
	}
	return p
}

func (p *progress) say(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width < 20 || p.ended {
		return
	}
	line := []rune(visible(what))
	if len(line) > p.width-4 {
		line = append(line[:p.width-5], '…')
	}
	fmt.Fprintf(p.w, "\r\x1b[K  %s", string(line))
}

// done clears the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width >= 20 && !p.ended {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.ended = true
}

// visible makes text from a server harmless to a terminal.
func visible(text string) string { return textscan.Visible(text) }
