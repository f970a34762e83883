package observe

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/challenge"
	"github.com/mcp-hallmark/hallmark/internal/jsondoc"
	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// decodeAuthMetadata reads the search for protected resource metadata (RFC 9728 section 3; MCP 2025-11-25, Basic › Authorization) and for
// the metadata of the first usable authorization server. Outcome: Supported when a document was found, Unobserved when a place that may
// hold it could not be seen, else Unsupported. Facts:
//
//   - urls_tried, unreachable_locations: addresses in the order tried
//   - challenge_metadata_url: the address the challenge names, _invalid when it is no http(s) URL with a host, _blocked when it leads to
//     an address that must not be dialled, _http_status and _error of asking it, _resource what the document there says
//   - metadata_url, discovery ("challenge", "path", "root"), resource, authorization_servers (a list or nil), scopes_supported
//   - auth_server_issuer: the entry that was walked; auth_server_invalid when no entry is an http(s) URL with a host
//   - auth_server_metadata_present, _metadata_url, _has_endpoints, _missing_endpoints, _pkce_methods, _pkce_s256, _cimd_supported,
//     _registration_endpoint, _iss_parameter_supported, _issuer_declared: of the accepted document
//   - auth_server_issuer_mismatch ({metadata_url, issuer}), auth_server_metadata_error (failure class or "http-<status>" of a place that
//     could not be seen), auth_server_metadata_blocked, auth_server_urls_tried
func decodeAuthMetadata(rec *source, unauthenticated Probe) Probe {
	p := Probe{ID: ProbeAuthMetadata, Facts: map[string]any{}}
	named := challengedMetadata(rec, unauthenticated, p.Facts)
	var tried, unreachable []string
	var decided reply
	found, unseen := false, ""
	for n := 1; ; n++ {
		r := replyTo(rec, fmt.Sprintf("auth/resource-metadata/%d", n))
		if !r.tried() {
			break
		}
		at := requestURL(r)
		tried = append(tried, at)
		doc, ok := metadataDocument(r)
		resource, hasResource := doc.Get("resource").Text()
		usable := ok && hasResource
		if at == named && named != "" {
			recordChallenged(p.Facts, r, doc)
		}
		if !r.answered() || r.busy() {
			unreachable = append(unreachable, at)
			if class, _ := r.missing(); class != recording.FailBlocked {
				unseen = whyUnseen(r)
			}
		}
		if !found && usable {
			found, decided = true, r
			p.Facts["metadata_url"], p.Facts["resource"] = at, resource
			p.Facts["discovery"] = discovery(at, named)
			p.Facts["authorization_servers"] = nil
			if list := doc.Get("authorization_servers"); list.IsArray() {
				p.Facts["authorization_servers"] = Plain(list)
			}
			p.Facts["scopes_supported"] = Plain(doc.Get("scopes_supported"))
			p.Result = doc
		}
		if !found {
			decided = r
		}
	}
	if tried == nil && p.Facts["challenge_metadata_url"] == nil {
		return p
	}
	p.Facts["urls_tried"], p.Facts["unreachable_locations"] = tried, unreachable
	if decided.tried() {
		p.Step, p.Status = decided.Step, decided.status
		if decided.answered() {
			p.Facts["http_status"] = int64(decided.status)
		}
	}
	switch {
	case found:
		decodeAuthServer(rec, p.Facts)
		return p.as(Supported, "")
	case unseen != "":
		if decided.tried() {
			p.Class, _ = decided.missing()
		}
		return p.as(Unobserved, "a place where the metadata may stand could not be read: "+unseen)
	}
	return p.as(Unsupported, "")
}

// challengedMetadata notes what the challenge says about the place of the metadata and returns that place when it can be asked.
func challengedMetadata(rec *source, unauthenticated Probe, facts map[string]any) string {
	r := replyTo(rec, "probe/unauthenticated")
	if !refused(r.Exchange) || unauthenticated.Outcome != Supported {
		return ""
	}
	param, ok := challenge.Find(challenge.Parse(r.challenges()...), "resource_metadata")
	if !ok {
		return ""
	}
	facts["challenge_metadata_url"] = param.Value
	if !WebURL(param.Value) {
		facts["challenge_metadata_invalid"] = true
		return ""
	}
	return param.Value
}

// WebURL reports whether s is an absolute http or https URL with a host.
func WebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Hostname() != "" && (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https"))
}

func recordChallenged(facts map[string]any, r reply, doc jsondoc.Value) {
	if r.answered() {
		facts["challenge_metadata_http_status"] = int64(r.status)
	}
	if class, _ := r.missing(); class == recording.FailBlocked {
		facts["challenge_metadata_blocked"] = true
	} else if !r.answered() {
		facts["challenge_metadata_error"] = whyUnseen(r)
	}
	if resource, ok := doc.Get("resource").Text(); ok {
		facts["challenge_metadata_resource"] = resource
	}
}

