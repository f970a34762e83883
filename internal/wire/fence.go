package wire

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Fence keeps audits of targets that somebody else than the user chose off the networks that the user is in.
type Fence struct {
	// Also allows addresses that are not globally reachable, nil for none.
	Also func(netip.Addr) bool
}

// Check looks where a URL leads. The error says which address is out of bounds. A name that does not resolve passes: it cannot be dialled
// either, unless by a proxy.
func (f Fence) Check(ctx context.Context, target *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	addrs, err := newScreen(target).lookup(ctx, target.Hostname())
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		if err := f.allow(a); err != nil {
			return err
		}
	}
	return nil
}

// Dial is a net.Dialer's, with every address checked after name resolution and right before it is dialled.
func (f Fence) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{KeepAlive: 15 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %s", errBlocked, address)
		}
		return f.allow(at.Addr())
	}}
	return dialer.DialContext(ctx, network, address)
}

func (f Fence) allow(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if globallyReachable(a) || f.Also != nil && f.Also(a) {
		return nil
	}
	return fmt.Errorf("%w: %s", errBlocked, a)
}
