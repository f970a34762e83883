package observe

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// ProbeSkillsList is the id under which the first skills/list page of the stateless lifecycle is judged.
const ProbeSkillsList = "skills/list"

// lifecycleFacts are members of a result that only the stateless lifecycle has, and the facts they become.
var lifecycleFacts = []struct{ member, fact string }{{"resultType", "result_type"}, {"ttlMs", "ttl_ms"}, {"cacheScope", "cache_scope"}}

// noteLifecycle adds what a result says of itself, and the type of the response that carried it.
func (p *Probe) noteLifecycle(r reply, result jsondoc.Value) {
	p.Facts["content_type"] = r.header("Content-Type")
	if p.Outcome != Supported {
		return
	}
	for _, f := range lifecycleFacts {
		p.Facts[f.fact] = fact(result.Get(f.member))
	}
}

const noStatelessSSE = "the HTTP+SSE transport belongs to revision 2024-11-05, which has no stateless lifecycle"

// gateway is the answer to one of the two requests that show the stateless lifecycle. That lifecycle has two transports, stdio and
// Streamable HTTP; for a server of the HTTP+SSE transport the answers to the requests that were posted to its URL count.
func gateway(rec *source, name string) reply {
	if rec.Transport == recording.SSE {
		return replyTo(rec, "detect/"+name)
	}
	return replyTo(rec, "probe/"+name)
}

// discoverProbe: facts content_type, and when supported supported_versions, result_type, ttl_ms, cache_scope.
func discoverProbe(rec *source) Probe {
	r := gateway(rec, "discover")
	if !r.tried() && rec.Transport == recording.SSE {
		return notApplicable(ProbeDiscover, noStatelessSSE)
	}
	p := r.judge(ProbeDiscover, func(p *Probe) Outcome { return outcomeOf(p.Result.Get("supportedVersions").IsArray()) })
	if p.Outcome == Supported {
		p.Facts["supported_versions"] = fact(p.Result.Get("supportedVersions"))
	}
	if p.Outcome != NotTried {
		p.noteLifecycle(r, p.Result)
	}
	return p
}

// statelessListProbe judges a list request without a handshake. Servers without tools are asked for a list that they declare; the fact
// method names it, tools_code is the error that tools/list was answered with before. Further facts: content_type, and when supported result_type, ttl_ms, cache_scope.
func statelessListProbe(rec *source, o *Observation) Probe {
	r := gateway(rec, "stateless-list")
	if !r.tried() && rec.Transport == recording.SSE {
		return notApplicable(ProbeStatelessList, noStatelessSSE)
	}
	method := r.method("tools/list")
	nothing := method == "server/discover" // which is asked where there is no list to ask for
	if undeclared(o, r, method) {
		var other reply
		if other, method = declaredList(rec, o); other.tried() {
			r = other
		}
		nothing = !other.tried()
	}
	if nothing {
		p := r.probe(ProbeStatelessList)
		p.Outcome, p.Reason = NotApplicable, "server/discover declares nothing that could be listed"
		p.noteTools(rec)
		return p
	}
	p := r.judge(ProbeStatelessList, func(p *Probe) Outcome { return outcomeOf(answers(method, p.Result)) })
	if p.Outcome != NotTried {
		p.noteLifecycle(r, p.Result)
		p.Facts["method"] = method
		p.noteTools(rec)
	}
	return p
}

// noteTools keeps the error that tools/list was answered with where another list was asked for afterwards.
func (p *Probe) noteTools(rec *source) {
	if r := replyTo(rec, "probe/stateless-list-tools"); r.tried() && r.unobserved() == nil && r.code() != nil {
		p.Facts["tools_code"] = *r.code()
	}
}

// StatelessToolsError returns the code of the error that tools/list was answered with over the stateless lifecycle, whether the server
// declares tools or not.
func (o *Observation) StatelessToolsError() (code int64, ok bool) {
	p := o.Probe(ProbeStatelessList)
	if method := p.Text("method"); p.Code != nil && (method == "" || method == "tools/list") {
		return *p.Code, true
	}
	return p.Int("tools_code")
}

// declaredList finds the first page of a catalog that server/discover declares, and its method.
func declaredList(rec *source, o *Observation) (reply, string) {
	for _, s := range surfaces {
		if o.Discovered.Get("capabilities").Get(s.capability).Missing() {
			continue
		}
		if r := replyTo(rec, "stateless/"+s.method+"/1"); r.tried() {
			return r, s.method
		}
	}
	return reply{}, ""
}

