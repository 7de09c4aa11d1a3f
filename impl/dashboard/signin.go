package dashboard

import (
	"errors"
	"net/url"
	"path"
	"strings"
	"time"

	"uncial/impl/account/user"
)

// signInPage is the data of sign-in.html.
type signInPage struct {
	Next      string // page to show afterwards, below Prefix
	CanSignUp bool
	CanReset  bool   // by mail
	OpenID    string // name of the OpenID Connect provider; "" for none
}

// signInPage returns the ways to sign in that this service offers. next is where the visitor wanted to go; see localPath.
func (d *Dashboard) signInPage(next string) signInPage {
	p := signInPage{Next: localPath(next), CanSignUp: d.o.SignUp == Open, CanReset: d.o.Mail != nil}
	if d.openID != nil {
		p.OpenID = d.openID.name
	}
	return p
}

// showSignIn asks for address and password, or redirects if somebody is signed in already.
func showSignIn(c *Call) error {
	if c.IsSignedIn() {
		return c.Redirect("/", "")
	}
	return c.render("sign-in", c.d.signInPage(c.R.URL.Query().Get("next")))
}

// signIn begins a session. An unknown e-mail address and a wrong password get the same answer in the same time; package user
// delays guesses.
func signIn(c *Call) error {
	f, next, email := c.newForm(), localPath(c.Form("next")), c.Form("email")
	u, err := c.d.o.Users.SignIn(c.R.Context(), email, c.R.PostFormValue("password"), c.client(email))
	if f.rejectIf("", err, user.ErrSignIn) {
		return c.retry("sign-in", c.d.signInPage(next), f)
	}
	if err != nil {
		return err
	}
	return c.d.admitUser(c, u, "", next, "")
}

// admitUser begins a session and redirects to next. With mail, a user whose e-mail address is not verified gets the link for it
// again instead.
func (d *Dashboard) admitUser(c *Call, u user.User, accountID, next, done string) error {
	if u.Verified.IsZero() && d.o.Mail != nil {
		if err := d.sendVerification(c, u); err != nil {
			return err
		}
		return c.Redirect("/sent", "")
	}
	if err := d.begin(c, u, accountID); err != nil {
		return err
	}
	return c.Redirect(next, done)
}

// maxNext bounds the page to lead back to, in bytes: it travels in a cookie. Our own pages have shorter addresses.
const maxNext = 500

// localPath returns a path below Prefix, with its query, that is safe to redirect to; "/" if text is not one.
func localPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxNext || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsAny(text, "\\\r\n") ||
		path.Clean(u.Path) != u.Path || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "/sign-") {
		return "/"
	}
	query := u.Query()
	query.Del("done") // the message was shown
	return (&url.URL{Path: u.Path, RawQuery: query.Encode()}).String()
}

// showForgot asks for the e-mail address of somebody who has forgotten the password.
func showForgot(c *Call) error { return c.render("forgot", c.d.o.Mail != nil) }

// forgot mails a link to choose a new password. The answer does not tell whether the address is known.
func forgot(c *Call) error {
	d := c.d
	if d.o.Mail == nil {
		return NotFound()
	}
	defer c.waitUntil(time.Now())
	ctx, email := c.R.Context(), c.Form("email")
	switch err := d.o.Users.CountMail(ctx, user.Reset, email, c.client(email)); {
	case errors.Is(err, user.ErrTooManyMails): // the same answer, and no more mail
		return c.Redirect("/sent", "")
	case err != nil:
		return err
	}
	u, err := d.o.Users.FindByEmail(ctx, email)
	if errors.Is(err, user.ErrNoUser) {
		return c.Redirect("/sent", "")
	}
	if err != nil {
		return err
	}
	if err := d.sendLink(c, u.Email, user.Token{Purpose: user.Reset, UserID: u.ID}); err != nil {
		return err
	}
	return c.Redirect("/sent", "")
}

// showSent says that mail is on its way, if there is somebody to send it to.
func showSent(c *Call) error { return c.render("sent", nil) }
