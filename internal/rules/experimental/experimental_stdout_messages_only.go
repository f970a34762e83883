package experimental

import (
	"fmt"
	"strconv"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalStdoutMessagesOnly = rule.Rule{
	ID:       "experimental_stdout_messages_only",
	Title:    "Standard output carries messages only",
	Group:    rule.Experimental,
	Order:    1,
	Severity: rule.Medium,
	Needs:    []rule.Need{needOutput},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › Transports › stdio"), spec.MCP(spec.Rev20260728, "Basic › Transports › stdio")},
	Why:      "Over stdio the standard output is the connection. A client that reads a banner or a log line where a message belongs may stop reading, and the session ends.",
	Fix:      "Write banners, logs and progress to standard error, also those of libraries and of the launcher, and write UTF-8 without a byte-order mark.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		told := map[string]bool{}
		for _, p := range o.Processes {
			if p.BOM && !told["bom"] {
				told["bom"] = true
				found = append(found, atOutput("byte_order_mark", "the output of process "+p.Connection+" begins with the bytes EF BB BF", "a message as the first thing"))
			}
			for _, n := range p.Noise {
				key := n.Kind + " " + string(n.Bytes.Bytes)
				if n.Kind == "unmatched" || told[key] { // an answer that nobody waits for is a message, and every process prints the same banner
					continue
				}
				told[key] = true
				found = append(found, atOutput(noiseReason(n.Kind), fmt.Sprintf("line %d of process %s is %s", n.Line, p.Connection, shownLine(n.Bytes)), "one JSON-RPC message per line"))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		lines, crlf := 0, false
		for _, p := range o.Processes {
			unmatched := 0
			for _, n := range p.Noise {
				if n.Kind == "unmatched" {
					unmatched++
				}
			}
			lines += max(p.NoiseTotal-unmatched, 0)
			crlf = crlf || p.CRLF
		}
		return map[string]any{"processes": len(o.Processes), "other_lines": lines, "lines_end_with_crlf": crlf}
	},
}

func needOutput(o *observe.Observation) *rule.Skip {
	if o.OverHTTP() || o.Transport != recording.Stdio {
		return rule.SkipFor(rule.NotApplicable, "the server is not reached over stdio")
	}
	if len(o.Processes) == 0 {
		return rule.SkipFor(rule.Insufficient, "what the process wrote was not kept")
	}
	return nil
}

// noiseReason names what stands on a line that is no message.
func noiseReason(kind string) string {
	switch kind {
	case "json":
		return "not_json_rpc"
	case "too-long":
		return "line_too_long"
	}
	return "not_json"
}

// shownLine quotes the beginning of a line.
func shownLine(b recording.Body) string {
	text := b.Bytes[:min(len(b.Bytes), 120)]
	shown := strconv.QuoteToASCII(string(text))
	if int64(len(text)) < b.Size {
		shown += fmt.Sprintf("… (%d bytes)", b.Size)
	}
	return shown
}

func atOutput(reason, seen, want string) rule.Finding {
	return rule.Finding{Entity: "server", Index: -1, Reason: reason, Seen: seen, Want: want}
}
