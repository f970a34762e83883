package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// errBlocked is wrapped by the error of a dial that the screen refused.
var errBlocked = errors.New("address is not globally reachable")

// lookupLimit bounds a DNS query made for the screen alone.
const lookupLimit = 5 * time.Second

// screen decides which addresses may be dialled for URLs that a server told us. Those may only lead into the open Internet, since
// otherwise any server could have us ask services of our own network. An audited server that itself stands in a private network may
// name neighbours there; nothing but a link-local server may name link-local addresses, where clouds keep their metadata services.
type screen struct {
	target  string // host of the audited URL
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	once             sync.Once
	private, linkOwn bool
}

func newScreen(target *url.URL) *screen {
	return &screen{target: target.Hostname(), resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}}
}

// control is for net.Dialer.ControlContext: it sees every address after name resolution and right before it is dialled, so that a
// name whose address changes in between (DNS rebinding) does not get past it.
func (s *screen) control(ctx context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errBlocked, address)
	}
	return s.check(ctx, at.Addr())
}

func (s *screen) check(ctx context.Context, a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if globallyReachable(a) {
		return nil
	}
	s.once.Do(func() { s.classifyTarget(ctx) })
	allowed := s.private
	if a.IsLinkLocalUnicast() {
		allowed = s.linkOwn
	}
	if !allowed || a.IsMulticast() || a == broadcast {
		return fmt.Errorf("%w: %s", errBlocked, a)
	}
	return nil
}

// checkHost screens a URL that will be fetched through a proxy, which resolves names itself: no address is seen when it is dialled.
func (s *screen) checkHost(ctx context.Context, u *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, lookupLimit)
	defer cancel()
	addrs, err := s.lookup(ctx, u.Hostname())
	if err != nil {
		return nil // behind a proxy, names often resolve only there
	}
	for _, a := range addrs {
		if err := s.check(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (s *screen) classifyTarget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupLimit)
	defer cancel()
	addrs, err := s.lookup(ctx, s.target)
	if err != nil || len(addrs) == 0 {
		return
	}
	s.private, s.linkOwn = true, true
	for _, a := range addrs {
		a = a.Unmap()
		s.private = s.private && !globallyReachable(a)
		s.linkOwn = s.linkOwn && a.IsLinkLocalUnicast()
	}
}

func (s *screen) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	return s.resolve(ctx, host)
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// notGlobal are the blocks that the IANA special-purpose address registries (RFC 6890) mark as not globally reachable, besides those
// that package netip knows, and blocks that are documentation, deprecated or reserved.
var notGlobal = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16",
	"fec0::/10")

// global are the exceptions inside those blocks.
var global = prefixes("192.0.0.9/32", "192.0.0.10/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48",
	"2001:20::/28", "2001:30::/28")

// Blocks whose addresses carry an IPv4 address: NAT64 (RFC 6052) in the last four bytes, 6to4 (RFC 3056) after the first two.
var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
	v4compat  = netip.MustParsePrefix("::/96")
)

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, t := range texts {
		list = append(list, netip.MustParsePrefix(t))
	}
	return list
}

func globallyReachable(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range global {
		if p.Contains(a) {
			return true
		}
	}
	for _, p := range notGlobal {
		if p.Contains(a) {
			return false
		}
	}
	b := a.As16()
	switch {
	case a.Is4():
		return true
	case nat64.Contains(a), v4compat.Contains(a):
		return globallyReachable(netip.AddrFrom4([4]byte(b[12:])))
	case sixToFour.Contains(a):
		return globallyReachable(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return true
}
