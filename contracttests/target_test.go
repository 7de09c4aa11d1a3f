package contracttests_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/realservice"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/mock"
)

// TestMain runs six tests at a time, unless -parallel says otherwise: many wait for windows or for another process, and would
// otherwise do so one after the other on a machine of two cores.
func TestMain(m *testing.M) {
	const atOnce = 6
	if runtime.GOMAXPROCS(0) < atOnce {
		_ = flag.Set("test.parallel", strconv.Itoa(atOnce)) // the flag exists
	}
	apptest.Main(m)
}

// MustServe starts a server in this process, as the programs do, and returns its address.
func MustServe(tb testing.TB, h http.Handler) string {
	tb.Helper()
	return realservice.MustServe(tb, h)
}

// MustMock starts a mock in this process and describes it as a target.
func MustMock(tb testing.TB) contracttests.Target {
	tb.Helper()
	return MustTarget(tb, MustMockServer(tb))
}

// MustMockServer starts a mock in this process and returns its address.
func MustMockServer(tb testing.TB) string {
	tb.Helper()
	return MustServe(tb, mock.New(mock.Options{}))
}

// MustTarget describes the mock at the address, with new keys.
func MustTarget(tb testing.TB, address string) contracttests.Target {
	tb.Helper()
	target, err := contracttests.Mock(tb.Context(), address+"/api/v1")
	require.NoError(tb, err)
	require.NotNil(tb, target.Control, "the mock can be controlled")
	return target
}

// service is the real service in this process, with the engine that the tests share and images to read.
type service struct {
	*app.App
	images map[string]string
	clock  *realservice.Clock // nil if the time is real
}

// MustService starts the real service on SQLite. With a clock, its time stands still until it is moved.
func MustService(tb testing.TB, clock *realservice.Clock) *service {
	tb.Helper()
	o := app.Options{
		Data:      app.DataOptions{PlansFile: realservice.MustPlansFile(tb)},
		EngineURL: apptest.Engine(tb), FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}
	if clock != nil {
		o.Now = clock.Time
	}
	return &service{apptest.Start(tb, o), realservice.Images(MustServe(tb, realservice.Handler(tb))), clock}
}

// MustFrozenService starts the real service with a clock that stands still.
func MustFrozenService(tb testing.TB) contracttests.Target {
	tb.Helper()
	clock := realservice.NewClock()
	return MustService(tb, &clock).target(tb)
}

// target describes the service, with accounts of its own.
func (s *service) target(tb testing.TB) contracttests.Target {
	tb.Helper()
	t := contracttests.Target{
		BaseURL: "http://" + s.Addr() + "/api/v1", Plans: realservice.Plans, Images: s.images, Enhances: true, Promised: true, ServeImages: "127.0.0.1:0",
		Keys: realservice.MustKeys(tb, realservice.Accounts{Registry: s.Data().Accounts}, time.Millisecond),
	}
	realservice.AddRevocable(tb, realservice.Accounts{Registry: s.Data().Accounts}, &t)
	if s.clock != nil {
		s.clock.Advance(time.Second) // the expired key expires
		t.Control, t.OneClock = s.clock, true
	}
	return t
}

var (
	listening = regexp.MustCompile(`listening.*address=(\S+)`)
	trouble   = regexp.MustCompile(`\blevel=(?:WARN|ERROR)\b`)
)

// maxTroubles is the maximum number of warnings and errors of a program that are shown if its test fails.
const maxTroubles = 40

