package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// paths are the folders of a run, all below the user's cache.
type paths struct {
	module string // this module
	root   string // the project
	bin    string // programs, kept for the next run
	run    string // everything else of this run; removed when it ends
	logs   string // logs of the last run that failed
}

// locate finds the folders. The name of the folder for programs depends on go.sum and the source of this module, and on nothing
// else, like the programs.
func locate() (p paths, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return p, err
	}
	cache = filepath.Join(cache, "uncial-cluster")
	for _, folder := range hidden {
		if strings.HasPrefix(cache+"/", folder+"/") {
			return p, fmt.Errorf("the cache %s lies in %s, which is hidden during the run; set XDG_CACHE_HOME to another folder", cache, folder)
		}
	}
	if p.module, err = os.Getwd(); err != nil { // `go test` works in the folder of the package
		return p, err
	}
	sum := sha256.New()
	for _, file := range []string{"go.mod", "go.sum", "kube/main.go", "dns/main.go", "pause/main.go"} {
		data, err := os.ReadFile(filepath.Join(p.module, file))
		if err != nil {
			return p, err
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", file, len(data), data)
	}
	p.root = filepath.Join(p.module, "../..")
	p.bin = filepath.Join(cache, "bin-"+hex.EncodeToString(sum.Sum(nil))[:12])
	p.run, p.logs = filepath.Join(cache, "run"), filepath.Join(cache, "logs")
	return p, nil
}

// lock allows one cluster on this machine at a time.
func (p paths) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(p.run), 0o750); err != nil {
		return nil, err
	}
	// The kernel releases the lock when this process ends, however it ends; the file stays.
	file, err := os.Create(filepath.Join(filepath.Dir(p.run), "lock"))
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another cluster runs on this machine (%s is locked)", file.Name()), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// keepLogs keeps the logs of a run that failed, in place of those of an earlier one. A run that failed before its cluster
// started has none.
func (p paths) keepLogs(status int) error {
	logs := filepath.Join(p.run, "var-log")
	if _, err := os.Stat(logs); status == 0 || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(p.logs); err != nil {
		return err
	}
	// The copy follows no links: those in the logs of containers lead into folders that are gone.
	if out, err := exec.Command("cp", "-a", logs, p.logs).CombinedOutput(); err != nil { //nolint:gosec // our folders
		return fmt.Errorf("keep the logs: %w: %s", err, out)
	}
	fmt.Fprintln(os.Stderr, "cluster: the logs are in", p.logs)
	return nil
}
