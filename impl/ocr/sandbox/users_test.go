package sandbox_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Services run as root and as other users, and in containers that forbid namespaces. The sandbox must refuse the same actions
// everywhere.
func TestLauncher_OtherUsers(t *testing.T) {
	t.Parallel()
	if os.Getenv(probeEnv) != "" {
		return // this process is the run below, as another user
	}
	dir, err := os.MkdirTemp("", "sandbox-elsewhere-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	self, err := os.Executable()
	require.NoError(t, err)
	tests, tool := filepath.Join(dir, "tests"), filepath.Join(dir, "probe")
	mustCopy(t, self, tests)
	mustCopy(t, probe, tool)

	for name, c := range map[string]struct {
		attr syscall.SysProcAttr
		env  string
		root bool
	}{
		"as nobody": {
			root: true,
			attr: syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}},
		},
		"without namespaces": {
			env: noNamespacesEnv + "=1",
			attr: syscall.SysProcAttr{
				Cloneflags:  unix.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.root && os.Getuid() != 0 {
				t.Skip("needs root, to become nobody; an ordinary user has run the same tests already")
			}
			cmd := exec.CommandContext(t.Context(), tests, "-test.v", "-test.run", "^TestLauncher_(Refuses|Allows|Layers)$")
			cmd.Dir, cmd.SysProcAttr = dir, &c.attr
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=/tmp", probeEnv + "=" + tool, c.env}
			out, err := cmd.CombinedOutput()
			require.NoErrorf(t, err, "%s", out)
			require.Contains(t, string(out), "--- PASS: TestLauncher_Refuses/the_users_of_the_machine")
		})
	}
}

// denyNamespaces forbids new user namespaces within the user namespace of this process.
func denyNamespaces() error {
	return os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
}

func mustCopy(tb testing.TB, from, to string) {
	tb.Helper()
	syscall.ForkLock.RLock() // a process that is forked in the meantime would hold the file open for writing: "text file busy"
	defer syscall.ForkLock.RUnlock()
	src, err := os.Open(from)
	require.NoError(tb, err)
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	require.NoError(tb, err)
	_, err = io.Copy(dst, src)
	require.NoError(tb, err)
	require.NoError(tb, dst.Close())
}
