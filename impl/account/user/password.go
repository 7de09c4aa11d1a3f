package user

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Bounds of a password, in characters. There are no composition rules: they make people choose worse passwords (NIST SP
// 800-63B, section 3.1.1.2).
const (
	minPassword = 12
	maxPassword = 200
)

// argon2id with the parameters that OWASP recommends (Password Storage Cheat Sheet): 19 MiB, 2 passes, 1 lane. The other pairs
// of memory and passes that it lists as equally strong take as long. One hash takes about 25 ms of one processor, nearly all of
// the processor time of a sign-in.
const (
	argonMemory  = 19 * 1024 // KiB
	argonPasses  = 2
	argonLanes   = 1
	argonSalt    = 16 // bytes
	argonKey     = 32 // bytes
	argonVersion = argon2.Version
)

const (
	// maxHashes is the number of hashes computed at the same time: they need 76 MiB together. One of them is reserved for known
	// browsers, so that these do not wait behind unknown ones.
	maxHashes  = 4
	maxUnknown = maxHashes - 1
	// maxQueue bounds the sign-ins from unknown browsers that wait for a hash, and maxKnownQueue those of known browsers.
	maxQueue      = 256
	maxKnownQueue = 64
)

// ErrBusy means that too many people are signing in at the same time.
var ErrBusy = errors.New("too many sign-ins at the moment; try again in a few seconds")

var errHashForm = errors.New("stored password hash has an unknown form")

// hasher bounds the memory of hashes in progress. Known and unknown browsers wait in separate queues, each in the order of
// arrival.
type hasher struct {
	queue, knownQueue chan struct{} // callers that wait or compute
	unknown           chan struct{} // unknown browsers that compute
	slots             chan struct{} // all callers that compute
	dummy             string        // a hash that no password matches, for users that do not exist
}

// newHasher returns a hasher whose queues are empty. The length of each queue bounds the waiting and computing callers
// combined.
func newHasher() *hasher {
	return &hasher{
		queue: make(chan struct{}, maxQueue+maxUnknown), knownQueue: make(chan struct{}, maxKnownQueue+maxHashes),
		unknown: make(chan struct{}, maxUnknown), slots: make(chan struct{}, maxHashes),
		dummy: format(rand.Text()[:argonSalt], make([]byte, argonKey)),
	}
}

// within runs fn once a slot is free. Errors: ErrBusy, ctx's error.
func (h *hasher) within(ctx context.Context, isKnown bool, fn func()) error {
	queue, needed := h.queue, []chan struct{}{h.unknown, h.slots}
	if isKnown {
		queue, needed = h.knownQueue, []chan struct{}{h.slots}
	}
	select {
	case queue <- struct{}{}:
	default:
		return ErrBusy
	}
	defer func() { <-queue }()
	for _, slots := range needed {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("wait for a password hash: %w", ctx.Err())
		}
		defer func() { <-slots }()
	}
	fn()
	return nil
}

// checkPassword reports passwords of the wrong length. Errors: ErrPassword.
func checkPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword || !utf8.ValidString(password) {
		return ErrPassword
	}
	return nil
}

// hash returns the stored form of a password. Errors: ErrPassword, ErrBusy, ctx's error.
func (h *hasher) hash(ctx context.Context, password string) (stored string, err error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	err = h.within(ctx, false, func() {
		salt := rand.Text()[:argonSalt]
		stored = format(salt, argon2.IDKey([]byte(password), []byte(salt), argonPasses, argonMemory, argonLanes, argonKey))
	})
	return stored, err
}

// matches reports whether the password has the stored hash. An empty hash matches no password, but takes as long as
// any other. Errors: ErrBusy, errHashForm, ctx's error.
func (h *hasher) matches(ctx context.Context, password, stored string, isKnown bool) (bool, error) {
	if stored == "" {
		stored = h.dummy
	}
	if len(password) > maxPassword*utf8.UTFMax { // longer than any password we accept
		password = ""
	}
	salt, want, err := parse(stored)
	if err != nil {
		return false, err
	}
	matched := false
	err = h.within(ctx, isKnown, func() {
		got := argon2.IDKey([]byte(password), []byte(salt), argonPasses, argonMemory, argonLanes, argonKey)
		matched = subtle.ConstantTimeCompare(got, want) == 1 && stored != h.dummy
	})
	return matched, err
}

// prefix names algorithm and parameters in the PHC string format.
var prefix = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argonVersion, argonMemory, argonPasses, argonLanes)

// format returns a hash in the PHC string format, so that stored hashes can be told apart if the parameters ever change.
func format(salt string, key []byte) string {
	encode := base64.RawStdEncoding.EncodeToString
	return prefix + encode([]byte(salt)) + "$" + encode(key)
}

// parse is the inverse of format. Errors: errHashForm.
func parse(stored string) (salt string, key []byte, err error) {
	decode := base64.RawStdEncoding.DecodeString
	n := len(prefix) + base64.RawStdEncoding.EncodedLen(argonSalt)
	if len(stored) <= n || stored[:len(prefix)] != prefix || stored[n] != '$' {
		return "", nil, errHashForm
	}
	s, err1 := decode(stored[len(prefix):n])
	key, err2 := decode(stored[n+1:])
	if err1 != nil || err2 != nil || len(key) != argonKey {
		return "", nil, errHashForm
	}
	return string(s), key, nil
}
