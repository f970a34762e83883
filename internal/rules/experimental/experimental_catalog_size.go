package experimental

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// maxTurnTokens is how much a server may add to every turn of a conversation before it is told: a twentieth of a context window of 200,000
// tokens.
const maxTurnTokens = 10_000

// bytesPerToken is the rule of thumb for English text and JSON in today's tokenizers. Other languages take more tokens for the same bytes.
const bytesPerToken = 4

var experimentalCatalogSize = rule.Rule{
	ID:       "experimental_catalog_size",
	Title:    "The tools leave room in a model's context",
	Group:    rule.Experimental,
	Order:    7,
	Severity: rule.Low,
	Needs:    []rule.Need{needToolSizes},
	Basis:    []spec.Citation{spec.Advice("an agent pays for every tool on every turn, used or not")},
	Why: "A host gives a model the name, description and input schema of every tool, and the instructions, on each turn. From 10,000 tokens on, a twentieth of a window of 200,000," +
		" that is felt in cost, in speed and in how well tools are chosen. Tokens are estimated: bytes of compact JSON divided by four.",
	Fix: "Shorten descriptions, merge tools that differ in little, or offer groups of tools that a client can choose from. The details name the largest tools.",
	Judge: func(o *observe.Observation) []rule.Finding {
		total, _ := turnSizes(o)
		if n := tokens(total); n > maxTurnTokens {
			seen := fmt.Sprintf("%d tools and the instructions take about %d tokens (%d bytes) on every turn", len(o.Tools.Items), n, total)
			return []rule.Finding{rule.AtCatalog(&o.Tools, "large_catalog", seen, fmt.Sprintf("at most %d tokens", maxTurnTokens))}
		}
		return nil
	},
	Details: func(o *observe.Observation) map[string]any {
		total, tools := turnSizes(o)
		received := map[string]any{}
		for _, c := range o.Catalogs() {
			if !c.Served {
				continue
			}
			bytes := 0
			for _, item := range c.Items {
				bytes += len(item.Raw())
			}
			received[c.Name] = bytes
		}
		slices.SortStableFunc(tools, func(a, b toolSize) int { return cmp.Compare(b.bytes, a.bytes) })
		largest := []any{}
		for _, t := range tools[:min(len(tools), 5)] {
			largest = append(largest, map[string]any{"name": t.name, "bytes": t.bytes, "estimated_tokens": tokens(t.bytes)})
		}
		return map[string]any{
			"bytes_per_turn": total, "estimated_tokens_per_turn": tokens(total), "token_estimate": "bytes of compact JSON / 4",
			"tools": len(tools), "largest_tools": largest, "received_bytes": received,
		}
	},
}

type toolSize struct {
	name  string
	bytes int
}

// turnSizes measures what a host hands to a model: of each tool name, description and inputSchema, and the instructions. Blanks between
// tokens and escapes do not count, so that two servers which say the same weigh the same.
func turnSizes(o *observe.Observation) (total int, tools []toolSize) {
	for _, item := range o.Tools.Items {
		n := len(`{}`)
		for _, member := range []string{"name", "description", "inputSchema"} {
			if v := item.Get(member); v.Exists() {
				n += len(member) + len(`"":,`) + compactSize(v)
			}
		}
		tools = append(tools, toolSize{item.Label(), n})
		total += n
	}
	if o.Instructions.IsString() {
		total += compactSize(o.Instructions.Value)
	}
	return total, tools
}

// compactSize is the number of bytes of a value without blanks between tokens and with nothing escaped. A container below the depth
// that is opened counts as it stood.
func compactSize(v jsondoc.Value) int {
	switch v.Kind() {
	case jsondoc.String:
		text, _ := v.Text()
		return len(text) + len(`""`)
	case jsondoc.Array, jsondoc.Object:
		if v.Len() == 0 {
			return len(v.Raw())
		}
	default:
		return len(v.Raw())
	}
	n := 1 // each element brings a comma or the closing bracket
	for _, e := range v.Elements() {
		n += compactSize(e.Value) + 1
	}
	for _, m := range v.Members() {
		n += len(m.Name) + len(`"":`) + compactSize(m.Value) + 1
	}
	return n
}

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// needToolSizes wants the tools, all of them unless what was read is too much already.
func needToolSizes(o *observe.Observation) *rule.Skip {
	if total, tools := turnSizes(o); len(tools) > 0 && tokens(total) > maxTurnTokens {
		return nil
	}
	return rule.NeedWhole(rule.PickTools)(o)
}
