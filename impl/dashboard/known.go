package dashboard

import (
	"crypto/rand"
	"strings"
	"time"

	"uncial/impl/account/user"
)

// knownCookie marks a browser that has signed in with an e-mail address. Strangers who guess the password of that user do not
// delay it. It proves nothing else, so that it outlives the session, and signing out leaves it.
const (
	knownCookie = "known"
	knownFor    = 180 * 24 * time.Hour
)

// markKnown marks the browser, in place of the user who signed in before.
func (c *Call) markKnown(u user.User) error {
	return c.d.sealer.putFor(c.W, knownFor, knownCookie, u.Email, rand.Text())
}

// client is where the request comes from, for what strangers ask in the name of an e-mail address.
func (c *Call) client(email string) user.Client {
	address := strings.ToLower(strings.TrimSpace(email)) // as users are stored
	return user.Client{Addr: c.Client(), Known: c.d.sealer.read(c.R, knownCookie, address)}
}

// self is where the request comes from, for what the visitor does who is signed in.
func (c *Call) self() user.Client { return user.Client{Addr: c.Client(), Known: c.session} }
