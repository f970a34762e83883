package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

func TestGloballyReachable(t *testing.T) {
	yes := []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8", "192.0.0.9", "2001:4860:4860::8888"}
	no := []string{"0.0.0.0", "10.1.2.3", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1", "100.64.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.9",
		"224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
		"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "::7f00:1", "2001:db8::1", "2001::1", "3fff::1", "100::1", "fec0::1", "192.0.0.1"}
	for _, a := range yes {
		if !globallyReachable(netip.MustParseAddr(a)) {
			t.Errorf("%s is refused", a)
		}
	}
	for _, a := range no {
		if globallyReachable(netip.MustParseAddr(a)) {
			t.Errorf("%s is let through", a)
		}
	}
}

func TestScreenByTarget(t *testing.T) {
	tests := []struct {
		name    string
		target  []string // its addresses
		address string
		blocked bool
	}{
		{"public target, public address", []string{"8.8.8.8"}, "1.1.1.1:443", false},
		{"public target, private address", []string{"8.8.8.8"}, "10.0.0.1:443", true},
		{"partly public target", []string{"8.8.8.8", "127.0.0.1"}, "10.0.0.1:443", true},
		{"private target, private address", []string{"192.168.0.1"}, "10.0.0.1:443", false},
		{"loopback target, metadata service", []string{"127.0.0.1", "::1"}, "169.254.169.254:80", true},
		{"link-local target", []string{"169.254.1.1"}, "169.254.1.2:80", false},
		{"loopback target, multicast", []string{"127.0.0.1"}, "224.0.0.1:80", true},
		{"target without an address", nil, "127.0.0.1:80", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(&url.URL{Scheme: "https", Host: "target.example"})
			s.resolve = func(context.Context, string) ([]netip.Addr, error) {
				var addrs []netip.Addr
				for _, a := range tt.target {
					addrs = append(addrs, netip.MustParseAddr(a))
				}
				return addrs, nil
			}
			if err := s.control(t.Context(), "tcp", tt.address, nil); errors.Is(err, errBlocked) != tt.blocked {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestDiscoveredURLIsScreenedAtDialTime(t *testing.T) {
	asked := false
	_, srv := serve(t, func(w http.ResponseWriter, r *http.Request) { asked = true })
	_, port, _ := strings.Cut(srv.Listener.Addr().String(), ":")
	h := link(t, "https://target.example/mcp")
	h.screen.resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0"} {
		r := h.Do(t.Context(), Call{Step: "auth/metadata", Method: http.MethodGet, URL: "http://" + host + ":" + port + "/", Discovered: true, Read: ReadBody})
		if host == "0" && class(r) == recording.FailDNS {
			continue // not every resolver reads "0" as an address
		}
		if class(r) != recording.FailBlocked || asked {
			t.Errorf("%s: %+v, asked %v", host, r.Exchange.Failure, asked)
		}
	}
	proxied := link(t, "https://target.example/mcp", func(o *HTTPOptions) {
		o.Proxy = func(*url.URL) (*url.URL, error) { return url.Parse(srv.URL) }
	})
	proxied.screen.resolve = h.screen.resolve
	r := proxied.Do(t.Context(), Call{Step: "auth/metadata", Method: http.MethodGet, URL: "http://169.254.169.254/latest/", Discovered: true, Read: ReadBody})
	if class(r) != recording.FailBlocked || asked {
		t.Errorf("through a proxy: %+v, asked %v", r.Exchange.Failure, asked)
	}
	own := link(t, srv.URL+"/mcp")
	if r := own.Do(t.Context(), Call{Step: "auth/metadata", Method: http.MethodGet, URL: srv.URL + "/.well-known/x", Discovered: true, Read: ReadBody}); r.Status != 200 {
		t.Errorf("the target's own origin: %+v", r.Exchange.Failure)
	}
}

// Whoever embeds the auditor may lead connections to the target elsewhere, and only those.
func TestDialConcernsTheTargetOnly(t *testing.T) {
	_, srv := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer1) })
	var dialled []string
	h := link(t, "http://target.example/mcp", func(o *HTTPOptions) {
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			dialled = append(dialled, address)
			return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
		}
	})
	h.screen.resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	}
	if r := h.Do(t.Context(), post()); r.Status != 200 {
		t.Errorf("target: %+v", r.Exchange.Failure)
	}
	r := h.Do(t.Context(), Call{Step: "auth/metadata", Method: http.MethodGet, URL: srv.URL, Discovered: true, Read: ReadBody})
	if class(r) != recording.FailBlocked {
		t.Errorf("discovered address: status %d, %+v", r.Status, r.Exchange.Failure)
	}
	if diff := cmp.Diff([]string{"target.example:80"}, dialled); diff != "" {
		t.Errorf("dialled (-want +got):\n%s", diff)
	}
}
