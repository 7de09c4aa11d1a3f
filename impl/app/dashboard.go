package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"uncial/impl/account/user"
	"uncial/impl/dashboard"
	"uncial/impl/dashboard/playground"
	"uncial/internal/address"
)

// DashboardOptions configure the pages for people.
type DashboardOptions struct {
	Off bool // serve no pages; keys can still be created on the command line. Default: serve them
	// SignUp says who may sign up. Open needs mail, unless Options.Listen and PublicURL are loopback addresses. Default:
	// dashboard.Closed
	SignUp dashboard.SignUp
	// PublicURL is the address that people use, such as https://uncial.example.org, for links and examples. Default: http://
	// and the address of the listener
	PublicURL string
	// OpenID is a provider that people may sign in with. Default: none
	OpenID dashboard.OpenID
}

// check returns an error that names the first invalid flag.
func (o DashboardOptions) check(listen string, hasMail bool) error {
	if o.PublicURL != "" {
		if err := CheckPublicURL(o.PublicURL); err != nil {
			return err
		}
	}
	if o.SignUp == dashboard.Open && !hasMail && (!IsLoopback(listen) || !o.isLocal()) {
		return errors.New("--signup=open needs --mail-server to verify addresses; without mail, use loopback addresses in --listen and --public-url, or choose invite or closed")
	}
	id := o.OpenID
	switch {
	case id == (dashboard.OpenID{}):
		return nil
	case id.Issuer == "" || id.ClientID == "" || id.ClientSecret == "":
		return errors.New("--openid-issuer, --openid-client-id and --openid-client-secret must be set together")
	case o.PublicURL == "":
		return errors.New("--public-url: required with --openid-issuer; the provider sends people back to it")
	}
	return nil
}

// isLocal reports whether PublicURL names this machine. If it does not, a proxy may let other people reach the pages.
func (o DashboardOptions) isLocal() bool {
	u, err := url.Parse(o.PublicURL)
	return o.PublicURL == "" || err == nil && IsLoopback(net.JoinHostPort(u.Hostname(), "0"))
}

// CheckPublicURL returns an error that names --public-url, unless text is a URL of only a scheme and a host: cookies and links
// of the dashboard assume the root of a host.
func CheckPublicURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("--public-url: invalid URL %q; expected scheme and host, such as https://uncial.example.org", text)
	}
	return nil
}

// IsLoopback reports whether listen, such as 127.0.0.1:8080, is an address that only this machine can reach. It is false for an
// address that it cannot parse.
func IsLoopback(listen string) bool {
	_, _, err := net.SplitHostPort(listen)
	return err == nil && address.IsLoopbackHost(listen)
}

// PublicURL returns the address that people use, without a trailing slash. Without the option, it is that of the listener.
func (a *App) PublicURL() string {
	if a.o.Dashboard.PublicURL != "" {
		return strings.TrimSuffix(a.o.Dashboard.PublicURL, "/")
	}
	host, port, _ := net.SplitHostPort(a.addr) // the address of a listener has both
	if addr, err := netip.ParseAddr(host); err == nil && addr.IsUnspecified() {
		host = "localhost" // it listens on every address, including this one
	}
	return "http://" + net.JoinHostPort(host, port)
}

// OperatorLink returns a link with which the first operator signs up as an owner of the account, or "" if there already is an
// operator or the dashboard is switched off. If accountID is "", the operator gets a new account. The link works once, within
// 24 hours.
func (a *App) OperatorLink(ctx context.Context, accountID string) (string, error) {
	has, err := a.data.Users.HasOperator(ctx)
	if err != nil || has || a.o.Dashboard.Off {
		return "", err
	}
	code, err := a.data.Users.Issue(ctx, user.Token{Purpose: user.Operator, AccountID: accountID, Role: user.Owner})
	if err != nil {
		return "", err
	}
	return dashboard.Link(a.PublicURL(), code), nil
}

// openDashboard returns the pages, or nil if they are switched off.
func (a *App) openDashboard() (*dashboard.Dashboard, error) {
	o := a.o.Dashboard
	if o.Off {
		return nil, nil
	}
	public, err := url.Parse(a.PublicURL())
	if err != nil {
		return nil, err
	}
	if o.PublicURL == "" && !IsLoopback(a.addr) {
		a.o.Logger.Warn("links in the dashboard lead to this machine only; set --public-url", "url", public.String())
	}
	options := dashboard.Options{
		Data: dashboard.Data{
			Accounts: a.data.Accounts, Users: a.data.Users, Sessions: a.data.Sessions, Ledger: a.data.Ledger, Limits: a.data.limits,
		},
		Secret: a.data.secret, PublicURL: public, SignUp: o.SignUp, TrustedProxies: a.o.TrustedProxies, Now: a.o.Now, Logger: a.o.Logger,
	}
	tryPages, err := playground.New(playground.Options{
		API:    http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.front.ServeHTTP(w, r) }),
		Ledger: a.data.Ledger, Languages: a.recognizer.Languages, Now: a.o.Now,
	})
	if err != nil {
		return nil, err
	}
	options.Extra = append(options.Extra, tryPages)
	if o.OpenID.Issuer != "" {
		options.OpenID = &o.OpenID
	}
	if a.mail != nil {
		options.Mail = a.mail
	}
	return dashboard.New(options)
}

// pages returns the routes for people: the redirect from / and, unless it is switched off, the dashboard.
func (a *App) pages() (routes, subtrees map[string]http.Handler, err error) {
	board, err := a.openDashboard()
	if err != nil {
		return nil, nil, err
	}
	home := http.RedirectHandler("/docs", http.StatusSeeOther)
	if board != nil {
		home = http.RedirectHandler(dashboard.Prefix+"/", http.StatusSeeOther)
		subtrees = map[string]http.Handler{dashboard.Prefix + "/": board}
	}
	routes = map[string]http.Handler{}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		routes[method+" /"], routes[method+" "+dashboard.Prefix] = home, home
	}
	return routes, subtrees, nil
}
