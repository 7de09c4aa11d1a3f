package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs the certificates of all parts. It lives as long as the cluster.
type authority struct {
	folder string
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
}

// certificateLife is longer than any run.
const certificateLife = 24 * time.Hour

// newAuthority writes ca.crt, and the key pair that signs tokens of service accounts.
func newAuthority(folder string) (*authority, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	a := &authority{folder: folder, cert: &x509.Certificate{Subject: pkix.Name{CommonName: "cluster"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}}
	var err error
	if a.key, err = a.issue("ca", a.cert); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(a.file("ca.crt"))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		return nil, err
	}
	accounts, err := a.issue("accounts", &x509.Certificate{Subject: pkix.Name{CommonName: "accounts"}})
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(&accounts.PublicKey)
	if err != nil {
		return nil, err
	}
	return a, writePEM(a.file("accounts.pub"), "PUBLIC KEY", public)
}

func (a *authority) file(name string) string { return filepath.Join(a.folder, name) }

// client writes NAME.crt, NAME.key and NAME.conf, a kubeconfig with both, for a user of the API server.
func (a *authority) client(name, user string, groups ...string) error {
	_, err := a.issue(name, &x509.Certificate{
		Subject: pkix.Name{CommonName: user, Organization: groups}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return err
	}
	config := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: this,
clusters: [{name: this, cluster: {server: "https://%s:6443", certificate-authority: %q}}],
users: [{name: this, user: {client-certificate: %q, client-key: %q}}],
contexts: [{name: this, context: {cluster: this, user: this}}]}
`, nodeAddress, a.file("ca.crt"), a.file(name+".crt"), a.file(name+".key"))
	return os.WriteFile(a.file(name+".conf"), []byte(config), 0o600)
}

// server writes NAME.crt and NAME.key for a server with these names and addresses.
func (a *authority) server(name string, hosts ...string) error {
	cert := &x509.Certificate{Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			cert.IPAddresses = append(cert.IPAddresses, ip)
		} else {
			cert.DNSNames = append(cert.DNSNames, h)
		}
	}
	_, err := a.issue(name, cert)
	return err
}

// issue writes a certificate and its new key. The authority itself has no key yet and signs with the new one.
func (a *authority) issue(name string, cert *x509.Certificate) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if cert.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62)); err != nil {
		return nil, err
	}
	cert.NotBefore, cert.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(certificateLife)
	cert.KeyUsage |= x509.KeyUsageDigitalSignature
	signer := a.key
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, signer)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := writePEM(a.file(name+".crt"), "CERTIFICATE", der); err != nil {
		return nil, err
	}
	return key, writePEM(a.file(name+".key"), "EC PRIVATE KEY", private)
}

// writePEM writes a file that only root can read: some are keys.
func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
