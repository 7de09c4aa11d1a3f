package dashboard

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"uncial/impl/account/user"
)

// knownCookie names the users who have signed in with a browser. Strangers who guess the passwords of these users do not delay
// it. It proves nothing else, so it outlives the session, and signing out leaves it.
const (
	knownCookie = "known"
	knownFor    = 180 * 24 * time.Hour
	// maxKnown bounds the users of one browser; the one who signed in longest ago makes room.
	maxKnown = 8
)

// knownUser says that a browser has signed in as a user.
type knownUser struct {
	Email   string `json:"e"` // digest of the address
	Browser string `json:"b"` // ID of the browser, for this user
	Until   int64  `json:"u"` // Unix seconds
}

// markKnown marks the browser for a user, in addition to those who signed in before.
func (c *Call) markKnown(u user.User) error {
	digest := emailDigest(u.Email)
	others := slices.DeleteFunc(c.knownUsers(), func(k knownUser) bool { return k.Email == digest })
	all := slices.Insert(others, 0, knownUser{digest, rand.Text(), c.Now().Add(knownFor).Unix()})
	value, err := json.Marshal(all[:min(len(all), maxKnown)])
	if err != nil {
		return err
	}
	return c.d.sealer.putFor(c.W, knownFor, knownCookie, "", string(value))
}

// knownUsers returns the users of the browser, the latest first.
func (c *Call) knownUsers() []knownUser {
	var all []knownUser
	if json.Unmarshal([]byte(c.d.sealer.read(c.R, knownCookie, "")), &all) != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(k knownUser) bool { return c.Now().Unix() > k.Until })
}

// emailDigest identifies an e-mail address, spelled as users are stored.
func emailDigest(email string) string {
	sum := sha256.Sum256([]byte(email))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// client is where the request comes from, for what strangers request for an e-mail address.
func (c *Call) client(email string) user.Client {
	from, digest := user.Client{Addr: c.clientAddr()}, emailDigest(strings.ToLower(strings.TrimSpace(email)))
	for _, k := range c.knownUsers() {
		if k.Email == digest {
			from.Known = k.Browser
		}
	}
	return from
}

// self is where the request comes from, for actions of a visitor who is signed in.
func (c *Call) self() user.Client { return user.Client{Addr: c.clientAddr(), Known: c.session} }
