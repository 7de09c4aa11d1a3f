package dashboard

import (
	"errors"

	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/internal/contract"
)

// homePage is the data of home.html.
type homePage struct {
	Plan    contract.Plan
	Balance ledger.Balance
	Window  contract.Window
	Base    string // address of the API
	HasKeys bool

	Attention []attention
	Hidden    int // keys left out of Attention
}

// showHome shows the points, the rate limit, what needs attention, and a first call.
func showHome(c *Call) error {
	ctx, d := c.R.Context(), c.d
	plan, err := d.o.Accounts.Plan(c.Account.Plan)
	if errors.Is(err, account.ErrPlan) {
		return &Problem{Status: 503, Title: "The plan of the account is unknown", Text: "Ask the people who run this service to restore the plan " + c.Account.Plan + ", or to change yours."}
	}
	if err != nil {
		return err
	}
	p := homePage{Plan: plan, Base: c.PublicURL()}
	if p.Balance, err = d.o.Ledger.Balance(ctx, c.Account.ID); err != nil {
		return err
	}
	if p.Window, err = d.o.Limits.Window(ctx, c.Account.ID, plan.Requests); err != nil {
		return err
	}
	keys, err := d.o.Accounts.Keys(ctx, c.Account.ID)
	if err != nil {
		return err
	}
	uses, err := d.o.Ledger.MeterUses(ctx, c.Account.ID)
	if err != nil {
		return err
	}
	p.HasKeys = len(keys) > 0
	p.Attention = attentionTo(keys, uses, c.Now())
	p.Hidden = max(0, len(p.Attention)-maxAttention)
	p.Attention = p.Attention[:len(p.Attention)-p.Hidden]
	return c.render("home", p)
}
