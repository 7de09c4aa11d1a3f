package main

import (
	"uncial/impl/app"
	"uncial/impl/dashboard"
)

// dashboardFlags configure the pages for people.
type dashboardFlags struct {
	Dashboard          bool   `default:"true" negatable:"" help:"Serve the dashboard, where people sign in and manage their keys; --dashboard=false switches it off (default: ${default})."`
	Signup             string `enum:"open,invite,closed" default:"closed" help:"Who may sign up in the dashboard: open (everybody), invite (people with an invitation), or closed (default: ${default})."`
	PublicURL          string `name:"public-url" placeholder:"URL" help:"Address that people use, such as https://uncial.example.org, for links and examples (default: http:// and the listen address)."`
	MailServer         string `secret:"" placeholder:"URL" help:"Mail server for links and notices: smtp://USER:PASSWORD@HOST:587, smtps://...:465, or smtp+plain://HOST:25 without encryption. Prefer the environment: other users can see the command line (default: none, no mail is sent)."`
	MailFrom           string `placeholder:"ADDRESS" help:"Sender of mail, such as 'Uncial <uncial@example.org>'."`
	OpenidIssuer       string `name:"openid-issuer" placeholder:"URL" help:"OpenID Connect provider that people may sign in with (default: none)."`
	OpenidClientID     string `name:"openid-client-id" placeholder:"ID" help:"Client ID at the provider."`
	OpenidClientSecret string `secret:"" name:"openid-client-secret" placeholder:"SECRET" help:"Client secret at the provider. Prefer the environment: other users can see the command line."`
	OpenidName         string `name:"openid-name" default:"single sign-on" help:"Name of the provider on the button (default: ${default})."`
}

// mail returns the options of mail. As in dashboard, app.New checks them, with errors that name these flags.
func (f dashboardFlags) mail() app.MailOptions {
	return app.MailOptions{Server: f.MailServer, From: f.MailFrom}
}

func (f dashboardFlags) dashboard() app.DashboardOptions {
	o := app.DashboardOptions{Off: !f.Dashboard, SignUp: dashboard.SignUp(f.Signup), PublicURL: f.PublicURL}
	if f.OpenidIssuer != "" || f.OpenidClientID != "" || f.OpenidClientSecret != "" {
		o.OpenID = dashboard.OpenID{Issuer: f.OpenidIssuer, ClientID: f.OpenidClientID, ClientSecret: f.OpenidClientSecret, Name: f.OpenidName}
	}
	return o
}
