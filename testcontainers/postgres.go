package testcontainers

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"net"
	"net/url"
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

// shared is the server that all tests of a process use. The last user removes it.
var shared struct {
	sync.Mutex
	users  int
	server tc.Container
	addr   string
}

// Postgres creates an empty database on a PostgreSQL 15 server in a container and returns its URL. The tests of one
// process share the server, but not the database, which is dropped when the test ends. Migrations are up to the caller.
func Postgres(tb testing.TB) string {
	tb.Helper()
	requireEngine(tb)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	// Released even after an error: acquirePostgres has counted this user.
	addr, err := acquirePostgres(ctx)
	tb.Cleanup(releasePostgres)
	if err != nil {
		tb.Fatalf("start Postgres: %v", err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	admin := databaseURL(addr, "postgres", "disable")
	// Databases of operators usually sort text by a language, which differs from the order of bytes. Only template0 can be copied
	// to a database with another order.
	if err := execute(ctx, admin, "CREATE DATABASE "+name+" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"); err != nil {
		tb.Fatalf("create a database: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		// By force, because a test that failed may have left connections open.
		if err := execute(ctx, admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			tb.Logf("drop database %s: %v", name, err)
		}
	})
	return databaseURL(addr, name, "disable")
}

// databaseURL returns the URL of a database. The server trusts every client, because only this machine reaches it.
func databaseURL(addr, name, sslMode string) string {
	u := url.URL{Scheme: "postgres", User: url.User("uncial"), Host: addr, Path: name, RawQuery: "sslmode=" + sslMode}
	return u.String()
}

// execute runs one statement on a connection of its own.
func execute(ctx context.Context, dsn, statement string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// acquirePostgres starts the server if necessary and returns its address. It counts the caller as a user even if it fails.
// It holds the lock while the server starts, so that tests that race wait for it instead of starting another.
func acquirePostgres(ctx context.Context) (string, error) {
	shared.Lock()
	defer shared.Unlock()
	shared.users++
	if shared.server != nil {
		return shared.addr, nil
	}
	server, addr, err := startPostgres(ctx)
	if err != nil {
		terminate(server)
		return "", err
	}
	shared.server, shared.addr = server, addr
	return addr, nil
}

// releasePostgres removes the server after its last user.
func releasePostgres() {
	shared.Lock()
	defer shared.Unlock()
	if shared.users--; shared.users == 0 {
		terminate(shared.server)
		shared.server = nil
	}
}

// startPostgres also returns the container if it started but cannot be used; the caller removes it.
func startPostgres(ctx context.Context) (server tc.Container, addr string, err error) {
	req, err := publishedPostgres("disable")
	if err != nil {
		return nil, "", err
	}
	if server, err = start(ctx, req); err != nil {
		return server, "", err
	}
	addr, err = endpoint(ctx, server, "5432/tcp")
	return server, addr, err
}

// publishedPostgres is postgresRequest with a published port, at which the server is ready once it answers: answers inside the
// container come earlier.
func publishedPostgres(sslMode string) (tc.ContainerRequest, error) {
	req, err := postgresRequest()
	req.ExposedPorts = []string{"5432/tcp"}
	req.WaitingFor = wait.ForSQL("5432/tcp", "pgx", func(host string, port network.Port) string {
		return databaseURL(net.JoinHostPort(host, port.Port()), "postgres", sslMode)
	}).WithStartupTimeout(time.Minute)
	return req, err
}

// postgresRequest describes a server without published ports. It is fast, and loses data if the machine crashes.
func postgresRequest() (tc.ContainerRequest, error) {
	image, err := dockerfile(postgresFiles, "postgres")
	return tc.ContainerRequest{
		FromDockerfile: image,
		Cmd:            []string{"-c", "fsync=off"},
		WaitingFor: wait.ForExec([]string{"/usr/lib/postgresql/15/bin/pg_isready", "-q", "-h", "127.0.0.1", "-U", "uncial"}).
			WithPollInterval(100 * time.Millisecond).WithStartupTimeout(time.Minute),
	}, err
}
