package dashboard

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"uncial/impl/account"
	"uncial/impl/account/user"
)

// OpenID names an OpenID Connect provider that people may sign in with.
type OpenID struct {
	Issuer       string // URL, as the provider spells it
	ClientID     string
	ClientSecret string
	Name         string // on the button
}

const (
	// openIDTimeout bounds each request to the provider.
	openIDTimeout = 10 * time.Second
	// openIDPause is the pause after a provider did not answer, so that not every visitor waits for it in turn.
	openIDPause = 5 * time.Second
)

// openID signs people in with a provider. It asks for the provider's settings at the first sign-in, so that the service
// starts without the provider.
type openID struct {
	o        OpenID
	name     string
	redirect string
	client   *http.Client
	mu       sync.Mutex
	provider *oidc.Provider // nil until the first sign-in
	failed   error          // why the provider did not answer
	retry    time.Time      // when it is asked again
}

// newOpenID returns nil without a provider. publicURL has no slash at its end; the provider must know the address of the
// callback.
func newOpenID(o *OpenID, publicURL string) *openID {
	if o == nil {
		return nil
	}
	return &openID{o: *o, name: o.Name, redirect: publicURL + Prefix + "/openid/callback", client: &http.Client{Timeout: openIDTimeout}}
}

// connect returns the settings of the provider, and a context for requests to it.
func (p *openID) connect(ctx context.Context) (context.Context, *oidc.Provider, *oauth2.Config, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.provider == nil && time.Now().After(p.retry) {
		// The provider keeps the context to fetch its keys later.
		p.provider, p.failed = oidc.NewProvider(context.WithoutCancel(ctx), p.o.Issuer)
		p.retry = time.Now().Add(openIDPause)
	}
	if p.provider == nil {
		return nil, nil, nil, fmt.Errorf("the OpenID Connect provider does not answer: %w", p.failed)
	}
	return ctx, p.provider, &oauth2.Config{
		ClientID: p.o.ClientID, ClientSecret: p.o.ClientSecret, RedirectURL: p.redirect,
		Endpoint: p.provider.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}, nil
}

