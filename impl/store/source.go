package store

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ErrURL says that the database's URL is not understood. It never repeats the URL, which may hold a password.
var ErrURL = errors.New("the database must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME")

const memory = ":memory:"

// Describe names the database for logs: its kind, and the path or host and name. It leaves out users, passwords and
// parameters. A URL that is not understood is "unknown".
func Describe(databaseURL string) string {
	if path, ok := sqlitePath(databaseURL); ok {
		return "sqlite:" + path
	}
	u, err := url.Parse(databaseURL)
	if err != nil || !isPostgres(databaseURL) {
		return "unknown"
	}
	return (&url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}).String()
}

// sqlitePath is the path in sqlite:PATH, which may be ":memory:".
func sqlitePath(databaseURL string) (string, bool) {
	path, ok := strings.CutPrefix(databaseURL, "sqlite:")
	return path, ok && path != ""
}

func isPostgres(databaseURL string) bool {
	return strings.HasPrefix(databaseURL, "postgres://") || strings.HasPrefix(databaseURL, "postgresql://")
}

// sqliteDSN is the driver's name for a connection to the file. A transaction takes the write lock as it begins, so
// that two of them never find out only at their first write that one must fail.
//
// With synchronous=NORMAL a killed process loses nothing; a power cut may lose the last transactions, as a whole and
// in order.
func sqliteDSN(path string, pragmas ...string) string {
	query := url.Values{
		"_txlock": {"immediate"},
		"_dqs":    {"0"},
		"_pragma": append([]string{"busy_timeout(5000)", "foreign_keys(1)", "synchronous(NORMAL)"}, pragmas...),
	}
	name := (&url.URL{Path: path}).EscapedPath()
	return "file:" + name + "?" + query.Encode()
}

// createFile makes the file, readable by its owner alone, and its folder. A file that exists is left alone: opening
// and closing it would drop the locks that this process holds on it (fcntl(2), "advisory record locks").
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// postgresConfig reads the URL and fills in what it leaves open.
func postgresConfig(databaseURL string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, ErrURL // the driver's text repeats parts of the URL
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		"application_name":                    "uncial",
		"default_transaction_isolation":       "read committed",
		"idle_in_transaction_session_timeout": "15s", // a replica that hangs must not keep an account's row locked
	} {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	return config, nil
}
