package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/ledger"
	"uncial/impl/sample"
	"uncial/internal/accuracy"
)

// answer is the response of the service.
type answer struct {
	Status   int               `json:"-"` // of HTTP
	Text     string            `json:"text"`
	Code     string            `json:"code"`
	Document string            `json:"document"`
	Details  map[string]string `json:"details"`
	raw      string
}

// extract sends an extraction; headers come in pairs.
func extract(ctx context.Context, base, key string, body map[string]any, headers ...string) (answer, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	return call(ctx, http.MethodPost, base+"/api/v1/extract", key, bytes.NewReader(data), headers...)
}

func call(ctx context.Context, method, url, key string, body io.Reader, headers ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{Status: res.StatusCode, raw: string(raw)}
	return a, json.Unmarshal(raw, &a)
}

// get opens a page without a key.
func get(tb testing.TB, url string) (status int, body string) {
	tb.Helper()
	res, err := http.Get(url)
	require.NoError(tb, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(tb, err)
	return res.StatusCode, string(text)
}

// awaitReady waits until a program that was started is ready.
func awaitReady(tb testing.TB, base string) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		res, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, time.Minute, 20*time.Millisecond)
}

func mustExtract(tb testing.TB, base, key string, body map[string]any, headers ...string) answer {
	tb.Helper()
	a, err := extract(tb.Context(), base, key, body, headers...)
	require.NoError(tb, err)
	return a
}

func inline(image []byte) string {
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(image)
}

func requireSample(tb testing.TB, a answer) {
	tb.Helper()
	require.Equal(tb, 200, a.Status, a.raw)
	require.Less(tb, accuracy.Compare(sample.Text, a.Text).CER.Value(), 0.02, a.Text)
}

// quiet discards the log.
var quiet = slog.New(slog.DiscardHandler)

// mustOpenData opens a database. It is closed when the test ends, if the test does not close it before.
func mustOpenData(tb testing.TB, o app.DataOptions, now func() time.Time) *app.Data {
	tb.Helper()
	data, err := app.OpenData(tb.Context(), o, quiet, now)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = data.Close() })
	return data
}

func requireCorrectBooks(tb testing.TB, d *app.Data) {
	tb.Helper()
	report, err := d.Ledger.Audit(tb.Context())
	require.NoError(tb, err)
	require.Empty(tb, report.Discrepancies)
}

func mustBalance(tb testing.TB, d *app.Data, accountID string) ledger.Balance {
	tb.Helper()
	b, err := d.Ledger.Balance(tb.Context(), accountID)
	require.NoError(tb, err)
	return b
}

// mustReadAddress reads the log of a program until it says where the program listens, and returns that address. It continues to
// read the log in the background, so that the program is never blocked by it.
func mustReadAddress(tb testing.TB, log io.Reader) string {
	tb.Helper()
	listening := regexp.MustCompile(`msg=listening address=(\S+)`)
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return m[1]
		}
	}
	tb.Fatal("the program ended before it listened")
	return ""
}
