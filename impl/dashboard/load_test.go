package dashboard_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/argon2"

	"uncial/impl/account/user"
	"uncial/impl/dashboard"
)

const (
	maxGrowth = 300 << 20       // bytes of resident memory above idle
	maxSignIn = 5 * time.Second // for a correct password
	maxExcess = 2               // processor time of sign-ins, relative to that of their hashes
)

// resident returns the resident memory of the process in bytes.
func resident(tb testing.TB) int64 {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(tb, err)
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	require.NoError(tb, err)
	return pages * int64(os.Getpagesize())
}

// processorTime returns the time that the process has computed on all processors, in the program and in the kernel. Unlike
// elapsed time it hardly depends on what else the machine does.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// hashingTime returns the processor time of hashing 100 passwords on this machine, four at a time as sign-ins are.
func hashingTime(tb testing.TB) time.Duration {
	tb.Helper()
	before := processorTime(tb)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				argon2.IDKey([]byte(password), make([]byte, 16), 2, 19<<10, 1, 32) // as OWASP recommends
			}
		})
	}
	wg.Wait()
	return processorTime(tb) - before
}

// watch samples the resident memory until the returned function is called, which returns the largest value.
func watch(tb testing.TB) func() int64 {
	tb.Helper()
	var peak atomic.Int64
	ctx, cancel := context.WithCancel(tb.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			peak.Store(max(peak.Load(), resident(tb)))
			time.Sleep(10 * time.Millisecond)
		}
	})
	return func() int64 { cancel(); watching.Wait(); return peak.Load() }
}

// signInFrom sends the form of a sign-in from an address behind a trusted proxy.
func signInFrom(ctx context.Context, s *site, addr, email, secret string) int {
	form := url.Values{"email": {email}, "password": {secret}}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/dashboard/sign-in", strings.NewReader(form.Encode()))
	r.RemoteAddr = "10.0.0.1:40000"
	r.Header.Set("X-Forwarded-For", addr)
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code
}

// TestDashboard_SignIn_Load measures 100 sign-ins at once, and a correct sign-in while 10,000 wrong passwords arrive for the
// same user from 20 other addresses. It runs alone, because it measures the memory of the process.
//
//nolint:paralleltest // measures the memory of the process
func TestDashboard_SignIn_Load(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	if raceEnabled {
		t.Skip("the race detector multiplies time and memory; make test runs it without")
	}
	s := newSite(t, func(o *dashboard.Options) { o.TrustedProxies = proxies })
	for i := range 100 {
		_, _, err := s.Users.SignUp(t.Context(), user.NewUser{Email: fmt.Sprintf("person%d@example.org", i), Name: "A person", Password: password, Account: "Map room", Plan: "free"})
		require.NoError(t, err)
	}
	runtime.GC()
	debug.FreeOSMemory()
	idle := resident(t)
	peak := watch(t)

	t.Run("signs in 100 people at once", func(t *testing.T) { signInTogether(t, s) })
	t.Run("signs people in among 10,000 wrong passwords", func(t *testing.T) { signInAmongGuesses(t, s) })
	growth := peak() - idle
	t.Logf("resident memory: %d MiB idle, at most %d MiB more", idle>>20, growth>>20)
	require.Less(t, growth, int64(maxGrowth))
}

// signInTogether signs 100 people in at once, which must cost less than hashing each password twice.
func signInTogether(t *testing.T, s *site) {
	t.Helper()
	var wg sync.WaitGroup
	var succeeded, slowest atomic.Int64
	before := processorTime(t)
	for i := range 100 {
		wg.Go(func() {
			began := time.Now()
			if signInFrom(t.Context(), s, fmt.Sprintf("192.0.2.%d", i), fmt.Sprintf("person%d@example.org", i), password) == http.StatusSeeOther {
				succeeded.Add(1)
			}
			slowest.Store(max(slowest.Load(), int64(time.Since(began))))
		})
	}
	wg.Wait()
	require.EqualValues(t, 100, succeeded.Load())
	computed := processorTime(t) - before
	hashing := hashingTime(t)
	t.Logf("the slowest of 100 sign-ins took %v; together they computed %v, their hashes alone %v",
		time.Duration(slowest.Load()).Round(time.Millisecond), computed, hashing)
	require.Less(t, computed.Seconds(), maxExcess*hashing.Seconds())
}

// signInAmongGuesses signs one person in while programs guess the password.
func signInAmongGuesses(t *testing.T, s *site) {
	t.Helper()
	known := s.remoteBrowser("203.0.113.8")
	require.Equal(t, "/", known.post("/sign-in", "email", "person0@example.org", "password", password).path)
	var attack sync.WaitGroup
	var sent atomic.Int64
	const clients, guesses = 200, 50
	for i := range clients {
		attack.Go(func() {
			for n := range guesses { // whoever guesses does not wait for the delay
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				signInFrom(ctx, s, fmt.Sprintf("198.51.100.%d", i%20), "person0@example.org", fmt.Sprint("guess ", n))
				cancel()
				sent.Add(1)
			}
		})
	}
	for sent.Load() < 1000 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	require.Equal(t, "/", known.post("/sign-in", "email", "person0@example.org", "password", password).path)
	t.Logf("a correct sign-in of a known browser took %v, after %d guesses", time.Since(began).Round(time.Millisecond), sent.Load())
	require.Less(t, time.Since(began), maxSignIn)
	for range 5 {
		began := time.Now()
		require.Equal(t, http.StatusSeeOther, signInFrom(t.Context(), s, "203.0.113.9", "person0@example.org", password))
		took := time.Since(began)
		t.Logf("a correct sign-in took %v, after %d guesses", took.Round(time.Millisecond), sent.Load())
		require.Less(t, took, maxSignIn)
	}
	attack.Wait()
}