// openIDState is what must be the same before and after the visit to the provider. It is kept in a sealed cookie.
type openIDState struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`           // PKCE, RFC 7636
	Code     string `json:"c,omitempty"` // of an invitation
	Link     string `json:"l,omitempty"` // ID of the user to link the person to
	Next     string `json:"t,omitempty"` // page to show afterwards
}

const (
	// Names of cookies: the first lasts for one visit to the provider, the second from the opening of an invitation until that
	// visit.
	openIDCookie     = "openid"
	invitationCookie = "invitation"
)

// startOpenID redirects to the provider to sign in, to accept an invitation (query "invitation") or to link an account (query
// "link"). State, nonce and PKCE verifier wait in a sealed cookie for the callback.
func startOpenID(c *Call) error {
	d := c.d
	if d.openID == nil {
		return NotFound()
	}
	_, _, config, err := d.openID.connect(c.R.Context())
	if err != nil {
		c.note(err)
		return errProvider
	}
	s := openIDState{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	switch query := c.R.URL.Query(); {
	case query.Has("invitation"):
		s.Code = d.sealer.take(c.W, c.R, invitationCookie, "")
	case query.Has("link"):
		if s.Link = d.sealer.take(c.W, c.R, linkCookie, c.User.ID); s.Link == "" {
			return errLink
		}
	default:
		s.Next = localPath(query.Get("next"))
	}
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := d.sealer.put(c.W, openIDCookie, "", string(value)); err != nil {
		return err
	}
	http.Redirect(c.W, c.R, config.AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), http.StatusSeeOther)
	return nil
}

var (
	// What can go wrong when signing in with the provider. The log has the cause; the page says what to do.
	errProvider = &Problem{Status: http.StatusBadGateway, Title: "The sign-in provider does not answer", Text: "Try again in a few minutes, or sign in with a password."}
	errCallback = &Problem{Status: http.StatusBadRequest, Title: "The sign-in did not succeed", Text: "The provider refused it, or it took longer than 10 minutes. Start again from the sign-in page."}
	errNoSignUp = &Problem{Status: http.StatusForbidden, Title: "You are not registered here", Text: "Ask the people who run this service for an invitation. If you have one, enter its code first."}
	errEmailUse = &Problem{Status: http.StatusConflict, Title: "The e-mail address is in use", Text: "A user with a password has this e-mail address. Sign in with the password; the account page can then link the provider."}
	errLink     = &Problem{Status: http.StatusForbidden, Title: "The provider was not linked", Text: "Sign in, and confirm your password on the account page first."}
	errLinked   = &Problem{Status: http.StatusConflict, Title: "The provider was not linked", Text: sentence(user.ErrIdentity)}
)

// identity is what the provider says about a person.
type identity struct {
	issuer, subject string
	Email           string `json:"email"`
	EmailVerified   bool   `json:"email_verified"`
	Name            string `json:"name"`
}

// finishOpenID takes the browser back from the provider and signs the person in, or up.
func finishOpenID(c *Call) error {
	if c.d.openID == nil {
		return NotFound()
	}
	var s openIDState
	query := c.R.URL.Query()
	sealed := c.d.sealer.take(c.W, c.R, openIDCookie, "")
	if json.Unmarshal([]byte(sealed), &s) != nil || subtle.ConstantTimeCompare([]byte(s.State), []byte(query.Get("state"))) != 1 {
		return errCallback
	}
	person, err := c.d.openID.identify(c.R.Context(), s, query.Get("code"))
	if err != nil {
		c.note(err)
		return errCallback
	}
	if s.Link != "" {
		return c.link(person, s.Link)
	}
	u, err := c.d.o.Users.SignInWith(c.R.Context(), person.issuer, person.subject)
	if errors.Is(err, user.ErrNoUser) {
		return c.signUpWith(person, s.Code)
	}
	if err != nil {
		return err
	}
	if s.Code != "" {
		return c.joinWith(u, s.Code)
	}
	return c.d.admitUser(c, u, "", s.Next, "")
}

// joinWith signs in somebody who has followed an invitation and already has a user. An invitation that is not for this user
// stays open.
func (c *Call) joinWith(u user.User, code string) error {
	accountID, err := c.d.o.Users.AcceptAs(c.R.Context(), code, u.ID)
	if errors.Is(err, user.ErrToken) {
		return c.d.admitUser(c, u, "", "/", "")
	}
	if err != nil {
		return err
	}
	return c.d.admitUser(c, u, accountID, "/", "joined")
}

// identify exchanges the code for an ID token and checks it.
func (p *openID) identify(ctx context.Context, s openIDState, code string) (identity, error) {
	ctx, provider, config, err := p.connect(ctx)
	if err != nil {
		return identity{}, err
	}
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		return identity{}, errors.New("the provider did not accept the code of a sign-in") // its answer may quote the code
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return identity{}, errors.New("the provider sent no ID token")
	}
	checked, err := provider.Verifier(&oidc.Config{ClientID: p.o.ClientID}).Verify(ctx, raw)
	if err != nil {
		return identity{}, fmt.Errorf("check the ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(checked.Nonce), []byte(s.Nonce)) != 1 {
		return identity{}, errors.New("the ID token is for another sign-in")
	}
	person := identity{issuer: checked.Issuer, subject: checked.Subject}
	return person, checked.Claims(&person)
}

// signUpWith makes a user for somebody whom the provider knows. code is that of an invitation; without one, sign-up must be
// open.
func (c *Call) signUpWith(person identity, code string) error {
	d, ctx := c.d, c.R.Context()
	if code == "" && d.o.SignUp != Open {
		return errNoSignUp
	}
	if code == "" {
		if err := d.o.Users.CountSignUp(ctx, c.clientAddr()); err != nil {
			return asTooMany(err)
		}
	}
	name := person.Name
	if account.CheckName(name) != nil {
		name = person.Email
	}
	u, a, err := d.o.Users.SignUpWith(ctx, person.issuer, person.subject, person.EmailVerified, code,
		user.NewUser{Email: person.Email, Name: name, Account: name, Plan: signUpPlan})
	switch {
	case errors.Is(err, user.ErrEmailTaken):
		return errEmailUse
	case errors.Is(err, user.ErrToken):
		return errNoSignUp
	case errors.Is(err, user.ErrEmail):
		return &Problem{Status: http.StatusForbidden, Title: "The provider did not share an e-mail address", Text: "An e-mail address is required. Add one at the provider and allow it to be shared."}
	case err != nil:
		return err
	}
	return d.admitUser(c, u, a.ID, "/", "welcome")
}
