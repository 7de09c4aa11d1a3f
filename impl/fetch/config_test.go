package fetch_test

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/fetch"
	"uncial/internal/contract"
)

// secret is in every file of these tests that must not be shown.
const secret = "correct-horse-battery"

// readConfig reads a configuration beside the files.
func readConfig(tb testing.TB, text string, files map[string]string) (fetch.Config, error) {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	path := filepath.Join(dir, "fetch.json")
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return fetch.ReadConfig(path)
}

func mustConfig(tb testing.TB, text string, files map[string]string) fetch.Config {
	tb.Helper()
	config, err := readConfig(tb, text, files)
	require.NoError(tb, err)
	return config
}

func TestReadConfig_refuses(t *testing.T) {
	t.Parallel()
	files := map[string]string{"token": secret, "empty": " \n", "lines": secret + "\nX-Other: 1", "long": strings.Repeat(secret, 1000)}
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":                    {`hosts:`, "known members"},
		"an unknown member":          {`{"host":{}}`, `unknown field "host"`},
		"text after the object":      {`{}{}`, "unexpected text after the JSON object"},
		"a list":                     {`[]`, "unexpected JSON array; expected an object"},
		"a host without a scheme":    {`{"hosts":{"images.example.org":{}}}`, "such as https://images.example.org"},
		"a host with a path":         {`{"hosts":{"https://images.example.org/a":{}}}`, "expected a scheme, a host and an optional port"},
		"a host with a password":     {`{"hosts":{"https://a:b@images.example.org":{}}}`, "expected a scheme, a host and an optional port"},
		"a pattern of hosts":         {`{"hosts":{"https://*.example.org":{"headers":{"X":{"file":"token"}}}}}`, "expected a scheme, a host and an optional port"},
		"a port above 65535":         {`{"hosts":{"https://a.test:65536":{"headers":{"X":{"file":"token"}}}}}`, "expected a scheme, a host and an optional port"},
		"a host without credentials": {`{"hosts":{"https://images.example.org":{}}}`, "needs headers or basic"},
		"the same host twice":        {`{"hosts":{"https://a.test":{"headers":{"X":{"file":"token"}}},"https://A.test:443":{"headers":{"X":{"file":"token"}}}}}`, "is given twice"},
		"a header of HTTP":           {`{"hosts":{"https://a.test":{"headers":{"host":{"file":"token"}}}}}`, `"host" is not a header that can be set`},
		"a header with a space":      {`{"hosts":{"https://a.test":{"headers":{"X Y":{"file":"token"}}}}}`, "is not a header"},
		"a header without a file":    {`{"hosts":{"https://a.test":{"headers":{"X":{"prefix":"a"}}}}}`, "needs the name of a file"},
		"a missing file":             {`{"hosts":{"https://a.test":{"headers":{"X":{"file":"none"}}}}}`, "no such file"},
		"an empty file":              {`{"hosts":{"https://a.test":{"headers":{"X":{"file":"empty"}}}}}`, "is empty"},
		"a file of several lines":    {`{"hosts":{"https://a.test":{"headers":{"X":{"file":"lines"}}}}}`, "characters that a header cannot have"},
		"a long file":                {`{"hosts":{"https://a.test":{"headers":{"X":{"file":"long"}}}}}`, "larger than 16 KiB"},
		"two authorizations":         {`{"hosts":{"https://a.test":{"headers":{"authorization":{"file":"token"}},"basic":{"user":"a","passwordFile":"token"}}}}`, "is given twice"},
		"a user with a colon":        {`{"hosts":{"https://a.test":{"basic":{"user":"a:b","passwordFile":"token"}}}}`, "without a colon"},
		"a proxy of another kind":    {`{"proxy":{"url":"socks5://proxy.test"}}`, "expected an http or https URL"},
		"a proxy with a password":    {`{"proxy":{"url":"http://a:` + secret + `@proxy.test"}}`, "must not contain a user name"},
		"a certificate without PEM":  {`{"ca":["token"]}`, "no certificate in PEM"},
	} {
		_, err := readConfig(t, c.text, files)
		require.ErrorContains(t, err, c.want, name)
		assert.NotContains(t, err.Error(), secret, name)
	}
}

