package capture

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// surface is a list method, the member of its result that holds the items, and the capability it stands under. Base is where the ids of
// its requests begin, so that ids are unique in an audit and the same in every audit.
type surface struct {
	method, member, capability string
	base                       int
}

var surfaces = []surface{
	{"tools/list", "tools", "tools", 1000},
	{"resources/list", "resources", "resources", 2000},
	{"resources/templates/list", "resourceTemplates", "resources", 3000},
	{"prompts/list", "prompts", "prompts", 4000},
}

// channel sends the requests of one lifecycle over one link.
type channel struct {
	a          *audit
	link       wire.Link
	connection string // recorded connection name
	lifecycle  string // "session" or "stateless"
	prefix     string // first part of its steps
	base       int    // added to ids
	priority   int
	gate       *gate
	slack      time.Duration // added to every time-out: how long the process may take to start
	// shape fits a call to the lifecycle: headers, the envelope in the body.
	shape func(call *wire.Call, method string, id int, params []param)
	// again is told about an answer and may say that the request must be sent once more (a session that was lost).
	again func(ctx context.Context, r wire.Reply) bool
}

// do sends one request and records it.
func (c *channel) do(ctx context.Context, step string, id int, method string, timeout time.Duration, params ...param) wire.Reply {
	call := wire.Call{Step: step, Connection: c.connection, RPC: method, ID: strconv.Itoa(id), Timeout: timeout + c.slack, Follow: true}
	c.shape(&call, method, id, params)
	r := c.send(ctx, call)
	if c.again != nil && c.again(ctx, r) {
		r.Exchange.Step = "session/lost/" + strings.TrimPrefix(step, "session/")
		c.a.keep(r)
		c.shape(&call, method, id+50000, params)
		call.ID = strconv.Itoa(id + 50000)
		r = c.send(ctx, call)
	}
	return c.a.keep(r)
}

// send passes a call through the gate. Where no place could be had in time, the exchange says so.
func (c *channel) send(ctx context.Context, call wire.Call) wire.Reply {
	return through(ctx, c.gate, c.priority, c.link, call)
}

func through(ctx context.Context, g *gate, priority int, link wire.Link, call wire.Call) wire.Reply {
	if !g.enter(ctx, priority) {
		return wire.Reply{Exchange: recording.Exchange{Step: call.Step, Connection: call.Connection,
			Failure: &recording.Failure{Class: recording.FailDeadline, Detail: "the audit ended before this request could be sent"}}}
	}
	defer g.leave()
	return link.Do(ctx, call)
}

// list reads all pages of a catalog and records how the listing ended. First is a reply that already holds page 1, nil to ask for it.
// It returns what names the items, in no order that matters, for comparing two readings.
func (c *channel) list(ctx context.Context, s surface, first *wire.Reply) (names map[string]bool) {
	ctx, cancel := context.WithTimeout(ctx, c.a.budgets.Listing+c.slack)
	defer cancel()
	l := recording.Listing{Lifecycle: c.prefix, Method: s.method}
	defer func() { c.a.listed(l) }()
	names = map[string]bool{}
	seen := map[string]bool{}
	var cursor string
	var size int
	for page := 1; ; page++ {
		if page > MaxPages {
			l.Reason = "page-limit"
			return names
		}
		if size > MaxListingBytes {
			l.Reason = "item-limit"
			return names
		}
		step := c.prefix + "/" + s.method + "/" + strconv.Itoa(page)
		var r wire.Reply
		switch {
		case page == 1 && first != nil:
			r = *first
		case page == 1:
			r = c.do(ctx, step, c.base+s.base+page, s.method, c.a.budgets.Request)
		default:
			r = c.do(ctx, step, c.base+s.base+page, s.method, c.a.budgets.Request, param{"cursor", cursor})
		}
		size += len(r.Answer)
		res := result(r.Answer)
		if !res.Get(s.member).IsArray() {
			l.Reason = "failed"
			if ctx.Err() == context.DeadlineExceeded {
				l.Reason = "time-limit"
			}
			return names
		}
		l.Pages = page
		for _, item := range res.Get(s.member).Elements() {
			for _, key := range []string{"name", "uri"} {
				names[key+" "+item.Value.Get(key).TextOr("")] = true
			}
		}
		next := res.Get("nextCursor")
		if next.Missing() {
			l.Complete = true
			return names
		}
		text, ok := next.Text()
		if !ok {
			l.Reason = "cursor-invalid"
			return names
		}
		if seen[text] {
			l.Reason = "cursor-repeated"
			return names
		}
		seen[text] = true
		cursor = text
		c.a.progress(s.method + ", page " + strconv.Itoa(page+1))
	}
}
