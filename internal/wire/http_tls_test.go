package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-hallmark/hallmark/internal/recording"
)

// authority is a certificate authority of a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test CA"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{cert: cert, key: key, pool: x509.NewCertPool()}
	a.pool.AddCert(cert)
	return a
}

// issue makes a certificate for a name.
func (a *authority) issue(t *testing.T, name string, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func serveTLS(t *testing.T, config *tls.Config) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("X-Client", "none")
		if len(r.TLS.PeerCertificates) > 0 {
			w.Header().Set("X-Client", r.TLS.PeerCertificates[0].Subject.CommonName)
		}
		io.WriteString(w, answer1)
	}))
	srv.TLS = config
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	_, port, _ := strings.Cut(srv.Listener.Addr().String(), ":")
	return "https://localhost:" + port + "/mcp"
}

func TestTLSFacts(t *testing.T) {
	ca := newAuthority(t)
	until := time.Date(2199, 5, 6, 7, 8, 9, 0, time.UTC)
	good := ca.issue(t, "localhost", until)
	versions := map[uint16]string{tls.VersionTLS10: "TLSv1.0", tls.VersionTLS11: "TLSv1.1", tls.VersionTLS12: "TLSv1.2", tls.VersionTLS13: "TLSv1.3"}
	for version, name := range versions {
		t.Run(name, func(t *testing.T) {
			endpoint := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{good}, MinVersion: version, MaxVersion: version})
			r := link(t, endpoint, func(o *HTTPOptions) { o.RootCAs = ca.pool }).Do(t.Context(), post())
			wantAnswer(t, r)
			got := r.Exchange.Response.TLS
			if got.Cipher == "" {
				t.Error("no cipher")
			}
			got.Cipher = ""
			want := &recording.TLS{Version: name, Verified: true, PrivateRoot: true, Subject: "CN=localhost", Issuer: "CN=Test CA", NotAfter: "2199-05-06T07:08:09Z"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTLSFailures(t *testing.T) {
	ca := newAuthority(t)
	later := time.Now().Add(time.Hour)
	tests := []struct {
		name   string
		cert   tls.Certificate
		change func(*tls.Config)
		trust  bool
		detail string
	}{
		{"unknown authority", ca.issue(t, "localhost", later), nil, false, "not trusted"},
		{"another name", ca.issue(t, "other.example", later), nil, true, "for other.example, not for localhost"},
		{"expired", ca.issue(t, "localhost", time.Date(2021, 2, 3, 0, 0, 0, 0, time.UTC)), nil, true, "from 2020-01-01 to 2021-02-03"},
		{"client certificate wanted", ca.issue(t, "localhost", later), func(c *tls.Config) {
			c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
		}, true, "refused the TLS handshake"},
		{"client certificate wanted, TLS 1.3", ca.issue(t, "localhost", later), func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }, true, "refused the TLS handshake: certificate required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			config := &tls.Config{Certificates: []tls.Certificate{tt.cert}}
			if tt.change != nil {
				tt.change(config)
			}
			endpoint := serveTLS(t, config)
			trust := func(o *HTTPOptions) {
				o.RootCAs = x509.NewCertPool()
				if tt.trust {
					o.RootCAs = ca.pool
				}
			}
			r := link(t, endpoint, trust).Do(t.Context(), post())
			if class(r) != recording.FailTLS || !strings.Contains(r.Exchange.Failure.Detail, tt.detail) {
				t.Errorf("%+v", r.Exchange.Failure)
			}
			if tt.change != nil {
				return
			}
			r = link(t, endpoint, trust, func(o *HTTPOptions) { o.Insecure = true }).Do(t.Context(), post())
			wantAnswer(t, r)
			if r.Exchange.Response.TLS.Verified {
				t.Error("recorded as verified")
			}
		})
	}
}

func TestInsecureStillTellsGoodCertificates(t *testing.T) {
	ca := newAuthority(t)
	endpoint := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "localhost", time.Now().Add(time.Hour))}})
	r := link(t, endpoint, func(o *HTTPOptions) { o.RootCAs, o.Insecure = ca.pool, true }).Do(t.Context(), post())
	wantAnswer(t, r)
	if !r.Exchange.Response.TLS.Verified {
		t.Error("recorded as not verified")
	}
}

func TestClientCertificateStaysAway(t *testing.T) {
	ca := newAuthority(t)
	later := time.Now().Add(time.Hour)
	config := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "localhost", later)}, ClientAuth: tls.RequestClientCert}
	endpoint, other := serveTLS(t, config), serveTLS(t, config)
	h := link(t, endpoint, func(o *HTTPOptions) {
		o.RootCAs, o.Certificates = ca.pool, []tls.Certificate{ca.issue(t, "auditor", later)}
	})
	anonymous, discovered := post(), post()
	anonymous.Anonymous = true
	discovered.URL, discovered.Discovered = other, true
	for _, tt := range []struct {
		name string
		call Call
		want string
	}{{"endpoint", post(), "auditor"}, {"anonymous", anonymous, "none"}, {"another origin", discovered, "none"}} {
		r := h.Do(t.Context(), tt.call)
		if got := r.Header.Get("X-Client"); got != tt.want {
			t.Errorf("%s: client %q, want %q (%+v)", tt.name, got, tt.want, r.Exchange.Failure)
		}
	}
}

func TestHTTP2(t *testing.T) {
	ca := newAuthority(t)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream(w, "id: 1\ndata:\n\n")
		if r.URL.Path == "/mcp" {
			stream(w, "data: "+answer1+"\n\n")
		}
		<-r.Context().Done()
	}))
	srv.EnableHTTP2 = true
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "localhost", time.Now().Add(time.Hour))}}
	srv.StartTLS()
	defer srv.Close()
	_, port, _ := strings.Cut(srv.Listener.Addr().String(), ":")
	h := link(t, "https://localhost:"+port+"/mcp", func(o *HTTPOptions) { o.RootCAs = ca.pool })
	r := h.Do(t.Context(), post())
	wantAnswer(t, r)
	if r.Exchange.Response.Proto != "HTTP/2.0" || r.Exchange.Response.TLS == nil {
		t.Errorf("%s, %+v", r.Exchange.Response.Proto, r.Exchange.Response.TLS)
	}
	silent := post()
	silent.URL, silent.Timeout = "https://localhost:"+port+"/silent", 50*time.Millisecond
	if r := h.Do(t.Context(), silent); class(r) != recording.FailTimeout {
		t.Errorf("%+v", r.Exchange.Failure)
	}
	h.Close()
}
