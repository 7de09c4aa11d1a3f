package dashboard

import (
	"errors"
	"time"

	"uncial/impl/account"
	"uncial/impl/account/session"
	"uncial/impl/account/user"
	"uncial/internal/contract"
)

// maxSessions bounds the sessions of a user. A further sign-in ends the least recently used one.
const maxSessions = 50

// accountPage is the data of account.html.
type accountPage struct {
	Plan        contract.Plan
	Members     []user.Member
	Memberships []user.Membership
	Sessions    []session.Session
	Current     string // ID of this session
	HasMail     bool
	Provider    string // name of the OpenID Connect provider; "" for none
	CanLink     bool   // the password was confirmed, so the provider may be linked
	Open        openInvitations
	Invitation  invitation // that was just made; empty otherwise
}

// accountPage collects what the page shows. Users who belong to no account see their own settings only; members see the other
// members, but not the open invitations.
func (c *Call) accountPage() (accountPage, error) {
	ctx, d := c.R.Context(), c.d
	p := accountPage{Memberships: c.memberships, Current: c.session, HasMail: d.o.Mail != nil}
	if d.openID != nil {
		p.Provider, p.CanLink = d.openID.name, d.sealer.read(c.R, linkCookie, c.User.ID) != ""
	}
	var err error
	if p.Sessions, err = d.o.Sessions.List(ctx, c.User.ID, maxSessions); err != nil {
		return p, err
	}
	if c.Account.ID == "" {
		return p, nil
	}
	if p.Plan, err = d.o.Accounts.Plan(c.Account.Plan); err != nil && !errors.Is(err, account.ErrPlan) {
		return p, err
	}
	if p.Members, err = d.o.Users.Members(ctx, c.Account.ID); err != nil || !c.IsOwner {
		return p, err
	}
	p.Open, err = c.openInvitations(c.Account.ID, "/members/invitations/")
	return p, err
}

// accountForm holds the values that the forms of the page begin with.
func (c *Call) accountForm() *form {
	return emptyForm(map[string]string{"account": c.Account.Name, "name": c.User.Name, "email": c.User.Email, "role": string(user.PlainMember)})
}

// showAccount shows the account with its members, and, once, the link of an invitation that was just made.
func showAccount(c *Call) error {
	p, err := c.accountPage()
	if err != nil {
		return err
	}
	if p.Invitation, err = c.takeInvitation(); err != nil {
		return err
	}
	return c.renderForm(200, "account", p, c.accountForm())
}

// retryAccount shows the account again with what is wrong in the form.
func (c *Call) retryAccount(f *form) error {
	p, err := c.accountPage()
	if err != nil {
		return err
	}
	return c.retry("account", p, f)
}

// change runs a change of the account page. run marks fields of f if it refuses them.
func change(done string, run func(c *Call, f *form) error) func(*Call) error {
	return func(c *Call) error {
		f := c.newFormOver(c.accountForm())
		if err := run(c, f); err != nil {
			return err
		}
		if f.isValid() {
			return c.Redirect("/account", done)
		}
		return c.retryAccount(f)
	}
}

// renameUser changes the name of the visitor, in all accounts.
func renameUser(c *Call, f *form) error {
	err := c.d.o.Users.Rename(c.R.Context(), c.User.ID, c.Form("name"))
	if f.rejectIf("name", err, account.ErrName) {
		return nil
	}
	return err
}

// renameAccount changes the name of the account that the visitor works in. Its ID, which scripts and logs refer to, stays.
func renameAccount(c *Call, f *form) error {
	err := c.d.o.Accounts.Rename(c.R.Context(), c.Account.ID, c.Form("account"))
	if f.rejectIf("account", err, account.ErrName) {
		return nil
	}
	return err
}

