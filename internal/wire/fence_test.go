package wire

import (
	"errors"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
)

func TestFence(t *testing.T) {
	srv := httptest.NewServer(nil)
	t.Cleanup(srv.Close)
	shut, open := Fence{}, Fence{Also: netip.Addr.IsLoopback}
	for _, tt := range []struct {
		name    string
		fence   Fence
		url     string
		blocked bool
	}{
		{"global address", shut, "https://93.184.215.14/mcp", false},
		{"loopback", shut, srv.URL, true},
		{"loopback, allowed", open, srv.URL, false},
		{"loopback by name, allowed", open, "http://localhost:1/", false},
		{"IPv4 address in IPv6 dress", shut, "http://[::ffff:10.0.0.1]/", true},
		{"metadata service", open, "http://169.254.169.254/latest/", true},
		{"private network", open, "http://192.168.1.1/", true},
		{"no such name", shut, "http://nobody.invalid/", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.fence.Check(t.Context(), u); errors.Is(err, errBlocked) != tt.blocked {
				t.Errorf("Check: %v, blocked should be %v", err, tt.blocked)
			}
		})
	}
	address := srv.Listener.Addr().String()
	if conn, err := shut.Dial(t.Context(), "tcp", address); !errors.Is(err, errBlocked) {
		t.Errorf("a fenced dialer reaches loopback: %v %v", conn, err)
	}
	conn, err := open.Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
