package testcontainers

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tc "github.com/testcontainers/testcontainers-go"
	"golang.org/x/sys/unix"
)

// tag marks the images that tests run, so that they never replace those of an operator.
const tag = "test"

// built are the production images of this checkout by their ids, which another checkout's builds do not change.
type built struct{ api, engine string }

// images builds them, once for each process: `make image`. Several test processes take turns; for all but the first
// everything is cached.
var images = sync.OnceValues(func() (built, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	root, err := moduleRoot(ctx)
	if err != nil {
		return built{}, err
	}
	lock, err := takeTurn(ctx)
	if err != nil {
		return built{}, err
	}
	defer func() { _ = lock.Close() }()
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "image", "TAG="+tag)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return built{}, fmt.Errorf("make image: %w\n%s", err, out)
	}
	out, err := docker(ctx, "image", "inspect", "--format", "{{.Id}}", "uncial:"+tag, "uncial-engine:"+tag)
	if err != nil {
		return built{}, err
	}
	ids := strings.Fields(out)
	if len(ids) != 2 {
		return built{}, fmt.Errorf("look for the images: %q", out)
	}
	return built{api: ids[0], engine: ids[1]}, nil
})

// takeTurn waits until no other process builds images; closing the file ends the turn.
func takeTurn(ctx context.Context) (*os.File, error) {
	name := fmt.Sprintf("uncial-images-%d.lock", os.Getuid())
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), name), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return lock, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, lock.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(errors.New("another process builds images and does not end"), lock.Close())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// mustImages builds the images or ends the test.
func mustImages(tb testing.TB) built {
	tb.Helper()
	Require(tb)
	b, err := images()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", errors.New("not inside the module")
	}
	return filepath.Dir(mod), nil
}

// dockerfile is the image of an embedded folder with a Dockerfile, which is kept for the next time.
func dockerfile(files fs.FS, folder string) (tc.FromDockerfile, error) {
	context, err := archive(files, folder)
	return tc.FromDockerfile{ContextArchive: context, Repo: "uncial-" + folder, Tag: tag, KeepImage: true}, err
}

// archive is the folder as a tar file in which everything can be run: an embedded file has lost its mode.
func archive(files fs.FS, folder string) (io.ReadSeeker, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(files, folder+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		if err := w.WriteHeader(&tar.Header{Name: e.Name(), Mode: 0o755, Size: int64(len(text))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return bytes.NewReader(b.Bytes()), nil
}