// metadataDocument reads a JSON object that was answered with 200. A page of a single-page application is none.
func metadataDocument(r reply) (jsondoc.Value, bool) {
	if r.status != 200 || r.Response.Body == nil || r.Response.Body.Cut {
		return jsondoc.Value{}, false
	}
	doc, _, err := jsondoc.Parse(r.Response.Body.Bytes)
	return doc, err == nil && doc.IsObject()
}

func requestURL(r reply) string {
	if r.Request == nil {
		return ""
	}
	return r.Request.URL
}

func discovery(at, named string) string {
	switch u, err := url.Parse(at); {
	case at == named:
		return "challenge"
	case err == nil && strings.TrimSuffix(u.Path, "/") == "/.well-known/oauth-protected-resource":
		return "root"
	}
	return "path"
}

// whyUnseen says in a word why a place could not be read.
func whyUnseen(r reply) string {
	if r.answered() {
		return fmt.Sprintf("http-%d", r.status)
	}
	class, reason := r.missing()
	if class != "" {
		return string(class)
	}
	return reason
}

// decodeAuthServer reads the walk through the places of the metadata of the first usable authorization server.
func decodeAuthServer(rec *source, facts map[string]any) {
	list, _ := facts["authorization_servers"].([]any)
	issuer := ""
	for _, entry := range list {
		if s, ok := entry.(string); ok && WebURL(s) {
			issuer = s
			break
		}
	}
	if issuer == "" {
		if len(list) > 0 {
			facts["auth_server_invalid"] = true
		}
		return
	}
	facts["auth_server_issuer"] = issuer
	facts["auth_server_metadata_present"] = false
	var tried []string
	for n := 1; ; n++ {
		r := replyTo(rec, fmt.Sprintf("auth/authorization-server/%d", n))
		if !r.tried() {
			break
		}
		at := requestURL(r)
		tried = append(tried, at)
		facts["auth_server_urls_tried"] = tried
		doc, ok := metadataDocument(r)
		declared, hasIssuer := doc.Get("issuer").Text()
		switch {
		case ok && hasIssuer && sameIssuer(declared, issuer):
			recordAuthServer(facts, at, doc, issuer)
			return
		case ok && hasIssuer:
			if facts["auth_server_issuer_mismatch"] == nil {
				facts["auth_server_issuer_mismatch"] = map[string]any{"metadata_url": at, "issuer": clip(declared, 255)}
			}
		case r.answered() && !r.busy() && !r.refused():
			// Answered, and no metadata: the next place is asked.
		default:
			if class, _ := r.missing(); class == recording.FailBlocked {
				facts["auth_server_metadata_blocked"] = true
			} else if facts["auth_server_metadata_error"] == nil {
				facts["auth_server_metadata_error"] = whyUnseen(r)
			}
		}
	}
	if tried == nil {
		facts["auth_server_metadata_error"] = "not tried"
	}
}

// sameIssuer compares issuers; one trailing slash of difference is tolerated.
func sameIssuer(a, b string) bool {
	return a == b || strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

func recordAuthServer(facts map[string]any, at string, doc jsondoc.Value, issuer string) {
	facts["auth_server_metadata_present"] = true
	facts["auth_server_metadata_url"] = at
	delete(facts, "auth_server_issuer_mismatch")
	delete(facts, "auth_server_metadata_error")
	if declared := doc.Get("issuer").TextOr(""); declared != issuer {
		facts["auth_server_issuer_declared"] = declared
	}
	var missing []string
	for _, endpoint := range requiredEndpoints(doc) {
		if !doc.Get(endpoint).IsString() {
			missing = append(missing, endpoint)
		}
	}
	facts["auth_server_has_endpoints"] = missing == nil
	if missing != nil {
		facts["auth_server_missing_endpoints"] = missing
	}
	methods := doc.Get("code_challenge_methods_supported")
	facts["auth_server_pkce_methods"] = Plain(methods)
	facts["auth_server_pkce_s256"] = holds(methods, "S256")
	facts["auth_server_cimd_supported"] = doc.Get("client_id_metadata_document_supported").True()
	registration := doc.Get("registration_endpoint").TextOr("")
	facts["auth_server_registration_endpoint"] = WebURL(registration) && strings.HasPrefix(strings.ToLower(registration), "https:")
	facts["auth_server_iss_parameter_supported"] = doc.Get("authorization_response_iss_parameter_supported").True()
}

// requiredEndpoints are the endpoints that RFC 8414 section 2 requires: the authorization endpoint unless no grant uses it, the token
// endpoint unless the implicit grant is the only one.
func requiredEndpoints(doc jsondoc.Value) []string {
	grants := doc.Get("grant_types_supported")
	if !grants.IsArray() || grants.Len() == 0 {
		return []string{"authorization_endpoint", "token_endpoint"}
	}
	var required []string
	if holds(grants, "authorization_code") || holds(grants, "implicit") {
		required = append(required, "authorization_endpoint")
	}
	if grants.Len() != 1 || !holds(grants, "implicit") {
		required = append(required, "token_endpoint")
	}
	return required
}

func holds(list jsondoc.Value, word string) bool {
	for _, e := range list.Elements() {
		if e.Value.TextOr("") == word {
			return true
		}
	}
	return false
}
