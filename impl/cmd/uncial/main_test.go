package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	main "uncial/impl/cmd/uncial"
	"uncial/impl/ocr/sandbox"
	"uncial/impl/store"
	"uncial/testcontainers"
)

func TestMain(m *testing.M) {
	sandbox.MaybeShim()
	_ = os.Setenv("UNCIAL_SETTINGS", os.DevNull) // not those of a service on this machine
	os.Exit(m.Run())
}

// uncial runs one command and returns its exit status and output.
func uncial(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = main.Run(args, &out, &err)
	return status, out.String(), err.String()
}

// must runs a command that has to succeed.
func must(tb testing.TB, args ...string) (stdout string) {
	tb.Helper()
	status, stdout, stderr := uncial(args...)
	require.Zero(tb, status, stderr)
	return stdout
}

// database returns the flag that names a new database.
func database(tb testing.TB) string {
	tb.Helper()
	flag := "--database=sqlite:" + filepath.Join(tb.TempDir(), "uncial.db")
	must(tb, "migrate", flag)
	return flag
}

// object parses the JSON that a command printed.
func object(tb testing.TB, text string) (o map[string]any) {
	tb.Helper()
	require.NoError(tb, json.Unmarshal([]byte(text), &o), text)
	return o
}

func TestWithoutQuotes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger := log.New(main.WithoutQuotes(&out), "", 0)
	logger.Print(`Unsolicited response received on idle HTTP channel starting with "secret"; err=<nil>`)
	require.Empty(t, out.String())
	logger.Print("another message")
	require.Equal(t, "another message\n", out.String())
}

func TestRun_Help(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"serve", "engine", "demo", "extract", "account create", "account list", "account plan", "key create", "key list",
		"key rotate", "key revoke", "account grant", "account suspend", "account resume", "account delete", "user list", "user reset",
		"user operator", "usage", "migrate", "audit", "languages", "health", "completion",
	} {
		require.Equal(t, must(t, append(strings.Fields(command), "--help")...), must(t, append([]string{"help"}, strings.Fields(command)...)...))
		help := must(t, append(strings.Fields(command), "--help")...)
		_, examples, found := strings.Cut(help, "Example")
		require.True(t, found, command)
		require.Contains(t, examples, "uncial "+command, command)
	}
}

func TestRun_Languages(t *testing.T) {
	t.Parallel()
	require.Contains(t, strings.Join(strings.Fields(must(t, "languages", "--help")), " "), "French hands of the 17th to the 20th century")
}