// confirm asks for the current password before a change that a stolen session must not make. Users of OpenID Connect have
// none; they must have signed in with the provider just before.
func (c *Call) confirm(f *form, field string) error {
	if !c.User.HasPassword {
		began := time.Unix(c.d.sessions.GetInt64(c.R.Context(), beganKey), 0)
		if c.Now().Sub(began) > freshSignIn {
			return forbidden("Sign out, sign in with the provider again, and repeat this within ten minutes.")
		}
		return nil
	}
	password := c.R.PostFormValue(field)
	if password == "" {
		f.reject(field, "Enter your current password.")
		return nil
	}
	err := c.d.o.Users.CheckPassword(c.R.Context(), c.User.ID, password, c.self())
	if errors.Is(err, user.ErrSignIn) {
		f.reject(field, "This is not your current password.")
		return nil
	}
	return err
}

// changePassword sets a new password. It ends all sessions; this browser gets a new one.
func changePassword(c *Call, f *form) error {
	if !c.User.HasPassword {
		return forbidden("You sign in with a provider and have no password here.")
	}
	if err := c.confirm(f, "current"); err != nil || !f.isValid() {
		return err
	}
	u, err := c.d.o.Users.SetPassword(c.R.Context(), c.User.ID, c.R.PostFormValue("password"))
	if f.rejectIf("password", err, user.ErrPassword) {
		return nil
	}
	if err != nil {
		return err
	}
	c.tell(u, passwordChanged)
	c.d.forget(Holder{User: u.ID})
	return c.d.begin(c, u, c.Account.ID)
}

// changeEmail replaces the e-mail address: with mail, after the link to the new address was followed.
func changeEmail(c *Call) error {
	done := "email-changed"
	if c.d.o.Mail != nil {
		done = "email-sent"
	}
	return change(done, func(c *Call, f *form) error {
		if err := c.confirm(f, "email-password"); err != nil || !f.isValid() {
			return err
		}
		err := c.d.setEmail(c, c.Form("email"))
		if f.rejectIf("email", err, user.ErrEmail, user.ErrEmailTaken, user.ErrTooManyMails, user.ErrTooManySent) {
			return nil
		}
		return err
	})(c)
}

// setEmail changes the address at once if no mail can be sent. With mail, it sends a link to the new address: until that link
// is opened, the old address stays valid, so that a typo locks nobody out. Errors: those of user.Directory.ChangeEmail and
// IssueMail.
func (d *Dashboard) setEmail(c *Call, email string) error {
	ctx := c.R.Context()
	if d.o.Mail == nil {
		return d.o.Users.ChangeEmail(ctx, c.User.ID, email)
	}
	return d.sendLinkTo(c, user.Token{Purpose: user.EmailChange, UserID: c.User.ID, Email: email}, c.User.ID)
}

// deleteUser erases the visitor, who leaves all accounts.
func deleteUser(c *Call) error {
	f := c.newFormOver(c.accountForm())
	err := c.confirm(f, "user-password")
	if err == nil && f.isValid() {
		err = c.d.o.Users.DeleteUser(c.R.Context(), c.User.ID)
	}
	if f.rejectIf("", err, user.ErrLastOwner) || err == nil && !f.isValid() {
		return c.retryAccount(f)
	}
	if err != nil {
		return err
	}
	c.d.forget(Holder{User: c.User.ID})
	return c.Redirect("/sign-in", "user-deleted")
}

// deleteAccount erases the account that the visitor works in.
func deleteAccount(c *Call) error {
	f := c.newFormOver(c.accountForm())
	if c.Form("confirm") != c.Account.Name {
		f.reject("confirm", "Enter the name of the account exactly as it is written on this page.")
	} else if err := c.confirm(f, "delete-password"); err != nil {
		return err
	}
	if !f.isValid() {
		return c.retryAccount(f)
	}
	if err := c.d.o.Users.DeleteAccount(c.R.Context(), c.Account.ID); err != nil {
		return err
	}
	c.d.forget(Holder{Account: c.Account.ID})
	return c.Redirect("/sign-in", "account-deleted")
}
