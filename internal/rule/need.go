package rule

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// SkipReason is why a rule gave no verdict. The set is closed.
type SkipReason string

// The skip reasons.
const (
	NotApplicable  SkipReason = "not-applicable"          // the rule does not concern this server
	Insufficient   SkipReason = "insufficient-data"       // it does, but what it needs was not seen
	RequiresModern SkipReason = "requires-modern-support" // it judges the stateless lifecycle, which the server does not speak
	Disabled       SkipReason = "disabled-by-config"      // the user turned it off
)

// Skip says why a rule gave no verdict, in a word and in a sentence.
type Skip struct {
	Reason SkipReason
	Text   string
}

// Need tells whether a rule may judge an observation; nil means that it may.
type Need func(*observe.Observation) *Skip

// SkipFor builds a skip with a formatted sentence.
func SkipFor(reason SkipReason, format string, args ...any) *Skip {
	return &Skip{Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// NeedRevision wants a protocol revision to be settled.
func NeedRevision(o *observe.Observation) *Skip {
	if o.Kind == observe.Partial {
		return SkipFor(Insufficient, "no protocol revision was settled: the audit is partial")
	}
	return nil
}

// NeedAccess wants more than a partial audit.
func NeedAccess(o *observe.Observation) *Skip {
	if o.Kind == observe.Partial {
		return SkipFor(Insufficient, "the server could not be read: the audit is partial")
	}
	return nil
}

// NeedCapabilities wants the server's capabilities to be known.
func NeedCapabilities(o *observe.Observation) *Skip {
	if !o.Capabilities.IsObject() {
		return SkipFor(Insufficient, "the server's capabilities are not known")
	}
	return nil
}

// NeedCapability wants the server to declare a capability.
func NeedCapability(name string) Need {
	return func(o *observe.Observation) *Skip {
		if s := NeedCapabilities(o); s != nil {
			return s
		}
		if !o.Declares(name) {
			return SkipFor(NotApplicable, "the server does not declare the %s capability", name)
		}
		return nil
	}
}

// Pick selects a catalog of an observation.
type Pick func(*observe.Observation) *observe.Catalog

// The four catalogs, for NeedItems and NeedWhole.
var (
	PickTools             Pick = func(o *observe.Observation) *observe.Catalog { return &o.Tools }
	PickResources         Pick = func(o *observe.Observation) *observe.Catalog { return &o.Resources }
	PickResourceTemplates Pick = func(o *observe.Observation) *observe.Catalog { return &o.ResourceTemplates }
	PickPrompts           Pick = func(o *observe.Observation) *observe.Catalog { return &o.Prompts }
)

// capabilityOf is the capability that a catalog stands under.
func capabilityOf(c *observe.Catalog) string {
	if c.Name == "resource_templates" {
		return "resources"
	}
	return c.Name
}

// NeedItems wants at least one item of a catalog to have been read; an incomplete catalog with items will do.
func NeedItems(pick Pick) Need {
	return func(o *observe.Observation) *Skip {
		c := pick(o)
		if s := NeedAccess(o); s != nil {
			return s
		}
		if len(c.Items) > 0 {
			return nil
		}
		if !c.Served && (o.Declares(capabilityOf(c)) || c.Attempted) && !OptionalAbsent(c) {
			return SkipFor(Insufficient, "%s could not be read%s", c.Method, because(c.Error))
		}
		if c.Attempted && !c.Complete && !OptionalAbsent(c) {
			return SkipFor(Insufficient, "%s ended before its first item%s", c.Method, because(c.Error))
		}
		return SkipFor(NotApplicable, "the server has no %s", readable(c.Name))
	}
}

// NeedWhole wants a catalog with items that was read to the end.
func NeedWhole(pick Pick) Need {
	items := NeedItems(pick)
	return func(o *observe.Observation) *Skip {
		if s := items(o); s != nil {
			return s
		}
		if c := pick(o); c.Attempted && !c.Complete {
			return SkipFor(Insufficient, "only a part of %s could be read%s", c.Method, because(c.Error))
		}
		return nil
	}
}

// OptionalAbsent reports whether a catalog is missing in the way the specification allows: resource templates answered with "method
// not found" under a resources capability.
func OptionalAbsent(c *observe.Catalog) bool {
	return c.Name == "resource_templates" && !c.Served && c.Error != nil && c.Error.Code != nil && *c.Error.Code == -32601
}

func because(e *observe.ListingError) string {
	if e == nil || e.Text == "" {
		return ""
	}
	return ": " + e.Text
}

func readable(catalog string) string {
	if catalog == "resource_templates" {
		return "resource templates"
	}
	return catalog
}

// NeedProbe wants a probe to have shown something, either way.
func NeedProbe(id string) Need {
	return func(o *observe.Observation) *Skip {
		p := o.Probe(id)
		switch p.Outcome {
		case observe.Supported, observe.Unsupported:
			return nil
		case observe.NotApplicable:
			return SkipFor(NotApplicable, "%s", orDefault(p.Reason, "the probe does not apply to this server"))
		case observe.Unobserved:
			return SkipFor(Insufficient, "%s", orDefault(p.Reason, "the probe got no usable answer"))
		}
		return SkipFor(Insufficient, "the probe was not tried")
	}
}

// NeedModern wants the server to speak the stateless lifecycle. Where that could not be observed at all, the rule lacks data.
func NeedModern(o *observe.Observation) *Skip {
	if o.ModernSupport() {
		return nil
	}
	d, l := o.Probe(observe.ProbeDiscover).Outcome, o.Probe(observe.ProbeStatelessList).Outcome
	seen := func(x observe.Outcome) bool { return x == observe.Supported || x == observe.Unsupported }
	if !seen(d) && !seen(l) {
		return SkipFor(Insufficient, "whether the server speaks the stateless lifecycle could not be observed")
	}
	return SkipFor(RequiresModern, "the server does not speak the stateless lifecycle of revision 2026-07-28")
}

// NeedSkills wants the server to declare the Agent Skills extension, in the session or in discovery.
func NeedSkills(o *observe.Observation) *Skip {
	if o.Kind == observe.Partial || !o.Capabilities.IsObject() && !o.Discovered.Get("capabilities").IsObject() {
		return SkipFor(Insufficient, "the server's capabilities are not known")
	}
	if !o.DeclaresSkills() {
		return SkipFor(NotApplicable, "the server does not declare the skills extension")
	}
	return nil
}

// NeedHTTP wants a target that is reached over HTTP.
func NeedHTTP(o *observe.Observation) *Skip {
	if !o.OverHTTP() || o.Transport == recording.Stdio {
		return SkipFor(NotApplicable, "the server runs over stdio, the rule is about HTTP")
	}
	return nil
}

func orDefault(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
