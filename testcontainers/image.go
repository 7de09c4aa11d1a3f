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

// tag marks the images of tests, so that they never replace those of an operator.
const tag = "test"

// built holds the ids of the production images of this checkout. Unlike tags, ids stay valid if another checkout builds.
type built struct{ api, engine string }

// images runs `make image`, once per process. Test processes take turns; only the first one really builds, because
// Docker caches the layers.
var images = sync.OnceValues(func() (built, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	root, err := moduleRoot(ctx)
	if err != nil {
		return built{}, err
	}
	lock, err := lockImages(ctx)
	if err != nil {
		return built{}, err
	}
	defer func() { _ = lock.Close() }()
	// Through make, so that tests run the very images that an operator would build.
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "image", "TAG="+tag)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return built{}, fmt.Errorf("make image: %w\n%s", err, out)
	}
	out, err := docker(ctx, "image", "inspect", "--format", "{{.Id}}", "uncial:"+tag, "uncial-engine:"+tag)
	if err != nil {
		return built{}, err
	}
	// Ids, not tags: another checkout may build under the same tag while tests run.
	ids := strings.Fields(out)
	if len(ids) != 2 {
		return built{}, fmt.Errorf("list the images: unexpected output %q", out)
	}
	return built{api: ids[0], engine: ids[1]}, nil
})

// lockImages waits until no other process of this user builds images. Closing the file releases the lock, and so does the
// end of the process.
func lockImages(ctx context.Context) (*os.File, error) {
	// O_NOFOLLOW, because anybody may put a link of this name into the folder for temporary files.
	name := fmt.Sprintf("uncial-images-%d.lock", os.Getuid())
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), name), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		// Polled, because a blocking flock(2) cannot be cancelled.
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return lock, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, lock.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(errors.New("another process is still building images"), lock.Close())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// mustImages returns the images, and builds them first if necessary.
func mustImages(tb testing.TB) built {
	tb.Helper()
	requireEngine(tb)
	b, err := images()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// moduleRoot returns the root folder of this repository.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	// Outside of a module "go env GOMOD" prints the null device.
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", errors.New("the working directory is not inside the module")
	}
	return filepath.Dir(mod), nil
}

// dockerfile describes an image built from an embedded folder with a Dockerfile. It is kept for the next test run.
func dockerfile(files fs.FS, folder string) (tc.FromDockerfile, error) {
	context, err := archive(files, folder)
	return tc.FromDockerfile{ContextArchive: context, Repo: "uncial-" + folder, Tag: tag, KeepImage: true}, err
}

// archive returns the folder as a tar file. All files are executable, because embedded files have no mode.
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