func TestRun_WrongUsage(t *testing.T) {
	t.Parallel()
	db := database(t)
	for name, c := range map[string]struct {
		args   string
		status int
		says   string
	}{
		"no command":                          {"", 2, "expected one of"},
		"an unknown command":                  {"frobnicate", 2, "frobnicate"},
		"an unknown log level":                {"audit --log-level loud", 2, "--log-level"},
		"a lifetime of 0":                     {"key create --account acc_1 --expires 0d", 2, "--expires: invalid lifetime"},
		"a negative lifetime":                 {"key create --account acc_1 --expires=-1h", 2, "--expires: invalid lifetime"},
		"a lifetime of too many days":         {"key create --account acc_1 --expires 99999999d", 2, "--expires: invalid lifetime \"99999999d\"; use a positive duration such as 90d or 12h, at most 65535d"},
		"a lifetime of too many hours":        {"key create --account acc_1 --expires 1572841h", 2, "at most 65535d"},
		"an overlap of too many days":         {"key rotate key_1 --overlap 65536d", 2, "at most 65535d"},
		"a lifetime without a unit":           {"key create --account acc_1 --expires 90", 2, "--expires: invalid lifetime"},
		"a negative overlap":                  {"key rotate key_1 --overlap=-1d", 2, "--overlap: invalid overlap"},
		"an invalid CORS origin":              {"serve --cors-origin https://a.example/", 2, `--cors-origin: invalid origin "https://a.example/"`},
		"an address with a zone":              {"key create --account acc_1 --allow fe80::1%eth0", 2, `--allow: invalid address range "fe80::1%eth0"; use a CIDR`},
		"a key for an unknown account":        {"key create --account acc_1", 1, "no such account"},
		"the keys of an unknown account":      {"key list --account acc_1", 1, "no such account"},
		"an unknown key":                      {"key revoke key_1", 1, "no such key"},
		"an unknown plan":                     {"account create --name a --plan gold", 1, "archive, free, pro"},
		"an empty name":                       {"account create --plan pro --name=", 1, "invalid name; use 1 to 200"},
		"a negative cap":                      {"key create --account acc_1 --points=-1", 1, "invalid key cap"},
		"an unknown account to grant":         {"account grant acc_1 10 --reason x", 1, "no such account"},
		"a grant of 0 points":                 {"account grant acc_1 0 --reason x", 1, "points: must be"},
		"a grant with an empty reason":        {"account grant acc_1 10 --reason=", 1, "invalid reason; use 1 to 200"},
		"a deletion without its ID":           {"account delete acc_1 --confirm acc_2", 1, "--confirm: must repeat"},
		"a month without a year":              {"usage --month 3 --account acc_1", 2, "--month: invalid month"},
		"the usage of an unknown account":     {"usage --account acc_1", 1, "no such account"},
		"two forms of output":                 {"usage --csv --json --account acc_1", 2, "--csv and --json"},
		"a reset for an unknown user":         {"user reset a@example.org --public-url http://account.example", 1, "no such user"},
		"a link for an operator without http": {"user operator --public-url ftp://example.org", 1, "--public-url: invalid URL"},
		"a reset without http":                {"user reset a@example.org --public-url example.org", 1, "--public-url: invalid URL"},
		"mail without a sender":               {"serve --mail-server smtp://mail.example.org", 1, "--mail-from: invalid sender"},
		"a sender without a mail server":      {"serve --mail-from a@example.org", 1, "--mail-server: required"},
		"a mail server alone":                 {"serve --mail-server mail.example.org", 1, "--mail-server: invalid mail server"},
		"a mail server without a scheme":      {"serve --mail-server mail.example.org --mail-from a@example.org", 1, "--mail-server: invalid mail server"},
		"negative workers":                    {"serve --workers=-1", 1, "--workers: must be 1 to 1024 processes"},
		"workers in words":                    {"serve --workers two", 2, `--workers: invalid number "two"; use a whole number such as 4`},
		"a deadline without a unit":           {"serve --deadline 60", 2, `--deadline: invalid duration "60"; use a number with a unit, such as 500ms, 60s or 5m`},
		"a deadline of a day":                 {"engine --deadline 24h", 1, "--deadline: must be a duration from 1ms to 1h"},
		"no plans":                            {"serve --plans=", 2, "--plans: must not be empty\nSee 'uncial serve --help'."},
		"an unknown flag":                     {"key create --bogus", 2, "unknown flag --bogus\nSee 'uncial key create --help'."},
		"a port alone":                        {"serve --listen 23080", 1, `--listen: invalid address "23080"; for this port use 127.0.0.1:23080 (this machine only) or :23080 (all addresses)`},
		"a port beyond the last":              {"engine --listen 127.0.0.1:99999", 1, "--listen: invalid address"},
		"an admin address in words":           {"serve --admin-listen everywhere", 1, "--admin-listen: invalid address"},
		"a database without a scheme":         {"serve --database uncial.db", 1, "--database: invalid database URL"},
		"a short key secret":                  {"serve --key-secret abc", 1, "--key-secret: too short; use at least 32"},
		"a key secret that is not used":       {"account create --name a --plan free --key-secret abc", 2, "unknown flag --key-secret"},
		"a health check of a closed port":     {"health http://127.0.0.1:1/readyz", 1, "uncial: nothing listens on 127.0.0.1:1 (connection refused); check"},
		"a health check of an invalid URL":    {"health localhost", 1, `invalid URL "localhost"; expected one such as http`},
		"a shell without completions":         {"completion tcsh", 2, `must be one of "bash","zsh","fish"`},
		"negative workers of an engine":       {"engine --workers=-1", 1, "--workers: must be"},
		"a negative deadline":                 {"engine --deadline=-1s", 1, "--deadline: must be"},
		"a negative retention":                {"serve --retention=-1d", 2, "--retention: invalid retention"},
		"a short retention":                   {"serve --retention=6d", 1, "--retention: must be at least 7d; 0 keeps everything"},
		"replies deleted too soon":            {"serve --reply-ttl 23h", 1, "--reply-ttl: must be 24h to 72h; the contract promises clients that a repeat within 24 hours is free"},
		"replies kept too long":               {"serve --reply-ttl 73h", 1, "--reply-ttl: must be 24h to 72h"},
		"an invalid engine URL":               {"serve --engine engine:8090", 1, `--engine: invalid engine URL "engine:8090"`},
	} {
		args := strings.Fields(c.args)
		if strings.Contains(c.args, "key ") || strings.Contains(c.args, "account") {
			args = append(args, db)
		}
		status, stdout, stderr := uncial(args...)
		require.Equal(t, c.status, status, "%s: %s", name, stderr)
		require.Contains(t, stderr, c.says, name)
		require.Empty(t, stdout, name)
	}
}

