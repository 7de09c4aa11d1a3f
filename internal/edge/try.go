package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"

	"uncial/internal/apidocs"
	"uncial/internal/contract"
	"uncial/internal/tryit"
)

// tryPath is where the form "Try it" of the API reference sends images. Below it are the parts of readings.
const tryPath = docsPath + "/try"

// addTry registers the routes of the form "Try it".
func (h *handler) addTry() {
	for pattern, page := range map[string]func(x *exchange, r *http.Request) error{
		tryPath:                  h.try,
		tryPath + "/{id}/{part}": h.tryPart,
	} {
		method := http.MethodGet
		if pattern == tryPath {
			method = http.MethodPost
		}
		served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := page(exchangeOf(w), r); err != nil {
				WriteError(w, err)
			}
		})
		h.router.add(method, pattern, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			exchangeOf(w).servePage(served, r)
		}))
	}
}

// try reads an image as POST /extract does and answers with a fragment of HTML, or with the error of the API.
func (h *handler) try(x *exchange, r *http.Request) error {
	token, err := bearerToken(r.Header)
	if err != nil {
		return contract.Unauthorized(err)
	}
	r.Header.Set("X-Request-Id", x.id) // one id for both lines of the log
	reading, answer, err := tryit.Extract(h, r)
	if err != nil {
		return err
	}
	if reading == nil {
		header := x.Header()
		maps.Copy(header, answer.Header())
		x.WriteHeader(answer.Status)
		_, err := x.Write(answer.Body)
		return err
	}
	id := h.readings.Add(tokenOwner(token), reading)
	site := h.site(r)
	var page bytes.Buffer
	if err := reading.Render(&page, tryit.Place{Base: tryPath + "/" + id, URL: site.URL, Key: site.SampleKey(), WithKey: true}); err != nil {
		return fmt.Errorf("show the reading: %w", err)
	}
	x.Header().Set("Content-Security-Policy", apidocs.SecurityPolicy)
	return staticPage("text/html; charset=utf-8", page.Bytes())(x, r)
}

// tryPart answers with a picture or a format of a reading that was made with the same key, which must still be valid. It does
// not count against the rate limit.
func (h *handler) tryPart(x *exchange, r *http.Request) error {
	if err := h.authenticate(x, r); err != nil {
		return err
	}
	token, err := bearerToken(r.Header)
	if err != nil {
		return contract.Unauthorized(err)
	}
	reading := h.readings.Find(tokenOwner(token), r.PathValue("id"))
	if reading == nil || !reading.ServePart(x, r.PathValue("part")) {
		return contract.NotFound()
	}
	return nil
}

// tokenOwner is the owner of readings made with a token. It does not reveal the token.
func tokenOwner(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
