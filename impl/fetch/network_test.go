package fetch_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/fetch"
)

func TestFetcher_TLS(t *testing.T) {
	t.Parallel()
	plain := mustServe(t, write(200, "over http"))
	server := mustServeTLS(t, nil, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			http.Redirect(w, r, plain, http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "over "+r.Proto)
	})
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	trusting := mustFetcher(t, fetch.Options{Allow: loopback}.WithRoots(roots).WithResolver(resolveTo("127.0.0.1")))

	got, err := trusting.Fetch(t.Context(), server.URL)
	require.NoError(t, err)
	assert.Equal(t, "over HTTP/2.0", string(got))

	_, err = trusting.Fetch(t.Context(), server.URL+"/down")
	assert.Contains(t, mustBlame(t, err), "redirects from https to http")

	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	_, err = trusting.Fetch(t.Context(), "https://other.test:"+port)
	assert.Contains(t, mustBlame(t, err), "certificate is for another host")

	_, err = mustFetcher(t, fetch.Options{Allow: loopback}).Fetch(t.Context(), server.URL)
	assert.Contains(t, mustBlame(t, err), "unknown authority")

	expired := mustServeTLS(t, mustExpiredCertificate(t, roots), write(200, "x"))
	_, err = trusting.Fetch(t.Context(), expired.URL)
	assert.Contains(t, mustBlame(t, err), "expired")

	mute := mustAnswer(t, "\x15\x03\x01\x00\x02\x02\x28") // alert: handshake failure
	_, err = trusting.Fetch(t.Context(), strings.Replace(mute, "http:", "https:", 1))
	assert.Contains(t, mustBlame(t, err), "no TLS connection")
}

// mustServeTLS serves with a certificate, or with that of httptest, and keeps quiet about clients that do not like it.
func mustServeTLS(tb testing.TB, certificate *tls.Certificate, handler http.HandlerFunc) *httptest.Server {
	tb.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if certificate != nil {
		server.TLS = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
	}
	server.StartTLS()
	tb.Cleanup(server.Close)
	return server
}

// mustExpiredCertificate makes a certificate of yesterday and adds it to roots.
func mustExpiredCertificate(tb testing.TB, roots *x509.CertPool) *tls.Certificate {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    time.Now().Add(-48 * time.Hour),
		NotAfter:     time.Now().Add(-24 * time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(tb, err)
	parsed, err := x509.ParseCertificate(raw)
	require.NoError(tb, err)
	roots.AddCert(parsed)
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

func TestFetcher_NoProxyFromTheEnvironment(t *testing.T) {
	proxy := mustServe(t, write(200, "from the proxy"))
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	f := mustFetcher(t, fetch.Options{Allow: loopback}.WithResolver(resolveTo("127.0.0.1")))
	target := mustServe(t, write(200, "from the server"))
	got, err := f.Fetch(t.Context(), strings.Replace(target, "127.0.0.1", "image.test", 1))
	require.NoError(t, err)
	assert.Equal(t, "from the server", string(got))
}

func TestFetcher_NamesThatResolveAnew(t *testing.T) {
	t.Parallel()
	url := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // so that the second request dials again
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/again", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "reached")
	})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)

	steady := mustFetcher(t, fetch.Options{Allow: loopback}.WithResolver(resolveTo("127.0.0.1")))
	got, err := steady.Fetch(t.Context(), "http://image.test:"+port+"/")
	require.NoError(t, err)
	assert.Equal(t, "reached", string(got))

	rebinding := mustFetcher(t, fetch.Options{Allow: loopback}.WithResolver(resolveTo("127.0.0.1", "127.0.0.2")))
	_, err = rebinding.Fetch(t.Context(), "http://image.test:"+port+"/")
	assert.Contains(t, mustBlame(t, err), "the address is not public")
}

func TestFetcher_NamesThatDoNotResolve(t *testing.T) {
	t.Parallel()
	f := mustFetcher(t, fetch.Options{}.WithResolver(resolveTo("")))
	_, err := f.Fetch(t.Context(), "http://nowhere.test/")
	assert.Contains(t, mustBlame(t, err), "the host name does not exist")

	down := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("the name server is down")
	}}
	_, err = mustFetcher(t, fetch.Options{}.WithResolver(down)).Fetch(t.Context(), "http://image.test/")
	assert.Contains(t, mustBlame(t, err), "could not be looked up")
}

// resolveTo is a resolver whose name server answers each question for an IPv4 address with the next of addresses, and
// the last one for ever. An empty address means that no name exists.
func resolveTo(addresses ...string) *net.Resolver {
	var asked atomic.Int64
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			for {
				question, err := readMessage(server)
				if err != nil {
					return
				}
				address := ""
				if isA := question[len(question)-3] == 1; isA {
					address = addresses[min(int(asked.Add(1)), len(addresses))-1]
				}
				exists := addresses[0] != ""
				if _, err := server.Write(reply(question, address, exists)); err != nil {
					return
				}
			}
		}()
		return client, nil
	}}
}

// readMessage reads one DNS message in the framing of TCP and cuts it behind its question.
func readMessage(from io.Reader) ([]byte, error) {
	length := make([]byte, 2)
	if _, err := io.ReadFull(from, length); err != nil {
		return nil, err
	}
	message := make([]byte, binary.BigEndian.Uint16(length))
	if _, err := io.ReadFull(from, message); err != nil {
		return nil, err
	}
	end := 12
	for message[end] != 0 {
		end += int(message[end]) + 1
	}
	return message[:end+5], nil
}

// reply answers a DNS question with one address, or with none where it is empty (RFC 1035, section 4.1).
func reply(question []byte, address string, exists bool) []byte {
	message := append([]byte{0, 0}, question...)
	header := message[2:14]
	header[2], header[3] = 0x81, 0x80 // an answer, recursion available
	if !exists {
		header[3] |= 3 // no such name
	}
	copy(header[4:], []byte{0, 1, 0, 0, 0, 0, 0, 0})
	if address != "" {
		header[7] = 1
		message = append(message, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		message = append(message, netip.MustParseAddr(address).AsSlice()...)
	}
	binary.BigEndian.PutUint16(message, uint16(len(message)-2))
	return message
}
