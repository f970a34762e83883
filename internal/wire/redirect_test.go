package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestRefusal(t *testing.T) {
	tests := []struct {
		from, to, method string
		status           int
		want             string
	}{
		{"https://h/mcp", "https://h/mcp/", "POST", 307, ""},
		{"https://h/mcp", "https://H:443/mcp/", "POST", 308, ""},
		{"https://h:0443/mcp", "https://h/", "POST", 308, ""},
		{"http://h/mcp", "https://h/mcp", "POST", 308, ""},
		{"http://h:80/mcp", "https://h:443/mcp", "GET", 301, ""},
		{"http://h:8080/mcp", "https://h/mcp", "POST", 308, "off-origin"},
		{"http://h/mcp", "https://h:8443/mcp", "POST", 308, "off-origin"},
		{"https://h/mcp", "http://h/mcp/", "POST", 307, "downgrade"},
		{"https://h/mcp", "http://other/mcp/", "POST", 307, "downgrade"},
		{"https://h/mcp", "https://other/mcp", "POST", 307, "off-origin"},
		{"https://h/mcp", "https://h.other/mcp", "POST", 307, "off-origin"},
		{"https://h/mcp", "ftp://h/mcp", "GET", 302, "off-origin"},
		{"https://h/mcp", "javascript:x", "GET", 302, "off-origin"},
		{"https://h/mcp", "https://u:p@h/mcp", "POST", 307, "userinfo"},
		{"https://h/mcp", "https://h/mcp/", "POST", 302, "method"},
		{"https://h/mcp", "https://h/mcp/", "POST", 303, "method"},
		{"https://h/mcp", "https://h/mcp/", "DELETE", 301, "method"},
		{"https://h/mcp", "https://h/mcp/", "GET", 303, ""},
	}
	for _, tt := range tests {
		from, err := url.Parse(tt.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(tt.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := refusal(from, to, tt.method, tt.status); got != tt.want {
			t.Errorf("%s %d from %s to %s: %q, want %q", tt.method, tt.status, tt.from, tt.to, got, tt.want)
		}
	}
}

// Case 23: method, body and headers stay on the same origin.
func TestSlashRedirectIsFollowed(t *testing.T) {
	var bodies, auth []string
	h, srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.Method+" "+r.URL.Path+" "+string(body))
		auth = append(auth, r.Header.Get("Authorization"))
		if r.URL.Path == "/mcp" {
			w.Header().Set("Location", "/mcp/?token=abcdef")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		io.WriteString(w, answer1)
	}, func(o *HTTPOptions) { o.Header = http.Header{"Authorization": {"Bearer user-token-1"}} })
	call := post()
	call.Follow = true
	r := h.Do(t.Context(), call)
	wantAnswer(t, r)
	if diff := cmp.Diff([]string{"POST /mcp " + request, "POST /mcp/ " + request}, bodies); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Bearer user-token-1", "Bearer user-token-1"}, auth); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]recording.Hop{{Status: 307, Location: "/mcp/?token=[redacted]", Followed: true}}, r.Exchange.Hops); diff != "" {
		t.Error(diff)
	}
	if r.URL != srv.URL+"/mcp/?token=abcdef" || h.limiter.Requests() != 2 {
		t.Errorf("answered by %s after %d requests", r.URL, h.limiter.Requests())
	}
}

func TestRedirectsThatAreNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("another origin was asked, with %v", r.Header)
	}))
	defer other.Close()
	tests := []struct {
		name, location string
		status, hops   int
		follow         bool
		refused        string
	}{
		{"to another origin", other.URL + "/mcp", 307, 1, true, "off-origin"},
		{"endless", "/again", 308, maxHops + 1, true, "too-many"},
		{"to itself", "", 308, maxHops + 1, true, "too-many"},
		{"method", "/x", 302, 1, true, "method"},
		{"not asked for", "/x", 307, 1, false, ""},
		{"no URL", "http://[::1", 307, 1, true, "off-origin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Location"] = []string{tt.location}
				w.WriteHeader(tt.status)
			}, func(o *HTTPOptions) { o.Header = http.Header{"X-Key": {"user-key-1"}} })
			call := post()
			call.Follow = tt.follow
			r := h.Do(t.Context(), call)
			if class(r) != recording.FailRedirected || r.Status != tt.status || len(r.Exchange.Hops) != tt.hops {
				t.Fatalf("%+v, status %d, %d hops", r.Exchange.Failure, r.Status, len(r.Exchange.Hops))
			}
			if last := r.Exchange.Hops[tt.hops-1]; last.Refused != tt.refused || last.Followed {
				t.Errorf("last hop %+v", last)
			}
			reason := tt.refused
			if reason == "" {
				reason = "not asked for"
			}
			if !strings.Contains(r.Exchange.Failure.Detail, reason) {
				t.Errorf("detail %q", r.Exchange.Failure.Detail)
			}
		})
	}
}

func TestUserHeadersStayAtTheEndpoint(t *testing.T) {
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		io.WriteString(w, "{}")
	}))
	defer other.Close()
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {}, func(o *HTTPOptions) {
		o.Header = http.Header{"Authorization": {"Bearer user-token-1"}, "X-Key": {"user-key-1"}}
	})
	r := h.Do(t.Context(), Call{Step: "auth/metadata", Method: http.MethodGet, URL: other.URL + "/.well-known/x", Discovered: true, Read: ReadBody})
	if r.Status != 200 || got.Get("Authorization") != "" || got.Get("X-Key") != "" {
		t.Errorf("status %d, headers %v", r.Status, got)
	}
}
