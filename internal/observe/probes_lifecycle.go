package observe

import "github.com/mcp-hallmark/hallmark/internal/recording"

// DecodeProbes decodes the probes of a recording into o, whose session, capabilities and discovery are known already. Decode does this
// for whole recordings; worked examples of rules describe the rest of o in another way.
func DecodeProbes(rec *recording.Recording, o *Observation) {
	decodeLifecycleProbes(rec, o)
	decodeSecurityProbes(rec, o)
}

// decodeLifecycleProbes decodes the probes of lifecycles, transport and catalogs. The session and discovery must be decoded before.
func decodeLifecycleProbes(rec *recording.Recording, o *Observation) {
	keep := func(p Probe) {
		if p.Outcome != NotTried {
			o.Probes[p.ID] = p
		}
	}
	keep(discoverProbe(rec))
	keep(statelessListProbe(rec, o))
	keep(malformedMetaProbe(rec))
	keep(unknownVersionProbe(rec))
	keep(missingResourceProbe(rec))
	keep(removedMethodProbe(rec))
	keep(unknownMethodProbe(rec))
	keep(skillsListProbe(rec, o))
	for i, id := range []string{ProbeToolsCursor, ProbeResourcesCursor, ProbeTemplatesCursor, ProbePromptsCursor} {
		keep(cursorProbe(rec, id, surfaces[i]))
	}
	keep(cacheScopeProbe(rec, o))
	keep(connectionProbe(rec, o, ProbeToolsIndependent, surfaces[0]))
	keep(connectionProbe(rec, o, ProbeResourcesIndependent, surfaces[1]))
	keep(connectionProbe(rec, o, ProbePromptsIndependent, surfaces[3]))

	overHTTP := []Probe{
		headerProbe(rec, ProbeHeaderMismatch, "probe/header-mismatch"),
		headerProbe(rec, ProbeMissingProtocolVersion, "probe/missing-protocol-version"),
		headerProbe(rec, ProbeMissingMethodHeader, "probe/missing-method-header"),
		nameHeaderProbe(rec, ProbeResourceNameHeader, "resource"),
		nameHeaderProbe(rec, ProbePromptNameHeader, "prompt"),
		getStreamRemovedProbe(rec),
		sessionIDEchoProbe(rec),
		notificationProbe(rec),
		invalidRequestProbe(rec),
		getStreamProbe(rec),
		sessionDeleteProbe(rec, o),
	}
	for _, p := range overHTTP {
		if reason := httpReason(rec); reason != "" {
			p = notApplicable(p.ID, reason)
		}
		keep(p)
	}
}
