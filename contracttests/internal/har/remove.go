package har

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// removed stands for a key in an archive.
const removed = "[removed]"

// secretHeaders are removed as a whole, because credentials need not look like keys.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key"}

// keyForm is what keys of the service and of the mock look like.
var keyForm = regexp.MustCompile(`ocr_(?:live|test)_[A-Za-z0-9._~+-]+=*`)

// RemoveKeys removes everything that looks like a key from a text.
func RemoveKeys(s string) string { return keyForm.ReplaceAllString(s, removed) }

// remover replaces keys in everything that is archived.
type remover []string

// text removes the secrets, also in the form that they have in a query, and whatever else looks like a key.
func (r remover) text(s string) string {
	for _, secret := range r {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, removed)
			s = strings.ReplaceAll(s, url.QueryEscape(secret), removed)
		}
	}
	return RemoveKeys(s)
}

// headers are sorted by name.
func (r remover) headers(h http.Header) []pair {
	pairs := []pair{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			if slices.Contains(secretHeaders, http.CanonicalHeaderKey(name)) {
				v = removed
			}
			pairs = append(pairs, pair{name, r.text(v)})
		}
	}
	return pairs
}

// query are the readable parameters of a URL.
func (r remover) query(address string) []pair {
	pairs := []pair{}
	u, err := url.Parse(address)
	if err != nil {
		return pairs
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, v := range query[name] {
			pairs = append(pairs, pair{r.text(name), r.text(v)})
		}
	}
	return pairs
}