// A service of another version may be running on the database.
func TestRun_ReadOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string // makes the schema what that version leaves
		want      string
	}{
		"refuses an older schema": {`DELETE FROM goose_db_version WHERE version_id > 1`, "the schema needs an update, which this command does not perform; upgrade the service, or run `uncial migrate`"},
		"refuses a newer schema":  {`INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, 1)`, "a newer version of this program wrote the schema; run that version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "uncial.db")
			st, err := store.Open(t.Context(), "sqlite:"+path, store.Options{})
			require.NoError(t, err)
			_, err = st.Migrate(t.Context())
			require.NoError(t, err)
			_, err = st.Writer().Exec(t.Context(), c.statement)
			require.NoError(t, err)
			require.NoError(t, st.Close())
			requireRefusals(t, path, c.want)
		})
	}
	t.Run("leaves an empty file empty", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "uncial.db")
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		requireRefusals(t, path, "the database has no tables yet")
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Zero(t, info.Size())
	})
}

// requireRefusals runs all commands that only read on the database, and requires that each fails with that reason.
func requireRefusals(t *testing.T, path, want string) {
	t.Helper()
	for _, command := range []string{"account list", "key list", "user list", "usage", "audit"} {
		status, stdout, stderr := uncial(append(strings.Fields(command), "--database=sqlite:"+path)...)
		require.Equal(t, 1, status, command)
		require.Empty(t, stdout, command)
		require.Contains(t, stderr, want, command)
	}
}

func TestRun_AccountList_UnknownPlan(t *testing.T) {
	t.Parallel()
	db := database(t)
	must(t, "account", "create", "--name", "a", "--plan", "pro", db)
	plans := filepath.Join(t.TempDir(), "plans.json")
	require.NoError(t, os.WriteFile(plans, []byte(`{"small": {"points": 100, "requestsPerMinute": 5}}`), 0o600))
	require.Regexp(t, `pro +0 +0 .* unknown plan "pro"; choose one of small\n`, must(t, "account", "list", "--plans", plans, db))
}

