package wire

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// tlsFacts records what the connection's handshake agreed on, nil without TLS.
func (h *HTTP) tlsFacts(state *tls.ConnectionState, host string) *recording.TLS {
	if state == nil {
		return nil
	}
	t := &recording.TLS{
		Version:  strings.Replace(tls.VersionName(state.Version), "TLS ", "TLSv", 1),
		Cipher:   tls.CipherSuiteName(state.CipherSuite),
		Verified: len(state.VerifiedChains) > 0,
	}
	if len(state.PeerCertificates) == 0 {
		return t
	}
	leaf := state.PeerCertificates[0]
	if h.opts.Insecure {
		t.Verified = verifies(state.PeerCertificates, host, h.opts.RootCAs)
	}
	t.PrivateRoot = t.Verified && h.opts.RootCAs != nil && !verifies(state.PeerCertificates, host, nil)
	t.Subject, t.Issuer = h.line(leaf.Subject.String()), h.line(leaf.Issuer.String())
	t.NotAfter = leaf.NotAfter.UTC().Format(time.RFC3339)
	return t
}

// verifies tells whether a chain leads to one of these roots, nil for the system's, where nobody checked that.
func verifies(chain []*x509.Certificate, host string, roots *x509.CertPool) bool {
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{DNSName: host, Roots: roots, Intermediates: between})
	return err == nil
}