func TestFetcher_Fetch_Credentials(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	note := func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization") + "|" + r.Header.Get("X-Api-Key") + "|" + r.Header.Get("Referer")
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, "x")
	}
	mine, other := mustServe(t, note), mustServe(t, note)
	config := mustConfig(t, `{"hosts":{"`+mine+`":{"headers":{"Authorization":{"prefix":"Bearer ","file":"token"},"x-api-key":{"file":"token"}}}}}`,
		map[string]string{"token": "\n" + secret + "\n"})
	f := mustFetcher(t, fetch.Options{Allow: loopback, Config: config}.WithResolver(resolveTo("127.0.0.1")))
	const credentials = "Bearer " + secret + "|" + secret + "|"

	requireFetch(t, f, mine+"/page", "x")
	assert.Equal(t, credentials, <-seen)
	requireFetch(t, f, other+"/page", "x")
	assert.Equal(t, "||", <-seen, "another port is another host")
	requireFetch(t, f, strings.Replace(mine, "127.0.0.1", "mine.test", 1)+"/page", "x")
	assert.Equal(t, "||", <-seen, "another name is another host")

	requireFetch(t, f, mine+"/?to="+other+"/page", "x")
	assert.Equal(t, credentials, <-seen)
	assert.Equal(t, "||", <-seen, "a redirect away carries nothing")
	requireFetch(t, f, mine+"/?to=/page", "x")
	assert.Equal(t, []string{credentials, credentials}, []string{<-seen, <-seen}, "a redirect to the same host carries them")
	requireFetch(t, f, other+"/?to="+mine+"/?to="+other, "x")
	assert.Equal(t, []string{"||", credentials, "||"}, []string{<-seen, <-seen, <-seen}, "there and back")
}

// TestFetcher_Fetch_redirectsAwayFromCredentials sends a host with credentials to each hostile address: none is connected to,
// and no error shows a credential.
func TestFetcher_Fetch_redirectsAwayFromCredentials(t *testing.T) {
	t.Parallel()
	way := &redirector{}
	for _, address := range mustHostileAddresses(t) {
		way.targets = append(way.targets, "http://"+inURL(address)+"/")
	}
	start := "http://" + mustServeAt(t, entrance, way)
	config := mustConfig(t, `{"hosts":{"`+start+`":{"basic":{"user":"reader","passwordFile":"password"}}}}`, map[string]string{"password": secret})
	f := mustFetcher(t, fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix(entrance + "/32")}, Config: config})
	for i := range way.targets {
		_, err := f.Fetch(t.Context(), start+"/to?"+strconv.Itoa(i))
		failure := mustFail(t, err)
		assert.Equal(t, contract.FetchRefusedAddress, failure.Reason)
		assert.NotContains(t, failure.Text, secret)
	}
}

func TestFetcher_Fetch_ProxyCredentials(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 2)
	proxy := &egress{to: strings.TrimPrefix(mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		_, _ = io.WriteString(w, "x")
	}), "http://")}
	config := mustConfig(t, `{"proxy":{"url":"http://`+mustServeAt(t, "127.0.0.1", proxy)+`","basic":{"user":"reader","passwordFile":"password"}}}`,
		map[string]string{"password": secret})
	requireFetch(t, mustFetcher(t, fetch.Options{Config: config}), "http://93.184.216.34/", "x")
	assert.Equal(t, []string{"CONNECT 93.184.216.34:80 Basic cmVhZGVyOmNvcnJlY3QtaG9yc2UtYmF0dGVyeQ=="}, proxy.requests())
	assert.Empty(t, (<-seen).Get("Proxy-Authorization"), "the server of the image does not get what is for the proxy")
}

func TestFetcher_Fetch_CA(t *testing.T) {
	t.Parallel()
	server := mustServeTLS(t, nil, write(200, "over TLS"))
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	config := mustConfig(t, `{"ca":["museum.pem"]}`, map[string]string{"museum.pem": string(certificate)})
	requireFetch(t, mustFetcher(t, fetch.Options{Allow: loopback, Config: config}), server.URL, "over TLS")

	proxy := &egress{to: strings.TrimPrefix(mustServe(t, write(200, "behind a proxy")), "http://")}
	secure := mustServeTLS(t, nil, proxy.ServeHTTP)
	config = mustConfig(t, `{"ca":["museum.pem"],"proxy":{"url":"`+secure.URL+`"}}`, map[string]string{"museum.pem": string(certificate)})
	requireFetch(t, mustFetcher(t, fetch.Options{Config: config}), "http://93.184.216.34/", "behind a proxy")
	config = mustConfig(t, `{"proxy":{"url":"`+secure.URL+`"}}`, nil)
	_, err := mustFetcher(t, fetch.Options{Config: config}).Fetch(t.Context(), "http://93.184.216.34/")
	require.ErrorIs(t, err, fetch.ErrNetwork, "the proxy's certificate is checked")
}
