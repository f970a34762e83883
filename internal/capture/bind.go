package capture

import (
	"context"
	"net"
	"net/url"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/wire"
)

// localBind looks whether a server that is meant for this machine also listens on the addresses by which others reach the machine: it
// opens a TCP connection to each of them and, where that works, sends a request that the server serves on loopback.
func (e *endpoint) localBind(ctx context.Context, target *url.URL, call wire.Call) {
	port := target.Port()
	if port == "" {
		port = "80"
	}
	for i, address := range routableAddresses() {
		place := net.JoinHostPort(address, port)
		step := "tcp/" + itoa(i+1)
		ex := recording.Exchange{Step: step, Via: "tcp", Connection: "bind", Started: recording.Micros(time.Since(e.a.began)), Request: &recording.Request{URL: "tcp://" + place}}
		began := time.Now()
		dialer := net.Dialer{Timeout: min(5*time.Second, e.a.budgets.Probe)}
		conn, err := dialer.DialContext(ctx, "tcp", place)
		ex.Duration = recording.Micros(time.Since(began))
		if err != nil {
			ex.Failure = dialFailure(err)
			e.a.keep(wire.Reply{Exchange: ex})
			continue
		}
		conn.Close()
		e.a.keep(wire.Reply{Exchange: ex})
		replay := call
		other := *target
		other.Host, other.User = place, nil
		replay.Step, replay.URL, replay.Direct, replay.Anonymous, replay.Host = "probe/bind/"+itoa(i+1), other.String(), true, true, target.Host
		e.closeSession(ctx, e.a.keep(e.probe.send(ctx, replay)))
	}
}

func dialFailure(err error) *recording.Failure {
	f := &recording.Failure{Class: recording.FailRefused, Phase: "probe", Detail: "nothing listens there"}
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		f.Class, f.Detail = recording.FailTimeout, "the connection attempt timed out"
	}
	return f
}

// routableAddresses are this machine's addresses on its default routes, found by binding a UDP socket towards a documentation address
// (RFC 5737, RFC 3849); nothing is sent.
func routableAddresses() []string {
	var addresses []string
	for _, probe := range []struct{ network, address string }{{"udp4", "192.0.2.1:9"}, {"udp6", "[2001:db8::1]:9"}} {
		conn, err := net.Dial(probe.network, probe.address)
		if err != nil {
			continue
		}
		if a, ok := conn.LocalAddr().(*net.UDPAddr); ok && !a.IP.IsLoopback() && !a.IP.IsLinkLocalUnicast() && !a.IP.IsUnspecified() {
			addresses = append(addresses, a.IP.String())
		}
		conn.Close()
	}
	return addresses
}
