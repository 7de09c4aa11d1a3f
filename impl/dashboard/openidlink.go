package dashboard

import (
	"errors"

	"uncial/impl/account/user"
)

// linkCookie says that the visitor has confirmed the password and may link the provider. The page then shows a link to the
// provider: the form cannot redirect there, because form-action of the Content-Security-Policy forbids redirects to another
// site.
const linkCookie = "link"

// confirmLink asks for the password before the provider is linked: whoever signs in there can do everything afterwards.
func confirmLink(c *Call, f *form) error {
	if c.d.openID == nil || !c.User.HasPassword {
		return NotFound()
	}
	if err := c.confirm(f, "openid-password"); err != nil || !f.isValid() {
		return err
	}
	return c.d.sealer.put(c.W, linkCookie, c.User.ID, c.User.ID)
}

// link lets the visitor sign in with the person whom the provider has just named. userID is who asked for that.
func (c *Call) link(person identity, userID string) error {
	if c.User.ID != userID {
		return errLink
	}
	err := c.d.o.Users.Link(c.R.Context(), userID, person.issuer, person.subject)
	if errors.Is(err, user.ErrIdentity) {
		return errLinked
	}
	if err != nil {
		return err
	}
	c.tell(c.User, providerLinked)
	return c.Redirect("/account", "openid-linked")
}

// unlinkOpenID ends the link to the provider, and with it the sessions that began there; the visitor, who confirms the
// password, gets a new one.
func unlinkOpenID(c *Call, f *form) error {
	if !c.User.HasPassword || !c.User.HasProvider {
		return NotFound()
	}
	if err := c.confirm(f, "openid-password"); err != nil || !f.isValid() {
		return err
	}
	if err := c.d.o.Users.Unlink(c.R.Context(), c.User.ID); err != nil {
		return err
	}
	return c.d.begin(c, c.User, c.Account.ID)
}
