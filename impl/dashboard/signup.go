package dashboard

import (
	"errors"
	"net/http"
	"time"

	"uncial/impl/account"
	"uncial/impl/account/user"
)

// signUpPlan is the plan of people who sign up.
const signUpPlan = "free"

func (c *Call) newUser() user.NewUser {
	return user.NewUser{
		Email: c.Form("email"), Name: c.Form("name"), Password: c.R.PostFormValue("password"),
		Account: c.Form("account"), Plan: signUpPlan,
	}
}

// rejectUser marks all fields of a sign-up that are wrong, and reports whether there are any.
func rejectUser(f *form, err error) bool {
	if errors.Is(err, account.ErrName) {
		for _, field := range []string{"name", "account"} {
			if account.CheckName(f.Value(field)) != nil {
				f.reject(field, sentence(account.ErrName))
			}
		}
	}
	f.rejectIf("email", err, user.ErrEmail, user.ErrEmailTaken)
	f.rejectIf("password", err, user.ErrPassword)
	f.rejectIf("", err, user.ErrToken)
	return !f.isValid()
}

// asTooMany returns the page for too many sign-ups, or err if it is any other error.
func asTooMany(err error) error {
	if errors.Is(err, user.ErrTooManySignUps) {
		return &Problem{Status: http.StatusTooManyRequests, Title: "Too many sign-ups", Text: sentence(user.ErrTooManySignUps)}
	}
	return err
}

// showSignUp asks for a user and an account, or says why nobody can sign up.
func showSignUp(c *Call) error {
	if c.IsSignedIn() {
		return c.Redirect("/", "")
	}
	return c.render("sign-up", c.d.o.SignUp)
}

// signUp makes a user with an account. With mail, the address must be verified before the first sign-in, and the answer does
// not tell whether the address was known: its owner learns it by mail.
func signUp(c *Call) error {
	d, f := c.d, c.newForm()
	if d.o.SignUp != Open {
		return forbidden("Sign-up is closed. Ask the people who run this service for an invitation.")
	}
	ctx, n := c.R.Context(), c.newUser()
	if rejectUser(f, errors.Join(n.Check(), account.CheckName(n.Account))) { // before the count, which mistyped forms must not use up
		return c.retry("sign-up", d.o.SignUp, f)
	}
	if err := d.o.Users.CountSignUp(ctx, c.clientAddr()); err != nil {
		return asTooMany(err)
	}
	if d.o.Mail != nil {
		defer c.waitUntil(time.Now())
	}
	u, a, err := d.o.Users.SignUp(ctx, n)
	switch {
	case errors.Is(err, user.ErrEmailTaken) && d.o.Mail != nil:
		if err := d.sendAlreadyKnown(c, f.Value("email")); err != nil {
			return err
		}
		return c.Redirect("/sent", "")
	case rejectUser(f, err):
		return c.retry("sign-up", d.o.SignUp, f)
	case err != nil:
		return err
	case d.o.Mail != nil:
		if err := d.sendVerification(c, u); err != nil {
			return err
		}
		return c.Redirect("/sent", "")
	}
	if err := d.begin(c, u, a.ID); err != nil {
		return err
	}
	return c.Redirect("/", "welcome")
}
