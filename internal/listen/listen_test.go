package listen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/listen"
)

func TestTCP(t *testing.T) {
	t.Parallel()
	ln, err := listen.TCP("--listen", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	for address, want := range map[string]string{
		ln.Addr().String(): "--listen: another program listens on " + ln.Addr().String() + "; stop it, or choose another port",
		"192.0.2.1:8080":   "--listen: 192.0.2.1:8080 is not an address of this machine",
		"8080":             `--listen: invalid address "8080"; for this port use 127.0.0.1:8080 (this machine only) or :8080 (all addresses)`,
		"127.0.0.1:":       `--listen: invalid address "127.0.0.1:"; expected HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080`,
		"nonsense":         `--listen: invalid address "nonsense"; expected HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080`,
		"127.0.0.1:65536":  `--listen: invalid address "127.0.0.1:65536"; expected HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080`,
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			_, err := listen.TCP("--listen", address)
			require.EqualError(t, err, want)
		})
	}
	require.NoError(t, listen.Check("--listen", ""))
}
