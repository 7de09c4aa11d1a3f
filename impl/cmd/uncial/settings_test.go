package main_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mustWrite writes a file of a new folder and returns its path.
func mustWrite(tb testing.TB, name, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestRun_SettingsFile(t *testing.T) {
	db := strings.TrimPrefix(database(t), "--database=")
	secret := mustWrite(t, "secret", strings.Repeat("s", 32)+"\n")
	t.Setenv("OTEL_TEST_ONLY", "") // restored after the test
	require.NoError(t, os.Unsetenv("OTEL_TEST_ONLY"))
	t.Setenv("UNCIAL_SETTINGS", mustWrite(t, "uncial.env", `# settings
UNCIAL_DATABASE="`+db+`"
UNCIAL_KEY_SECRET_FILE=`+secret+`

; a comment too: UNCIAL_NONE=1
OTEL_TEST_ONLY='{"a": "b"}'
`))
	owner := object(t, must(t, "account", "create", "--name", "a", "--plan", "free", "--json"))["id"].(string)
	must(t, "key", "create", "--account", owner)
	require.NoFileExists(t, strings.TrimPrefix(db, "sqlite:")+".secret", "the secret came from the file")
	require.JSONEq(t, `{"a": "b"}`, os.Getenv("OTEL_TEST_ONLY"), "libraries find their settings")

	other := database(t)
	_, _, stderr := uncial("account", "list", other)
	require.Contains(t, stderr, strings.TrimPrefix(other, "--database="), "a flag takes precedence")
	t.Setenv("UNCIAL_DATABASE", strings.TrimPrefix(other, "--database="))
	_, _, stderr = uncial("account", "list")
	require.Contains(t, stderr, strings.TrimPrefix(other, "--database="), "the environment takes precedence")
}

// TestRun_SettingsFile_Shipped uses the file of the Debian package, whose unit makes the log JSON.
func TestRun_SettingsFile_Shipped(t *testing.T) {
	t.Setenv("UNCIAL_SETTINGS", "../../deploy/uncial.env")
	status, _, stderr := uncial("account", "create", "--name", "a", "--plan", "none", database(t))
	require.Equal(t, 1, status)
	require.Regexp(t, "(?m)^uncial: ", stderr, "commands print errors for people")
	unit, err := os.ReadFile("../../deploy/systemd/uncial.service")
	require.NoError(t, err)
	require.Regexp(t, "(?s)\nEnvironment=UNCIAL_LOG_FORMAT=json\n.*EnvironmentFile=", string(unit))
}

func TestRun_Settings_PathOfAFile(t *testing.T) {
	db := database(t)
	plans := mustWrite(t, "plans.json", `{"dozen": {"points": 12, "requestsPerMinute": 60}}`)
	create := []string{"account", "create", "--name", "a", "--plan", "dozen", db}
	must(t, append(create, "--plans", plans)...)
	t.Setenv("UNCIAL_PLANS", plans)
	must(t, create...)
	require.NoError(t, os.Unsetenv("UNCIAL_PLANS"))
	t.Setenv("UNCIAL_SETTINGS", mustWrite(t, "uncial.env", "UNCIAL_PLANS="+plans))
	must(t, create...)
}

func TestRun_SecretFile_Exposed(t *testing.T) {
	secret := mustWrite(t, "secret", strings.Repeat("s", 32))
	t.Setenv("UNCIAL_KEY_SECRET_FILE", secret)
	const warning = "every user of this machine can read a secret"
	db := database(t)
	owner := object(t, must(t, "account", "create", "--name", "a", "--plan", "pro", "--json", db))["id"].(string)
	create := []string{"key", "create", "--account", owner, db}
	_, _, stderr := uncial(create...)
	require.NotContains(t, stderr, warning)
	require.NoError(t, os.Chmod(secret, 0o604))
	status, _, stderr := uncial(create...)
	require.Zero(t, status)
	require.Equal(t, 1, strings.Count(stderr, warning), stderr)
	require.Contains(t, stderr, "file="+secret)
}

func TestRun_SettingsFile_Invalid(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a line without an equals sign":         {"UNCIAL_DATABASE sqlite:x", "line 1: expected NAME=VALUE"},
		"a space after =":                       {"UNCIAL_DATABASE= sqlite:x", "line 1: expected NAME=VALUE"},
		"a name after a byte order mark":        {"\uFEFFUNCIAL_DATABASE=sqlite:x", "line 1: expected NAME=VALUE"},
		"a backslash":                           {"\nUNCIAL_KEY_SECRET=" + `a\b`, "line 2: UNCIAL_KEY_SECRET: backslashes are not allowed, because systemd"},
		"a value over two lines":                {`UNCIAL_PLANS="a` + "\n" + `b"`, "line 1: UNCIAL_PLANS: a value that begins with \" must end with it"},
		"a quote in quotes":                     {`UNCIAL_PLANS='it's'`, "line 1: UNCIAL_PLANS: a value that begins with ' must end with it"},
		"text after quotes":                     {`UNCIAL_PLANS="a" # the plans`, "line 1: UNCIAL_PLANS: a value that begins with \" must end with it"},
		"a comment with a backslash at its end": {"# a" + `\` + "\nUNCIAL_PLANS=a", "line 1: a comment must not end with a backslash"},
		"a control character":                   {"UNCIAL_PLANS=a\x00b", "line 1: control characters"},
		"other encodings":                       {"UNCIAL_PLANS=caf\xe9", "line 1: the line is not valid UTF-8"},
		"an unknown setting":                    {"\nUNCIAL_DATABSE=sqlite:x", "unknown setting UNCIAL_DATABSE"},
		"a flag of a command":                   {"UNCIAL_PLAN=pro", "unknown setting UNCIAL_PLAN"},
		"a number in words":                     {"UNCIAL_WORKERS=two", "--workers: invalid number"},
		"a secret in two ways":                  {"UNCIAL_KEY_SECRET=a\nUNCIAL_KEY_SECRET_FILE=b", "both UNCIAL_KEY_SECRET and UNCIAL_KEY_SECRET_FILE are set"},
		"a missing secret":                      {"UNCIAL_KEY_SECRET_FILE=/nowhere", "UNCIAL_KEY_SECRET_FILE: open /nowhere"},
		"a secret of two lines":                 {"UNCIAL_KEY_SECRET_FILE=" + mustWrite(t, "two", "a\nb\n"), "two has more than one line"},
		"a secret with a NUL":                   {"UNCIAL_KEY_SECRET_FILE=" + mustWrite(t, "nul", "a\x00b"), "nul is not text"},
		"a secret without end":                  {"UNCIAL_KEY_SECRET_FILE=/dev/zero", "UNCIAL_KEY_SECRET_FILE: /dev/zero is larger than 64 KiB"},
		"an empty secret":                       {"UNCIAL_KEY_SECRET_FILE=/dev/null", "UNCIAL_KEY_SECRET_FILE: /dev/null is empty"},
	} {
		t.Setenv("UNCIAL_SETTINGS", mustWrite(t, "uncial.env", c.text))
		status, _, stderr := uncial("serve")
		require.Equal(t, 2, status, name)
		require.Contains(t, stderr, c.want, name)
		help, stdout, _ := uncial("serve", "--help")
		require.Zero(t, help, name)
		require.Contains(t, stdout, "UNCIAL_DATABASE", "the help names the right settings")
		version, _, _ := uncial("--version")
		require.Zero(t, version, name)
	}
}

// TestRun_Serve_TakenPort shows that wrong settings are reported before anything listens.
func TestRun_Serve_TakenPort(t *testing.T) {
	t.Parallel()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	taken := "--listen=" + ln.Addr().String()
	folder := t.TempDir()
	good := []string{"serve", taken, "--database=sqlite:" + filepath.Join(folder, "uncial.db"), "--worker=" + os.Args[0]}
	for flag, value := range map[string]string{
		"--key-secret": "short", "--plans": mustWrite(t, "plans.json", "{}"), "--fetch-config": mustWrite(t, "fetch.json", "{"), "--worker": "/nowhere",
		"--database": "mysql://x", "--engine": "engine", "--public-url": "example.org", "--mail-from": "a@example.org", "--enhance-url": "https://models.example.org",
		"--workers": "2000", "--admin-listen": "9090", "--queue": "0", "--deadline": "0s", "--fetch-per-host": "0",
	} {
		status, _, stderr := uncial(append(good, flag+"="+value)...)
		require.NotZero(t, status, flag)
		require.Regexp(t, "^uncial: --", stderr, flag)
		require.NotContains(t, stderr, "another program", flag)
	}
	for flag, want := range map[string]string{
		"--workers=0": "must be 1 to 1024 processes", "--workers=-3": "must be 1 to 1024 processes", "--queue=0": "must be 1 to 100000 images",
		"--deadline=0s": "must be a duration from 1ms to 1h", "--deadline=1ns": "must be a duration from 1ms to 1h", "--deadline=5": "use a number with a unit",
		"--fetch-per-host=0": "must be 1 to 1000 images", "--admin-listen=" + ln.Addr().String(): "choose another port", "--listen=23080": "use 127.0.0.1:23080",
	} {
		status, _, stderr := uncial(append(good, flag)...)
		require.NotZero(t, status, flag)
		require.Regexp(t, "^uncial: "+strings.SplitN(flag, "=", 2)[0]+": .*"+want, stderr)
	}
	status, _, stderr := uncial(append(good, "--workers", "-3")...)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, `--workers: must not be negative, got "-3"`+"\n")
	_, _, stderr = uncial(append(good, "--retention", "--workers=3")...)
	require.Contains(t, stderr, `--retention: needs a value, but the next argument is "--workers=3"; write `)
	_, _, stderr = uncial(append(good, "--retention")...)
	require.Contains(t, stderr, "--retention: needs a value\n")

	status, _, stderr = uncial(good...)
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "--listen: another program listens on "+ln.Addr().String())
	status, _, stderr = uncial(append(good, "--listen=127.0.0.1:0", "--admin-listen="+ln.Addr().String())...)
	require.Equal(t, 1, status)
	require.Regexp(t, "^uncial: --admin-listen: another program listens on "+ln.Addr().String(), stderr)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing was created")
}

func TestRun_Log_JSON(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := uncial("audit", "--log-format", "json", "--database=sqlite:"+filepath.Join(t.TempDir(), "none.db"))
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "ERROR", object(t, stderr)["level"])
}

func TestRun_Health(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		if r.URL.Path == "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	require.Equal(t, "ok\n", must(t, "health", server.URL))
	require.Equal(t, "ok\n", must(t, "health", server.URL+"/"))
	status, stdout, stderr := uncial("health", server.URL+"/readyz")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "503")
	require.Equal(t, []string{"/healthz", "/healthz", "/readyz"}, asked)
}

// TestRun_Completion asks a real bash what it proposes.
func TestRun_Completion(t *testing.T) {
	t.Parallel()
	script := mustWrite(t, "uncial.bash", must(t, "completion", "bash"))
	for line, want := range map[string]string{
		"uncial ser":                      "serve",
		"uncial account cr":               "create",
		"uncial account create --na":      "--name",
		"uncial --log-format json key ro": "rotate",
		"uncial usage --by k":             "key",
		"uncial completion b":             "bash",
	} {
		words := strings.Fields(line)
		ask := `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _uncial; printf '%s\n' "${COMPREPLY[@]}"`
		out, err := exec.CommandContext(t.Context(), "bash", append([]string{"-euc", ask, "bash", script}, words...)...).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		require.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
	require.Contains(t, must(t, "completion", "zsh"), "#compdef uncial")
	require.Contains(t, must(t, "completion", "fish"), "complete -c uncial")
}

func TestRun_Man(t *testing.T) {
	t.Parallel()
	page := must(t, "man")
	require.Contains(t, page, ".TH UNCIAL 1")
	require.Contains(t, page, ".SS account create")
	require.Contains(t, page, `$\fBUNCIAL_DATABASE\fR`)
}

// TestRun_Extract_NameInLatin1 reads a file whose name is not UTF-8, as in old archives.
func TestRun_Extract_NameInLatin1(t *testing.T) {
	name := filepath.Join(t.TempDir(), "L\xfccke.jpg")
	require.NoError(t, os.WriteFile(name, []byte("<!doctype html><html>"), 0o600))
	status, _, stderr := uncial("extract", "--key=k", name)
	require.Equal(t, 1, status)
	require.Contains(t, stderr, `L\xfccke.jpg: the file is an HTML page`)
}
