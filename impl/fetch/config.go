package fetch

import (
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"uncial/internal/strictjson"
)

// Config holds the operator's settings for particular hosts and for reaching the internet. The zero value has no credentials,
// no proxy and only the system's certificate authorities. It must not be changed while a Fetcher uses it.
type Config struct {
	credentials map[string]http.Header // by origin, see originOf
	proxy       *proxy                 // nil: connect directly
	roots       *x509.CertPool         // nil: the root certificates of the system
}

// maxSecret bounds a file with a secret, in bytes: tokens have at most a few KiB.
const maxSecret = 16 << 10

// configFile is the JSON of a configuration.
type configFile struct {
	// Hosts has the credentials of each origin, such as https://images.example.org.
	Hosts map[string]struct {
		Headers map[string]secretHeader `json:"headers"`
		Basic   *login                  `json:"basic"`
	} `json:"hosts"`
	Proxy *struct {
		URL   string `json:"url"`
		Basic *login `json:"basic"`
	} `json:"proxy"`
	// CA names PEM files with certificates that are trusted besides those of the system.
	CA []string `json:"ca"`
}

// secretHeader is a header whose value is prefix, then the content of the file.
type secretHeader struct {
	Prefix string `json:"prefix"`
	File   string `json:"file"`
}

// login is a user name with a file that has the password.
type login struct {
	User         string `json:"user"`
	PasswordFile string `json:"passwordFile"`
}

// ReadConfig reads a configuration from a JSON file, and the secrets from the files that it names, relative to its own folder.
// Errors name the invalid member, never a secret.
func ReadConfig(path string) (Config, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return Config{}, err
	}
	var file configFile
	if err := strictjson.Settings(text, &file); err != nil {
		return Config{}, fmt.Errorf("%s: %w; known members: hosts (headers, basic), proxy (url, basic), ca", path, err)
	}
	config, err := file.load(filepath.Dir(path))
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return config, nil
}

// load reads the files that the configuration names.
func (f *configFile) load(dir string) (config Config, err error) {
	config.credentials = map[string]http.Header{}
	for name, host := range f.Hosts {
		origin, err := parseOrigin(name)
		if err != nil {
			return Config{}, fmt.Errorf("hosts: %w", err)
		}
		if config.credentials[origin] != nil {
			return Config{}, fmt.Errorf("hosts: %q is given twice", name)
		}
		header := http.Header{}
		for field, secret := range host.Headers {
			if err := secret.set(header, field, dir); err != nil {
				return Config{}, fmt.Errorf("hosts: %q: headers: %w", name, err)
			}
		}
		if host.Basic != nil {
			if err := host.Basic.set(header, "Authorization", dir); err != nil {
				return Config{}, fmt.Errorf("hosts: %q: basic: %w", name, err)
			}
		}
		if len(header) == 0 {
			return Config{}, fmt.Errorf("hosts: %q: needs headers or basic", name)
		}
		config.credentials[origin] = header
	}
	if f.Proxy != nil {
		if config.proxy, err = newProxy(f.Proxy.URL); err != nil {
			return Config{}, fmt.Errorf("proxy: %w", err)
		}
		if f.Proxy.Basic != nil {
			if err := f.Proxy.Basic.set(config.proxy.header, "Proxy-Authorization", dir); err != nil {
				return Config{}, fmt.Errorf("proxy: basic: %w", err)
			}
		}
	}
	if config.roots, err = loadRoots(dir, f.CA); err != nil {
		return Config{}, fmt.Errorf("ca: %w", err)
	}
	return config, nil
}

// reserved are headers that the fetcher or HTTP itself sets.
var reserved = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Te", "Trailer", "Upgrade", "Accept", "Accept-Encoding", "Range",
	"Proxy-Authorization", "Proxy-Connection", "Keep-Alive", "Expect", "Content-Type",
}

// set adds the header. Errors do not show the secret.
func (s secretHeader) set(header http.Header, name, dir string) error {
	canonical := http.CanonicalHeaderKey(name)
	if !httpguts.ValidHeaderFieldName(name) || slices.Contains(reserved, canonical) {
		return fmt.Errorf("%q is not a header that can be set; use a header such as Authorization", name)
	}
	secret, err := readSecret(dir, s.File)
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return add(header, canonical, s.Prefix+secret)
}

// set adds basic credentials (RFC 7617).
func (l *login) set(header http.Header, name, dir string) error {
	if l.User == "" || strings.Contains(l.User, ":") {
		return errors.New("user: must be a name without a colon")
	}
	password, err := readSecret(dir, l.PasswordFile)
	if err != nil {
		return fmt.Errorf("passwordFile: %w", err)
	}
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(l.User, password)
	return add(header, name, request.Header.Get("Authorization"))
}

// add sets a header that must not be there yet.
func add(header http.Header, name, value string) error {
	if header.Get(name) != "" {
		return fmt.Errorf("%q is given twice", name)
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return fmt.Errorf("%q: the value has characters that a header cannot have", name)
	}
	header.Set(name, value)
	return nil
}

// readSecret returns the content of a file without white space around it.
func readSecret(dir, name string) (string, error) {
	if name == "" {
		return "", errors.New("needs the name of a file with the secret")
	}
	text, err := os.ReadFile(inFolder(dir, name))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	switch {
	case secret == "":
		return "", fmt.Errorf("the file %s is empty", name)
	case len(secret) > maxSecret:
		return "", fmt.Errorf("the file %s is larger than %d KiB", name, maxSecret>>10)
	}
	return secret, nil
}

// inFolder resolves a relative file name against the folder of the configuration.
func inFolder(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// loadRoots returns the system's root certificates and those of the files, nil if there are no files.
func loadRoots(dir string, files []string) (*x509.CertPool, error) {
	if len(files) == 0 {
		return nil, nil //nolint:nilnil // nil is the pool of the system, as in tls.Config
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(inFolder(dir, name))
		if err != nil {
			return nil, err
		}
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM", name)
		}
	}
	return roots, nil
}

// parseOrigin returns the origin of a URL that has nothing but scheme, host and port.
func parseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		(u.Scheme != "http" && u.Scheme != "https") || strings.Contains(u.Host, "*") || u.Port() != "" && !isPort(u.Port()) {
		return "", fmt.Errorf("invalid host %q; expected a scheme, a host and an optional port, such as https://images.example.org", text)
	}
	return originOf(u), nil
}

// originOf returns scheme, host and port of a URL in one spelling (RFC 6454, section 4).
func originOf(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	}
	port := strings.TrimLeft(u.Port(), "0")
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + host + ":" + port
}

// authorizing is a transport that adds the credentials of each request's own origin. They are not part of the request that
// http.Client sees, so that it cannot copy them to the next host of a redirect.
type authorizing struct {
	next        http.RoundTripper
	credentials map[string]http.Header
}

// RoundTrip sends a copy of the request with the credentials.
func (a *authorizing) RoundTrip(r *http.Request) (*http.Response, error) {
	header := a.credentials[originOf(r.URL)]
	if header == nil {
		return a.next.RoundTrip(r)
	}
	authorized := r.Clone(r.Context())
	maps.Copy(authorized.Header, header)
	response, err := a.next.RoundTrip(authorized)
	if response != nil {
		response.Request = r // http.Client derives redirects and Referer from it
	}
	return response, err
}
