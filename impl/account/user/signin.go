package user

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"uncial/impl/store"
)

// ErrSignIn is the answer both to an unknown e-mail address and to a wrong password.
var ErrSignIn = errors.New("the e-mail address or the password is wrong")

// Delays of a sign-in after failed ones. Sign-ins are delayed and never refused for that reason, so that nobody can lock
// an owner out. Guesses against one user from many addresses delay that user by a few seconds only; an address that keeps
// guessing waits up to 30 s for each guess.
const (
	maxDelay     = 30 * time.Second
	maxUserDelay = 2 * time.Second // with the wait for a hash, an attacked owner signs in within 5 s
	freePair     = 3               // failures of one user from one address or known browser before the first delay: mistyped passwords
	freeUser     = 10              // failures of one user from all addresses
	freeAddress  = 20              // failures of all users behind one address, such as an office
	// failureLifetime is the time without a failure after which the earlier ones are forgotten.
	failureLifetime = time.Hour
	// maxSignIns is how many sign-ins of one user from one address or known browser succeed within signInWindow before they count
	// like failures there: each costs a hash and a session, and a program that signs in in a loop would keep others out.
	maxSignIns   = 20
	signInWindow = 10 * time.Minute

	// maxWaiting bounds the delayed sign-ins of a process, and maxWaitingClient those of one address or known browser.
	maxWaiting       = 4096
	maxWaitingClient = 8
)

// Client is where a request of a person comes from.
type Client struct {
	// Addr is the address. Loopback and unknown addresses are not counted, because behind a proxy they stand for everybody.
	Addr netip.Addr
	// Known identifies a browser that has signed in as the user before, or is signed in; empty for all others. Its failures are
	// counted separately, so that people who guess passwords do not delay it.
	Known string
}

// SignIn returns the user with this e-mail address and password. It counts the attempt before it looks at the password, so that
// guesses in parallel are counted too, and delays its answer after failed attempts. The caller decides whether a user whose
// address is not verified may go on. from.Known must belong to this e-mail address. Errors: ErrSignIn, ErrBusy, ctx's error,
// *store.Error.
func (d *Directory) SignIn(ctx context.Context, email, password string, from Client) (User, error) {
	email = foldEmail(email)
	a := attempt{email, addressKey(from.Addr), from.Known}
	delay, err := d.countAttempt(ctx, a)
	if err != nil {
		return User{}, fmt.Errorf("sign in: %w", err)
	}
	if err := d.waiting.wait(ctx, cmp.Or(a.known, a.address), delay); err != nil {
		return User{}, err
	}
	var id, stored string
	err = d.store.Reader().Get(ctx, `SELECT id, COALESCE(password_hash, '') FROM users WHERE email = $1`,
		store.Args{email}, &id, &stored)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return User{}, fmt.Errorf("sign in: %w", err)
	}
	matched, err := d.hashes.matches(ctx, password, stored, a.known != "")
	if err != nil {
		return User{}, err
	}
	if !matched {
		return User{}, ErrSignIn
	}
	return d.signedIn(ctx, id, stored, a)
}

// signedIn records a successful sign-in and removes its attempt from the counts. If the user signed in too often, the attempt
// stays in the narrowest count. Errors: ErrSignIn if the hash is no longer that of the user, because the password was changed
// in the meantime, perhaps to shut out somebody who knows the old one; *store.Error.
func (d *Directory) signedIn(ctx context.Context, id, hash string, a attempt) (User, error) {
	var u User
	err := d.store.Tx(ctx, func(ctx context.Context, x store.Executor) (err error) {
		n, err := x.Exec(ctx, `UPDATE users SET signed_in_at = $2 WHERE id = $1 AND password_hash = $3`, id, store.At(d.now()), hash)
		if err == nil && n == 0 {
			err = ErrSignIn
		}
		if err != nil {
			return err
		}
		counts := a.limits()
		err = d.countUpTo(ctx, x, a.success(), maxSignIns, signInWindow, errTooManySignIns)
		if errors.Is(err, errTooManySignIns) {
			counts, err = counts[1:], nil // it stays in the narrowest count only: others behind the address, and the user elsewhere, are not delayed
		}
		if err == nil {
			err = forgive(ctx, x, counts)
		}
		if err != nil {
			return err
		}
		u, err = find(ctx, x, `id = $1`, id)
		return err
	})
	if err != nil {
		return User{}, fmt.Errorf("sign in: %w", err)
	}
	return u, nil
}

// CheckPassword reports whether the password is that of the user. Pages ask for it before a change that needs a password.
// Attempts count as those of SignIn do. Errors: ErrSignIn, ErrNoUser, ErrBusy, ctx's error, *store.Error.
func (d *Directory) CheckPassword(ctx context.Context, id, password string, from Client) error {
	u, err := d.Find(ctx, id)
	if err != nil {
		return err
	}
	_, err = d.SignIn(ctx, u.Email, password, from)
	return err
}

