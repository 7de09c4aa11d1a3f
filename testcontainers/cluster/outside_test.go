package cluster_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Addresses of the node that stand for the world outside of the cluster.
const (
	publicAddress  = "198.51.100.7"
	privateAddress = "10.202.0.1"
	allowedAddress = "10.201.0.1" // api.fetchAllow in testdata/values.yaml
)

// suiteImages are the URLs of images whose servers misbehave as some cases of the suite require.
var suiteImages = map[string]string{
	"slow": "http://" + allowedAddress + "/slow", "stuck": "http://" + allowedAddress + "/stuck", "busy": "http://" + allowedAddress + "/busy",
}

// serveOutside answers on addresses of the node that stand for other machines.
func serveOutside(t *testing.T) {
	t.Helper()
	for address, ports := range map[string][]int{publicAddress: {80, 443, 8000}, privateAddress: {80}, allowedAddress: {80, 8000}} {
		out, err := exec.CommandContext(t.Context(), "ip", "address", "add", address+"/32", "dev", "lo").CombinedOutput()
		require.NoError(t, err, "%s", out)
		for _, port := range ports {
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", fmt.Sprintf("%s:%d", address, port))
			require.NoError(t, err)
			server := &http.Server{Handler: http.HandlerFunc(serveImage), ReadHeaderTimeout: time.Second}
			go func() { _ = server.Serve(l) }()
			t.Cleanup(func() { _ = server.Close() })
		}
	}
}

// serveImage answers with the sample page, in the manner that the path names.
func serveImage(w http.ResponseWriter, r *http.Request) {
	delay := map[string]time.Duration{"/slow": 120 * time.Millisecond, "/stuck": 10 * time.Second}[r.URL.Path]
	select {
	case <-r.Context().Done():
		return
	case <-time.After(delay):
	}
	if r.URL.Path == "/busy" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	http.ServeFile(w, r, samplePage)
}

// fetchesImages reads a page from an address that the values allow, and is refused one from inside the cluster.
func (in *installation) fetchesImages(t *testing.T) {
	for url, want := range map[string]int{
		"http://" + allowedAddress + "/page.jpg":          http.StatusOK,
		"http://" + privateAddress + "/page.jpg":          http.StatusBadRequest,
		"http://" + in.address(t, "engine") + ":8090/":    http.StatusBadRequest,
		"http://uncial-engine." + namespace + ".svc:8090": http.StatusBadRequest,
	} {
		l, account := in.newLoad(t, "fetch")
		body, err := json.Marshal(map[string]any{"imageUrl": url})
		require.NoError(t, err)
		l.body = body
		a := l.send(t.Context(), &http.Client{Timeout: callLimit}, url)
		assert.Equal(t, want, a.status, "%s: %s", url, a)
		if want == http.StatusOK {
			l.sent++
		}
		in.requireCharged(t, account, l)
	}
}
