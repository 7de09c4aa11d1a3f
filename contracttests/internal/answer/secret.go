package answer

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"uncial/gen"
)

// partLength is how many characters of a key no answer may show, in any form.
const partLength = 8

// Secrets are the keys of a run, prepared so that any part of them is found in an answer: as it is or reversed, in any letter case,
// in hex, in base64 at any position, and percent-encoded. Its zero value knows no keys.
type Secrets struct {
	folded map[string]bool // parts in lower case, reversed parts, and their hex digits, all by their first partLength characters
	exact  map[string]bool // the inner characters of parts in base64
	hex    map[string]bool
	whole  []string // keys too short to have such parts
}

// base64Length is how many characters of base64 depend on nothing but a part, wherever it begins.
const base64Length = 9

// NewSecrets prepares the keys. Parts that occur in the contract itself, such as the common prefix of keys, are not secrets.
func NewSecrets(keys []string) Secrets {
	s := Secrets{folded: map[string]bool{}, exact: map[string]bool{}, hex: map[string]bool{}}
	for _, whole := range keys {
		key := whole
		for _, prefix := range []string{"ocr_test_", "ocr_live_"} {
			key = strings.TrimPrefix(key, prefix)
		}
		if len(key) < partLength {
			s.whole = append(s.whole, whole)
		}
		for i := 0; i+partLength <= len(key); i++ {
			part := key[i : i+partLength]
			if wordsOfContract()[strings.ToLower(part)] {
				continue
			}
			s.folded[strings.ToLower(part)] = true
			s.folded[strings.ToLower(reversed(part))] = true
			s.hex[hex.EncodeToString([]byte(part))] = true
			for shift := range 3 {
				text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + part))
				// The first characters depend on what precedes the part, the last one on what follows.
				inner := text[(8*shift+5)/6:]
				s.exact[inner[:base64Length]] = true
			}
		}
	}
	return s
}

// wordsOfContract are all texts of partLength characters in the contract, in lower case.
var wordsOfContract = sync.OnceValue(func() map[string]bool {
	text, words := strings.ToLower(string(gen.Document)), map[string]bool{}
	for i := 0; i+partLength <= len(text); i++ {
		words[text[i:i+partLength]] = true
	}
	return words
})

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// urlSafe writes base64 in the other alphabet.
var urlSafe = strings.NewReplacer("-", "+", "_", "/")

// in reports whether a text shows a part of a key.
func (s Secrets) in(text string) bool {
	if slices.ContainsFunc(s.whole, func(key string) bool { return strings.Contains(text, key) }) {
		return true
	}
	plain := undoPercent(text)
	return has(s.folded, strings.ToLower(plain), partLength) || has(s.exact, urlSafe.Replace(text), base64Length) ||
		has(s.hex, strings.ToLower(text), 2*partLength)
}

// has reports whether a text contains one of the parts, which have the same length.
func has(parts map[string]bool, text string, length int) bool {
	for i := 0; i+length <= len(text); i++ {
		if parts[text[i:i+length]] {
			return true
		}
	}
	return false
}
