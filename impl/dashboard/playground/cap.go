package playground

import (
	"context"
	"net/http"
	"strconv"

	"uncial/impl/dashboard"
	"uncial/impl/ledger"
	"uncial/internal/contract"
)

// Ledger is the part of ledger.Ledger that the playground needs.
type Ledger interface {
	CappedBalance(ctx context.Context, accountID, meterID string) (ledger.Balance, error)
	PlaygroundCap(ctx context.Context, accountID string) (*int64, error)
	SetPlaygroundCap(ctx context.Context, accountID string, points *int64) error
}

var _ Ledger = (*ledger.Ledger)(nil)

// remaining returns the points that the playground may still spend this month.
func (p *playground) remaining(ctx context.Context, accountID string) (int64, error) {
	b, err := p.o.Ledger.CappedBalance(ctx, accountID, ledger.PlaygroundMeter(accountID))
	return b.Remaining, err
}

// changeCap sets how many points a month the playground may spend for the account; an empty field removes the cap.
func (p *playground) changeCap(c *dashboard.Call) error {
	var points *int64
	if text := c.Form("cap"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > contract.MaxPoints {
			return &dashboard.Problem{
				Status: http.StatusBadRequest, Title: "The cap was not changed",
				Text: "Enter a whole number of points, 0 or more, or leave the field empty for no cap. An extraction costs " +
					strconv.Itoa(contract.Price) + " points.",
			}
		}
		points = &n
	}
	if err := p.o.Ledger.SetPlaygroundCap(c.R.Context(), c.Account.ID, points); err != nil {
		return err
	}
	return c.Redirect(path, "cap-changed")
}
