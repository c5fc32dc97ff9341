package localcloud

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

const certificateLifetime = 10 * 365 * 24 * time.Hour

// pki is the folder of the control plane's keys and certificates.
type pki string

func (p pki) file(name string) string { return filepath.Join(string(p), name) }

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// makePKI makes a CA, certificates of the server and of an administrator, and the key that signs
// tokens of service accounts.
func makePKI(dir string) (pki, error) {
	p := pki(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return p, err
	}
	ca, err := p.makeAuthority()
	if err != nil {
		return p, fmt.Errorf("making the certificate authority: %w", err)
	}
	server := template("kube-apiserver")
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(apiServiceAddress)}
	server.DNSNames = []string{
		"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
		"kubernetes.default.svc.cluster.local",
	}
	admin := template("local-admin")
	admin.Subject.Organization = []string{"system:masters"}
	admin.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	for name, certificate := range map[string]*x509.Certificate{"server": server, "admin": admin} {
		if err := p.issue(ca, name, certificate); err != nil {
			return p, fmt.Errorf("making the certificate %s: %w", name, err)
		}
	}
	_, err = p.makeKey("service-accounts")
	return p, err
}

func (p pki) makeAuthority() (authority, error) {
	key, err := p.makeKey("ca")
	if err != nil {
		return authority{}, err
	}
	certificate := template("localcloud")
	certificate.IsCA, certificate.BasicConstraintsValid = true, true
	certificate.KeyUsage |= x509.KeyUsageCertSign
	ca := authority{certificate, key}
	return ca, p.sign(ca, "ca", certificate, key)
}

// issue makes a key and a certificate signed by the authority.
func (p pki) issue(ca authority, name string, certificate *x509.Certificate) error {
	key, err := p.makeKey(name)
	if err != nil {
		return err
	}
	return p.sign(ca, name, certificate, key)
}

func (p pki) sign(ca authority, name string, certificate *x509.Certificate, key *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, certificate, ca.certificate, &key.PublicKey, ca.key)
	if err != nil {
		return err
	}
	return writePEM(p.file(name+".crt"), "CERTIFICATE", der)
}

func (p pki) makeKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(p.file(name+".key"), "EC PRIVATE KEY", der)
}

func template(commonName string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: commonName},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(certificateLifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
