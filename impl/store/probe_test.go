package store_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

// After a failover, the host name may point to a standby, which accepts no writes.
func TestStore_Probe_ReadOnly(t *testing.T) {
	t.Parallel()
	address := testcontainers.Postgres(t)
	storetest.MustMigrate(t, address)
	readOnly := storetest.MustOpen(t, address+"&default_transaction_read_only=on")
	require.NoError(t, readOnly.Ping(t.Context()))
	require.EqualError(t, readOnly.Probe(t.Context(), noon), "database: the database is read-only; is this a standby? (SQLSTATE 25006)")
}

const smallDisk = "UNCIAL_TEST_SMALL_DISK"

// TestStore_Probe_FullDisk runs itself again in new namespaces, where it may mount a small disk.
func TestStore_Probe_FullDisk(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(smallDisk); dir != "" {
		fillDisk(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("this kernel does not let unprivileged users create namespaces: %v", err)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
}

func fillDisk(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"))
	st := storetest.MustMigrate(t, "sqlite:"+filepath.Join(dir, "test.db"))
	require.NoError(t, st.Probe(t.Context(), noon))
	ballast := filepath.Join(dir, "ballast")
	require.ErrorIs(t, os.WriteFile(ballast, bytes.Repeat([]byte("x"), 1<<20), 0o600), syscall.ENOSPC)
	require.NoError(t, st.Ping(t.Context()), "it still answers")
	var err error
	for i := range 2000 { // SQLite reuses the space of its log for a while
		if err = st.Probe(t.Context(), noon.Add(time.Duration(i)*time.Second)); err != nil {
			break
		}
	}
	var cause *store.Error
	require.ErrorAs(t, err, &cause)
	require.Regexp(t, "the disk is full|cannot read or write", cause.Error())
	require.NoError(t, os.Remove(ballast))
	require.NoError(t, st.Probe(t.Context(), noon.Add(time.Hour)))
}

func TestStore_Probe(t *testing.T) {
	storeTests{"writes the time": func(t fixture) {
		for i := range 3 {
			now := noon.Add(time.Duration(i) * time.Second)
			require.NoError(t, t.Probe(t.Context(), now))
			var written store.Instant
			require.NoError(t, t.Reader().Get(t.Context(), `SELECT written_at FROM probes`, nil, &written))
			require.Equal(t, now, written.Time)
		}
	}}.run(t)
}
