package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// settingsPath is the file of settings that every command reads. UNCIAL_SETTINGS names another one. Flags and the environment
// take precedence over it.
const settingsPath = "/etc/uncial/uncial.env"

// settingsFile is what the file of settings says.
type settingsFile struct {
	path   string
	values map[string]string
	denied bool // this user may not read it
}

// readSettings reads the file. A missing file is no error. One that this user may not read is an error only for commands
// that need the database, and only if nothing else names it.
func readSettings() (settingsFile, error) {
	s := settingsFile{path: cmp.Or(os.Getenv("UNCIAL_SETTINGS"), settingsPath)}
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

// parseSettings reads lines NAME=VALUE, as systemd and Docker do. A value may be in single or double quotes; lines that begin
// with # are comments. Errors name the line.
func parseSettings(r io.Reader) (map[string]string, error) {
	values := map[string]string{}
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("line %d: expected NAME=VALUE, without blanks around =", number)
		}
		for _, quote := range []string{`"`, `'`} {
			if len(value) >= 2 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
				value = value[1 : len(value)-1]
				break
			}
		}
		values[name] = value
	}
	return values, lines.Err()
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

// Resolve implements kong.Resolver. It returns the value of a flag that is neither on the command line nor itself a variable: from the
// file that UNCIAL_..._FILE names, as Docker, Kubernetes and systemd hand out secrets, or from the file of settings.
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
			secret, err := readSecretFile(path)
			if err != nil {
				return nil, fmt.Errorf("%s_FILE: %w", name, err)
			}
			return secret, nil
		case isVariable:
			return nil, nil
		case value != "":
			return value, nil
		}
	}
	if s.denied && f.Name == "database" {
		return nil, fmt.Errorf("cannot read %s; run this command as root, or name the database", s.path)
	}
	return nil, nil
}

var _ kong.Resolver = settingsFile{}

// maxSecretFile bounds the file of a secret, in bytes.
const maxSecretFile = 64 << 10

// readSecretFile returns the text of a file without the white space around it.
func readSecretFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxSecretFile))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return secret, nil
}
