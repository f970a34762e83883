package rules

// Retired says what became of rules that are no more, by id. An id is never used again. A roster may still name one.
var Retired = map[string]string{
	"tools_at_least_one":               "a server need not have tools; server_exposes_primitive asks for any kind of item",
	"readiness_2026_origin_validation": "checking the origin is no news of that revision; security_origin_validation asks for it",
	"capability_resources_subscribe":   "the capability is optional, and revision 2026-07-28 has it no more",
	"capability_logging_present":       "the capability is optional and deprecated",
}
