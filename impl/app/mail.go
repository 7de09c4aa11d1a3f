package app

import (
	"errors"
	"fmt"

	"uncial/impl/dashboard"
	"uncial/impl/mail"
	"uncial/impl/notice"
)

// MailOptions configure mail to users: links to verify addresses and to reset passwords, and notices.
type MailOptions struct {
	Server string // "smtp://USER:PASSWORD@HOST:587" and other forms; see mail.ErrURL. Default: no mail
	From   string // sender, such as "Uncial <uncial@example.org>". Required with Server
}

// open returns the mailer, or nil if no mail is configured. It does not connect. Errors name the invalid flag.
func (o MailOptions) open(a Options) (*mail.Mailer, error) {
	switch {
	case o.Server == "" && o.From == "":
		return nil, nil
	case o.Server == "":
		return nil, errors.New("--mail-server: required with --mail-from")
	}
	m, err := mail.New(mail.Options{URL: o.Server, From: o.From, Log: a.Logger})
	switch {
	case errors.Is(err, mail.ErrFrom):
		return nil, fmt.Errorf("--mail-from: %w", err)
	case err != nil:
		return nil, fmt.Errorf("--mail-server: %w", err)
	}
	return m, nil
}

// openNotices prepares the notices about keys and caps, and registers the metrics of notices and mail.
func (a *App) openNotices() {
	a.notices = &notice.Notifier{
		Store: a.data.Store, Accounts: a.data.Accounts, Users: a.data.Users, Ledger: a.data.Ledger, Now: a.o.Now, Log: a.o.Logger,
	}
	if !a.o.Dashboard.Off {
		a.notices.PagesURL = a.PublicURL() + dashboard.Prefix
	}
	r := a.metrics.registry
	gauge(r, "uncial_keys_to_rotate_soon", "Active keys that expire within 15 days or are 75 days old.", func() int {
		soon, _ := a.notices.KeysToRotate()
		return soon
	})
	gauge(r, "uncial_keys_to_rotate_now", "Active keys that expire within 3 days or are 87 days old; 90 days if they never expire.", func() int {
		_, urgent := a.notices.KeysToRotate()
		return urgent
	})
	if a.mail == nil {
		return
	}
	a.notices.Mail = a.mail
	gauge(r, "uncial_mail_waiting", "Messages that wait to be sent.", func() int { return a.mail.Stats().Waiting })
	counter(r, "uncial_mail_sent_total", "Messages that the mail server accepted.", func() uint64 { return a.mail.Stats().Sent })
	counter(r, "uncial_mail_failed_total", "Messages that could not be sent.", func() uint64 { return a.mail.Stats().Failed })
}
