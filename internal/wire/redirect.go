package wire

import (
	"net/http"
	"net/url"
	"strings"
)

// maxHops bounds the redirects that one call follows.
const maxHops = 5

// Reasons why a redirect is not followed, as recorded in recording.Hop.
const (
	refusedDowngrade = "downgrade"  // from https to http
	refusedOrigin    = "off-origin" // to another origin, or not to an HTTP URL at all
	refusedUserinfo  = "userinfo"   // to a URL with a user name
	refusedMethod    = "method"     // the method would change
	refusedTooMany   = "too-many"
)

func isRedirect(status int, header http.Header) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return len(header.Values("Location")) > 0
	}
	return false
}

// refusal says why a redirect from one URL to another must not be followed with this method, empty when it may. The URLs stay on one
// origin, so that no credential can reach another; only from http to https of the same host may the scheme change.
func refusal(from, to *url.URL, method string, status int) string {
	switch {
	case from.Scheme == "https" && to.Scheme == "http":
		return refusedDowngrade
	case !sameOrigin(from, to) && !upgrades(from, to):
		return refusedOrigin
	case to.User != nil:
		return refusedUserinfo
	case method != http.MethodGet && status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
		return refusedMethod
	}
	return ""
}

// upgrades reports whether two URLs differ in nothing of their origin but http and https, on default ports.
func upgrades(from, to *url.URL) bool {
	return from.Scheme == "http" && to.Scheme == "https" && strings.EqualFold(from.Hostname(), to.Hostname()) &&
		port(from) == "80" && port(to) == "443"
}

func sameOrigin(a, b *url.URL) bool { return originOf(a) == originOf(b) }

// originOf returns scheme, host and port of a URL in one normal form.
func originOf(u *url.URL) string {
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Hostname()) + ":" + port(u)
}

// port returns the port of a URL, the scheme's default when it names none.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return strings.TrimLeft(p[:len(p)-1], "0") + p[len(p)-1:]
	}
	switch strings.ToLower(u.Scheme) {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}
