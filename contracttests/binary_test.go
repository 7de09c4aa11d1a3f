package contracttests_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/impl/app/apptest"
)

var listening = regexp.MustCompile(`listening.*address=(\S+)`)

// mustServe starts a server and returns the address that its log names. It is stopped when the test ends.
func mustServe(tb testing.TB, program string, args ...string) string {
	tb.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = tb.TempDir()
	log, err := cmd.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	done := make(chan struct{})
	tb.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		<-done
		kill.Stop()
	})
	address := make(chan string, 1)
	go func() {
		defer close(done)
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case address <- m[1]:
				default:
				}
			}
		}
		_, _ = io.Copy(io.Discard, log)
		_ = cmd.Wait() // how it ended is not what is tested
	}()
	select {
	case a := <-address:
		return "http://" + a
	case <-done:
		tb.Fatalf("%s ended before it listened", program)
	case <-time.After(time.Minute):
		tb.Fatalf("%s did not say where it listens", program)
	}
	return ""
}

// MustMockBinary is the address of the mock as a program of its own.
func MustMockBinary(tb testing.TB) string {
	tb.Helper()
	return mustServe(tb, apptest.Binary(tb, "./mock/cmd/uncial-mock"), "--listen", "127.0.0.1:0")
}

// operator runs the commands of the service on one database.
type operator struct {
	tb       testing.TB
	program  string
	database []string
}

// run is the JSON that a command prints.
func (o operator) run(answer any, args ...string) {
	o.tb.Helper()
	ctx, cancel := context.WithTimeout(o.tb.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.program, append(append(args, o.database...), "--json")...)
	out, err := cmd.Output()
	require.NoError(o.tb, err, "%v", args)
	require.NoError(o.tb, json.Unmarshal(out, answer), "%s", out)
}

// key is a key on an account of its own.
func (o operator) key(plan string) string {
	o.tb.Helper()
	var account struct{ ID string }
	o.run(&account, "account", "create", "--name", "suite", "--plan", plan)
	var key struct{ Secret string }
	o.run(&key, "key", "create", "--account", account.ID)
	require.NotEmpty(o.tb, key.Secret)
	return key.Secret
}

// MustServiceBinary is the real service as a program of its own, with accounts made by its own commands.
func MustServiceBinary(tb testing.TB) contracttests.Target {
	tb.Helper()
	worker := apptest.Binary(tb, "./impl/cmd/uncial-worker")
	program := apptest.Binary(tb, "./impl/cmd/uncial")
	dir := tb.TempDir()
	planFile := mustPlans(tb)
	o := operator{tb, program, []string{"--database", "sqlite:" + filepath.Join(dir, "uncial.db"), "--plans", planFile}}
	keys := map[string]any{"ok": o.key("archive"), "spare": []string{o.key("archive")}, "low": o.key("dozen"), "empty": o.key("five"), "ratelimited": o.key("free")}
	file, err := json.Marshal(map[string]any{"keys": keys, "images": mustImages(tb), "enhances": true})
	require.NoError(tb, err)
	path := filepath.Join(dir, "keys.json")
	require.NoError(tb, os.WriteFile(path, file, 0o600))

	address := mustServe(tb, program, append([]string{"serve", "--listen", "127.0.0.1:0", "--worker", worker, "--fetch-allow", "127.0.0.1/32"}, o.database...)...)
	target := contracttests.Target{BaseURL: address + "/api/v1"}
	require.NoError(tb, target.LoadKeys(path))
	return target
}
