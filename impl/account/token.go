package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
)

// The form of an API key: a prefix that secret scanners can search for, 30 random characters (178 bits), and a checksum
// that tells a mistyped key from an unknown one without asking the database. The contract (openapi.yaml) promises it.
const (
	tokenPrefix   = "ocr_live_"
	tokenRandom   = 30
	tokenChecksum = 6
	tokenLength   = len(tokenPrefix) + tokenRandom + tokenChecksum
	lastFour      = 4 // characters that listings show, so that people can tell keys apart
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newToken returns a new key. Random bytes above the largest multiple of 62 are rejected: taken modulo 62 they would
// make the first characters of the alphabet more likely than the last.
func newToken() string {
	const limit = 256 / len(base62) * len(base62)
	body := make([]byte, 0, tokenRandom)
	for len(body) < tokenRandom {
		var draw [tokenRandom]byte
		_, _ = rand.Read(draw[:]) // never fails (crypto/rand)
		for _, b := range draw {
			if int(b) < limit && len(body) < tokenRandom {
				body = append(body, base62[int(b)%len(base62)])
			}
		}
	}
	token := tokenPrefix + string(body)
	return token + checksum(token)
}

// checksum returns the CRC-32 (IEEE 802.3) of text as six base62 digits, most significant first.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [tokenChecksum]byte
	for i := tokenChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(digits[:])
}

// isWellFormed reports whether token has the form of an API key and a correct checksum. Mistyped and guessed keys thus
// cost no query.
func isWellFormed(token string) bool {
	if len(token) != tokenLength || !strings.HasPrefix(token, tokenPrefix) {
		return false
	}
	for _, b := range []byte(token[len(tokenPrefix):]) {
		if strings.IndexByte(base62, b) < 0 {
			return false
		}
	}
	body := token[:tokenLength-tokenChecksum]
	return token[len(body):] == checksum(body)
}

// digest returns the value that is stored instead of a key. It is useless without the secret, and deterministic, so that a
// key can be looked up. A slow hash is not needed: the key has 178 random bits.
func digest(secret []byte, token string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(token))
	return hex.EncodeToString(mac.Sum(nil))
}

// secretID identifies a secret without revealing it, so that keys made with another secret can be reported. The text is
// part of the stored format and must not change.
func secretID(secret []byte) string { return digest(secret, "which secret is this?")[:16] }
