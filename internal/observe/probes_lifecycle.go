package observe

import "github.com/mcp-hallmark/hallmark/internal/recording"

// DecodeProbes decodes the probes of a recording into o, whose session, capabilities and discovery are known already. Decode does this
// for whole recordings; worked examples of rules describe the rest of o in another way.
func DecodeProbes(rec *recording.Recording, o *Observation) {
	src := newSource(rec)
	decodeLifecycleProbes(src, o)
	decodeSecurityProbes(src, o)
}

// decodeLifecycleProbes decodes the probes of lifecycles, transport and catalogs. The session and discovery must be decoded before.
func decodeLifecycleProbes(rec *source, o *Observation) {
	keep := func(p Probe) {
		if p.Outcome != NotTried {
			o.Probes[p.ID] = p
		}
	}
	keep(discoverProbe(rec))
	keep(statelessListProbe(rec, o))
	for i, id := range []string{ProbeToolsCursor, ProbeResourcesCursor, ProbeTemplatesCursor, ProbePromptsCursor} {
		keep(cursorProbe(rec, id, surfaces[i]))
	}
	if rec.Transport != recording.SSE {
		for _, p := range statelessProbes(rec, o) {
			keep(p)
		}
	}
	for _, p := range append(headerProbes(rec), sessionProbes(rec, o)...) {
		if reason := httpReason(rec); reason != "" {
			p = notApplicable(p.ID, reason)
		}
		keep(p)
	}
}

// statelessProbes are those that only the transports of the stateless lifecycle can carry.
func statelessProbes(rec *source, o *Observation) []Probe {
	return []Probe{
		malformedMetaProbe(rec),
		unknownVersionProbe(rec),
		missingResourceProbe(rec),
		removedMethodProbe(rec),
		unknownMethodProbe(rec),
		skillsListProbe(rec, o),
		cacheScopeProbe(rec, o),
		connectionProbe(rec, ProbeToolsIndependent, surfaces[0]),
		connectionProbe(rec, ProbeResourcesIndependent, surfaces[1]),
		connectionProbe(rec, ProbePromptsIndependent, surfaces[3]),
		lifecyclesProbe(rec, o),
	}
}

// headerProbes are about headers and statuses of the stateless lifecycle.
func headerProbes(rec *source) []Probe {
	return []Probe{
		headerProbe(rec, ProbeHeaderMismatch, "probe/header-mismatch"),
		headerProbe(rec, ProbeMissingProtocolVersion, "probe/missing-protocol-version"),
		headerProbe(rec, ProbeMissingMethodHeader, "probe/missing-method-header"),
		nameHeaderProbe(rec, ProbeResourceNameHeader, "resource"),
		nameHeaderProbe(rec, ProbePromptNameHeader, "prompt"),
		getStreamRemovedProbe(rec),
		sessionIDEchoProbe(rec),
	}
}

// sessionProbes need a session, most of them. Where none could be opened, they show nothing for the reason that the handshake had.
func sessionProbes(rec *source, o *Observation) []Probe {
	probes := []Probe{notificationProbe(rec), invalidRequestProbe(rec), getStreamProbe(rec), sessionDeleteProbe(rec, o), madeUpSessionProbe(rec, o)}
	if o.Session != "" || o.ModernSupport() {
		return probes
	}
	opened := replyTo(rec, "session/initialize")
	f := opened.unobserved()
	for i, p := range probes {
		if p.Outcome == NotTried && f != nil {
			probes[i] = opened.probe(p.ID).unobserved(f)
			probes[i].Reason = "no session could be opened: " + f.Detail
		}
	}
	return probes
}