func malformedMetaProbe(rec *source) Probe {
	r := replyTo(rec, "probe/malformed-meta")
	return r.judge(ProbeMalformedMeta, func(*Probe) Outcome { return outcomeOf(r.refusedWith(spec.CodeInvalidParams, 400)) })
}

// unknownVersionProbe: supported when the refusal has the code and the data that the specification defines. Facts with the code:
// supported, requested, data_well_formed; always: version_sent, the version that the request claimed (empty when not recorded).
func unknownVersionProbe(rec *source) Probe {
	r := replyTo(rec, "probe/unknown-version")
	return r.judge(ProbeUnknownVersion, func(p *Probe) Outcome {
		p.Facts["version_sent"] = r.sentMeta(spec.MetaProtocolVersion)
		if !r.hasCode(spec.CodeUnsupportedVersion) {
			return Unsupported
		}
		data := r.rpcError().Get("data")
		formed := data.IsObject() && nonEmptyStrings(data.Get("supported")) && data.Get("requested").IsString()
		p.Facts["supported"], p.Facts["requested"] = fact(data.Get("supported")), fact(data.Get("requested"))
		p.Facts["data_well_formed"] = formed
		return outcomeOf(formed)
	})
}

func nonEmptyStrings(list jsondoc.Value) bool {
	for _, e := range list.Elements() {
		if !e.Value.IsString() {
			return false
		}
	}
	return list.IsArray() && list.Len() > 0
}

// missingResourceProbe: fact legacy_code_emitted.
func missingResourceProbe(rec *source) Probe {
	r := replyTo(rec, "probe/missing-resource")
	return r.judge(ProbeMissingResource, func(p *Probe) Outcome {
		p.Facts["legacy_code_emitted"] = r.hasCode(spec.CodeResourceNotFoundLegacy)
		return outcomeOf(r.hasCode(spec.CodeInvalidParams))
	})
}

// removedMethodProbe: fact method_served.
func removedMethodProbe(rec *source) Probe {
	r := replyTo(rec, "probe/removed-method")
	return r.judge(ProbeRemovedMethod, func(p *Probe) Outcome {
		p.Facts["method_served"] = r.msg.Get("result").Exists()
		return outcomeOf(r.refusedWith(spec.CodeMethodNotFound, 404))
	})
}

func unknownMethodProbe(rec *source) Probe {
	r := replyTo(rec, "probe/unknown-method")
	return r.judge(ProbeUnknownMethod, func(*Probe) Outcome { return outcomeOf(r.refusedWith(spec.CodeMethodNotFound, 404)) })
}

// sessionIDEchoProbe: facts request_served and response_session_id, which is "[redacted]" when there is one. A request that is
// refused with the code that the same request gets without a session id was not refused for the id, and counts as served.
func sessionIDEchoProbe(rec *source) Probe {
	r := replyTo(rec, "probe/session-id-echo")
	return r.judge(ProbeSessionIDEcho, func(p *Probe) Outcome {
		method := r.method("tools/list")
		served := answers(method, p.Result)
		if plain := replyTo(rec, "probe/stateless-list"); !served && plain.method("tools/list") == method && plain.code() != nil && r.hasCode(*plain.code()) {
			served = true
		}
		p.Facts["request_served"], p.Facts["response_session_id"] = served, nil
		if sessionHeader(r) {
			p.Facts["response_session_id"] = recording.Redacted
		}
		return outcomeOf(served && !sessionHeader(r))
	})
}

// skillsListProbe: facts result_type, ttl_ms and cache_scope when skills/list was answered with a result. The first page counts where it
// was asked for over the stateless lifecycle, else the extra request that was made there.
func skillsListProbe(rec *source, o *Observation) Probe {
	if o.Discovered.Get("capabilities").Path("extensions", spec.ExtensionSkills).Missing() && o.Capabilities.Path("extensions", spec.ExtensionSkills).Missing() {
		return notApplicable(ProbeSkillsList, "the server does not declare the skills extension")
	}
	r := replyTo(rec, "skills/stateless-list")
	if first := replyTo(rec, "skills/list/1"); !r.tried() && first.sentMeta(spec.MetaProtocolVersion) != "" {
		r = first
	}
	p := r.judge(ProbeSkillsList, func(p *Probe) Outcome { return outcomeOf(p.Result.Exists()) })
	if p.Outcome == Supported {
		p.noteLifecycle(r, p.Result)
	}
	return p
}