// attempt says who tries to sign in, and from where.
type attempt struct {
	email   string
	address string // "" for one that is not counted
	known   string // Client.Known
}

// failureLimit is the key that failures are counted under, the number of free ones, and the longest delay after them.
type failureLimit struct {
	subject  string
	free     int64
	maxDelay time.Duration
	lasting  bool // a success cancels only one failure: an attacker may also own a user
}

// errTooManySignIns means that a successful sign-in stays on the counts of failures.
var errTooManySignIns = errors.New("too many sign-ins")

// success is the key that successful sign-ins are counted under. Only people who know the password can raise the count.
func (a attempt) success() string { return subject("success", a.email, cmp.Or(a.known, a.address)) }

// limits returns the limits that the attempt counts against, the narrowest first.
func (a attempt) limits() []failureLimit {
	if a.known != "" {
		return []failureLimit{{subject("known", a.email, a.known), freePair, maxDelay, false}}
	}
	byUser := failureLimit{subject("user", a.email), freeUser, maxUserDelay, false}
	if a.address == "" {
		return []failureLimit{byUser}
	}
	return []failureLimit{
		{subject("pair", a.email, a.address), freePair, maxDelay, false},
		{subject("address", a.address), freeAddress, maxDelay, true},
		byUser,
	}
}

// forgive removes a successful attempt from counts. A known browser clears only its own: the guesses of others stay.
func forgive(ctx context.Context, x store.Executor, counts []failureLimit) error {
	for _, one := range counts {
		statement := `DELETE FROM attempts WHERE subject = $1`
		if one.lasting {
			statement = `UPDATE attempts SET count = count - 1 WHERE subject = $1 AND count > 0`
		}
		if _, err := x.Exec(ctx, statement, one.subject); err != nil {
			return err
		}
	}
	return nil
}

// addressKey returns what attempts are counted under: an IPv4 address, or the /64 network that an IPv6 address lies in,
// because a single customer has a whole network. It is empty for loopback and unknown addresses.
func addressKey(from netip.Addr) string {
	from = from.Unmap().WithZone("")
	if !from.IsValid() || from.IsLoopback() {
		return ""
	}
	if from.Is4() {
		return from.String()
	}
	network, _ := from.Prefix(64) // an IPv6 address has 128 bits
	return network.String()
}

// countAttempt counts an attempt as failed until it succeeds, and returns its delay.
func (d *Directory) countAttempt(ctx context.Context, a attempt) (delay time.Duration, err error) {
	err = d.store.Tx(ctx, func(ctx context.Context, x store.Executor) error {
		delay = 0
		for _, one := range a.limits() {
			n, err := count(ctx, x, one.subject, d.now(), failureLifetime)
			if err != nil {
				return err
			}
			delay = max(delay, delayAfter(n-1-one.free, one.maxDelay))
		}
		return nil
	})
	return delay, err
}

// delayAfter returns the delay after n failures beyond the free ones: 1 s, 2 s, 4 s and so on, at most longest.
func delayAfter(n int64, longest time.Duration) time.Duration {
	switch {
	case n < 0:
		return 0
	case n > 5: // 1 s << 5 is above maxDelay
		return longest
	}
	return min(time.Second<<n, longest)
}

// waitingRoom holds delayed sign-ins. It bounds them, so that guessing cannot fill the memory with waiting requests.
type waitingRoom struct {
	mu       sync.Mutex
	all      int
	byClient map[string]int
}

func newWaitingRoom() *waitingRoom { return &waitingRoom{byClient: map[string]int{}} }

// wait waits for the delay. Errors: ErrBusy if too many wait already, ctx's error.
func (w *waitingRoom) wait(ctx context.Context, client string, delay time.Duration) error {
	if delay == 0 {
		return nil
	}
	if !w.enter(client) {
		return ErrBusy
	}
	defer w.leave(client)
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait after failed sign-ins: %w", ctx.Err())
	case <-time.After(delay):
		return nil
	}
}

// enter takes a place for a client and reports whether one was free; if so, the caller must call leave. The places are limited,
// in all and for each client, because each waiting sign-in holds a connection.
func (w *waitingRoom) enter(client string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all >= maxWaiting || client != "" && w.byClient[client] >= maxWaitingClient {
		return false
	}
	w.all++
	w.byClient[client]++
	return true
}

// leave makes room for another attempt, of the same client and of all.
func (w *waitingRoom) leave(client string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.byClient[client]--; w.byClient[client] == 0 {
		delete(w.byClient, client)
	}
}
