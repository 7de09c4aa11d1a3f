package contracttests

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"uncial/contracttests/internal/model"
)

// Mock describes the uncial-mock at the base URL as a target, with keys that no other run uses. If the mock's control
// routes cannot be reached, the target has no Control, and the cases that need it are skipped. The error says that the
// mock was reached but could not be set up.
func Mock(ctx context.Context, baseURL string) (Target, error) {
	t := Target{BaseURL: baseURL, Plans: Plans, Enhances: true, Simulated: true, Promised: true, Images: model.MockImages()}
	control, err := newMockControl(baseURL)
	if err != nil {
		return t, err
	}
	t.Keys = newMockKeys()
	if _, _, err := control.Now(ctx, t.Keys[KeyOK][0]); err != nil {
		t.MoreKeys = func(context.Context) (map[string][]string, error) { return newMockKeys(), nil }
		return t, nil //nolint:nilerr // a mock behind a proxy that exposes only the API
	}
	t.Control, t.Revoke, t.MoreKeys = control, control.revoke, control.newKeys
	t.Keys, err = control.newKeys(ctx)
	return t, err
}

// newMockKeys returns keys of a mock that no other run uses, by scenario.
func newMockKeys() map[string][]string {
	run := strings.ToLower(rand.Text()[:12])
	name := func(scenario string, i int) string { return fmt.Sprintf("ocr_test_%s_%s_%d", scenario, run, i) }
	keys := map[string][]string{
		KeyOK: {name("ok", 0)}, KeyLow: {name("low", 0), name("low", 1), name("low", 2)}, KeyEmpty: {name("empty", 0), name("empty", 1)},
		KeyRevocable: {name("ok", mockAccounts+2)}, KeyExpired: {name("expired", 0)}, KeyRevoked: {name("revoked", 0)}, KeyError: {name("err", 0)},
		KeyCapped:      {name("capped", 0), name("capped", 1), name("capped", 2), name("capped", 3)},
		KeyRateLimited: {name("free", 0), name("free", 1), name("free", 2), name("ratelimited", 0)},
	}
	for i := range mockAccounts {
		keys[KeySpare] = append(keys[KeySpare], name("ok", i+1))
	}
	keys[KeySpare] = append(keys[KeySpare], name("archive", 0)) // numbers of seven digits
	return keys
}

// newKeys returns newMockKeys, and sets up the accounts that a key name alone cannot create.
func (m *mockControl) newKeys(ctx context.Context) (map[string][]string, error) {
	keys := newMockKeys()
	// The mock accepts any key that starts with a scenario name. Only a key without such a prefix shows whether the whole key is
	// compared. It is longer than what some hashes compare.
	whole := "ocr_test_0" + strings.ToLower(rand.Text()+rand.Text()+rand.Text())
	if err := m.SetPoints(ctx, whole, Plans["pro"].Points); err != nil {
		return keys, err
	}
	// The mock has no scenario with exactly one extraction left, so an ordinary account is set to it.
	exact := keys[KeyOK][0]
	if err := m.SetPoints(ctx, exact, model.Cost); err != nil {
		return keys, err
	}
	keys[KeyOK], keys[KeyExact] = []string{whole}, []string{exact}
	return keys, nil
}

// mockAccounts is enough that a run never waits for a window.
const mockAccounts = 24

// mockControl drives the control routes of uncial-mock.
type mockControl struct {
	root url.URL // of the server, outside the API
}

var (
	_ Control     = (*mockControl)(nil)
	_ PointSetter = (*mockControl)(nil)
)

// newMockControl derives the control routes from the base URL: they are on the same host, outside of the API.
func newMockControl(baseURL string) (*mockControl, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("invalid base URL %q", baseURL)
	}
	return &mockControl{url.URL{Scheme: u.Scheme, Host: u.Host}}, nil
}

// Now returns the time of the key without moving it.
func (m *mockControl) Now(ctx context.Context, key string) (time.Time, bool, error) {
	var state struct {
		Now    time.Time `json:"now"`
		Frozen bool      `json:"frozen"`
	}
	err := m.do(ctx, http.MethodPost, "/__mock/clock", key, map[string]string{"advance": "0s"}, &state)
	return state.Now, state.Frozen, err
}

// SetNow moves the time of the key forward.
func (m *mockControl) SetNow(ctx context.Context, key string, now time.Time) error {
	return m.do(ctx, http.MethodPost, "/__mock/clock", key, map[string]time.Time{"now": now}, nil)
}

// SetPoints sets how many points the account of the key has left.
func (m *mockControl) SetPoints(ctx context.Context, key string, points int64) error {
	return m.do(ctx, http.MethodPut, "/__mock/keys/"+key, "", map[string]int64{"balance": points}, nil)
}

func (m *mockControl) revoke(ctx context.Context, key string) error {
	return m.do(ctx, http.MethodPut, "/__mock/keys/"+key, "", map[string]string{"status": "revoked"}, nil)
}

// do sends a control request and decodes the answer into answer, if it is not nil.
func (m *mockControl) do(ctx context.Context, method, path, key string, body, answer any) error {
	u := m.root
	u.Path = path
	if key != "" {
		u.RawQuery = url.Values{"key": {key}}.Encode()
	}
	ctx, cancel := context.WithTimeout(ctx, controlTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(model.MustJSON(body)))
	if err != nil {
		return err
	}
	// The control routes are strict about it, like the API.
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if refused, ok := errors.AsType[*url.Error](err); ok { // its text would repeat the request
		return fmt.Errorf("the control routes of the mock do not answer: %w", refused.Err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s of the mock: %d %s", method, path, res.StatusCode, model.Shorten(string(text), 200))
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// controlTimeout limits one request to the control routes, which answer at once.
const controlTimeout = 10 * time.Second
