package dashboard

import (
	"errors"
	"strconv"
	"strings"

	"uncial/impl/account"
	"uncial/impl/account/user"
	"uncial/impl/ledger"
	"uncial/internal/contract"
	"uncial/internal/text"
)

// adminPage is the data of admin.html.
type adminPage struct {
	Accounts   []statement
	Next       string
	SignUp     SignUp
	Open       openInvitations
	Invitation invitation
	Query      string
	NotFound   bool // the query found nothing
}

// statement is an account with its points.
type statement struct {
	account.Account
	Balance ledger.Balance
	Plans   bool // the catalogue has its plan, so Balance is known
}

// showAdmin lists the accounts, newest first. With a query it leads to the account that the query names: by its ID, or
// by the e-mail address of a member.
func showAdmin(c *Call) error {
	query := strings.TrimSpace(c.R.URL.Query().Get("q"))
	if query != "" {
		id, err := c.findAccount(query)
		if err != nil {
			return err
		}
		if id != "" {
			return c.Redirect("/admin/accounts/"+id, "")
		}
	}
	p, err := c.adminPage()
	if err != nil {
		return err
	}
	p.Query, p.NotFound = query, query != ""
	if p.Invitation, err = c.takeInvitation(); err != nil {
		return err
	}
	return c.renderForm(200, "admin", p, emptyForm(nil))
}

// adminPage returns a page of the list of accounts, and the open invitations.
func (c *Call) adminPage() (adminPage, error) {
	p := adminPage{SignUp: c.d.o.SignUp}
	accounts, err := c.d.o.Accounts.Page(c.R.Context(), c.R.URL.Query().Get("after"), pageSize+1)
	if err != nil {
		return p, err
	}
	if len(accounts) > pageSize {
		accounts = accounts[:pageSize]
		p.Next = nextPage("/admin", accounts[pageSize-1].ID)
	}
	for _, a := range accounts {
		s, err := c.statement(a)
		if err != nil {
			return p, err
		}
		p.Accounts = append(p.Accounts, s)
	}
	p.Open, err = c.openInvitations("", "/admin/invitations/")
	return p, err
}

// findAccount returns the ID of the account that a query names, "" if there is none.
func (c *Call) findAccount(query string) (string, error) {
	a, err := c.d.o.Accounts.Find(c.R.Context(), query)
	if !errors.Is(err, account.ErrNoAccount) {
		return a.ID, err
	}
	u, err := c.d.o.Users.FindByEmail(c.R.Context(), query)
	if errors.Is(err, user.ErrNoUser) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	memberships, err := c.d.o.Users.Memberships(c.R.Context(), u.ID)
	if err != nil || len(memberships) == 0 {
		return "", err
	}
	return memberships[0].ID, nil
}

// statement adds the points to an account. An account on a plan that the catalogue lacks has no points to show; that is not an
// error, because operators can change the plan on this page.
func (c *Call) statement(a account.Account) (statement, error) {
	b, err := c.d.o.Ledger.Balance(c.R.Context(), a.ID)
	if errors.Is(err, account.ErrPlan) {
		return statement{Account: a}, nil
	}
	return statement{a, b, true}, err
}

// adminAccountPage is the data of admin-account.html.
type adminAccountPage struct {
	statement
	Members    []user.Member
	Catalogue  []string
	Invitation invitation
}

// managed returns the account in the path.
func (c *Call) managed() (account.Account, error) {
	a, err := c.d.o.Accounts.Find(c.R.Context(), c.R.PathValue("account"))
	if errors.Is(err, account.ErrNoAccount) {
		return a, NotFound()
	}
	return a, err
}

// adminAccountPage collects what the page of an account shows, without an invitation.
func (c *Call) adminAccountPage(a account.Account) (adminAccountPage, error) {
	p := adminAccountPage{}
	for _, plan := range c.d.o.Accounts.Plans() {
		p.Catalogue = append(p.Catalogue, plan.Name)
	}
	var err error
	if p.statement, err = c.statement(a); err != nil {
		return p, err
	}
	p.Members, err = c.d.o.Users.Members(c.R.Context(), a.ID)
	return p, err
}

// showManaged shows the account in the path, and the link of an invitation or of a reset that was just made.
func showManaged(c *Call) error {
	a, err := c.managed()
	if err != nil {
		return err
	}
	p, err := c.adminAccountPage(a)
	if err != nil {
		return err
	}
	if p.Invitation, err = c.takeInvitation(); err != nil {
		return err
	}
	return c.renderForm(200, "admin-account", p, emptyForm(map[string]string{"plan": a.Plan}))
}

