package answer

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"

	"uncial/gen"
)

const (
	// partLength is the number of consecutive characters of a key that no answer may show, in any form.
	partLength = 8
	// endLength is the number of characters that masks usually leave at the end of a key.
	endLength = 4
)

// mask matches, at the end of a text, what usually stands for the rest of a key, or words that announce its end. The end of a
// key alone would match by chance, and so would fewer signs: XML, colours and header names are full of # and -.
var mask = regexp.MustCompile(`(?:[*•…]|[.]{3}|(?:^|[^a-z0-9])(?:x{3,}|#{3,}|-{3,})|\b(?:last (?:four|4)|end(?:s|ing)? (?:in|with)))[\s"'“‘` + "`" + `:._-]*$`)

// maskLength is the length of the text before the end of a key that is compared with mask, in bytes.
const maskLength = 40

// Secrets are the keys of a run, prepared so that any part of them is found in an answer: as it is or reversed, in any letter
// case, in hex, in base64 at any position, and percent-encoded. Its zero value knows no keys.
type Secrets struct {
	folded parts    // parts in lower case, and reversed parts
	exact  parts    // the inner characters of parts in base64
	hex    parts    // the hex digits of parts
	whole  []string // keys too short to have such parts
	ends   parts    // the last characters of keys, in lower case: no answer may show them after a mask such as ****
}

// parts are texts of one length. A hash of four bytes rules out most places of an answer without looking up a string.
type parts struct {
	length int
	all    map[string]bool
	begins *[1 << 16]bool // by the hash of the first four bytes
}

func newParts(length int) parts { return parts{length, map[string]bool{}, new([1 << 16]bool)} }

// add stores a part of a secret and the hash of its beginning.
func (p parts) add(part string) {
	p.all[part] = true
	p.begins[beginning(part)] = true
}

// beginning returns a hash of the first four bytes.
func beginning(s string) uint16 {
	const mix = 0x9e3779b1 // Knuth's multiplicative hashing
	return uint16((uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) * mix >> 16)
}

// occurIn reports whether a text contains one of the parts.
func (p parts) occurIn(text string) bool { return p.next(text, 0) >= 0 }

// next searches a text from an index on. It returns the index of the first part, or -1.
func (p parts) next(text string, from int) int {
	if len(p.all) == 0 {
		return -1
	}
	for i := from; i+p.length <= len(text); i++ {
		if s := text[i : i+p.length]; p.begins[beginning(s)] && p.all[s] {
			return i
		}
	}
	return -1
}

// base64Length is the number of characters of base64 that depend only on a part of a key, wherever the part begins.
const base64Length = 9

// NewSecrets prepares the keys. Parts that occur in the contract itself, such as the common prefix of keys, are not secrets.
func NewSecrets(keys []string) Secrets {
	s := Secrets{folded: newParts(partLength), exact: newParts(base64Length), hex: newParts(2 * partLength), ends: newParts(endLength)}
	for _, whole := range keys {
		key := whole
		for _, prefix := range []string{"ocr_test_", "ocr_live_"} {
			key = strings.TrimPrefix(key, prefix)
		}
		if len(key) >= partLength {
			if end := strings.ToLower(key[len(key)-endLength:]); !strings.Contains(foldedContract(), end) {
				s.ends.add(end)
			}
		} else {
			s.whole = append(s.whole, whole)
		}
		for i := 0; i+partLength <= len(key); i++ {
			part := key[i : i+partLength]
			if wordsOfContract()[strings.ToLower(part)] {
				continue
			}
			s.folded.add(strings.ToLower(part))
			s.folded.add(strings.ToLower(reversed(part)))
			s.hex.add(hex.EncodeToString([]byte(part)))
			for shift := range 3 {
				text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + part))
				// The first characters depend on what precedes the part, the last one on what follows.
				inner := text[(8*shift+5)/6:]
				s.exact.add(inner[:base64Length])
			}
		}
	}
	return s
}

// wordsOfContract are all texts of partLength characters in the contract, in lower case.
var wordsOfContract = sync.OnceValue(func() map[string]bool {
	text, words := foldedContract(), map[string]bool{}
	for i := 0; i+partLength <= len(text); i++ {
		words[text[i:i+partLength]] = true
	}
	return words
})

var foldedContract = sync.OnceValue(func() string { return strings.ToLower(string(gen.Document)) })

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// urlSafe writes base64 in the other alphabet.
var urlSafe = strings.NewReplacer("-", "+", "_", "/")

// occurIn reports whether a text shows a part of a key.
func (s Secrets) occurIn(text string) bool {
	if slices.ContainsFunc(s.whole, func(key string) bool { return strings.Contains(text, key) }) {
		return true
	}
	lower := strings.ToLower(text)
	plain := lower
	if strings.Contains(text, "%") {
		plain = strings.ToLower(undoPercent(text))
	}
	return s.folded.occurIn(plain) || s.exact.occurIn(urlSafe.Replace(text)) || s.hex.occurIn(lower)
}

// endIn reports whether a text shows the end of a key after a mask.
func (s Secrets) endIn(text string) bool {
	lower := strings.ToLower(text)
	for i := s.ends.next(lower, 0); i >= 0; i = s.ends.next(lower, i+1) {
		if mask.MatchString(lower[max(0, i-maskLength):i]) {
			return true
		}
	}
	return false
}
