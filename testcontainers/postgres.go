package testcontainers

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/moby/moby/api/types/network"
	tc "github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

//go:embed postgres
var postgresFiles embed.FS

// shared is one server for all tests of a process; the last user removes it.
var shared struct {
	sync.Mutex
	users  int
	server tc.Container
	addr   string
}

// Postgres is the URL of a new, empty database on a PostgreSQL 15 server in a container. Tests of one process share the
// server; the database is the caller's own and goes with the test.
func Postgres(tb testing.TB) string {
	tb.Helper()
	Require(tb)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	addr, err := acquirePostgres(ctx)
	tb.Cleanup(releasePostgres)
	if err != nil {
		tb.Fatalf("start Postgres: %v", err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	admin := databaseURL(addr, "postgres")
	if err := execute(ctx, admin, "CREATE DATABASE "+name); err != nil {
		tb.Fatalf("create a database: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := execute(ctx, admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			tb.Logf("drop database %s: %v", name, err)
		}
	})
	return databaseURL(addr, name)
}

func databaseURL(addr, name string) string {
	u := url.URL{Scheme: "postgres", User: url.User("uncial"), Host: addr, Path: name, RawQuery: "sslmode=disable"}
	return u.String()
}

func execute(ctx context.Context, dsn, statement string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// acquirePostgres counts the caller as a user, also where it fails.
func acquirePostgres(ctx context.Context) (string, error) {
	shared.Lock()
	defer shared.Unlock()
	shared.users++
	if shared.server != nil {
		return shared.addr, nil
	}
	server, err := startPostgres(ctx)
	if err != nil {
		return "", err
	}
	shared.server = server
	host, err := server.Host(ctx)
	if err != nil {
		return "", err
	}
	port, err := server.MappedPort(ctx, "5432/tcp")
	if err != nil {
		return "", err
	}
	shared.addr = net.JoinHostPort(host, port.Port())
	return shared.addr, nil
}

func releasePostgres() {
	shared.Lock()
	defer shared.Unlock()
	shared.users--
	if shared.users > 0 || shared.server == nil {
		return
	}
	_ = tc.TerminateContainer(shared.server, tc.StopTimeout(0)) // what is left, the watchdog removes
	shared.server = nil
}

func startPostgres(ctx context.Context) (tc.Container, error) {
	req, done, err := postgresRequest()
	if err != nil {
		return nil, err
	}
	defer done()
	return start(ctx, req)
}

// postgresRequest is a server that is quick and may lose everything with its machine. done removes the build context.
func postgresRequest() (req tc.ContainerRequest, done func(), err error) {
	dir, done, err := unpack(postgresFiles, "postgres")
	return tc.ContainerRequest{
		FromDockerfile: tc.FromDockerfile{Context: dir, Repo: "uncial-postgres", Tag: tag, KeepImage: true},
		Cmd:            []string{"-c", "fsync=off"},
		ExposedPorts:   []string{"5432/tcp"},
		WaitingFor: wait.ForSQL("5432/tcp", "pgx", func(host string, port network.Port) string {
			return databaseURL(net.JoinHostPort(host, port.Port()), "postgres")
		}).WithStartupTimeout(time.Minute),
	}, done, err
}

// unpack writes an embedded folder to a temporary one, the context of a build, and says how to remove it.
func unpack(files fs.FS, folder string) (dir string, done func(), err error) {
	if dir, err = os.MkdirTemp("", "uncial-build-"); err != nil {
		return "", func() {}, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	if err = copyFolder(files, folder, dir); err != nil {
		done()
		return "", func() {}, err
	}
	return dir, done, nil
}

func copyFolder(files fs.FS, folder, dir string) error {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, sub); err != nil {
		return err
	}
	scripts, err := filepath.Glob(filepath.Join(dir, "*.sh"))
	if err != nil {
		return err
	}
	for _, s := range scripts { // an embedded file has lost its mode
		if err := os.Chmod(s, 0o755); err != nil { //nolint:gosec // the container's user must run it
			return fmt.Errorf("make %s executable: %w", filepath.Base(s), err)
		}
	}
	return nil
}
