// Package openidtest is an OpenID Connect provider for tests. Only tests may import it, because it links package testing. Start
// reading at New.
package openidtest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"uncial/impl/dashboard"
)

// The credentials of the service at the provider.
const (
	clientID     = "uncial"
	clientSecret = "client-secret"
)

// Provider is an OpenID Connect provider with one person, who is always signed in there and allows everything.
type Provider struct {
	// Issuer is its URL. The host is not the 127.0.0.1 of services in tests, so that browsers treat the two as
	// different sites.
	Issuer string

	tb     testing.TB
	server *httptest.Server
	key    *rsa.PrivateKey
	mu     sync.Mutex
	claims map[string]any        // of the person
	codes  map[string]url.Values // authorization requests by the code that they were answered with
}

// New starts a provider that runs until the test ends. The person is Anna, whose address anna@example.org is verified.
func New(tb testing.TB) *Provider {
	tb.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Provider{tb: tb, key: key, codes: map[string]url.Values{}, claims: map[string]any{
		"sub": "person-1", "email": "anna@example.org", "email_verified": true, "name": "Anna",
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.configuration)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.server = httptest.NewServer(mux)
	tb.Cleanup(p.server.Close)
	p.Issuer = strings.Replace(p.server.URL, "127.0.0.1", "localhost", 1)
	return p
}

// OpenID is what the dashboard is configured with to use the provider.
func (p *Provider) OpenID() dashboard.OpenID {
	return dashboard.OpenID{Issuer: p.Issuer, ClientID: clientID, ClientSecret: clientSecret, Name: "Archive login"}
}

// Set changes a claim of the ID tokens from now on, such as the "email" of the person.
func (p *Provider) Set(claim string, value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims[claim] = value
}

func (p *Provider) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.tb.Error(err)
	}
}

func (p *Provider) configuration(w http.ResponseWriter, _ *http.Request) {
	p.answer(w, map[string]any{
		"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token", "jwks_uri": p.Issuer + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	p.answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
}

// authorize sends the browser back at once with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = asked
	p.mu.Unlock()
	back := url.Values{"code": {code}, "state": {asked.Get("state")}}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther) //nolint:gosec // the service under test is its only client
}

// token answers a code with an ID token, after checking what binds the code to the browser and the client (RFC 7636).
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if !known || id != clientID || secret != clientSecret || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		w.WriteHeader(http.StatusBadRequest)
		p.answer(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": p.Issuer, "aud": clientID, "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": asked.Get("nonce")}
	maps.Copy(claims, p.claims)
	token, err := p.sign(claims)
	if err != nil {
		p.tb.Error(err)
	}
	p.answer(w, map[string]any{"access_token": "unused", "token_type": "Bearer", "id_token": token})
}

func (p *Provider) sign(claims map[string]any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: p.key, KeyID: "1"}}, nil)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign an ID token: %w", err)
	}
	return signed.CompactSerialize()
}
