package observe

import (
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// Outcome is what a probe showed.
type Outcome string

// The outcomes. The zero Outcome means that the probe was not tried.
const (
	NotTried      Outcome = ""
	Supported     Outcome = "supported"
	Unsupported   Outcome = "unsupported"
	Unobserved    Outcome = "error"          // no usable answer: time-out, refusal, rate limit, broken connection
	NotApplicable Outcome = "not_applicable" // the probe cannot judge this server
)

// Probe ids, as the rules' specification names them.
const (
	ProbeDiscover               = "probe_discover"
	ProbeStatelessList          = "probe_stateless_list"
	ProbeMalformedMeta          = "probe_malformed_meta"
	ProbeHeaderMismatch         = "probe_header_mismatch"
	ProbeMissingProtocolVersion = "probe_missing_protocol_version"
	ProbeMissingMethodHeader    = "probe_missing_method_header"
	ProbeResourceNameHeader     = "probe_resource_name_header_mismatch"
	ProbePromptNameHeader       = "probe_prompt_name_header_mismatch"
	ProbeGetStreamRemoved       = "probe_get_stream_removed"
	ProbeUnknownVersion         = "probe_unknown_version"
	ProbeMissingResource        = "probe_missing_resource"
	ProbeUnauthenticated        = "probe_unauthenticated"
	ProbeAuthMetadata           = "probe_auth_metadata"
	ProbeInvalidToken           = "probe_invalid_token"
	ProbeSessionIDEcho          = "probe_session_id_echo"
	ProbeRemovedMethod          = "probe_removed_method"
	ProbeOriginValidation       = "probe_origin_validation"
	ProbeUnknownMethod          = "probe_unknown_method"
	ProbeMalformedJSON          = "probe_malformed_json"
	ProbeToolsCursor            = "probe_tools_invalid_cursor"
	ProbeResourcesCursor        = "probe_resources_invalid_cursor"
	ProbeTemplatesCursor        = "probe_resource_templates_invalid_cursor"
	ProbePromptsCursor          = "probe_prompts_invalid_cursor"
	ProbeCacheScope             = "probe_pagination_cache_scope"
	ProbeNotificationAccepted   = "probe_notification_accepted"
	ProbeInvalidRequest         = "probe_invalid_request"
	ProbeGetStream              = "probe_get_stream"
	ProbeSessionDelete          = "probe_session_delete"
	ProbeQueryCredential        = "probe_query_credential"
	ProbeHostValidation         = "probe_host_validation"
	ProbeLocalBind              = "probe_local_bind"
	ProbeToolsIndependent       = "probe_tools_catalog_connection_independent"
	ProbeResourcesIndependent   = "probe_resources_catalog_connection_independent"
	ProbePromptsIndependent     = "probe_prompts_catalog_connection_independent"
)

// Probe is the decoded outcome of one probe.
type Probe struct {
	ID      string
	Outcome Outcome
	// Reason says in words why the outcome is Unobserved or NotApplicable.
	Reason string
	// Class is the transport failure behind an Unobserved outcome, empty when there was none.
	Class recording.Class
	// Step is the exchange that decided.
	Step string
	// Status is the HTTP status of the deciding answer, 0 on stdio and when none came.
	Status  int
	Code    *int64 // JSON-RPC error code, nil when the answer was no error or its code no integer
	Message string // JSON-RPC error message
	Result  jsondoc.Value
	// Facts are further observations under the names that reports use (snake_case). Values are nil, bool, int64, string,
	// []string, []any or map[string]any.
	Facts map[string]any
}

// Probe returns the probe with this id; its Outcome is NotTried when there is none.
func (o *Observation) Probe(id string) Probe {
	if p, ok := o.Probes[id]; ok {
		return p
	}
	return Probe{ID: id}
}

// Has reports whether the probe has a non-null fact of this name.
func (p Probe) Has(fact string) bool { return p.Facts[fact] != nil }

// Text returns a string fact, empty when there is none.
func (p Probe) Text(fact string) string { s, _ := p.Facts[fact].(string); return s }

// Int returns an integer fact.
func (p Probe) Int(fact string) (int64, bool) { n, ok := p.Facts[fact].(int64); return n, ok }

// Bool returns a boolean fact; ok is false when it is not known.
func (p Probe) Bool(fact string) (value, ok bool) { value, ok = p.Facts[fact].(bool); return }

// Strings returns a list of strings, nil when the fact is no such list.
func (p Probe) Strings(fact string) []string {
	switch list := p.Facts[fact].(type) {
	case []string:
		return list
	case []any:
		out := make([]string, 0, len(list))
		for _, e := range list {
			s, ok := e.(string)
			if !ok {
				return nil
			}
			out = append(out, s)
		}
		return out
	}
	return nil
}

// HasCode reports whether the answer was an error with this code.
func (p Probe) HasCode(code int64) bool { return p.Code != nil && *p.Code == code }
