package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// failure makes a record of what went wrong. Its text never holds what differs between two equal audits (local ports, the clock).
func (h *HTTP) failure(class recording.Class, format string, args ...any) *recording.Failure {
	return &recording.Failure{Class: class, Detail: h.line(fmt.Sprintf(format, args...))}
}

// line makes text from a server fit for one line of a record.
func (h *HTTP) line(text string) string {
	return firstRunes(textscan.Visible(h.redact.String(text)), maxDetailRunes)
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i] + "…"
		}
		n--
	}
	return text
}

// sendFailure says why no response came.
func (a *attempt) sendFailure(parent, ctx context.Context, err error) *recording.Failure {
	f := a.classify(parent, ctx, err)
	if _, connected, _, _ := a.trace.state(); !connected {
		f.Phase = "connect"
	}
	return f
}

func (a *attempt) classify(parent, ctx context.Context, err error) *recording.Failure {
	h := a.link
	host := a.url.Host
	_, connected, tlsOpen, tlsErr := a.trace.state()
	if errors.Is(err, errBlocked) {
		return h.failure(recording.FailBlocked, "the server named a URL whose address must not be dialled: %v", innermost(err))
	}
	if parent.Err() != nil {
		return contextFailure(parent, "")
	}
	if ctx.Err() != nil {
		switch {
		case tlsOpen:
			return h.failure(recording.FailTimeout, "the TLS handshake with %s did not end within %v", host, a.timeout)
		case !connected:
			return h.failure(recording.FailTimeout, "no connection to %s within %v", host, a.timeout)
		}
		return h.failure(recording.FailTimeout, "no response from %s within %v", host, a.timeout)
	}
	var proxy *proxyError
	var dns *net.DNSError
	switch {
	case errors.As(err, &proxy):
		return h.failure(recording.FailUnreachable, "%v", proxy)
	case errors.As(err, &dns):
		if dns.IsTimeout {
			return h.failure(recording.FailDNS, "the name %s could not be looked up in time", dns.Name)
		}
		return h.failure(recording.FailDNS, "the name %s has no address", dns.Name)
	case tlsErr != nil:
		return h.failure(recording.FailTLS, "%s", cmp.Or(tlsReason(tlsErr), "the server ended the TLS handshake"))
	case isErrno(err, errnoRefused):
		return h.failure(recording.FailRefused, "%s refused the connection", host)
	case isErrno(err, errnoUnreachable):
		return h.failure(recording.FailUnreachable, "%s cannot be reached from here", host)
	case isErrno(err, errnoTimedOut):
		return h.failure(recording.FailTimeout, "no connection to %s", host)
	case tlsReason(err) != "":
		return h.failure(recording.FailTLS, "%s", tlsReason(err))
	case isErrno(err, errnoReset), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), strings.Contains(err.Error(), "server closed"):
		return h.failure(recording.FailReset, "%s closed the connection without a response", host)
	case strings.Contains(err.Error(), "headers exceeded"), strings.Contains(err.Error(), "header list"):
		return h.failure(recording.FailTooLarge, "the response headers are larger than %d bytes", maxResponseHeader)
	case !connected:
		return h.failure(recording.FailUnreachable, "no connection to %s", host)
	}
	return h.failure(recording.FailNotMCP, "what %s answered is no HTTP response", host)
}

// innermost unwraps to the error that errBlocked was wrapped into.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil || next == errBlocked {
			return err
		}
		err = next
	}
}

// tlsReason puts a TLS error in words, empty when it is none. Times are given as dates of the certificate, never as "now".
func tlsReason(err error) string {
	var (
		invalid   x509.CertificateInvalidError
		unknown   x509.UnknownAuthorityError
		name      x509.HostnameError
		noTLS     tls.RecordHeaderError
		unchecked *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &invalid):
		if invalid.Reason == x509.Expired && invalid.Cert != nil {
			return fmt.Sprintf("the certificate is valid from %s to %s only", invalid.Cert.NotBefore.UTC().Format(time.DateOnly), invalid.Cert.NotAfter.UTC().Format(time.DateOnly))
		}
		return "the certificate is not valid for this use: " + invalid.Error()
	case errors.As(err, &unknown):
		return "the certificate is signed by an authority that is not trusted here"
	case errors.As(err, &name):
		return "the certificate is for " + certificateNames(name.Certificate) + ", not for " + name.Host
	case errors.As(err, &noTLS):
		return "the server does not speak TLS on this port"
	case errors.As(err, &unchecked):
		return "the certificate does not verify: " + unchecked.Err.Error()
	case strings.Contains(err.Error(), "tls: "):
		from, reason, _ := strings.Cut(err.Error(), "tls: ")
		if strings.HasSuffix(from, "remote error: ") { // an alert
			return "the server refused the TLS handshake: " + reason
		}
		return "the TLS handshake failed: " + reason
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the server does not speak TLS on this port"
	}
	return ""
}

