package dashboard

import (
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"uncial/impl/account/session"
	"uncial/impl/account/user"
)

const (
	// idleTime ends a session that is not used: a working day and the night after it. lifetime ends every session, used or not.
	idleTime = 24 * time.Hour
	lifetime = 14 * 24 * time.Hour
	// touchInterval is the minimum time between two updates of the last use of a session, so that not every page costs a write.
	touchInterval = 5 * time.Minute
	// freshSignIn is the time after signing in within which a user without a password may make changes that a stolen session
	// must not make.
	freshSignIn = 10 * time.Minute
)

// Values of a session; session.UserKey is one more.
const (
	accountKey = "account" // ID of the account that the visitor works in
	touchedKey = "touched" // Unix seconds of the latest stored use
	beganKey   = "began"   // Unix seconds of the sign-in
	endsKey    = "ends"    // Unix seconds at which the session ends even if it is used
	versionKey = "version" // user.User.Version at the sign-in
)

// newSessions returns the manager of sessions. They are stored in the database, so that every replica knows them; the cookie
// holds a random token, the database only its digest.
func newSessions(o Options) *scs.SessionManager {
	m := scs.New()
	m.Store = o.Sessions
	m.Lifetime = lifetime // setDeadline shortens it
	m.Cookie.Name = cookieName("session")
	m.Cookie.Secure = true
	return m
}

// signedIn finds out who sent the request, and sets User, Account and IsOwner of the call. It leaves them zero for visitors
// without a session, or whose user was deleted in the meantime.
func (d *Dashboard) signedIn(c *Call) error {
	token := ""
	if cookie, err := c.R.Cookie(d.sessions.Cookie.Name); err == nil {
		token = cookie.Value
	}
	ctx, err := d.sessions.Load(c.R.Context(), token)
	if err != nil {
		return err
	}
	c.R = c.R.WithContext(ctx)
	id := d.sessions.GetString(ctx, session.UserKey)
	if id == "" {
		return nil
	}
	u, err := d.o.Users.Find(ctx, id)
	if errors.Is(err, user.ErrNoUser) {
		return nil
	}
	if err != nil {
		return err
	}
	if !u.Accepts(d.sessions.GetString(ctx, versionKey)) { // password or provider were changed after they were checked
		return d.sessions.Destroy(ctx)
	}
	if err := d.enterAccount(c, u); err != nil {
		return err
	}
	c.User, c.session = u, session.ID(token)
	return d.touch(c)
}

// enterAccount sets the account that the visitor works in: the one chosen in the session if they still belong to it, else
// the one that they joined first. Account stays zero for operators who belong to none.
func (d *Dashboard) enterAccount(c *Call, u user.User) error {
	memberships, err := d.o.Users.Memberships(c.R.Context(), u.ID)
	if err != nil {
		return err
	}
	c.memberships = memberships
	chosen := d.sessions.GetString(c.R.Context(), accountKey)
	for i, m := range memberships {
		if i == 0 || m.ID == chosen {
			c.Account, c.IsOwner = m.Account, m.Role == user.Owner
		}
	}
	return nil
}

// touch stores that the session is in use, at most once every touchInterval. A session that was ended in the meantime stays
// ended.
func (d *Dashboard) touch(c *Call) error {
	ctx := c.R.Context()
	now := c.Now()
	if now.Unix()-d.sessions.GetInt64(ctx, touchedKey) < int64(touchInterval/time.Second) {
		return nil
	}
	d.setDeadline(c)
	return d.commit(c)
}

// setDeadline lets the session end after idleTime without use, but never later than its absolute end.
func (d *Dashboard) setDeadline(c *Call) {
	ctx, now := c.R.Context(), c.Now()
	d.sessions.Put(ctx, touchedKey, now.Unix())
	end := now.Add(idleTime)
	if last := time.Unix(d.sessions.GetInt64(ctx, endsKey), 0); last.Before(end) {
		end = last
	}
	d.sessions.SetDeadline(ctx, end)
}

// begin signs a user in with a new session: its token replaces the one that the browser had before.
func (d *Dashboard) begin(c *Call, u user.User, accountID string) error {
	ctx := c.R.Context()
	d.forget(c.holder())
	if err := d.sessions.RenewToken(ctx); err != nil {
		return err
	}
	if err := d.sessions.Clear(ctx); err != nil {
		return err
	}
	d.sessions.Put(ctx, session.UserKey, u.ID)
	d.sessions.Put(ctx, versionKey, u.Version)
	d.sessions.Put(ctx, accountKey, accountID)
	d.sessions.Put(ctx, beganKey, c.Now().Unix())
	d.sessions.Put(ctx, endsKey, c.Now().Add(lifetime).Unix())
	d.setDeadline(c)
	if err := c.markKnown(u); err != nil {
		return err
	}
	if err := d.commit(c); err != nil {
		return err
	}
	return d.o.Sessions.EndOldest(ctx, u.ID, session.ID(d.sessions.Token(ctx)), maxSessions)
}

func (d *Dashboard) commit(c *Call) error {
	token, expiry, err := d.sessions.Commit(c.R.Context())
	if err != nil {
		return err
	}
	d.sessions.WriteSessionCookie(c.R.Context(), c.W, token, expiry)
	return nil
}

func (d *Dashboard) end(c *Call) error {
	d.forget(c.holder())
	if err := d.sessions.Destroy(c.R.Context()); err != nil {
		return err
	}
	d.sessions.WriteSessionCookie(c.R.Context(), c.W, "", time.Time{})
	return nil
}

// forget makes the packages of Options.Extra drop what they keep for a holder. The zero Holder is a visitor who is not signed
// in, for whom they keep nothing. Other replicas keep their part until its lifetime is over, but nobody can reach it.
func (d *Dashboard) forget(h Holder) {
	for _, extra := range d.o.Extra {
		if extra.Forget != nil && h != (Holder{}) {
			extra.Forget(h)
		}
	}
}

// holder is the session of the visitor in all accounts.
func (c *Call) holder() Holder { return Holder{User: c.User.ID, Session: c.session} }

func signOut(c *Call) error {
	if err := c.d.end(c); err != nil {
		return err
	}
	return c.Redirect("/sign-in", "signed-out")
}

// switchAccount lets a member of several accounts work in another one.
func switchAccount(c *Call) error {
	for _, m := range c.memberships {
		if m.ID == c.Form("account") {
			c.d.sessions.Put(c.R.Context(), accountKey, m.ID)
			if err := c.d.commit(c); err != nil {
				return err
			}
			return c.Redirect("/", "switched")
		}
	}
	return NotFound()
}

// endSession ends another session of the visitor.
func endSession(c *Call) error {
	id := c.R.PathValue("session")
	if err := c.d.o.Sessions.End(c.R.Context(), c.User.ID, id); err != nil {
		return err
	}
	c.d.forget(Holder{User: c.User.ID, Session: id})
	return c.Redirect("/account", "session-ended")
}

// endSessions signs the visitor out everywhere, this browser included.
func endSessions(c *Call) error {
	if err := c.d.o.Sessions.EndAll(c.R.Context(), c.User.ID); err != nil {
		return err
	}
	c.d.forget(Holder{User: c.User.ID})
	http.SetCookie(c.W, cookie("session", "", -1))
	return c.Redirect("/sign-in", "signed-out-everywhere")
}
