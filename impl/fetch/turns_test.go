package fetch_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"uncial/impl/fetch"
	"uncial/impl/ocr"
	"uncial/internal/contract"
	"uncial/internal/fair"
)

func TestFetcher_Fetch_PerHost(t *testing.T) {
	t.Parallel()
	var running, peak atomic.Int64
	url := mustServe(t, func(w http.ResponseWriter, _ *http.Request) {
		now := running.Add(1)
		for seen := peak.Load(); now > seen && !peak.CompareAndSwap(seen, now); seen = peak.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		running.Add(-1)
		_, _ = io.WriteString(w, "x")
	})
	f := mustFetcher(t, fetch.Options{Allow: loopback, PerHost: 3})
	var group errgroup.Group
	for range 12 {
		group.Go(func() error {
			_, err := f.Fetch(t.Context(), url)
			return err
		})
	}
	require.NoError(t, group.Wait())
	assert.Equal(t, int64(3), peak.Load())
}

func TestFetcher_Fetch_slowHostLeavesRoom(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	stuck := mustServe(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		_, _ = io.WriteString(w, "x")
	})
	quick := mustServe(t, write(200, "quick"))
	f := mustFetcher(t, fetch.Options{Allow: loopback, PerHost: 1, MaxConcurrent: 8, Timeout: 10 * time.Second})
	results := make(chan error, 40)
	for range 24 { // one runs, 16 wait, 7 are refused
		go func() {
			_, err := f.Fetch(t.Context(), stuck)
			results <- err
		}()
	}
	<-arrived
	for range 7 {
		require.ErrorIs(t, <-results, ocr.ErrBusy)
	}
	requireFetch(t, f, quick, "quick")
	close(release)
	for range 17 {
		require.NoError(t, <-results)
	}
}

func TestFetcher_Fetch_leavesHostAlone(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	url := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/busy" {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, "x")
	})
	other := mustServe(t, write(200, "other"))
	f := mustFetcher(t, fetch.Options{Allow: loopback})
	_, err := f.Fetch(t.Context(), url+"/busy")
	failure := mustFail(t, err)
	assert.Equal(t, contract.FetchBusy, failure.Reason)
	assert.Equal(t, time.Second, failure.RetryAfter)

	_, err = f.Fetch(t.Context(), strings.ToUpper(url[:7])+url[7:]+"/page")
	failure = mustFail(t, err)
	assert.Equal(t, contract.FetchBusy, failure.Reason)
	assert.Contains(t, failure.Text, "has asked for a pause; try again in 1 s")
	assert.Positive(t, failure.RetryAfter)
	assert.Equal(t, int64(1), asked.Load(), "the host was not asked again")
	requireFetch(t, f, other, "other")

	require.Eventually(t, func() bool {
		_, err := f.Fetch(t.Context(), url+"/page")
		return err == nil
	}, 5*time.Second, 50*time.Millisecond)
}

func TestOriginOf_oneSpelling(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"http://images.example.org:80":   {"http://images.example.org/a", "HTTP://Images.Example.ORG./a", "http://images.example.org:80/", "http://images.example.org:0080/"},
		"https://images.example.org:443": {"https://images.example.org/a", "https://images.example.org:443/", "https://images.example.org:0443/"},
		"http://2606:2800:220:1::1:80":   {"http://[2606:2800:220:1::1]/", "http://[2606:2800:0220:0001:0:0:0:1]:80/"},
		"http://93.184.216.34:80":        {"http://93.184.216.34/", "http://[::ffff:93.184.216.34]:080/"},
	} {
		for _, text := range texts {
			u, err := url.Parse(text)
			require.NoError(t, err)
			assert.Equal(t, want, fetch.OriginOf(u), text)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "86400": time.Hour, "99999999999999999999": 0,
		"Thu, 15 Jan 2026 12:01:30 GMT": 90 * time.Second, "Thu, 15 Jan 2026 11:00:00 GMT": 0, "Fri, 16 Jan 2026 12:00:00 GMT": time.Hour,
	} {
		assert.Equal(t, want, fetch.RetryAfter(header, now), header)
	}
}

func TestIsOwnFailure(t *testing.T) {
	t.Parallel()
	dial := func(ip string, cause error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.ParseIP(ip), Port: 80}, Err: cause}
	}
	lookup := func(e net.DNSError) error { return &net.OpError{Op: "dial", Net: "tcp", Err: &e} }
	silent := lookup(net.DNSError{Err: "i/o timeout", IsTimeout: true, IsTemporary: true})
	for name, c := range map[string]struct {
		err      error
		resolved bool
		want     bool
	}{
		"no name server":                          {lookup(net.DNSError{Err: "read udp 127.0.0.1:9->127.0.0.1:53: read: connection refused"}), true, true},
		"a name server that never answers":        {silent, false, true},
		"a domain whose name servers are silent":  {silent, true, false},
		"a name that does not exist":              {lookup(net.DNSError{Err: "no such host", IsNotFound: true}), false, false},
		"a domain whose name servers fail":        {lookup(net.DNSError{Err: "server misbehaving", IsTemporary: true}), false, false},
		"no route to IPv4":                        {dial("93.184.216.34", syscall.ENETUNREACH), false, true},
		"no route to IPv6, which many hosts lack": {dial("2606:2800:220:1::1", syscall.ENETUNREACH), false, false},
		"a network card that is down":             {dial("2606:2800:220:1::1", syscall.ENETDOWN), false, true},
		"a host that is down":                     {dial("93.184.216.34", syscall.EHOSTUNREACH), false, false},
		"a closed port":                           {dial("93.184.216.34", syscall.ECONNREFUSED), false, false},
	} {
		assert.Equal(t, c.want, fetch.IsOwnFailure(c.err, c.resolved), name)
	}
}

func TestFetcher_Fetch_sharesAHost(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int64
	release := make(chan struct{}, 100)
	url := mustServe(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived.Add(1)
		<-release
		_, _ = io.WriteString(w, "x")
	})
	releaseAll := sync.OnceFunc(func() { close(release) })
	t.Cleanup(releaseAll) // or the server does not close after a failure
	f := mustFetcher(t, fetch.Options{Allow: loopback, PerHost: 1, Timeout: 10 * time.Second})
	var group errgroup.Group
	flooder := fair.NewContext(t.Context(), fair.Account{Label: "flooder"})
	var refused atomic.Int64
	for range 20 {
		group.Go(func() error {
			_, err := f.Fetch(flooder, url)
			if errors.Is(err, ocr.ErrBusy) {
				refused.Add(1)
				return nil
			}
			return err
		})
	}
	require.Eventually(t, func() bool { return refused.Load() == 3 && f.Semaphore().Used() == 17 && arrived.Load() == 1 }, 5*time.Second, time.Millisecond,
		"sixteen wait for one that runs")
	done := make(chan error, 1)
	go func() {
		_, err := f.Fetch(fair.NewContext(t.Context(), fair.Account{Label: "other"}), url)
		done <- err
	}()
	require.Eventually(t, func() bool { return f.Semaphore().Used() == 18 }, 5*time.Second, time.Millisecond)
	release <- struct{}{} // the flooder's first
	release <- struct{}{}
	require.NoError(t, <-done, "the other account is next, although sixteen fetches have waited longer")
	releaseAll()
	require.NoError(t, group.Wait())
}