func TestRun_MissingDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := "--database=sqlite:" + filepath.Join(dir, "mistyped.db")
	for _, args := range [][]string{
		{"audit"},
		{"account", "create", "--name", "a", "--plan", "pro"},
		{"user", "operator"},
		{"account", "list"},
		{"account", "plan", "acc_1", "pro"},
		{"key", "create", "--account", "acc_1"},
		{"key", "list"},
		{"key", "rotate", "key_1"},
		{"key", "revoke", "key_1"},
	} {
		status, _, stderr := uncial(append(args, db)...)
		require.Equal(t, 1, status, args)
		require.Contains(t, stderr, "does not exist; check --database, or create it", args)
		require.Contains(t, stderr, filepath.Join(dir, "mistyped.db"), args)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestRun_KeyLifeCycle(t *testing.T) {
	t.Parallel()
	db := database(t)
	owner := object(t, must(t, "account", "create", "--name", "Map room", "--plan", "pro", "--json", db))["id"].(string)
	require.NoFileExists(t, strings.TrimPrefix(db, "--database=sqlite:")+".secret", "creating an account needs no secret")
	_, _, named := uncial("account", "list", db)
	require.Equal(t, "Database: "+strings.TrimPrefix(db, "--database=")+"\n", named)

	status, first, note := uncial("key", "create", "--account", owner, db)
	require.Zero(t, status, note)
	require.Regexp(t, `^ocr_live_[0-9A-Za-z]{36}\n$`, first, "the key alone, so that a script can store it")
	require.Contains(t, note, "cannot be shown again")
	made := object(t, must(t, "key", "create", "--account", owner, "--expires", "90d", "--allow", "192.0.2.0/24,2001:db8::1", "--json", db))
	require.Regexp(t, `^ocr_live_`, made["secret"])
	require.Equal(t, []any{"192.0.2.0/24", "2001:db8::1/128"}, made["allow"])
	begins, err := time.Parse(time.RFC3339, made["created"].(string))
	require.NoError(t, err)
	ends, err := time.Parse(time.RFC3339, made["expires"].(string))
	require.NoError(t, err)
	require.Equal(t, 90*24*time.Hour, ends.Sub(begins))
	next := object(t, must(t, "key", "rotate", made["id"].(string), "--overlap", "0d", "--json", db))
	require.NotEqual(t, made["secret"], next["secret"])
	must(t, "key", "revoke", next["id"].(string), db)

	list := must(t, "key", "list", "--account", owner, db)
	require.Len(t, strings.Split(strings.TrimSpace(list), "\n"), 4, list)
	for _, s := range []string{"active", "expired", "revoked"} {
		require.Contains(t, list, s)
	}
	for _, secret := range []string{strings.TrimSpace(first), made["secret"].(string), next["secret"].(string)} {
		require.NotContains(t, list, secret)
		require.NotContains(t, must(t, "key", "list", "--json", db), secret)
	}
	require.Equal(t, "archive", object(t, must(t, "account", "plan", owner, "archive", "--json", db))["plan"])
	require.Contains(t, must(t, "account", "list", db), "Map room")
	require.Empty(t, object(t, must(t, "audit", "--json", db))["discrepancies"])
}

func TestRun_KeySecret(t *testing.T) {
	t.Parallel()
	db := "--database=" + testcontainers.Postgres(t)
	must(t, "migrate", db)
	owner := object(t, must(t, "account", "create", "--name", "a", "--plan", "free", "--json", db))["id"].(string)
	must(t, "account", "list", db)
	must(t, "audit", db)
	must(t, "key", "list", db)
	for _, args := range [][]string{{"key", "create", "--account", owner}, {"serve", "--listen", "127.0.0.1:0"}} {
		status, _, stderr := uncial(append(args, db)...)
		require.Equal(t, 1, status)
		require.Contains(t, stderr, "--key-secret: required with Postgres")
	}
	create := []string{"key", "create", "--account", owner, db, "--key-secret"}
	must(t, append(create, strings.Repeat("a", 32))...)
	status, _, stderr := uncial(append(create, strings.Repeat("a", 32))...)
	require.Zero(t, status, stderr)
	require.NotContains(t, stderr, "--key-secret")
	status, _, stderr = uncial(append(create, strings.Repeat("b", 32))...)
	require.Zero(t, status, stderr)
	require.Contains(t, stderr, "API keys made with another --key-secret will be refused")
	require.Contains(t, stderr, "keys=2")
	require.NotContains(t, stderr, "bbbb")
}

func TestRun_Environment(t *testing.T) {
	db := database(t)
	t.Setenv("UNCIAL_DATABASE", strings.TrimPrefix(db, "--database="))
	for _, name := range []string{"PLAN", "NAME", "ALLOW", "JSON", "ACCOUNT", "REASON", "EXPIRES"} {
		t.Setenv("UNCIAL_"+name, "nonsense") // flags of one command are not settings
	}
	t.Setenv("UNCIAL_VERSION", "1.2.3") // of the images, in compose.yaml
	owner := object(t, must(t, "account", "create", "--name", "a", "--plan", "free", "--json"))
	require.Equal(t, "free", owner["plan"])
	made := object(t, must(t, "key", "create", "--account", owner["id"].(string), "--allow", "192.0.2.0/24, 2001:db8::/32", "--json"))
	require.Equal(t, []any{"192.0.2.0/24", "2001:db8::/32"}, made["allow"])
	t.Setenv("UNCIAL_FETCH_ALLOW", "127.0.0.1/32,nonsense")
	status, _, stderr := uncial("serve")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, `--fetch-allow: invalid address range`)
}

func TestHasLoopback(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:8080": true, "[::1]:8080": true, "0.0.0.0:8080": true, "[::]:8080": true, ":8080": true,
		"192.168.1.5:8080": false, "uncial.example.org:8080": false, "8080": false,
	} {
		require.Equal(t, want, main.HasLoopback(listen), listen)
	}
}

// TestExitStatus_signal shows that no error is reported for a worker that the same signal ended.
func TestExitStatus_signal(t *testing.T) {
	t.Parallel()
	killed := fmt.Errorf("the worker cannot start: %w", exec.CommandContext(t.Context(), "/bin/sh", "-c", "kill -9 $$").Run())
	require.ErrorContains(t, killed, "signal: killed")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var stderr strings.Builder
	require.Equal(t, 130, main.ExitStatus(stopped, killed, &stderr))
	require.Empty(t, stderr.String())
	require.Equal(t, 1, main.ExitStatus(t.Context(), killed, &stderr))
	require.Contains(t, stderr.String(), "the worker cannot start")
}
