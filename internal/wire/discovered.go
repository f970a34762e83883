package wire

import (
	"io"
	"net/http"
)

// DiscoveredClient returns an HTTP client for addresses that the server named, for libraries that make their own requests (package
// signin). Addresses are screened when they are dialled, the user's headers, credentials, cookies and client certificates stay away,
// no redirect is followed, and of no answer more than maxBody bytes are read. It works until the link is closed.
func (h *HTTP) DiscoveredClient(maxBody int64) *http.Client {
	return &http.Client{
		Transport: discovered{link: h, maxBody: maxBody},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

type discovered struct {
	link    *HTTP
	maxBody int64
}

// RoundTrip implements http.RoundTripper.
func (d discovered) RoundTrip(req *http.Request) (*http.Response, error) {
	a := &attempt{link: d.link, call: Call{Anonymous: true, Discovered: true}}
	r, err := a.route(req.Context(), req.URL)
	if err != nil {
		return nil, err
	}
	own := req.Clone(req.Context())
	own.Header.Set("User-Agent", "hallmark/"+d.link.opts.Version)
	resp, err := d.link.transport(r).RoundTrip(own)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, d.maxBody), resp.Body}
	return resp, nil
}