// mustStart starts a server program and returns the address in its log. It is stopped at the end of the test.
func mustStart(tb testing.TB, program string, args ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), program, args...)
	cmd.Dir = tb.TempDir()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	log, err := cmd.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	address, done := make(chan string, 1), make(chan struct{})
	var troubles []string // read only when done is closed
	tb.Cleanup(func() {
		<-done
		if tb.Failed() && len(troubles) > 0 {
			tb.Logf("warnings and errors of %s:\n%s", filepath.Base(program), strings.Join(troubles, "\n"))
		}
	})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil && len(address) == 0 {
				address <- m[1]
			}
			if trouble.MatchString(lines.Text()) && len(troubles) < maxTroubles {
				troubles = append(troubles, lines.Text())
			}
		}
		_, _ = io.Copy(io.Discard, log) // after a line that is too long for the scanner
		_ = cmd.Wait()                  // how it ended is not tested
	}()
	select {
	case a := <-address:
		return "http://" + a
	case <-done:
		tb.Fatalf("%s ended before it listened", program)
	case <-time.After(time.Minute):
		tb.Fatalf("%s did not log its address", program)
	}
	return ""
}

// operator creates accounts and keys with the commands of the service.
type operator struct {
	program  string
	database []string
}

var _ realservice.Keeper = operator{}

// created is what the commands print about a new account or key.
type created struct{ ID, Secret string }

func (o operator) mustCreate(tb testing.TB, args ...string) (c created) {
	tb.Helper()
	out := o.mustRun(tb, append(args, "--json")...)
	require.NoError(tb, json.Unmarshal(out, &c), "%s", out)
	return c
}

func (o operator) mustRun(tb testing.TB, args ...string) []byte {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), o.program, append(args, o.database...)...).Output()
	require.NoError(tb, err, "%v", args)
	return out
}

func (o operator) MustAccount(tb testing.TB, plan string) string {
	tb.Helper()
	return o.mustCreate(tb, "account", "create", "--name", "suite", "--plan", plan).ID
}

func (o operator) MustKey(tb testing.TB, accountID string, lifetime time.Duration) (id, secret string) {
	tb.Helper()
	args := []string{"key", "create", "--account", accountID}
	if lifetime > 0 {
		args = append(args, "--expires", lifetime.String())
	}
	c := o.mustCreate(tb, args...)
	return c.ID, c.Secret
}

func (o operator) MustCappedKey(tb testing.TB, accountID string, points int64) string {
	tb.Helper()
	return o.mustCreate(tb, "key", "create", "--account", accountID, "--points", strconv.FormatInt(points, 10)).Secret
}

func (o operator) MustRestrictedKey(tb testing.TB, accountID string, addresses netip.Prefix) string {
	tb.Helper()
	return o.mustCreate(tb, "key", "create", "--account", accountID, "--allow", addresses.String()).Secret
}

func (o operator) MustRevoke(tb testing.TB, keyID string) {
	tb.Helper()
	o.mustRun(tb, "key", "revoke", keyID)
}

// MustServiceProgram starts the real service as a program, with keys from its own commands, and describes it by a keys
// file.
func MustServiceProgram(tb testing.TB) contracttests.Target {
	tb.Helper()
	program, worker := apptest.Binary(tb, "./impl/cmd/uncial"), apptest.Binary(tb, "./impl/cmd/uncial-worker")
	dir := tb.TempDir()
	o := operator{program, []string{"--database", "sqlite:" + filepath.Join(dir, "uncial.db"), "--plans", realservice.MustPlansFile(tb)}}
	o.mustRun(tb, "migrate")
	file, err := json.Marshal(map[string]any{
		"keys": realservice.MustKeys(tb, o, time.Second), "images": realservice.Images(MustServe(tb, realservice.Handler(tb))), "enhances": true,
	})
	require.NoError(tb, err)
	path := filepath.Join(dir, "keys.json")
	require.NoError(tb, os.WriteFile(path, file, 0o600))
	address := mustStart(tb, program, append([]string{"serve", "--listen", "127.0.0.1:0", "--worker", worker, "--fetch-allow", "127.0.0.1/32"}, o.database...)...)
	target := contracttests.Target{BaseURL: address + "/api/v1"}
	require.NoError(tb, target.LoadKeys(path))
	return target
}
