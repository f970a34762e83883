package main

// scenario is what we expect of one scenario of the suite.
type scenario struct {
	name string
	// notRun says why the scenario cannot concern an auditor; it is left out then.
	notRun string
	flags  []string // of hallmark audit
	env    []string
	// excuses are the failed checks that an audit must cause.
	excuses []excuse
	// finds names the rule that must report the fault which the scenario's server has.
	finds string
	// sound looks at the recording in place of a check that the excuses took the force from.
	sound bool
}

// excuse is a check that may fail, provided that it fails for the reason given.
type excuse struct {
	check  string // id
	as     string // regular expression for what the suite saw: its error message and details as JSON
	reason string
}

const (
	callsTools = "A tool has to be called, which an audit never does."
	otherGrant = "It signs in without a user, by a grant other than the authorization code. A token from such a grant can be passed with `--token`."
	keyBound   = "Tokens bound to a key (DPoP) are not supported; hallmark says so when a server issues one."
)

var (
	madeUpToken = excuse{"invalid-bearer-token", `"hallmark-i\.\.\."`,
		"The audit shows the server a token that nobody issued, to see how it is refused. The check may fail for that token only."}
	oldLifecycle = "A server that answers `initialize` is audited in its older lifecycle too, whose requests have neither these headers nor `_meta`; and some probes leave " +
		"them out, to see how that is refused. The check counts those too. In its place the recording is looked through: every other request must be complete."
)

func signedIn(name string, more ...string) scenario {
	return scenario{name: name, flags: append([]string{"--oauth"}, more...), excuses: []excuse{madeUpToken}}
}

func skill(name, rule string) scenario {
	return scenario{name: "sep-2640-client-" + name, finds: rule, excuses: []excuse{{"sep-2640-host-*", "",
		"An audit reads the files of skills in order to compare them with what is listed, and goes on after a difference. It loads no skill into any model. " +
			"In place of the check the report has to tell the difference."}}}
}

// scenarios are all client scenarios of the suite.
var scenarios = []scenario{
	{name: "initialize"},
	{name: "tools_call", notRun: callsTools},
	{name: "elicitation-sep1034-client-defaults", notRun: callsTools},
	{name: "sse-retry", excuses: []excuse{{"client-sse-last-event-id", "",
		"The server breaks off the stream of a tool call, and no other: there is nothing to resume without calling the tool. Resuming is tested in `internal/wire`."}}},
	{name: "request-metadata", sound: true, excuses: []excuse{
		{"sep-2575-http-client-sends-version-header", "", oldLifecycle},
		{"sep-2575-client-populates-meta", "", oldLifecycle},
		{"sep-2575-client-sends-client-info", "", oldLifecycle},
	}},
	signedIn("auth/metadata-default"),
	signedIn("auth/metadata-var1"),
	signedIn("auth/metadata-var2"),
	signedIn("auth/metadata-var3"),
	signedIn("auth/basic-cimd", "--client-id", "https://conformance-test.local/client-metadata.json"),
	signedIn("auth/scope-from-www-authenticate"),
	signedIn("auth/scope-from-scopes-supported"),
	signedIn("auth/scope-omitted-when-undefined"),
	{name: "auth/scope-step-up", notRun: "More scopes are asked for when a tool is called, which an audit never does; and the scenario's server ends when it is shown a " +
		"token that it did not issue. Step-up is tested in `internal/signin` and `internal/cli`."},
	signedIn("auth/scope-retry-limit"),
	signedIn("auth/token-endpoint-auth-basic"),
	signedIn("auth/token-endpoint-auth-post"),
	signedIn("auth/token-endpoint-auth-none"),
	{name: "auth/pre-registration", flags: []string{"--oauth", "--client-id", "pre-registered-client"}, env: []string{"HALLMARK_CLIENT_SECRET=pre-registered-secret"},
		excuses: []excuse{madeUpToken}},
	signedIn("auth/2025-03-26-oauth-metadata-backcompat"),
	signedIn("auth/2025-03-26-oauth-endpoint-fallback"),
	signedIn("auth/resource-mismatch"),
	{name: "auth/offline-access-scope", flags: []string{"--oauth"}, excuses: []excuse{madeUpToken, {"sep-2207-client-metadata-grant-types", "",
		"It is about clients that want a refresh token. One audit outlives no token, so hallmark asks for none."}}},
	signedIn("auth/offline-access-not-supported"),
	{name: "auth/authorization-server-migration", notRun: "It is about clients that keep their registration. Hallmark registers anew for each audit and keeps nothing; and the " +
		"scenario's server ends when it is shown a token that it did not issue."},
	signedIn("auth/iss-supported"),
	signedIn("auth/iss-not-advertised"),
	signedIn("auth/iss-supported-missing"),
	signedIn("auth/iss-wrong-issuer"),
	signedIn("auth/iss-unexpected"),
	signedIn("auth/iss-normalized"),
	signedIn("auth/metadata-issuer-mismatch"),
	{name: "auth/client-credentials-jwt", notRun: otherGrant},
	{name: "auth/client-credentials-basic", notRun: otherGrant},
	{name: "auth/enterprise-managed-authorization", notRun: otherGrant},
	{name: "auth/dpop", notRun: keyBound},
	{name: "auth/dpop-nonce", notRun: keyBound},
	{name: "auth/wif-jwt-bearer", notRun: otherGrant},
	{name: "sep-2322-client-request-state", notRun: callsTools},
	{name: "http-standard-headers", sound: true, excuses: []excuse{{"sep-2243-client-includes-standard-headers", `Missing Mcp-Method header`, oldLifecycle}}},
	{name: "http-custom-headers", notRun: callsTools},
	{name: "http-invalid-tool-headers", notRun: callsTools + " What it looks at, tools with unusable `x-mcp-header`, is what the rules `tools_mcp_headers_*` report."},
	{name: "json-schema-ref-no-deref"},
	{name: "json-schema-2020-12-preservation", notRun: callsTools},
	skill("no-prefetch", ""),
	skill("verify-digest", "skills_digest_integrity"),
	skill("verify-size", "skills_digest_integrity"),
	skill("verify-frontmatter", "skills_frontmatter_matches"),
}
