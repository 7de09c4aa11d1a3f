package dashboard

import (
	"uncial/impl/account"
	"uncial/impl/account/session"
	"uncial/impl/account/user"
	"uncial/impl/ledger"
	"uncial/impl/ratelimit"
)

// Data is what the pages show and change.
type Data struct {
	Accounts *account.Registry
	Users    *user.Directory
	Sessions *session.Store
	Ledger   *ledger.Ledger
	Limits   *ratelimit.Limiter
	Mail     Mailer // nil sends no mail
}

// isComplete reports whether everything is there but Mail, which is optional.
func (d Data) isComplete() bool {
	return d.Accounts != nil && d.Users != nil && d.Sessions != nil && d.Ledger != nil && d.Limits != nil
}
