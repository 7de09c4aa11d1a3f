package address_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/internal/address"
)

func TestIsInternalName(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"database": true, "DATABASE.": true, "localhost": true, "metadata.google.internal": true, "printer.LOCAL.": true, "nas.lan": true, "nas.home.arpa": true,
		"": false, "127.0.0.1": false, "::1": false, "images.example.org": false, "internal.example.org": false, "mylan.org": false, "notlocal.": true, "a.notlocal": false,
	} {
		assert.Equal(t, want, address.IsInternalName(host), host)
	}
}

func TestNeverPublic(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "169.254.169.254": true, "::1": true, "::ffff:10.0.0.1": true, "fd00::1": true, "127.0.0.1.": true,
		"2130706433": true, "0x7f000001": true, "127.1": true, "0177.0.0.1": true, "localhost": true, "LOCALHOST.": true, "a.localhost": true,
		"93.184.216.34": false, "2606:2800:220:1::1": false, "images.example.org": false, "mock.invalid": false, "localhost.example.org": false, "a.0y": false,
	} {
		assert.Equal(t, want, address.NeverPublic(host), host)
	}
}

func TestIsLoopbackHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:8080": true, "127.0.0.1": true, "127.4.5.6:80": true, "[::1]": true, "[::1]:8080": true, "[::ffff:127.0.0.1]:1": true,
		"": false, "localhost.example.org": false, "10.0.0.1:80": false, "[::]": false, "0.0.0.0": false, "a.localhost": false,
	} {
		assert.Equal(t, want, address.IsLoopbackHost(host), host)
	}
}

func TestIsLoopbackOrigin(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]bool{
		"": true, "http://localhost:8080": true, "https://127.0.0.1": true, "http://[::1]:1": true,
		"null": false, "https://uncial.example.org": false, "http://localhost.example.org": false, "http://[": false,
	} {
		assert.Equal(t, want, address.IsLoopbackOrigin(origin), origin)
	}
}
