package dashboard

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// sealer writes cookies that only the server can read. Most carry what must survive one redirect but may be neither in a URL
// nor in the database, such as the token of a new key. All replicas share the secret.
type sealer struct {
	aead cipher.AEAD
	now  func() time.Time
}

// sealedFor is the lifetime of a sealed cookie: enough for a sign-in at an OpenID Connect provider.
const sealedFor = 10 * time.Minute

// maxSealed bounds the content of a cookie in bytes; browsers accept 4,096 for name and value.
const maxSealed = 2500

// sealed is the content of a cookie.
type sealed struct {
	Until int64  `json:"u"` // Unix seconds
	Value string `json:"v"`
}

// newSealer derives the key of the cookies from the secret of the dashboard, which has other uses as well.
func newSealer(secret []byte, now func() time.Time) (*sealer, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "uncial dashboard cookie", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &sealer{aead: aead, now: now}, err
}

// put sets a cookie for a few minutes. It can be read only under the same name and for the same purpose, such as the id of the
// user.
func (s *sealer) put(w http.ResponseWriter, name, purpose, value string) error {
	return s.putFor(w, sealedFor, name, purpose, value)
}

// putFor is put with another lifetime.
func (s *sealer) putFor(w http.ResponseWriter, lifetime time.Duration, name, purpose, value string) error {
	if len(value) > maxSealed {
		return fmt.Errorf("cookie %s is too long: %d bytes", name, len(value))
	}
	plain, err := json.Marshal(sealed{s.now().Add(lifetime).Unix(), value})
	if err != nil {
		return err
	}
	nonce := make([]byte, s.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails (crypto/rand)
	text := s.aead.Seal(nonce, nonce, plain, []byte(name+"\x00"+purpose))
	http.SetCookie(w, cookie(name, base64.RawURLEncoding.EncodeToString(text), int(lifetime/time.Second)))
	return nil
}

// take reads the cookie and deletes it.
func (s *sealer) take(w http.ResponseWriter, r *http.Request, name, purpose string) string {
	if _, err := r.Cookie(cookieName(name)); err == nil {
		http.SetCookie(w, cookie(name, "", -1))
	}
	return s.read(r, name, purpose)
}

// read returns the value of the cookie. It is empty if there is none, or if it is too old, for another purpose, or forged.
func (s *sealer) read(r *http.Request, name, purpose string) string {
	c, err := r.Cookie(cookieName(name))
	if err != nil {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || len(text) < s.aead.NonceSize() {
		return ""
	}
	nonce, text := text[:s.aead.NonceSize()], text[s.aead.NonceSize():]
	plain, err := s.aead.Open(nil, nonce, text, []byte(name+"\x00"+purpose))
	var content sealed
	if err != nil || json.Unmarshal(plain, &content) != nil || s.now().Unix() > content.Until {
		return ""
	}
	return content.Value
}

// cookieName adds the prefix that keeps other hosts and plain http from setting the cookie (RFC 6265bis, section 4.1.3.2).
func cookieName(name string) string { return "__Host-uncial-" + name }

// cookie returns a cookie with the attributes that all our cookies have. maxAge is in seconds; -1 deletes the cookie.
func cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}