func certificateNames(c *x509.Certificate) string {
	if c == nil {
		return "another host"
	}
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no host"
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}

func isErrno(err error, list []syscall.Errno) bool {
	var n syscall.Errno
	return errors.As(err, &n) && slices.Contains(list, n)
}

// rateLimited says that the server did not serve us for now. Without a status nothing was sent.
func (a *attempt) rateLimited(status int) *recording.Failure {
	h := a.link
	f := h.failure(recording.FailRateLimited, "%s asked to be left alone for longer than we retry", a.url.Host)
	if status != 0 {
		f = h.failure(recording.FailRateLimited, "%s still answered %d after %d attempts", a.url.Host, status, len(a.reply.Exchange.Earlier)+1)
		f.Status = status
	}
	return f
}

// readFailure says why the response holds no answer (or, when no answer is awaited, why it was not read whole). first is the
// response itself, last the one that reading ended with.
func (a *attempt) readFailure(parent context.Context, first, last *reading) *recording.Failure {
	h := a.link
	status := a.reply.Status
	if first.coding != "" || last.coding != "" {
		f := h.failure(recording.FailEncoded, "the body came with Content-Encoding %q, which was not offered", cmp.Or(first.coding, last.coding))
		f.Status = status
		return f
	}
	if a.call.Read == ReadHeaders || a.call.Read == ReadAck {
		return nil
	}
	if a.call.Read == ReadAnswer {
		if last.answer != nil {
			return nil
		}
		if f := h.statusFailure(status, a); f != nil {
			return f
		}
	} else if last.endedBy == endedEnd || last.endedBy == endedAnswer {
		return nil
	}
	f := a.unread(parent, last)
	f.Status = status
	return f
}

func (a *attempt) unread(parent context.Context, last *reading) *recording.Failure {
	h := a.link
	text := beginning(last.body)
	jsonish := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	page := strings.HasPrefix(text, "<") || last.media == "text/html" || last.media == "application/xhtml+xml"
	awaited := a.call.Read == ReadAnswer
	switch {
	case last.endedBy == endedTimeout && parent.Err() != nil:
		return contextFailure(parent, "")
	case awaited && page && !jsonish:
		return h.failure(recording.FailHTML, "the answer is a web page (Content-Type %q)", last.media)
	case last.endedBy == endedTimeout && last.stream:
		return h.failure(recording.FailTimeout, "the event stream stayed open without the answer for %v", a.timeout)
	case last.endedBy == endedTimeout:
		return h.failure(recording.FailTimeout, "the body did not end within %v", a.timeout)
	case last.endedBy == endedLimit && (jsonish || last.stream || !awaited):
		return h.failure(recording.FailTooLarge, "the body is larger than %d bytes", a.maxBody)
	case last.endedBy == endedReset && last.encoding != "":
		return h.failure(recording.FailEncoded, "the body is no valid %s data", last.encoding)
	case last.endedBy == endedReset:
		return h.failure(recording.FailReset, "the connection ended in the middle of the body")
	case last.stream && last.resumeStatus != 0:
		return h.failure(recording.FailNoAnswer, "the event stream ended before the answer, and resuming it was answered with status %d", last.resumeStatus)
	case last.stream:
		return h.failure(recording.FailNoAnswer, "the event stream ended before the answer")
	case text == "":
		return h.failure(recording.FailNoAnswer, "the response has no body")
	}
	return h.failure(recording.FailNotMCP, "the body is no JSON-RPC message (Content-Type %q)", last.media)
}

// statusFailure classifies a response without an answer by its status, nil when that says nothing.
func (h *HTTP) statusFailure(status int, a *attempt) *recording.Failure {
	class := recording.FailHTTP
	switch {
	case status == http.StatusUnauthorized:
		class = recording.FailUnauthorized
	case status == http.StatusPaymentRequired:
		class = recording.FailPayment
	case status == http.StatusForbidden:
		class = recording.FailForbidden
	case status >= 500:
		class = recording.FailServerError
	case 300 <= status && status < 400:
		class = recording.FailRedirected
		if hops := a.reply.Exchange.Hops; len(hops) > 0 {
			hop := hops[len(hops)-1]
			f := h.failure(class, "redirected to %s, which is not followed (%s)", hop.Location, cmp.Or(hop.Refused, "not asked for"))
			f.Status = status
			return f
		}
	case status < 300:
		return nil
	}
	f := h.failure(class, "%s", strings.TrimSpace(fmt.Sprintf("HTTP status %d %s", status, http.StatusText(status))))
	f.Status = status
	return f
}

// beginning returns the first bytes of a body, without what JSON readers skip.
func beginning(b []byte) string {
	return strings.TrimLeft(string(b[:min(len(b), 512)]), " \t\r\n\xef\xbb\xbf")
}
