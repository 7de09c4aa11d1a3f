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

	"github.com/stretchr/testify/require"

	"uncial/impl/fetch"
	"uncial/internal/contract"
)

func TestFetcher_Fetch_TLS(t *testing.T) {
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

	requireFetch(t, trusting, server.URL, "over HTTP/2.0")

	requireReason(t, trusting, server.URL+"/down", "redirected from https to http")

	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	requireReason(t, trusting, "https://other.test:"+port, "certificate is for another host")

	requireReason(t, mustFetcher(t, fetch.Options{Allow: loopback}), server.URL, "unknown authority")

	expired := mustServeTLS(t, mustExpiredCertificate(t, roots), write(200, "x"))
	requireReason(t, trusting, expired.URL, "expired")

	mute := mustAnswer(t, "\x15\x03\x01\x00\x02\x02\x28") // alert: handshake failure
	requireReason(t, trusting, strings.Replace(mute, "http:", "https:", 1), "TLS connection to the server failed")
}

// mustServeTLS serves with the certificate, or with that of httptest if it is nil, and logs no failed handshakes.
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

// mustExpiredCertificate makes a certificate that expired yesterday and adds it to roots.
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

func TestFetcher_Fetch_Proxy(t *testing.T) {
	proxy := mustServe(t, write(200, "from the proxy"))
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	f := mustFetcher(t, fetch.Options{Allow: loopback}.WithResolver(resolveTo("127.0.0.1")))
	target := mustServe(t, write(200, "from the server"))
	requireFetch(t, f, strings.Replace(target, "127.0.0.1", "image.test", 1), "from the server")
}

func TestFetcher_Fetch_Rebinding(t *testing.T) {
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
	requireFetch(t, steady, "http://image.test:"+port+"/", "reached")

	rebinding := mustFetcher(t, fetch.Options{Allow: loopback}.WithResolver(resolveTo("127.0.0.1", "127.0.0.2")))
	requireReason(t, rebinding, "http://image.test:"+port+"/", "the address is not public")
}

func TestFetcher_Fetch_UnknownHost(t *testing.T) {
	t.Parallel()
	f := mustFetcher(t, fetch.Options{}.WithResolver(resolveTo("")))
	requireReason(t, f, "http://nowhere.test/", "the host name does not exist")

	for _, host := range []string{"database", "metadata.google.internal", "printer.local.", "NAS.lan", "nas.home.arpa"} {
		requireReason(t, f, "http://"+host+"/", contract.NotPublic)
	}
	requireReason(t, mustFetcher(t, fetch.Options{Allow: loopback}.WithResolver(resolveTo(""))), "http://database/", contract.NotPublic)
	inside := mustFetcher(t, fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}.WithResolver(resolveTo("")))
	requireReason(t, inside, "http://database/", "the host name does not exist")

	down := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("the name server is down")
	}}
	_, err := mustFetcher(t, fetch.Options{}.WithResolver(down)).Fetch(t.Context(), "http://image.test/")
	require.ErrorIs(t, err, fetch.ErrNetwork, "this machine fails")
}

// resolveTo returns a resolver whose name server answers each query for an IPv4 address with the next address, and all
// later ones with the last. An empty address means that no name exists.
func resolveTo(addresses ...string) *net.Resolver {
	var asked atomic.Int64
	return resolver(func(_ string, kind byte) (address netip.Addr, exists bool) {
		if addresses[0] == "" || kind != typeA {
			return address, addresses[0] != ""
		}
		return netip.MustParseAddr(addresses[min(int(asked.Add(1)), len(addresses))-1]), true
	})
}

// resolver returns a resolver that asks answer about each name and type of query. The zero address stands for no record of that
// type.
func resolver(answer func(name string, kind byte) (address netip.Addr, exists bool)) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			for {
				question, err := readMessage(server)
				if err != nil {
					return
				}
				if _, err := server.Write(reply(question, answer)); err != nil {
					return
				}
			}
		}()
		return client, nil
	}}
}

// readMessage reads one DNS message in TCP framing and cuts it off after its question.
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

// The types of DNS queries (RFC 1035, section 3.2.2; RFC 3596, section 2.1).
const (
	typeA    = 1
	typeAAAA = 28
)

// reply answers a DNS question with at most one address (RFC 1035, section 4.1).
func reply(question []byte, answer func(name string, kind byte) (address netip.Addr, exists bool)) []byte {
	var labels []string
	for at := 12; question[at] != 0; at += int(question[at]) + 1 {
		labels = append(labels, string(question[at+1:at+1+int(question[at])]))
	}
	kind := question[len(question)-3]
	address, exists := answer(strings.Join(labels, "."), kind)
	message := append([]byte{0, 0}, question...)
	header := message[2:14]
	header[2], header[3] = 0x81, 0x80 // an answer, recursion available
	if !exists {
		header[3] |= 3 // no such name
	}
	copy(header[4:], []byte{0, 1, 0, 0, 0, 0, 0, 0})
	if address.IsValid() {
		header[7] = 1
		message = append(message, 0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, byte(address.BitLen()/8))
		message = append(message, address.AsSlice()...)
	}
	binary.BigEndian.PutUint16(message, uint16(len(message)-2))
	return message
}
