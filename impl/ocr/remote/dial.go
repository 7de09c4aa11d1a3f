package remote

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Timeouts of a connection to an engine. Reading an image may take minutes, so none of them covers the answer itself.
const (
	connectTimeout  = 3 * time.Second
	tlsTimeout      = 5 * time.Second
	continueTimeout = 5 * time.Second // for an engine to send "100 Continue"; after that the image is sent anyway
	// maxSilence is the time without any acknowledgement after which the other machine is considered dead.
	maxSilence = 15 * time.Second
)

// parseURL checks the base URL of the engines. It returns the URL and its port, which defaults to that of the scheme.
func parseURL(baseURL string) (*url.URL, uint16, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Hostname() == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, 0, fmt.Errorf("invalid engine URL %q; expected one such as http://engine:8090", baseURL)
	}
	// Addresses replace the host name later, so the port must be explicit.
	port := cmp.Or(base.Port(), map[string]string{"http": "80", "https": "443"}[base.Scheme])
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, 0, fmt.Errorf("invalid port in engine URL %q; expected 1 to 65535", baseURL)
	}
	return base, uint16(number), nil
}

// newHTTPClient returns a client that connects to addresses but checks certificates for the host name. It does not follow
// redirects, because engines do not send any.
func newHTTPClient(host string) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:           dialer().DialContext,
			TLSClientConfig:       &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   tlsTimeout,
			ExpectContinueTimeout: continueTimeout,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       time.Minute,
			DisableCompression:    true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// dialer returns a dialer whose connections detect that the other machine died without a reset, for example because of a power
// failure. Keep-alives detect it on an idle connection, TCP_USER_TIMEOUT on one with unacknowledged data: tcp(7).
func dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         connectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: maxSilence / 3, Interval: maxSilence / 3, Count: 2},
		Control: func(_, _ string, c syscall.RawConn) error {
			var err error
			if e := c.Control(func(fd uintptr) {
				err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(maxSilence/time.Millisecond))
			}); e != nil {
				return e
			}
			return err
		},
	}
}
