package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
)

// The form of an API key: a prefix that secret scanners can look for, 30 random characters (178 bits), and a checksum
// that tells a mistyped key from an unknown one without asking the database.
const (
	tokenPrefix   = "ocr_live_"
	tokenRandom   = 30
	tokenChecksum = 6
	tokenLength   = len(tokenPrefix) + tokenRandom + tokenChecksum
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newToken makes a key. Bytes above the largest multiple of 62 are drawn again, so that each character is as likely
// as any other.
func newToken() string {
	const fair = 256 / len(base62) * len(base62)
	body := make([]byte, 0, tokenRandom)
	for len(body) < tokenRandom {
		var draw [tokenRandom]byte
		_, _ = rand.Read(draw[:]) // never fails (crypto/rand)
		for _, b := range draw {
			if int(b) < fair && len(body) < tokenRandom {
				body = append(body, base62[int(b)%len(base62)])
			}
		}
	}
	token := tokenPrefix + string(body)
	return token + checksum(token)
}

// checksum is the CRC-32 (IEEE 802.3) of text as six base62 digits, most significant first.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [tokenChecksum]byte
	for i := tokenChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(digits[:])
}

// WellFormed reports whether token has the form of an API key and its checksum is right.
func WellFormed(token string) bool {
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

// digest is what is stored of a key: useless without the secret, and the same each time, so that it can be looked up.
func digest(secret []byte, token string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(token))
	return hex.EncodeToString(mac.Sum(nil))
}

// secretID tells secrets apart and gives none away.
func secretID(secret []byte) string { return digest(secret, "which secret is this?")[:16] }
