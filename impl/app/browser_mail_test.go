package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/dashboard"
	"uncial/internal/browsertest"
)

// TestBrowser_Mail signs up at a service that verifies addresses, and checks the pages that differ if there is mail.
func TestBrowser_Mail(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	address, messages := smtpServer(t)
	a := apptest.Start(t, app.Options{
		Dashboard: app.DashboardOptions{SignUp: dashboard.Open},
		Mail:      app.MailOptions{Server: "smtp+plain://" + address, From: "Uncial <uncial@example.org>"},
	})
	v := newVisitor(t, "http://"+a.Addr())
	v.checks = true
	v.signUp("anna@example.org")
	require.Contains(t, v.Text("h1"), "Check your mail")
	v.check("sent-signed-out")
	v.path("/link")
	select {
	case text := <-messages:
		v.fill("code", mailedCode(t, text))
	case <-time.After(time.Minute):
		t.Fatal("no message arrived")
	}
	v.send("/link")
	v.send("/verify")
	require.Contains(t, v.Text("main"), "The e-mail address is verified.")
	v.check("sign-in-mail")
	v.follow("Forgot your password?")
	v.check("forgot-mail")
	v.signIn("anna@example.org")
	v.path("/account")
	require.Contains(t, v.Text("main"), "A link is sent to the new address.")
	v.check("account-mail")
}
