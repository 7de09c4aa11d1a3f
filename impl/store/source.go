package store

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// errURL means that the URL of the database is invalid. It never repeats the URL, which may contain a password.
var errURL = errors.New("invalid database URL; expected sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME")

// memory is the PATH of a SQLite database that exists only in memory, for tests.
const memory = ":memory:"

// sqlitePath returns PATH of sqlite:PATH, which may be ":memory:", and whether the URL has that form.
func sqlitePath(databaseURL string) (string, bool) {
	path, ok := strings.CutPrefix(databaseURL, "sqlite:")
	return path, ok && path != ""
}

func isPostgres(databaseURL string) bool {
	return strings.HasPrefix(databaseURL, "postgres://") || strings.HasPrefix(databaseURL, "postgresql://")
}

// sqliteDSN returns the data source name of the driver for a file. _txlock=immediate takes the write lock when a
// transaction begins: if two transactions took it at their first write, one of them would have to fail.
//
// With secure_delete, deleted rows are overwritten in the file: texts that are no longer kept cannot be found in it.
//
// With synchronous=NORMAL a killed process loses nothing. A power failure may lose the last transactions, but only whole
// ones and in order: if one is lost, so are all later ones (sqlite.org/pragma.html#pragma_synchronous).
func sqliteDSN(path string, pragmas ...string) string {
	query := url.Values{
		"_txlock": {"immediate"},
		"_dqs":    {"0"},
		"_pragma": append([]string{"busy_timeout(5000)", "foreign_keys(1)", "synchronous(NORMAL)", "secure_delete(1)"}, pragmas...),
	}
	name := (&url.URL{Path: path}).EscapedPath()
	return "file:" + name + "?" + query.Encode()
}

// createFile creates the file and its folder, both accessible only to their owner. An existing file is not even opened, because
// closing it would drop the locks that this process holds on it (fcntl(2), "advisory record locks").
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
	return errors.Join(GiveToFolderOwner(f), f.Close())
}

// GiveToFolderOwner changes the owner of a new file that root created to the owner of its folder: a command run by root must
// not lock out the service, which runs as another user.
func GiveToFolderOwner(f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Dir(f.Name()))
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}

// CheckURL returns nil if the URL of a database is valid, and otherwise an error that says why not. It does not connect.
func CheckURL(databaseURL string) error {
	if _, ok := sqlitePath(databaseURL); ok {
		return nil
	}
	if !isPostgres(databaseURL) {
		return errURL
	}
	_, err := postgresConfig(databaseURL)
	return err
}

// postgresConfig parses the URL and sets defaults for the parameters that it does not contain. Errors: errURL, *Error.
func postgresConfig(databaseURL string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, configError(err)
	}
	if misreadsPassword(databaseURL) {
		return nil, &Error{reason: "a user or password in the URL has characters that must be escaped, such as @ as %40 and / as %2F"}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		"application_name":                    "uncial",
		"default_transaction_isolation":       "read committed",
		"idle_in_transaction_session_timeout": "15s", // so that a replica that hangs does not lock the row of an account
	} {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// misreadsPassword reports whether the driver takes a part of the password for the host or the database, because the password
// has an @ that is not escaped: for the driver, the password ends at the first one. Errors and logs name the host and the
// database, and would thus show that part.
func misreadsPassword(databaseURL string) bool {
	_, rest, _ := strings.Cut(databaseURL, "://")
	authority, path, _ := strings.Cut(rest, "/")
	_, hosts, _ := strings.Cut(authority, "@")
	hosts, _, _ = strings.Cut(hosts, "?")
	path, _, _ = strings.Cut(path, "?")
	return strings.Contains(hosts+path, "@")
}
