package testcontainers

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// PostgresTLS starts a server that accepts only TLS, with a certificate for 127.0.0.1 from an authority of its own. It returns
// the URL of an existing database, without parameters, and the file of the authority's certificate. The server is removed when
// the test ends.
func PostgresTLS(tb testing.TB) (databaseURL, authority string) {
	tb.Helper()
	requireEngine(tb)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	certificate, key, root := mustCertificate(tb)
	authority = filepath.Join(tb.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, root, 0o600); err != nil {
		tb.Fatal(err)
	}
	req, err := publishedPostgres("require")
	if err != nil {
		tb.Fatal(err)
	}
	// start.sh of the image writes them to files, and then refuses connections without TLS.
	req.Env = map[string]string{"TLS_KEY": string(key), "TLS_CERTIFICATE": string(certificate)}
	server, err := start(ctx, req)
	removeAfterTest(tb, server)
	if err != nil {
		tb.Fatalf("start Postgres with TLS: %v", err)
	}
	return "postgres://uncial@" + mustEndpoint(tb, server, "5432/tcp") + "/postgres", authority
}

// mustCertificate returns a certificate for 127.0.0.1, its key, and the certificate of the authority that signed it, all in
// PEM.
func mustCertificate(tb testing.TB) (certificate, key, root []byte) {
	tb.Helper()
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	rootForm := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	rootDER, err := x509.CreateCertificate(rand.Reader, rootForm, rootForm, rootKey.Public(), rootKey)
	must(err)
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Postgres"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, NotBefore: rootForm.NotBefore, NotAfter: rootForm.NotAfter,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, rootForm, serverKey.Public(), rootKey)
	must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(serverKey)
	must(err)
	encode := func(kind string, data []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}) }
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", keyDER), encode("CERTIFICATE", rootDER)
}