// manage runs a change of the account in the path and records it. run returns what the log says about it, and marks fields
// of f if it refuses them.
func manage(action, done string, run func(c *Call, a account.Account, f *form) (detail string, err error)) func(*Call) error {
	return func(c *Call) error {
		a, err := c.managed()
		if err != nil {
			return err
		}
		f := c.newFormOver(emptyForm(map[string]string{"plan": a.Plan}))
		detail, err := run(c, a, f)
		if errors.Is(err, account.ErrNoAccount) {
			return &Problem{Status: 409, Title: "The account was deleted", Text: "Deleted accounts cannot be changed."}
		}
		if err != nil {
			return err
		}
		if !f.isValid() {
			return c.retryManaged(a, f)
		}
		if err := c.record(action, a.ID, "", detail); err != nil {
			return err
		}
		return c.Redirect("/admin/accounts/"+a.ID, done)
	}
}

// retryManaged shows the page of an account again with what is wrong in the form.
func (c *Call) retryManaged(a account.Account, f *form) error {
	p, err := c.adminAccountPage(a)
	if err != nil {
		return err
	}
	return c.retry("admin-account", p, f)
}

// record adds what the operator has done to the operator log. It holds IDs and no addresses, so that deleting a user
// erases the person from it.
func (c *Call) record(action, accountID, subject, detail string) error {
	return c.d.o.Users.Record(c.R.Context(), user.LogRecord{Actor: c.User.ID, Action: action, AccountID: accountID, Subject: subject, Detail: detail})
}

// changePlan puts the account on another plan at once. Ledger.ChangePlan says what becomes of the points of this month.
func changePlan(c *Call, a account.Account, f *form) (string, error) {
	plan := c.Form("plan")
	_, err := c.d.o.Ledger.ChangePlan(c.R.Context(), a.ID, plan)
	if errors.Is(err, account.ErrPlan) {
		f.reject("plan", "Choose one of the plans.")
		return "", nil
	}
	return a.Plan + " to " + plan, err
}

// grant adds points to the allowance of the current month. The entry in the ledger and the log hold the reason.
func grant(c *Call, a account.Account, f *form) (string, error) {
	points, err := strconv.ParseInt(strings.ReplaceAll(c.Form("points"), ",", ""), 10, 64)
	if err != nil {
		points = 0 // refused like every number below 1
	}
	reason := c.Form("reason")
	_, err = c.d.o.Ledger.Grant(c.R.Context(), a.ID, points, reason)
	switch {
	case errors.Is(err, ledger.ErrPoints):
		f.reject("points", "Enter a number from 1 to "+text.Number(contract.MaxPoints)+".")
		return "", nil
	case errors.Is(err, ledger.ErrReason):
		f.reject("reason", "Enter a reason of 1 to 200 printable characters.")
		return "", nil
	}
	return text.Number(points) + " points: " + reason, err
}

// suspend refuses the keys of the account until resume; nothing is lost.
func suspend(c *Call, a account.Account, _ *form) (string, error) {
	return "", c.d.o.Accounts.Suspend(c.R.Context(), a.ID)
}

func resume(c *Call, a account.Account, _ *form) (string, error) {
	return "", c.d.o.Accounts.Resume(c.R.Context(), a.ID)
}

// inviteAccount makes a link to sign up with a new account.
func inviteAccount(c *Call) error {
	if c.d.o.SignUp == Closed {
		return forbidden("Sign-up is closed. Start the service with --signup invite to invite people.")
	}
	f, email := c.newForm(), c.Form("email")
	err := c.issue(user.Token{Purpose: user.Invitation, Email: email})
	if rejectInvitation(f, "email", err) {
		p, err := c.adminPage()
		if err != nil {
			return err
		}
		return c.retry("admin", p, f)
	}
	if err != nil {
		return err
	}
	if err := c.record("invite", "", "", ""); err != nil {
		return err
	}
	return c.Redirect("/admin", c.invited(email))
}

// revokeAccountInvitation ends an open invitation that an operator has made.
func revokeAccountInvitation(c *Call) error {
	if err := c.endInvitation(""); err != nil {
		return err
	}
	if err := c.record("revoke invitation", "", "", ""); err != nil {
		return err
	}
	return c.Redirect("/admin", "invitation-revoked")
}

// resetUser makes a link for a member of the account in the path who has forgotten the password. It asks for the operator's
// own password first: whoever has the link can sign in as the member.
func resetUser(c *Call) error {
	a, err := c.managed()
	if err != nil {
		return err
	}
	id := c.R.PathValue("user")
	if _, err := c.d.o.Users.RoleIn(c.R.Context(), a.ID, id); errors.Is(err, user.ErrNoUser) {
		return NotFound()
	} else if err != nil {
		return err
	}
	f := c.newFormOver(emptyForm(map[string]string{"plan": a.Plan}))
	if err := c.confirm(f, "password-"+id); err != nil {
		return err
	}
	if !f.isValid() {
		return c.retryManaged(a, f)
	}
	code, err := c.d.o.Users.Issue(c.R.Context(), user.Token{Purpose: user.Reset, UserID: id})
	if err != nil {
		return err
	}
	if err := c.d.sealer.put(c.W, inviteCookie, c.User.ID, code); err != nil {
		return err
	}
	if err := c.record("reset password", a.ID, id, ""); err != nil {
		return err
	}
	return c.Redirect("/admin/accounts/"+a.ID, "")
}
