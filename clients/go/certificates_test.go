package arbiter_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"testing"
	"time"
)

// authority is a CA for one test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// The CA certificate.
	pem []byte
}

func newAuthority(t *testing.T) authority {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	return authority{must(x509.ParseCertificate(der))(t), key, encode("CERTIFICATE", der)}
}

// issue creates a certificate for a name, and its key, both in PEM.
func (a authority) issue(t *testing.T, name string) (certificate, key []byte) {
	private := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		DNSNames:    []string{name},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der := must(x509.CreateCertificate(rand.Reader, template, a.certificate, private.Public(), a.key))(t)
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(private))(t))
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// startTLSProxy starts a TLS proxy in front of the real server, with a certificate for the name "arbiter.test". It
// requires client certificates if there is a CA for them.
func startTLSProxy(t *testing.T, servers authority, clients *authority) string {
	config := &tls.Config{
		Certificates: []tls.Certificate{must(tls.X509KeyPair(servers.issue(t, "arbiter.test")))(t)},
		NextProtos:   []string{"h2"},
	}
	if clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.ClientCAs.AddCert(clients.certificate)
	}
	listener := must(tls.Listen("tcp", "127.0.0.1:0", config))(t)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			outside, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(outside)
		}
	}()
	return listener.Addr().String()
}

// forward forwards a connection to the real server.
func forward(outside net.Conn) {
	defer outside.Close()
	inside, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer inside.Close()
	go func() {
		io.Copy(inside, outside)
		inside.Close()
	}()
	io.Copy(outside, inside)
}
