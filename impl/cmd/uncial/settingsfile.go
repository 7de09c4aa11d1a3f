package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// settingsPath is the file of settings that every command reads. UNCIAL_SETTINGS names another one. Flags and the environment
// take precedence over it.
const settingsPath = "/etc/uncial/uncial.env"

// settingsFile is the content of the settings file.
type settingsFile struct {
	path   string
	values map[string]string
	denied bool // this user may not read it
	// exposed are the files of secrets that Resolve has read and that every user of the machine can read.
	exposed map[string]bool
}

// readSettings reads the file. A missing file is not an error. A file that this user may not read is an error only for commands
// that need the database, and only if neither a flag nor the environment names the database.
func readSettings() (settingsFile, error) {
	s := settingsFile{path: cmp.Or(os.Getenv("UNCIAL_SETTINGS"), settingsPath), exposed: map[string]bool{}}
	f, err := os.Open(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case errors.Is(err, fs.ErrPermission):
		s.denied = true
		return s, nil
	case err != nil:
		return s, err
	}
	defer func() { _ = f.Close() }()
	if s.values, err = parseSettings(f); err != nil {
		return s, fmt.Errorf("%s: %w", s.path, err)
	}
	return s, nil
}

// parseSettings reads lines NAME=VALUE exactly as systemd does for the service (systemd.exec(5), EnvironmentFile=). Text that
// systemd would read differently from how it looks, such as a backslash or a quote within quotes, is an error. A value may be
// in single or double quotes; lines that begin with # or ; are comments. Errors name the line.
func parseSettings(r io.Reader) (map[string]string, error) {
	values := map[string]string{}
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		name, value, err := parseSetting(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if name != "" {
			values[name] = value
		}
	}
	return values, lines.Err()
}

// settingName matches the name of a variable.
var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseSetting parses a line; the name of a blank line or comment is empty.
func parseSetting(line string) (name, value string, err error) {
	line = strings.Trim(line, " \t\r")
	switch {
	case !utf8.ValidString(line):
		return "", "", errors.New("the line is not valid UTF-8")
	case strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }):
		return "", "", errors.New("control characters are not allowed")
	case line == "":
		return "", "", nil
	case line[0] == '#' || line[0] == ';':
		if strings.HasSuffix(line, `\`) {
			return "", "", errors.New("a comment must not end with a backslash; systemd would take the next line as a comment too")
		}
		return "", "", nil
	}
	name, value, found := strings.Cut(line, "=")
	switch {
	case !found || !settingName.MatchString(name) || strings.HasPrefix(value, " ") || strings.HasPrefix(value, "\t"):
		return "", "", errors.New("expected NAME=VALUE, without spaces around =")
	case strings.Contains(value, `\`):
		return "", "", fmt.Errorf("%s: backslashes are not allowed, because systemd reads them as escapes; in a URL write %%5C, and put other secrets into a file (..._FILE)", name)
	case value == "" || value[0] != '"' && value[0] != '\'':
		return name, value, nil
	case len(value) < 2 || strings.Index(value[1:], value[:1]) != len(value)-2:
		return "", "", fmt.Errorf("%s: a value that begins with %c must end with it, and have no other %c; use the other kind of quotes around it", name, value[0], value[0])
	}
	return name, value[1 : len(value)-1], nil
}

// apply checks the names in the file, and puts those that are not flags, such as OTEL_EXPORTER_OTLP_ENDPOINT, into the
// environment, where libraries look for them.
func (s settingsFile) apply(k *kong.Application) error {
	known := map[string]bool{}
	err := kong.Visit(k.Node, func(v kong.Visitable, next kong.Next) error {
		if f, ok := v.(*kong.Flag); ok && len(f.Envs) > 0 {
			known[f.Envs[0]] = true
			known[f.Envs[0]+"_FILE"] = f.Tag.Has("secret")
		}
		return next(nil)
	})
	for name, value := range s.values {
		_, set := os.LookupEnv(name)
		switch {
		case strings.HasPrefix(name, "UNCIAL_") && !known[name]:
			err = errors.Join(err, fmt.Errorf("%s: unknown setting %s; 'uncial serve --help' lists the settings", s.path, name))
		case !strings.HasPrefix(name, "UNCIAL_") && !set:
			err = errors.Join(err, os.Setenv(name, value))
		}
	}
	return err
}

// Validate implements kong.Resolver.
func (s settingsFile) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver. It returns the value of a flag that is set neither on the command line nor by its own
// variable: from the file that UNCIAL_..._FILE names, which is how Docker, Kubernetes and systemd pass secrets, or from the
// file of settings.
func (s settingsFile) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	if len(f.Envs) == 0 {
		return nil, nil
	}
	name := f.Envs[0]
	isSecret := f.Tag.Has("secret")
	// kong has taken the variable itself already, and would lose the path of a file that it is given twice.
	isVariable := os.Getenv(name) != ""
	for _, source := range []func(string) string{os.Getenv, func(name string) string { return s.values[name] }} {
		value, path := source(name), source(name+"_FILE")
		switch {
		case isSecret && value != "" && path != "":
			return nil, fmt.Errorf("both %s and %s_FILE are set; set one of them", name, name)
		case isSecret && path != "":
			secret, exposed, err := readSecretFile(path)
			if err != nil {
				return nil, fmt.Errorf("%s_FILE: %w", name, err)
			}
			if exposed {
				s.exposed[path] = true
			}
			return secret, nil
		case isVariable:
			return nil, nil
		case value != "":
			return value, nil
		}
	}
	if s.denied && f.Name == "database" {
		return nil, fmt.Errorf("cannot read %s; run this command as root, or set --database", s.path)
	}
	return nil, nil
}

var _ kong.Resolver = settingsFile{}

// warn logs which secrets other users can read.
func (s settingsFile) warn(log *slog.Logger) {
	for _, path := range slices.Sorted(maps.Keys(s.exposed)) {
		log.Warn("every user of this machine can read a secret; run chmod 640 on its file", "file", path)
	}
}

const (
	// maxSecretFile bounds the file of a secret, in bytes.
	maxSecretFile = 64 << 10
	// containerSecrets is where Docker mounts secrets, readable by all users of the container, which has no others.
	containerSecrets = "/run/secrets/"
)

// readSecretFile returns the only line of a file without the white space around it, and whether every user of the machine can
// read it.
func readSecretFile(path string) (secret string, exposed bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err != nil {
		return "", false, err
	}
	secret = strings.TrimSpace(string(text))
	switch {
	case len(text) > maxSecretFile:
		return "", false, fmt.Errorf("%s is larger than %d KiB; expected one line with the secret", path, maxSecretFile>>10)
	case secret == "":
		return "", false, fmt.Errorf("%s is empty", path)
	case strings.Contains(secret, "\n"):
		return "", false, fmt.Errorf("%s has more than one line; expected one line with the secret", path)
	case !utf8.ValidString(secret) || strings.ContainsFunc(secret, unicode.IsControl):
		return "", false, fmt.Errorf("%s is not text; expected one line, such as the output of openssl rand -hex 32", path)
	}
	exposed = info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 && !strings.HasPrefix(path, containerSecrets)
	return secret, exposed, nil
}
