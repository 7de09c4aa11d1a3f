package testcontainers_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/testcontainers"
)

func TestProxy(t *testing.T) {
	t.Parallel()
	const size = 100_000
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", size))
	}))
	t.Cleanup(origin.Close)
	for _, c := range []struct {
		fault testcontainers.Fault
		whole bool // the body arrives completely
		late  bool // not before 300 ms
	}{
		{testcontainers.Fault{}, true, false},
		{testcontainers.Fault{Kind: testcontainers.Latency, Delay: 100 * time.Millisecond}, true, true},
		{testcontainers.Fault{Kind: testcontainers.Reset, Bytes: 5000}, false, false},
		{testcontainers.Fault{Kind: testcontainers.HalfOpen, Bytes: 5000}, false, true},
		{testcontainers.Fault{Kind: testcontainers.SlowClose, Delay: 300 * time.Millisecond}, true, false},
		{testcontainers.Fault{Kind: testcontainers.Cut, Bytes: 5000}, false, false},
		{testcontainers.Fault{Kind: testcontainers.CloseAtOnce}, false, false},
	} {
		t.Run(c.fault.Kind.String(), func(t *testing.T) {
			t.Parallel()
			proxy := testcontainers.Proxy(t, strings.TrimPrefix(origin.URL, "http://"))
			proxy.Set(c.fault)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			client := http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext, DisableKeepAlives: true}}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+proxy.Addr, http.NoBody)
			require.NoError(t, err)
			started := time.Now()
			res, err := client.Do(req)
			var body []byte
			if err == nil {
				body, err = io.ReadAll(res.Body)
				_ = res.Body.Close()
			}
			require.Equal(t, c.whole, err == nil && len(body) == size, "%d bytes, %v", len(body), err)
			require.Equal(t, c.late, time.Since(started) >= 300*time.Millisecond)
		})
	}
}
