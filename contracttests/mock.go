package contracttests

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Mock is the target that uncial-mock is at the base URL: its scenarios, with keys that no other run has. Where the
// mock's control routes cannot be reached, the cases that need them are left out. The error tells of a mock that is there but
// refuses to be set up.
func Mock(ctx context.Context, baseURL string, client *http.Client) (Target, error) {
	run := strings.ToLower(rand.Text()[:12])
	name := func(scenario string, i int) string { return fmt.Sprintf("ocr_test_%s_%s_%d", scenario, run, i) }
	t := Target{
		BaseURL: baseURL, Client: client, Plans: Plans, Enhances: true, Simulated: true, Promised: true,
		Keys: map[string][]string{
			KeyOK: {name("ok", 0)}, KeyLow: {name("low", 0), name("low", 1), name("low", 2)}, KeyEmpty: {name("empty", 0), name("empty", 1)},
			KeyExpired: {name("expired", 0)}, KeyRevoked: {name("revoked", 0)}, KeyError: {name("err", 0)},
			KeyRateLimited: {name("free", 0), name("free", 1), name("free", 2), name("ratelimited", 0)},
		},
		Images: mockImages(),
	}
	for i := range mockAccounts {
		t.Keys[KeySpare] = append(t.Keys[KeySpare], name("ok", i+1))
	}
	control, err := newMockControl(baseURL, client)
	if err != nil {
		return t, err
	}
	if _, _, err := control.Now(ctx, t.Keys[KeyOK][0]); err != nil {
		return t, nil //nolint:nilerr // a mock behind a proxy that leads to the API alone
	}
	t.Control = control
	exact := name("ok", mockAccounts+1)
	if err := control.SetPoints(ctx, exact, cost); err != nil {
		return t, err
	}
	t.Keys[KeyExact] = []string{exact}
	return t, nil
}

// mockImages are the image scenarios of uncial-mock.
func mockImages() map[string]string {
	return map[string]string{
		ImagePrinted: "https://mock.invalid/printed", ImageOther: "https://mock.invalid/handwritten", ImageBlank: "https://mock.invalid/blank",
		ImageUnfetchable: "https://mock.invalid/400", ImageNotAnImage: "https://mock.invalid/not-an-image", ImageError: "https://mock.invalid/500",
		ImageSlow: "https://mock.invalid/slow-100", ImageStuck: "https://mock.invalid/slow-10000", ImageFaint: "https://mock.invalid/low-confidence", ImagePages: "https://mock.invalid/multi-page",
		ImageEnhance: "https://mock.invalid/printed/difficult",
	}
}

// mockAccounts are enough for a run never to wait for a window.
const mockAccounts = 24

// mockControl drives the control routes of uncial-mock.
type mockControl struct {
	root   url.URL // of the server, outside the API
	client *http.Client
}

var _ Control = (*mockControl)(nil)

func newMockControl(baseURL string, client *http.Client) (*mockControl, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("the base URL %q is no URL", baseURL)
	}
	if client == nil {
		client = http.DefaultClient
	}
	return &mockControl{url.URL{Scheme: u.Scheme, Host: u.Host}, client}, nil
}

// Now asks for the time of the key without moving it.
func (m *mockControl) Now(ctx context.Context, key string) (time.Time, bool, error) {
	var state struct {
		Now    time.Time `json:"now"`
		Frozen bool      `json:"frozen"`
	}
	err := m.do(ctx, http.MethodPost, "/__mock/clock", key, map[string]string{"advance": "0s"}, &state)
	return state.Now, state.Frozen, err
}

// SetNow moves the time of the key, forwards.
func (m *mockControl) SetNow(ctx context.Context, key string, now time.Time) error {
	return m.do(ctx, http.MethodPost, "/__mock/clock", key, map[string]time.Time{"now": now}, nil)
}

// SetPoints says how many points the account of the key has left.
func (m *mockControl) SetPoints(ctx context.Context, key string, points int64) error {
	return m.do(ctx, http.MethodPut, "/__mock/keys/"+key, "", map[string]int64{"balance": points}, nil)
}

func (m *mockControl) do(ctx context.Context, method, path, key string, body, answer any) error {
	u := m.root
	u.Path = path
	if key != "" {
		u.RawQuery = url.Values{"key": {key}}.Encode()
	}
	ctx, cancel := context.WithTimeout(ctx, controlTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(mustJSON(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := m.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s of the mock answered %d %s", method, path, res.StatusCode, shorten(string(text), 200))
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

const controlTimeout = 10 * time.Second
