package dashboard

import (
	"errors"

	"uncial/impl/account"
	"uncial/impl/account/user"
)

// linkPath is the page for one-time codes. The code follows "#", so that browsers never send it and no log contains it; a
// script moves it into the form, and without scripts people paste it.
const linkPath = "/link"

// Link returns the address at which a person redeems a one-time code. publicURL is that of the service, without a slash at the
// end.
func Link(publicURL, code string) string { return publicURL + Prefix + linkPath + "#" + code }

// linkPage is the data of link.html, and of the pages that follow it.
type linkPage struct {
	Code  string
	Token user.Token
	// Account is the account that an invitation leads to; its Name is empty for a new account.
	Account account.Account
	// Provider is the name of the OpenID Connect provider that may accept an invitation; "" for none.
	Provider string
}

// showLink asks for a one-time code. A link fills it in.
func showLink(c *Call) error { return c.render("link", nil) }

// openLink shows what a one-time code is for. It changes nothing, so it needs no redirect.
func openLink(c *Call) error {
	p, err := c.readCode()
	if errors.Is(err, user.ErrToken) {
		return c.badCode(err)
	}
	if err != nil {
		return err
	}
	if p.Provider != "" {
		if err := c.d.sealer.put(c.W, invitationCookie, "", p.Code); err != nil {
			return err
		}
	}
	return c.render(linkTemplates[p.Token.Purpose], p)
}

// linkTemplates are the pages that codes lead to.
var linkTemplates = map[user.Purpose]string{
	user.Operator: "accept", user.Invitation: "accept", user.Verification: "verify", user.EmailChange: "verify", user.Reset: "reset",
}

func (c *Call) badCode(err error) error {
	f := c.newForm()
	f.reject("code", sentence(err))
	return c.retry("link", nil, f)
}

// readCode returns what the code in the form is for. Errors: user.ErrToken.
func (c *Call) readCode() (linkPage, error) {
	p := linkPage{Code: c.Form("code")}
	var err error
	if p.Token, err = c.d.o.Users.Peek(c.R.Context(), p.Code); err != nil {
		return linkPage{}, err
	}
	if c.d.openID != nil && linkTemplates[p.Token.Purpose] == "accept" {
		p.Provider = c.d.openID.name
	}
	if p.Token.AccountID != "" {
		p.Account, err = c.d.o.Accounts.Find(c.R.Context(), p.Token.AccountID)
	}
	return p, err
}

// accept signs up with an invitation, or with the link for the first operator.
func accept(c *Call) error {
	p, err := c.readCode()
	if errors.Is(err, user.ErrToken) {
		return c.badCode(err)
	}
	if err != nil {
		return err
	}
	f := c.newForm()
	n := c.newUser()
	if p.Token.Email != "" {
		n.Email = p.Token.Email
	}
	problems := n.Check()
	if p.Token.AccountID == "" {
		problems = errors.Join(problems, account.CheckName(n.Account))
	}
	if rejectUser(f, problems) {
		return c.retry("accept", p, f)
	}
	u, a, err := c.d.o.Users.Accept(c.R.Context(), p.Code, n)
	if rejectUser(f, err) {
		return c.retry("accept", p, f)
	}
	if err != nil {
		return err
	}
	if err := c.d.begin(c, u, a.ID); err != nil {
		return err
	}
	return c.Redirect("/", "welcome")
}

// joinAccount lets somebody who is signed in accept an invitation to an account, or the link for an operator.
func joinAccount(c *Call) error {
	p, err := c.readCode()
	var id string
	if err == nil {
		id, err = c.d.o.Users.AcceptAs(c.R.Context(), p.Code, c.User.ID)
	}
	if errors.Is(err, user.ErrToken) {
		return c.badCode(err)
	}
	if err != nil {
		return err
	}
	if id != "" {
		c.d.sessions.Put(c.R.Context(), accountKey, id)
		if err := c.d.commit(c); err != nil {
			return err
		}
	}
	if p.Token.Purpose == user.Operator {
		return c.Redirect("/admin", "operator")
	}
	return c.Redirect("/", "joined")
}

// verify confirms an e-mail address. The old address is told of a change.
func verify(c *Call) error {
	p, err := c.readCode()
	var before, after user.User
	if err == nil {
		before, err = c.d.o.Users.Find(c.R.Context(), p.Token.UserID)
	}
	if err == nil {
		after, err = c.d.o.Users.Verify(c.R.Context(), p.Code)
	}
	switch {
	case errors.Is(err, user.ErrToken), errors.Is(err, user.ErrNoUser):
		return c.badCode(user.ErrToken)
	case errors.Is(err, user.ErrEmailTaken):
		return c.badCode(user.ErrEmailTaken)
	case err != nil:
		return err
	}
	if before.Email != after.Email {
		c.tell(before, emailChanged)
	}
	if c.IsSignedIn() {
		return c.Redirect("/account", "verified")
	}
	return c.Redirect("/sign-in", "verified")
}

// resetPassword sets a new password with a code, which ends all sessions of the user.
func resetPassword(c *Call) error {
	f := c.newForm()
	u, err := c.d.o.Users.ResetPassword(c.R.Context(), c.Form("code"), c.R.PostFormValue("password"))
	switch {
	case errors.Is(err, user.ErrToken):
		return c.badCode(err)
	case f.rejectIf("password", err, user.ErrPassword):
		return c.retry("reset", linkPage{Code: f.Value("code")}, f)
	case err != nil:
		return err
	}
	c.tell(u, passwordChanged)
	c.d.forget(Holder{User: u.ID})
	return c.Redirect("/sign-in", "password-changed")
}
